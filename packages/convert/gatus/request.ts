import { INTERVAL_BOUNDS } from '../../../src/platform/config/check-bounds';
import { HTTP_METHODS } from '../../../src/checker/check-request';
import { headerProblem, isSensitiveHeader } from '../../../src/checker/request-headers';
import { unverifiedProblem } from '../../../src/checker/tls-settings';
import { MINUTE_MS, SECOND_MS } from '../../../src/platform/time/time-units';
import type { DeclaredEndpoint, Text } from '../../../src/configuration/document/document';
import { type Fields, quoted } from './fields';
import type { Target } from './target';
import { asWritten, filledIn, hasVariable, type Secrets, variablesIn } from './variables';

export const INTERVAL = { min: INTERVAL_BOUNDS.minimum, max: INTERVAL_BOUNDS.maximum };
const TIMEOUT = { min: 1, max: 300 };
/** Gatus's defaults. They are written out, because ours may differ between installations. */
const DEFAULT_INTERVAL = MINUTE_MS / SECOND_MS;
const DEFAULT_TIMEOUT = 10;
const MAX_HEADERS = 50;

type Request = Pick<
  DeclaredEndpoint,
  'method' | 'interval' | 'timeout' | 'headers' | 'body' | 'follow_redirects' | 'tls' | 'settings'
>;

export function readRequest(
  fields: Fields,
  target: Target,
  secrets: Secrets,
): { request: Request } | { refused: string } {
  const isWeb = target.type === 'HTTP' || target.type === 'HTTPS';
  const timed = { interval: fields.seconds('interval', INTERVAL) ?? DEFAULT_INTERVAL };
  const client = readClient(fields.inner('client'), isWeb);
  if ('refused' in client) return client;
  const request: Request = { ...timed, timeout: client.timeout };
  const settings = { ...target.settings, ...client.settings };
  if (!isWeb) {
    const sent = sentSettings(fields, target.type);
    if (client.insecure && 'tls' in settings) request.tls = { verify: false };
    const all = { ...settings, ...sent };
    return { request: Object.keys(all).length > 0 ? { ...request, settings: all } : request };
  }
  const method = (fields.text('method') ?? 'GET').toUpperCase();
  if (!HTTP_METHODS.some((known) => known === method))
    return { refused: `the method ${quoted(method)} is not supported` };
  const headers = readHeaders(fields, target, secrets);
  if ('refused' in headers) return headers;
  const body = readBody(fields, target, secrets);
  const refused = client.insecure ? unverifiedRefusal(target, headers.list, body) : null;
  if (refused !== null && target.type === 'HTTPS') return { refused: `client.insecure is not allowed: ${refused}` };
  if (refused !== null) fields.note('client.insecure', 'is not converted, because nothing is verified over http://');
  return {
    request: {
      method,
      ...request,
      ...(headers.list.length > 0 ? { headers: headers.list } : {}),
      ...(body === null ? {} : { body }),
      ...(client.followsRedirects ? {} : { follow_redirects: false }),
      ...(client.insecure && refused === null ? { tls: { verify: false } } : {}),
      ...(Object.keys(settings).length > 0 ? { settings } : {}),
    },
  };
}

/** Returns why certificate verification can't be turned off, or `null`. */
function unverifiedRefusal(target: Target, headers: readonly { key: string }[], body: Text | null): string | null {
  const sent = {
    url: filledIn(target.url),
    headers: headers.map(({ key }) => ({ key, value: '' })),
    body: body === null ? null : 'x',
  };
  return unverifiedProblem({ verify: false, ca: null, serverName: null }, sent)?.message ?? null;
}

const SENDING: readonly string[] = ['TCP', 'UDP', 'WEBSOCKET'];
const MAX_SENT = 1024;

/** Returns the settings for a body, which checks of these types send as a message. */
function sentSettings(fields: Fields, type: string): object {
  for (const name of ['method', 'headers', 'graphql']) if (fields.has(name)) noteLoss(fields, name);
  const body = fields.text('body') ?? '';
  if (body === '') return {};
  if (!SENDING.includes(type) || hasVariable(body) || Buffer.byteLength(body) > MAX_SENT) {
    noteLoss(fields, 'body');
    return {};
  }
  return { send: body.replaceAll('\\', '\\\\') };
}

function noteLoss(fields: Fields, name: string): void {
  const value = fields.raw(name);
  if (value !== false && value !== '') fields.note(name, 'is only sent with HTTP and HTTPS checks');
}

interface Client {
  timeout: number;
  insecure: boolean;
  followsRedirects: boolean;
  settings: { ip?: '4' | '6' };
}

