import { InvalidTarget, parseHostPort } from '../../src/checker/checker';
import { parseDnsTarget } from '../../src/checker/dns/dns-target';
import { parseHttpTarget } from '../../src/checker/http/http-target';
import { headerProblem } from '../../src/checker/request-headers';
import { unverifiedProblem } from '../../src/checker/tls-settings';
import { normalizeHost } from '../../src/platform/net/egress/host-name';
import type { Text } from '../../src/configuration/document/document';
import type { NewEndpoint } from './document-builder';

const MAX_HEADERS = 50;
const MAX_ASSERTIONS = 20;
const MAX_TARGET = 1000;
const MAX_SETTINGS_BYTES = 32 * 1024;

/** Returns the value of a string or a secret. */
type ValueOf = (text: Text) => string;

/**
 * Returns why the API would refuse to create this endpoint, or `null`. Restrictions that apply only to one installation
 * aren't known here.
 */
export function refusalOf(endpoint: NewEndpoint, valueOf: ValueOf): string | null {
  const { headers, assertions, body } = endpoint;
  return (
    targetRefusal(endpoint, valueOf) ??
    headersRefusal(headers ?? [], valueOf) ??
    ((assertions ?? []).length > MAX_ASSERTIONS ? `it would have more than ${MAX_ASSERTIONS} assertions` : null) ??
    ((assertions ?? []).some(({ target }) => valueOf(target).length > MAX_TARGET)
      ? `it compares with a string that is longer than ${MAX_TARGET} characters`
      : null) ??
    (Buffer.byteLength(JSON.stringify([headers, assertions, body])) > MAX_SETTINGS_BYTES
      ? 'its headers, body, and assertions together are larger than 32 KiB'
      : null) ??
    unverifiedRefusal(endpoint, valueOf)
  );
}

function targetRefusal({ type, url }: NewEndpoint, valueOf: ValueOf): string | null {
  if (url === undefined) return null;
  const text = valueOf(url);
  try {
    if (type === 'HTTP') parseHttpTarget(text, 'http(s)://host[:port]/path', /^https?:\/\/[^/?#]/i);
    if (type === 'HTTPS') parseHttpTarget(text, 'https://host[:port]/path', /^https:\/\/[^/?#]/i);
    if (type === 'TCP')
      parseHostPort(text, { scheme: 'tcp', what: 'a TCP target must be a host and a port', form: 'host:port' });
    if (type === 'DNS') parseDnsTarget(text);
    if (type === 'ICMP' && normalizeHost(text.replace(/^icmp:\/\//, '')) === null)
      return 'its target is not a valid host';
    return null;
  } catch (error) {
    if (error instanceof InvalidTarget) return `its target is not allowed: ${error.message}`;
    throw error;
  }
}

function headersRefusal(headers: NonNullable<NewEndpoint['headers']>, valueOf: ValueOf): string | null {
  if (headers.length > MAX_HEADERS) return `it sends more than ${MAX_HEADERS} headers`;
  const problem = headers.map(({ key, value }) => headerProblem(key, valueOf(value))).find((each) => each !== null);
  return problem ? `it sends a header that is not allowed: ${problem.message}` : null;
}

function unverifiedRefusal({ tls, url, headers, body }: NewEndpoint, valueOf: ValueOf): string | null {
  if (tls?.verify !== false) return null;
  const problem = unverifiedProblem(
    { verify: false, ca: null, serverName: null },
    {
      url: url === undefined ? '' : valueOf(url),
      headers: (headers ?? []).map(({ key }) => ({ key, value: '' })),
      body: body === null || body === undefined ? null : valueOf(body),
    },
  );
  return problem?.message ?? null;
}
