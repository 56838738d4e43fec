import type { EventEmitter } from 'node:events';
import { Client, type ClientConfig } from 'pg';
import { unreachableReason } from '../connection-failure';
import { isUnavailable } from '../postgres-errors';
import type { Server, ServerConnection } from './server-connection';

/** The server answers, but only reads. To be tried again: a standby is promoted, a setting is changed back. */
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

/** The URL names several servers, and all of them failed. */
class NoServerError extends Error {
  readonly code = '08001';
}

/** Takes one of the servers of a connection, as `target_session_attrs` asks. */
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

  /** Connects to all of them at once, and takes the first of the list that is acceptable. */
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

  /** `null` for a server that can be used. Half of the time is left for the connection that is wanted. */
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

/** The settings that a server reports when a session starts, by name. */
export type ReportedSession = ReadonlyMap<string, string>;

/** Call it before the client connects. */
export function sessionOf(client: Client): ReportedSession {
  const reported = new Map<string, string>();
  // Not among the types of pg: the connection, and its messages as they arrive.
  const connection = Reflect.get(client, 'connection') as EventEmitter;
  connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) =>
    reported.set(parameterName ?? '', parameterValue ?? ''),
  );
  return reported;
}

/** Throws a `ReadOnlyServerError`. Costs nothing with a server that reports both settings, behind a pooler one statement. */
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

/** Whether the server, or this session, only reads. */
export const READS_ONLY = `SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') = 'on' AS "readOnly"`;
