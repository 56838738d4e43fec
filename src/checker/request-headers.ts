import { NOT_IN_VALUE, TOKEN } from '../platform/net/http/http-field';

/** What is wrong with a header that a user wants to send, or `null`. Judged when an endpoint or a webhook is saved. */
export type HeaderProblem = {
  part: 'key' | 'value';
  code: 'forbidden_header' | 'invalid_characters' | 'too_long' | 'invalid_format';
  message: string;
};

const MAX_KEY = 256;
const MAX_VALUE = 4096;
/** Hop-by-hop and framing headers: the client sets them for its own connection. `Host` follows from the URL. */
const FORBIDDEN =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|http2-settings|proxy-.*|__proto__)$/i;
/** Values that are credentials: sealed at rest, masked for read keys, dropped when a redirect leaves the origin. */
const SENSITIVE =
  /^(authorization|cookie|x-api-key|api-key|apikey|x-auth-token|x-access-token|x-csrf-token|.*(secret|token|password|credential).*)$/i;

export function headerProblem(key: string, value: string): HeaderProblem | null {
  if (key.length > MAX_KEY)
    return { part: 'key', code: 'too_long', message: `a header name may have at most ${MAX_KEY} characters` };
  if (FORBIDDEN.test(key))
    return {
      part: 'key',
      code: 'forbidden_header',
      message: `the header ${key.slice(0, 40)} is set by the service itself`,
    };
  if (!TOKEN.test(key))
    return {
      part: 'key',
      code: 'invalid_characters',
      message: "a header name may hold letters, digits and !#$%&'*+-.^_`|~ only",
    };
  if (value.length > MAX_VALUE)
    return { part: 'value', code: 'too_long', message: `a header value may have at most ${MAX_VALUE} characters` };
  // Headers are sent as Latin-1; anything beyond it, and every control character but the tab, is refused there too.
  if (NOT_IN_VALUE.test(value)) {
    return {
      part: 'value',
      code: 'invalid_characters',
      message: 'a header value may hold printable Latin-1 characters only',
    };
  }
  return null;
}

export const isSensitiveHeader = (key: string): boolean => SENSITIVE.test(key);
