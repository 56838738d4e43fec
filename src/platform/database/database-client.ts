import { Client } from 'pg';

type Query = (...args: unknown[]) => unknown;

const isReadTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/**
 * A `pg` client that closes its connection after the first statement that times out. The plain one goes back to the pool
 * with the statement still in flight, and its next user waits for a server that may be frozen for good.
 */
export class DatabaseClient extends Client {
  constructor(config?: ConstructorParameters<typeof Client>[0]) {
    super(config);
    // The pool removes its listener before its caller adds one. An error in between fails the next statement instead.
    this.on('error', () => {});
    const query = (args: unknown[]): unknown =>
      Reflect.apply(Reflect.get(Client.prototype, 'query') as Query, this, args);
    Object.assign(this, {
      query: (...args: unknown[]): unknown => {
        const result = query(args);
        if (result instanceof Promise) result.catch((error: unknown) => isReadTimeout(error) && this.disconnect());
        return result;
      },
    });
  }

  /** Ending a client with a statement in flight cuts its connection. */
  private disconnect(): void {
    this.end().catch(() => {});
  }
}
