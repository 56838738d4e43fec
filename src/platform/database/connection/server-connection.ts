import {
  type DatabaseUrl,
  idleParameters,
  readDatabaseUrl,
  SSL_MODES,
  WrongDatabaseUrl,
} from '../../config/database-url';
import { StartError } from '../../config/start-error';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A PostgreSQL server. `host` is a hostname, an IP address, or the directory that contains a socket, with a leading
 * slash.
 */
export interface Server {
  readonly host: string;
  readonly port: number;
}

/** How a server proves its identity. */
export interface Tls {
  /**
   * `nothing`: the connection is only encrypted. `authority`: the certificate must be issued by a trusted authority.
   * `name`: the certificate must also contain the hostname.
   */
  readonly verifies: 'nothing' | 'authority' | 'name';
  /** A file with the authorities to trust instead of Node's and those in NODE_EXTRA_CA_CERTS. */
  readonly rootCert: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

/**
 * The database's location and how to connect to it, after all defaults are applied. The `pg` options and the
 * environment for libpq's programs are both derived from it. As a result, `pg_dump` and `pg_restore` can reach every
 * database that the service can reach.
 */
export interface ServerConnection {
  /** At least one server. If there are several, they are tried in order. */
  readonly servers: readonly Server[];
  readonly user: string;
  /** If `null`, the password is read from the file that PGPASSFILE names, if any. */
  readonly password: string | null;
  readonly database: string;
  /** `null` means no TLS. Sockets never use TLS. */
  readonly tls: Tls | null;
  /** Whether TLS starts with the first byte, which PostgreSQL 17 and later support. */
  readonly isDirectTls: boolean;
  readonly usesChannelBinding: boolean;
  /** Command-line options for the session, such as `-c search_path=monitor`. */
  readonly options: string | null;
  readonly applicationName: string | null;
  /** Which of the servers is acceptable. */
  readonly accepts: 'any' | 'read-write' | 'primary';
  /** How many milliseconds one server may take to accept this client. */
  readonly connectTimeoutMs: number;
  /** URL parameters that have no effect. */
  readonly idleParameters: readonly string[];
}

const DEFAULT_PORT = 5432;
const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
const MAX_CONNECT_TIMEOUT_MS = 60_000;
const MS_PER_SECOND = 1000;

/**
 * Returns the connection for a URL and the variables that `pg` and libpq share. Throws a `StartError` if the URL or a
 * variable is invalid.
 */
export function serverConnection(text: string, environment: Environment = process.env): ServerConnection {
  const url = readDatabaseUrl(text);
  if (url instanceof WrongDatabaseUrl) throw new StartError(`DATABASE_URL ${url.must}.`);
  const given = (parameter: string, variable: string): string | null =>
    url.parameters.get(parameter) || environment[variable] || null;
  const user = url.user || environment['PGUSER'] || environment['USER'] || environment['USERNAME'] || 'postgres';
  return {
    servers: serversOf(url, environment),
    user,
    password: url.password || environment['PGPASSWORD'] || null,
    database: url.database || environment['PGDATABASE'] || user,
    tls: tlsOf(url, environment),
    isDirectTls: given('sslnegotiation', 'PGSSLNEGOTIATION') === 'direct',
    usesChannelBinding: ['prefer', 'require'].includes(given('channel_binding', 'PGCHANNELBINDING') ?? ''),
    options: given('options', 'PGOPTIONS'),
    applicationName: url.parameters.get('application_name') || null,
    accepts: acceptsOf(url, environment),
    connectTimeoutMs: timeoutOf(given('connect_timeout', 'PGCONNECT_TIMEOUT')),
    idleParameters: idleParameters(url),
  };
}

function serversOf({ servers }: DatabaseUrl, environment: Environment): Server[] {
  const fromEnvironment = environment['PGPORT'] ?? '';
  if (fromEnvironment !== '' && !/^\d{1,5}$/.test(fromEnvironment))
    throw new StartError('PGPORT must be a port from 1 to 65535.');
  return servers.map(({ host, port }) => ({
    host: host || environment['PGHOST'] || 'localhost',
    port: Number(port || fromEnvironment) || DEFAULT_PORT,
  }));
}

/**
 * Returns which kind of server is acceptable. A service that writes can't use a standby, but if there is only one
 * server, there is no choice.
 */
function acceptsOf({ servers, parameters }: DatabaseUrl, environment: Environment): ServerConnection['accepts'] {
  const given = parameters.get('target_session_attrs') || environment['PGTARGETSESSIONATTRS'] || '';
  if (given === 'any' || given === 'primary') return given;
  return servers.length > 1 || given === 'read-write' ? 'read-write' : 'any';
}

function timeoutOf(seconds: string | null): number {
  const ms = Number(seconds ?? '') * MS_PER_SECOND;
  return ms > 0 ? Math.min(ms, MAX_CONNECT_TIMEOUT_MS) : DEFAULT_CONNECT_TIMEOUT_MS;
}

function tlsOf({ parameters }: DatabaseUrl, environment: Environment): Tls | null {
  const file = (parameter: string, variable: string): string | null =>
    parameters.get(parameter) || environment[variable] || null;
  const rootCert = file('sslrootcert', 'PGSSLROOTCERT');
  const mode = modeOf(parameters, environment);
  if (mode === 'disable') return null;
  return {
    verifies: verificationOf(mode, rootCert, parameters.get('uselibpqcompat') === 'true'),
    rootCert: rootCert === 'system' ? null : rootCert,
    cert: file('sslcert', 'PGSSLCERT'),
    key: file('sslkey', 'PGSSLKEY'),
  };
}

/** Returns the `sslmode`. A URL that names TLS files or uses direct TLS doesn't need one. */
function modeOf(parameters: DatabaseUrl['parameters'], environment: Environment): string {
  const given = parameters.get('sslmode');
  if (given) return given;
  if (['sslrootcert', 'sslcert', 'sslkey'].some((name) => parameters.get(name))) return 'verify-full';
  const switched = parameters.get('ssl');
  if (switched === '0' || switched === 'false') return 'disable';
  if (switched === 'no-verify') return 'no-verify';
  if (switched || parameters.get('sslnegotiation') === 'direct') return 'verify-full';
  const fallback = environment['PGSSLMODE'] || 'disable';
  if (!SSL_MODES.includes(fallback)) throw new StartError(`PGSSLMODE must be one of ${SSL_MODES.join(', ')}.`);
  return fallback;
}

/**
 * Returns what is verified. With `require` and `prefer`, the hostname is verified too, although libpq verifies nothing.
 * Otherwise, anyone on the network could request the password. `uselibpqcompat=true`, a `pg` parameter, restores
 * libpq's behavior.
 */
function verificationOf(mode: string, rootCert: string | null, isCompatible: boolean): Tls['verifies'] {
  switch (mode) {
    case 'no-verify':
      return 'nothing';
    case 'verify-ca':
      return rootCert === null ? 'name' : 'authority';
    case 'allow':
    case 'prefer':
      return isCompatible ? 'nothing' : 'name';
    case 'require':
      if (!isCompatible) return 'name';
      return rootCert === null ? 'nothing' : 'authority';
    default:
      return 'name';
  }
}

/** Returns the servers' addresses for messages, without a password. */
export const addressOf = ({ servers }: Pick<ServerConnection, 'servers'>): string =>
  `PostgreSQL at ${servers.map(({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)).join(' and ')}`;
