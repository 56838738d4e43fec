import type { ClientConfig } from 'pg';
import { ServerChoice } from './server-choice';
import { type Server, type ServerConnection, serverConnection } from './server-connection';
import { tlsOptions } from './tls-options';

/**
 * The PostgreSQL that `DATABASE_URL` names, as all pools of the process share it: where the newest connection led, and what a pooler
 * in front of it was found not to accept.
 */
export class PostgresServer {
  private readonly choice: ServerChoice;
  /** A pooler in front of the server refuses settings for the session that it does not know. */
  isPlainStart = false;

  constructor(readonly connection: ServerConnection) {
    this.choice = new ServerChoice(connection, (server) => this.configFor(server));
  }

  static at(url: string, environment: Readonly<Record<string, string | undefined>> = process.env): PostgresServer {
    return new PostgresServer(serverConnection(url, environment));
  }

  /** The options of `pg` that are the same for all servers. */
  get account(): ClientConfig {
    const { user, password, database, options, applicationName, usesChannelBinding } = this.connection;
    return {
      user,
      database,
      ...(password === null ? {} : { password }),
      ...(options === null ? {} : { options }),
      ...(applicationName === null ? {} : { application_name: applicationName }),
      enableChannelBinding: usesChannelBinding,
      // Until it is known where it leads.
      ssl: false,
      sslnegotiation: 'postgres',
    };
  }

  /** All options of `pg` for one of the servers. Throws a `TlsFileError`. */
  configFor({ host, port }: Server): ClientConfig {
    const { tls, isDirectTls } = this.connection;
    // Sockets are without TLS, in libpq as well.
    const usesTls = tls !== null && !host.startsWith('/');
    return {
      ...this.account,
      host,
      port,
      ssl: usesTls ? tlsOptions(tls) : false,
      sslnegotiation: usesTls && isDirectTls ? 'direct' : 'postgres',
    };
  }

  /** Returns the server for the next connection. With several servers, this is the server of the previous connection, or the first acceptable one. */
  next(): Server | Promise<Server> {
    return this.choice.next();
  }

  /** A connection to the server failed, or it does not write any more: the next one looks again. */
  forget(server: Server): void {
    this.choice.forget(server);
  }
}