/** Settings without which a target would respond differently or not respond. */
const INDISPENSABLE: Readonly<Record<string, string>> = {
  oauth2: 'client.oauth2 fetches a token for each request, which is not supported',
  'identity-aware-proxy': 'client.identity-aware-proxy fetches a token for each request, which is not supported',
  tls: 'client.tls is a client certificate, which is not supported',
  tunnel: 'client.tunnel connects through SSH, which is not supported',
};

const NOT_TAKEN: Readonly<Record<string, string>> = {
  'proxy-url': 'is not used: the check connects to the target directly',
  'dns-resolver': 'is not used: this service resolves names with its own resolver',
  'store-cookies': 'is not used: checks do not keep cookies',
};

function readClient(client: Fields | null, isWeb: boolean): Client | { refused: string } {
  if (client === null) return { timeout: DEFAULT_TIMEOUT, insecure: false, followsRedirects: true, settings: {} };
  for (const [name, refused] of Object.entries(INDISPENSABLE))
    if (client.has(name) && (isWeb || name === 'tunnel')) return { refused };
  for (const [name, words] of Object.entries(NOT_TAKEN))
    if (client.has(name) && client.raw(name) !== false) client.note(name, words);
  const network = client.text('network');
  const read: Client = {
    timeout: client.seconds('timeout', TIMEOUT) ?? DEFAULT_TIMEOUT,
    insecure: client.flag('insecure') ?? false,
    followsRedirects: !(client.flag('ignore-redirect') ?? false),
    settings: network === 'ip4' ? { ip: '4' } : network === 'ip6' ? { ip: '6' } : {},
  };
  client.noteRest();
  return read;
}

type Headers = { list: { key: string; value: Text }[] } | { refused: string };

function readHeaders(fields: Fields, target: Target, secrets: Secrets): Headers {
  const list: { key: string; value: Text }[] = [];
  const sent = fields.texts('headers');
  if (sent.length >= MAX_HEADERS) return { refused: `it has ${MAX_HEADERS} headers or more` };
  for (const [key, value] of sent) {
    const problem = headerProblem(asWritten(key), hasVariable(value) ? 'x' : value.trim());
    if (problem)
      return {
        refused: `its header ${quoted(key)} cannot be sent, and the response would be different without it: ${problem.message}`,
      };
    list.push({ key: asWritten(key), value: headerValue(asWritten(key), value.trim(), fields, secrets) });
  }
  if (target.credentials !== null && !list.some(({ key }) => /^authorization$/i.test(key)))
    list.push({ key: 'Authorization', value: basicAuthorization(target.credentials, fields, secrets) });
  const isJson = (fields.flag('graphql') ?? false) && !list.some(({ key }) => /^content-type$/i.test(key));
  return { list: isJson ? [...list, { key: 'Content-Type', value: 'application/json' }] : list };
}

/** Users with read access can see the value of a header that isn't a credential, so it can't be a secret. */
function headerValue(key: string, value: string, fields: Fields, secrets: Secrets): Text {
  if (isSensitiveHeader(key)) return secrets.refer(value, fields.differences.add);
  if (hasVariable(value)) fields.note(`headers.${key}`, `contains a variable, ${quoted(value)}, which is kept as text`);
  return asWritten(value);
}

/** Returns the header that a URL with `name:password@` produces. */
function basicAuthorization(credentials: string, fields: Fields, secrets: Secrets): Text {
  const plain = decoded(credentials);
  if (!hasVariable(plain)) return `Basic ${Buffer.from(plain).toString('base64')}`;
  const name = secrets.standFor(`Basic ${plain}`, `${variablesIn(plain).join('_')}_BASIC`);
  fields.note('url', `contains credentials: set the secret ${name} to "Basic " and the base64 of ${quoted(plain)}`);
  return { $secret: name };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Gatus inserts the endpoint's name, group, and URL into the body. Random strings become constants here. */
function readBody(fields: Fields, target: Target, secrets: Secrets): Text | null {
  const written = fields.text('body') ?? '';
  const filled = written
    .replaceAll('[ENDPOINT_NAME]', fields.text('name') ?? '')
    .replaceAll('[ENDPOINT_GROUP]', fields.text('group') ?? '')
    .replaceAll('[ENDPOINT_URL]', target.url)
    .replace(/\[RANDOM_STRING_(\d{1,9})\]/g, (_, length: string) => {
      fields.note('body', 'is the same for each request: [RANDOM_STRING] is replaced once');
      return LETTERS.repeat(Math.ceil(Math.min(8192, Number(length)) / LETTERS.length)).slice(
        0,
        Math.min(8192, Number(length)),
      );
    });
  const body = (fields.flag('graphql') ?? false) ? JSON.stringify({ query: filled }) : filled;
  return body === '' ? null : secrets.refer(body, fields.differences.add);
}
