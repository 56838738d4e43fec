/**
 * The address of one server. `host` is a hostname, an IP address, or the directory that contains a socket. Both fields
 * are empty if the URL omits them.
 */
export interface ServerAddress {
  readonly host: string;
  readonly port: string;
}

/** The decoded parts of a `postgres://` URL. Parts that the URL omits are empty. */
export interface DatabaseUrl {
  /** At least one server. If there are several, they are tried in order. */
  readonly servers: readonly ServerAddress[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The parameters after the question mark. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The part of the error message that follows `DATABASE_URL`. It never contains any part of the URL. */
export class WrongDatabaseUrl {
  constructor(readonly must: string) {}
}

export const NO_DATABASE_URL = new WrongDatabaseUrl('must be a postgres:// URL or embedded:memory');
const UNENCODED = new WrongDatabaseUrl(
  'must have /, ?, # and @ in the user name, the password and the database name percent-encoded: %2F, %3F, %23, %40',
);
const NOT_UTF8 = new WrongDatabaseUrl('must be percent-encoded as UTF-8');
const WRONG_HOST = new WrongDatabaseUrl(
  'must name hosts such as db.example.com, 10.0.0.5, [fd00::5], or %2Frun%2Fpostgresql for a socket, separated by commas',
);
const WRONG_PORT = new WrongDatabaseUrl(
  'must have a port from 1 to 65535 after the colon; if the colon is part of the password, the user and an @ are missing',
);
const WRONG_PORTS = new WrongDatabaseUrl('must have one port for all hosts, or one for each of them');

/** The allowed values for `sslmode`. See docs/reference/operations.md. */
export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** The `target_session_attrs` values that make sense for a service that writes data. */
export const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'];
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  sslmode: SSL_MODES,
  target_session_attrs: SESSION_ATTRIBUTES,
  sslnegotiation: ['postgres', 'direct'],
};

const FORM = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(#.*)?$/s;

/** Parses a URL like `pg` and libpq do, including several hosts and all forms of sockets. */
export function readDatabaseUrl(text: string): DatabaseUrl | WrongDatabaseUrl {
  const [isUrl, authority = '', path = '', query = '', fragment] = FORM.exec(text) ?? [];
  if (isUrl === undefined) return NO_DATABASE_URL;
  // Each of these conditions shows that the password contains an unencoded character, so that the @ after it was parsed
  // as part of another component.
  const isCutShort = path.includes('@') || fragment !== undefined || (!authority.includes('@') && query.includes('@'));
  if (path.includes('@') || fragment !== undefined) return UNENCODED;
  const at = authority.lastIndexOf('@');
  const account = at < 0 ? '' : authority.slice(0, at);
  const colon = account.indexOf(':');
  const [user, password, database] = [
    colon < 0 ? account : account.slice(0, colon),
    colon < 0 ? '' : account.slice(colon + 1),
    path,
  ].map((part) => decoded(part, text));
  if (user === undefined || password === undefined || database === undefined) return NOT_UTF8;
  const parameters = new Map(new URLSearchParams(query));
  const servers = serversOf(authority.slice(at + 1), parameters);
  if (servers instanceof WrongDatabaseUrl) return isCutShort ? UNENCODED : servers;
  for (const [name, words] of Object.entries(CHOICES)) {
    const given = parameters.get(name) ?? '';
    if (given !== '' && !words.includes(given))
      return new WrongDatabaseUrl(`must have one of ${words.join(', ')} as its ${name}`);
  }
  return {
    servers,
    user: parameters.get('user') || user,
    password: parameters.get('password') || password,
    database,
    parameters,
  };
}

/**
 * Matches a space or a % that isn't followed by two hexadecimal digits. A string with either isn't completely encoded.
 */
const NOT_ENCODED = / |%[^a-f0-9]|%[a-f0-9][^a-f0-9]/i;

/**
 * Decodes a part of the URL. Returns `undefined` for bytes that are not valid UTF-8. If the URL contains a stray %,
 * every % that isn't followed by two decimal digits is taken literally, as in `pg`.
 */
function decoded(part: string, url: string): string | undefined {
  try {
    return decodeURIComponent(NOT_ENCODED.test(url) ? encodeURI(part).replaceAll(/%25(\d\d)/g, '%$1') : part);
  } catch {
    return undefined;
  }
}

/** As in libpq, parameters override the part before the path. */
function serversOf(list: string, parameters: ReadonlyMap<string, string>): readonly ServerAddress[] | WrongDatabaseUrl {
  const before = list.split(',').map(addressOf);
  const hosts = parameters.get('host')?.split(',') ?? before.map((each) => each?.host ?? null);
  const ports = parameters.get('port')?.split(',') ?? before.map((each) => each?.port ?? null);
  if (ports.length !== hosts.length && ports.length !== 1) return WRONG_PORTS;
  const found: ServerAddress[] = [];
  for (const [index, host] of hosts.entries()) {
    const port = ports[ports.length === 1 ? 0 : index] ?? null;
    if (host === null || !isHost(host)) return WRONG_HOST;
    if (port === null || !isPort(port)) return WRONG_PORT;
    found.push({ host, port });
  }
  return found;
}

const HOST_AND_PORT = /^(\[[^\]]+\]|[^:[\]]*)(?::([^:]*))?$/;

/** Returns `null` if the string has any other form. */
function addressOf(text: string): ServerAddress | null {
  const [, host, port = ''] = HOST_AND_PORT.exec(text) ?? [];
  if (host === undefined) return null;
  try {
    return { host: decodeURIComponent(host.replaceAll(/^\[|\]$/g, '')), port };
  } catch {
    return null;
  }
}

const isHost = (host: string): boolean => host.startsWith('/') || /^[^\s/<>?#@[\]\\^|]*$/.test(host);
const isPort = (port: string): boolean =>
  port === '' || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535);

/** Parameters that this service supports. */
const READ = new Set(
  'host port user password sslmode ssl sslrootcert sslcert sslkey sslnegotiation uselibpqcompat options application_name target_session_attrs connect_timeout channel_binding'.split(
    ' ',
  ),
);
/** libpq parameters that have no effect here and don't need a warning. */
const HARMLESS = new Set(
  'client_encoding fallback_application_name gssencmode keepalives keepalives_idle keepalives_interval keepalives_count krbsrvname load_balance_hosts min_protocol_version sslcompression sslsni tcp_user_timeout'.split(
    ' ',
  ),
);

/** Returns the URL parameters that have no effect, although users may expect one. */
export const idleParameters = ({ parameters }: DatabaseUrl): string[] =>
  [...parameters.keys()].filter((name) => !READ.has(name) && !HARMLESS.has(name));
