import type { EventEmitter } from 'node:events';
import { Client, type ClientConfig } from 'pg';
import { unreachableReason } from '../connection-failure';
import { isUnavailable } from '../postgres-errors';
import type { Server, ServerConnection } from './server-connection';

/**
 * The error for a server that is read-only. Try again later, because a standby may be promoted or a setting may be
 * changed back.
 */
export class ReadOnlyServerError extends Error {
  readonly code = '25006';

  constructor(readonly why: 'standby' | 'setting') {
    super(
      why === 'standby'
        ? 'it is a standby, which is read-only'
        : 'default_transaction_read_only is on there, for its user or for its database',
    );
  }
}

/** The error if the URL lists several servers and all of them failed. */
class NoServerError extends Error {
  readonly code = '08001';
}

/** Selects one of a connection's servers according to `target_session_attrs`. */
export class ServerChoice {
  private last: Server | null = null;
  private looking: Promise<Server> | null = null;

  constructor(
    private readonly connection: ServerConnection,
    private readonly configFor: (server: Server) => ClientConfig,
  ) {}

  next(): Server | Promise<Server> {
    const [only, ...others] = this.connection.servers;
    if (only !== undefined && others.length === 0) return only;
    if (this.last !== null) return this.last;
    this.looking ??= this.look().finally(() => (this.looking = null));
    return this.looking;
  }

  forget(server: Server): void {
    if (this.last === server) this.last = null;
  }

  /** Connects to all servers in parallel and returns the first acceptable one in the order of the list. */
  private async look(): Promise<Server> {
    const attempts = this.connection.servers.map((server) => ({ server, failure: this.failureOf(server) }));
    const reasons: string[] = [];
    let refusal: unknown = null;
    for (const { server, failure } of attempts) {
      const error = await failure;
      if (error === null) return (this.last = server);
      if (!isUnavailable(error)) refusal ??= error;
      reasons.push(`${server.host}:${server.port}: ${unreachableReason(error)}`);
    }
    throw refusal ?? new NoServerError(reasons.join('; '));
  }

  /**
   * Returns `null` if the server can be used. Uses at most half of the timeout and leaves the rest for the actual
   * connection.
   */
  private async failureOf(server: Server): Promise<unknown> {
    let client: Client | null = null;
    try {
      client = new Client({ ...this.configFor(server), connectionTimeoutMillis: this.connection.connectTimeoutMs / 2 });
      client.on('error', () => {});
      const session = sessionOf(client);
      await client.connect();
      await requireAcceptable(client, session, this.connection.accepts);
      return null;
    } catch (error) {
      return error;
    } finally {
      client?.end().catch(() => {});
    }
  }
}

/** The settings that a server reports at the start of a session, by name. */
export type ReportedSession = ReadonlyMap<string, string>;

/** Records the settings that the server reports. Call it before the client connects. */
export function sessionOf(client: Client): ReportedSession {
  const reported = new Map<string, string>();
  // The types for pg don't declare the connection, which emits messages as they arrive.
  const connection = Reflect.get(client, 'connection') as EventEmitter;
  connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) =>
    reported.set(parameterName ?? '', parameterValue ?? ''),
  );
  return reported;
}

/**
 * Throws a `ReadOnlyServerError`. Cost: no statement if the server reports both settings, one statement behind a
 * pooler.
 */
export async function requireAcceptable(
  client: Client,
  session: ReportedSession,
  accepts: ServerConnection['accepts'],
): Promise<void> {
  if (accepts === 'any') return;
  const isReported = session.has('in_hot_standby') && session.has('default_transaction_read_only');
  const { standby, readOnly } = isReported
    ? {
        standby: session.get('in_hot_standby') === 'on',
        readOnly: session.get('default_transaction_read_only') === 'on',
      }
    : await askedOf(client);
  if (standby) throw new ReadOnlyServerError('standby');
  if (readOnly && accepts === 'read-write') throw new ReadOnlyServerError('setting');
}

async function askedOf(client: Client): Promise<{ standby: boolean; readOnly: boolean }> {
  const { rows } = await client.query<{ standby: boolean; readOnly: boolean }>(READS_ONLY);
  return rows[0] ?? { standby: false, readOnly: false };
}

/** SQL: whether the server or this session is read-only. */
export const READS_ONLY = `SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') = 'on' AS "readOnly"`;
