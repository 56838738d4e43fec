import { Client } from 'pg';

type Query = (...args: unknown[]) => unknown;

const isReadTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/**
 * A `pg` client that leaves after its first unanswered statement. The plain one goes back to the pool with the statement
 * still in flight, and whoever gets it next waits behind a server that may be frozen for good.
 */
export class DatabaseClient extends Client {
  constructor(config?: ConstructorParameters<typeof Client>[0]) {
    super(config);
    // The pool stops listening before its caller begins to. What breaks in between fails the next statement instead.
    this.on('error', () => {});
    const query = (args: unknown[]): unknown =>
      Reflect.apply(Reflect.get(Client.prototype, 'query') as Query, this, args);
    Object.assign(this, {
      query: (...args: unknown[]): unknown => {
        const answer = query(args);
        if (answer instanceof Promise) answer.catch((error: unknown) => isReadTimeout(error) && this.leave());
        return answer;
      },
    });
  }

  /** Ending a client that waits for an answer cuts its connection. */
  private leave(): void {
    this.end().catch(() => {});
  }
}
