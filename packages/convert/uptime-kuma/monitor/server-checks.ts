import { InvalidTarget, parseHostPort } from '../../../../src/checker/checker';
import { bracketed, normalizeHost } from '../../../../src/platform/net/egress/host-name';
import { readUrl } from '../../../../src/platform/text/read-url';
import { type Mapped, quoted } from './draft';
import type { Row } from '../file/row';

const MAX_PASSWORD = 512;

/** A connection string of a database, as a URL. */
interface Connection {
  scheme: string;
  host: string;
  port: string;
  user: string;
  password: string;
  path: string;
  query: string;
}

function connectionOf(monitor: Row): Connection | null {
  const url = readUrl(monitor.text('databaseConnectionString').trim());
  const host = url === null ? null : normalizeHost(url.hostname);
  if (url === null || host === null) return null;
  const [user, password] = [url.username, url.password].map(decoded);
  return {
    scheme: url.protocol.slice(0, -1),
    host: bracketed(host),
    port: url.port,
    user: user ?? '',
    password: password ?? '',
    path: url.pathname.slice(1),
    query: url.search,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const noConnection: Mapped = { reason: 'its connection string is not a URL with a host' };
const withPort = (port: string): string => (port === '' ? '' : `:${port}`);

export function redisCheck(monitor: Row): Mapped {
  const connection = connectionOf(monitor);
  if (connection === null) return noConnection;
  const { scheme, host, port, user, password, path } = connection;
  if (scheme !== 'redis' && scheme !== 'rediss') return noConnection;
  if (monitor.flag('ignoreTls') && scheme === 'rediss')
    return { reason: 'it ignores TLS errors, which is not allowed for a check that sends a password' };
  if (password.length > MAX_PASSWORD) return { reason: `its password is longer than ${MAX_PASSWORD} characters` };
  const settings = { ...(user !== '' && password !== '' && { user }), ...(password !== '' && { password }) };
  const database = path === '' || path === '0' ? [] : [`the check does not select the database ${quoted(path)}`];
  return {
    draft: {
      type: 'REDIS',
      url: `${scheme}://${host}${withPort(port)}`,
      ...(password !== '' && { settings }),
    },
    differences: database,
  };
}

export function postgresCheck(monitor: Row): Mapped {
  const connection = connectionOf(monitor);
  if (connection === null || !/^postgres(ql)?$/.test(connection.scheme)) return noConnection;
  const { host, port, user, password, path, query } = connection;
  if (user === '') return { reason: 'its connection string has no user' };
  if (path.includes('/') || path.length > 189) return { reason: `its database ${quoted(path)} is not a valid name` };
  if (password.length > MAX_PASSWORD || user.length > 63) return { reason: 'its user or password is too long' };
  const mode = /[?&]sslmode=([a-z-]+)/.exec(query)?.[1] ?? '';
  const tls = mode === 'disable' ? 'off' : /^(require|verify)/.test(mode) ? 'require' : null;
  const statement = monitor.text('databaseQuery').trim();
  return {
    draft: {
      type: 'POSTGRES',
      url: `postgres://${host}${withPort(port)}/${path === '' ? encodeURIComponent(user) : path}`,
      settings: {
        user,
        ...(password !== '' && { password }),
        ...(tls !== null && { tls }),
        ...(statement !== '' && { query: statement }),
      },
    },
    differences: [
      ...(statement === '' ? [] : ['its query runs in a read-only transaction, and must return a row']),
      ...(mode === 'require' ? ['the certificate of the server is verified'] : []),
    ],
  };
}

const WEB_SOCKET = /^wss?:\/\/[^/?#@]+/i;

export function webSocketCheck(monitor: Row): Mapped {
  const address = monitor.text('url').trim();
  if (!WEB_SOCKET.test(address) || readUrl(address) === null)
    return { reason: `its URL ${quoted(address)} is not a ws or wss URL without credentials` };
  const [subprotocol = '', ...others] = monitor
    .text('wsSubprotocol')
    .split(',')
    .map((one) => one.trim());
  const codes = monitor.list('accepted_statuscodes') ?? monitor.list('accepted_statuscodes_json') ?? [];
  const isUsual = codes.length === 0 || codes.some((code) => code === '1000' || code === '1000-1000');
  return {
    draft: {
      type: 'WEBSOCKET',
      url: address.replace(/#.*/s, ''),
      ...(subprotocol !== '' && { settings: { subprotocol } }),
    },
    differences: [
      ...(others.length > 0 ? [`only the first of its subprotocols is requested: ${quoted(subprotocol)}`] : []),
      ...(isUsual ? [] : ['the status with which the server closes the connection is not checked']),
      ...(monitor.flag('wsIgnoreSecWebsocketAcceptHeader') ? ['the header Sec-WebSocket-Accept is checked'] : []),
    ],
  };
}

export function mailCheck(monitor: Row): Mapped {
  const host = normalizeHost(monitor.text('hostname').trim());
  const port = monitor.number('port') ?? 25;
  if (host === null) return { reason: `its host ${quoted(monitor.text('hostname'))} is not valid` };
  const url = `tcp://${bracketed(host)}:${port}`;
  const form = { scheme: 'tcp', what: 'a TCP target is a host and a port', form: 'tcp://host:port' };
  try {
    parseHostPort(url, form);
  } catch (error) {
    if (!(error instanceof InvalidTarget)) throw error;
    return { reason: `its port ${quoted(monitor.text('port'))} is not valid` };
  }
  const security = monitor.text('smtpSecurity');
  const settings =
    security === 'secure'
      ? { tls: true, expect: '220' }
      : security === 'nostarttls'
        ? { expect: '220' }
        : { starttls: 'smtp' };
  return { draft: { type: 'TCP', url, settings }, differences: [] };
}
