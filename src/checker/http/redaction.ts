import type { CheckResult, CheckRequest } from '../checker';
import { isSensitiveHeader } from '../request-headers';

/** Shorter pieces of a credential reveal nothing, and hiding them would remove ordinary words. */
const MIN_LENGTH = 6;

/**
 * The result without the credentials among the request's headers: a target may echo them, in a header, a body or the URL it
 * redirects to. Parts of a value (the token behind `Bearer`) count as well.
 */
export function redacted(result: CheckResult, headers: CheckRequest<unknown>['headers']): CheckResult {
  const { error, redirects } = result;
  if (error === null && redirects.length === 0) return result;
  const secrets = headers.filter(({ key }) => isSensitiveHeader(key)).flatMap(({ value }) => piecesOf(value));
  if (secrets.length === 0) return result;
  const hide = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '(hidden)'), text);
  return {
    ...result,
    error: error && { ...error, message: hide(error.message) },
    redirects: redirects.map(hide),
  };
}

/** Longest first, so that a piece is not hidden inside a longer one. */
const piecesOf = (value: string): string[] =>
  [value, ...value.split(/[\s;,=]+/)].filter((piece) => piece.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
