/** Returns why no response was received, without the URL. */
export function connectionErrorText(error: unknown): string {
  if (asError(error).name === 'TimeoutError') return 'did not respond in time';
  const { code, text } = deepest(error);
  const known = WORDS[code];
  if (known !== undefined) return known;
  if (text === 'bad port') return 'has a port that Node refuses for HTTP';
  if (code.startsWith('HPE_')) return 'did not respond with HTTP';
  return `could not be reached: ${text}${code === '' ? '' : ` (${code})`}`;
}

const UNTRUSTED =
  'has a certificate that is not trusted here. To trust its CA, set NODE_EXTRA_CA_CERTS to the file with the CA certificate';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection: is the service running on this port?',
  ENOTFOUND: 'could not be found: its host name does not resolve',
  EAI_AGAIN: 'could not be found: name resolution does not work at the moment',
  ETIMEDOUT: 'could not be reached: the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'could not be reached: the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'did not respond in time',
  UND_ERR_BODY_TIMEOUT: 'stopped sending before its response was complete',
  ECONNRESET: 'closed the connection unexpectedly',
  EPIPE: 'closed the connection unexpectedly',
  UND_ERR_SOCKET: 'closed the connection unexpectedly',
  EHOSTUNREACH: 'could not be reached: there is no route to it',
  ENETUNREACH: 'could not be reached: there is no route to it',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not use TLS: should the URL start with http:// instead of https://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'does not use TLS: should the URL start with http:// instead of https://?',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host name',
};

/** Returns the innermost cause. `fetch` only reports that it failed, and each address it tried has a separate cause. */
function deepest(error: unknown): { code: string; text: string } {
  let current = asError(error);
  for (let depth = 0; depth < 5; depth++) {
    if (typeof current.code === 'string') break;
    const next = current.errors?.[0] ?? current.cause;
    if (next === undefined) break;
    current = asError(next);
  }
  return { code: current.code ?? '', text: current.message ?? String(error) };
}

type Failure = { name?: string; code?: string; message?: string; cause?: unknown; errors?: unknown[] };

const asError = (value: unknown): Failure => (typeof value === 'object' && value !== null ? value : {});
