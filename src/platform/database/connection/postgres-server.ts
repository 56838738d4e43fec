import type { ClientConfig } from 'pg';
import { ServerChoice } from './server-choice';
import { type Server, type ServerConnection, serverConnection } from './server-connection';
import { tlsOptions } from './tls-options';

/**
 * The PostgreSQL server in `DATABASE_URL`, shared by all of the process's pools. Remembers which server the latest
 * connection reached, and whether a pooler in front of it rejects session settings.
 */
export class PostgresServer {
  private readonly choice: ServerChoice;
  /** True if a pooler in front of the server rejects session settings that it doesn't know. */
  isPlainStart = false;

  constructor(readonly connection: ServerConnection) {
    this.choice = new ServerChoice(connection, (server) => this.configFor(server));
  }

  static at(url: string, environment: Readonly<Record<string, string | undefined>> = process.env): PostgresServer {
    return new PostgresServer(serverConnection(url, environment));
  }

  /** The `pg` options that are the same for all servers. */
  get account(): ClientConfig {
    const { user, password, database, options, applicationName, usesChannelBinding } = this.connection;
    return {
      user,
      database,
      ...(password === null ? {} : { password }),
      ...(options === null ? {} : { options }),
      ...(applicationName === null ? {} : { application_name: applicationName }),
      enableChannelBinding: usesChannelBinding,
      // TLS is off until the server is known.
      ssl: false,
      sslnegotiation: 'postgres',
    };
  }

  /** Returns all `pg` options for one of the servers. Throws a `TlsFileError`. */
  configFor({ host, port }: Server): ClientConfig {
    const { tls, isDirectTls } = this.connection;
    // As in libpq, sockets don't use TLS.
    const usesTls = tls !== null && !host.startsWith('/');
    return {
      ...this.account,
      host,
      port,
      ssl: usesTls ? tlsOptions(tls) : false,
      sslnegotiation: usesTls && isDirectTls ? 'direct' : 'postgres',
    };
  }

  /**
   * Returns the server for the next connection. If there are several servers, this is the previous connection's server
   * or the first acceptable one.
   */
  next(): Server | Promise<Server> {
    return this.choice.next();
  }

  /** Forgets a server whose connection failed or that no longer accepts writes. The next connection chooses again. */
  forget(server: Server): void {
    this.choice.forget(server);
  }
}
