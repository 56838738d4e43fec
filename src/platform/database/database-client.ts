import { callbackify } from 'node:util';
import { Client, type ClientConfig } from 'pg';
import type { PostgresServer } from './connection/postgres-server';
import { requireAcceptable, sessionOf } from './connection/server-choice';
import { sessionSettings } from './connection/session-settings';
import { sqlState } from './postgres-errors';

type Method = (...args: unknown[]) => unknown;
/** A callback as declared by pg. A pool uses only the error. */
type Callback = ((error: Error) => void) | ((error: null, client: Client) => void);

export interface DatabaseClientConfig extends ClientConfig {
  /** The server to connect to. The embedded database uses a stream instead. */
  readonly server?: PostgresServer;
}

const isReadTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';
/** The error codes with which pgbouncer and other poolers reject an unknown setting. */
const REFUSED_SETTING = new Set(['08P01', '0A000', '42704']);

/**
 * A `pg` client that closes its connection after the first statement that times out. The original client returns to the
 * pool while the statement is still in flight. Its next user then waits for a server that may never reply. This client
 * also sets all session settings that the service needs, and chooses between several servers.
 */
export class DatabaseClient extends Client {
  private readonly server: PostgresServer | null;
  private readonly queryTimeoutMs: number;

  constructor({ server, ...config }: DatabaseClientConfig = {}) {
    super({ ...config, ...server?.account });
    this.server = server ?? null;
    this.queryTimeoutMs = config.query_timeout ?? 0;
    // The pool removes its listener before its caller adds one. If an error occurs in between, the next statement fails
    // instead.
    this.on('error', () => {});
    const query = (args: unknown[]): unknown => this.plain('query', ...args);
    Object.assign(this, {
      query: (...args: unknown[]): unknown => {
        const result = query(args);
        if (result instanceof Promise) result.catch((error: unknown) => isReadTimeout(error) && this.disconnect());
        return result;
      },
    });
  }

  override connect(): Promise<Client>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<Client> | void {
    const connecting = this.server === null ? this.plainConnect() : this.connectTo(this.server);
    if (callback === undefined) return connecting;
    callbackify(() => connecting)(callback as (error: Error | null, client?: Client) => void);
  }

  private async plainConnect(): Promise<Client> {
    await this.plain('connect');
    return this;
  }

  private async connectTo(server: PostgresServer): Promise<Client> {
    const target = await server.next();
    this.aimAt(server.configFor(target));
    const session = sessionOf(this);
    const isPlain = server.isPlainStart;
    try {
      await this.plainConnect();
      if (server.connection.servers.length > 1) await requireAcceptable(this, session, server.connection.accepts);
      return this;
    } catch (error) {
      server.forget(target);
      this.disconnect();
      if (!isPlain && REFUSED_SETTING.has(sqlState(error) ?? '')) server.isPlainStart = true;
      throw error;
    }
  }

  /** Sets the server and the TLS files. They are known when the client connects, not when a pool creates it. */
  private aimAt({ host, port, ssl, sslnegotiation }: ClientConfig): void {
    const [parameters, connection] = ['connectionParameters', 'connection'].map(
      (name) => Reflect.get(this, name) as object,
    );
    Object.assign(this, { host, port, ssl, sslNegotiation: sslnegotiation });
    Object.assign(parameters ?? {}, { host, port });
    Object.assign(connection ?? {}, { ssl, sslNegotiation: sslnegotiation });
  }

  /** Overrides the message that opens a session. The types for `pg` don't declare this method. */
  getStartupConf(): object {
    const plain = this.plain('getStartupConf') as object;
    return this.server === null
      ? plain
      : { ...plain, ...sessionSettings(this.queryTimeoutMs, this.server.isPlainStart) };
  }

  private plain(method: string, ...args: unknown[]): unknown {
    return Reflect.apply(Reflect.get(Client.prototype, method) as Method, this, args);
  }

  /** Closes the connection. Ending a client while a statement is in flight has this effect. */
  private disconnect(): void {
    this.end().catch(() => {});
  }
}
