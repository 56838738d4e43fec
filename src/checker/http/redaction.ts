import type { CheckResult, CheckRequest } from '../checker';
import { isSensitiveHeader } from '../request-headers';

/** Shorter values and pieces are too common in ordinary words to be taken out. */
const MIN_VALUE = 4;
const MIN_PIECE = 6;
/** So much of the beginning of a longer value is recognised as it: messages are cut. */
const MIN_BEGINNING = 16;

/**
 * The result without the values of the request's headers: a target may echo them, in a header, a body or the URL it redirects
 * to, whole or cut. Parts of a value (the token behind `Bearer`) count as well.
 */
export function redacted(result: CheckResult, headers: CheckRequest<unknown>['headers']): CheckResult {
  const { error, redirects } = result;
  if (error === null && redirects.length === 0) return result;
  const secrets = headers.filter(({ key }) => isSensitiveHeader(key)).flatMap(({ value }) => piecesOf(value));
  if (secrets.length === 0) return result;
  const hide = (text: string) => secrets.reduce(withoutSecret, text);
  return {
    ...result,
    error: error && { ...error, message: hide(error.message) },
    redirects: redirects.map(hide),
  };
}

/** Replaces the secret, and any run of characters that begins like it. */
function withoutSecret(text: string, secret: string): string {
  const beginning = secret.slice(0, MIN_BEGINNING);
  let shown = '';
  let from = 0;
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, from)) {
    let end = at + beginning.length;
    while (end < text.length && end - at < secret.length && text[end] === secret[end - at]) end += 1;
    shown += `${text.slice(from, at)}(hidden)`;
    from = end;
  }
  return shown + text.slice(from);
}

/** The value as it is and as a URL spells it, and its pieces; longest first, so that none is hidden inside a longer one. */
function piecesOf(value: string): string[] {
  const pieces = value.split(/[\s;,=]+/).filter((piece) => piece.length >= MIN_PIECE);
  const whole = value.length >= MIN_VALUE ? [value] : [];
  const spelled = [...whole, ...pieces].flatMap((piece) => [piece, encodeURIComponent(piece), encodeURI(piece)]);
  return [...new Set(spelled)].sort((a, b) => b.length - a.length);
}
