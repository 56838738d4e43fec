import { NOT_IN_VALUE, TOKEN } from '../platform/net/http/http-field';
import { cut, isLongerThan } from '../platform/text/text-limits';

/** A problem with a header that a user wants to send. It is checked when an endpoint or a webhook is saved. */
export type HeaderProblem = {
  part: 'key' | 'value';
  code: 'forbidden_header' | 'invalid_characters' | 'too_long' | 'invalid_format';
  message: string;
};

const MAX_KEY = 256;
const MAX_VALUE = 4096;
/** The hop-by-hop and framing headers, which the client sets for its own connection. `Host` follows from the URL. */
const FORBIDDEN =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|http2-settings|proxy-.*|__proto__)$/i;
/**
 * The names of headers that never carry a credential: content negotiation, body types, caching, and information that
 * servers report about themselves. Any other header may be a credential.
 */
const HARMLESS = new RegExp(
  `^(${[
    'accept(-charset|-encoding|-language|-ranges)?',
    'cache-control|pragma|user-agent|dnt|range|if-modified-since|if-unmodified-since',
    'x-requested-with|x-forwarded-proto|upgrade-insecure-requests',
    'content-(type|length|language|encoding|disposition|security-policy)',
    'age|allow|alt-svc|date|expires|last-modified|retry-after|server|vary|via|warning|x-cache(-hits)?|x-powered-by',
    'strict-transport-security|referrer-policy|permissions-policy|x-frame-options|x-content-type-options|x-robots-tag',
    'access-control-allow-(origin|methods|headers|credentials)|access-control-max-age',
  ].join('|')})$`,
  'i',
);

export function headerProblem(key: string, value: string): HeaderProblem | null {
  if (isLongerThan(key, MAX_KEY))
    return { part: 'key', code: 'too_long', message: `a header name may have at most ${MAX_KEY} characters` };
  if (FORBIDDEN.test(key))
    return {
      part: 'key',
      code: 'forbidden_header',
      message: `the header ${cut(key, 40, '')} is set by the service itself`,
    };
  if (!TOKEN.test(key))
    return {
      part: 'key',
      code: 'invalid_characters',
      message: "a header name may contain only letters, digits and !#$%&'*+-.^_`|~",
    };
  if (isLongerThan(value, MAX_VALUE))
    return { part: 'value', code: 'too_long', message: `a header value may have at most ${MAX_VALUE} characters` };
  // Headers are sent as Latin-1. The HTTP client also rejects other characters, and every control character except the
  // tab.
  if (NOT_IN_VALUE.test(value)) {
    return {
      part: 'value',
      code: 'invalid_characters',
      message: 'a header value may contain only printable Latin-1 characters',
    };
  }
  return null;
}

/**
 * Returns true if the value of the header may be a credential. Such a value is encrypted at rest, and masked for read
 * keys and in the audit log. Messages omit it, and redirects don't send it to another origin.
 */
export const isSensitiveHeader = (key: string): boolean => !HARMLESS.test(key);
