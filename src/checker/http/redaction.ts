import type { CheckResult, CheckRequest } from '../checker';
import { isSensitiveHeader } from '../request-headers';

/** Shorter values, and pieces of values, reveal little, and hiding them would remove ordinary words. */
const MIN_VALUE = 4;
const MIN_PIECE = 6;
const HIDDEN = '(hidden)';
/** Where a text was cut. */
const CUT = '…';

/**
 * The result without the credentials among the request's headers: a target may echo them, in a header, a body or the URL it
 * redirects to. Parts of a value (the token behind `Bearer`) count as well, and so does the beginning of one where the text
 * was cut. A header may have hundreds of parts: each is looked for only where its first characters are.
 */
export function redacted(result: CheckResult, headers: CheckRequest<unknown>['headers']): CheckResult {
  const { error, redirects } = result;
  if (error === null && redirects.length === 0) return result;
  const secrets = new Set(headers.filter(({ key }) => isSensitiveHeader(key)).flatMap(({ value }) => piecesOf(value)));
  if (secrets.size === 0) return result;
  return {
    ...result,
    error: error && { ...error, message: without(secrets, error.message) },
    redirects: redirects.map((url) => without(secrets, url)),
  };
}

/** Each of them as it is and as URLs spell it. */
function piecesOf(value: string): string[] {
  const pieces = value.split(/[\s;,=]+/).filter((piece) => piece.length >= MIN_PIECE);
  const whole = value.length >= MIN_VALUE ? [value] : [];
  return [...whole, ...pieces].flatMap((piece) => [piece, encodeURI(piece), encodeURIComponent(piece)]);
}

function without(secrets: ReadonlySet<string>, text: string): string {
  const places = beginningsIn(text);
  const ranges: [from: number, to: number][] = [];
  for (const secret of secrets) {
    for (const at of places.get(secret.slice(0, MIN_VALUE)) ?? []) {
      const end = endOf(secret, text, at);
      if (end !== null) ranges.push([at, end]);
    }
  }
  return ranges.length === 0 ? text : hide(ranges, text);
}

/** Where each run of as many characters as a secret has at least stands in a text. */
function beginningsIn(text: string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let at = 0; at + MIN_VALUE <= text.length; at++) {
    const run = text.slice(at, at + MIN_VALUE);
    const known = places.get(run);
    if (known) known.push(at);
    else places.set(run, [at]);
  }
  return places;
}

/** Where a secret that may begin at a place ends; `null` when it does not stand there. */
function endOf(secret: string, text: string, at: number): number | null {
  if (text.startsWith(secret, at)) return at + secret.length;
  const mark = text.indexOf(CUT, at);
  const end = mark < 0 ? text.length : mark;
  return end - at >= MIN_PIECE && secret.startsWith(text.slice(at, end)) ? end : null;
}

function hide(ranges: [from: number, to: number][], text: string): string {
  let shown = '';
  let done = 0;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from >= done) shown += text.slice(done, from) + HIDDEN;
    done = Math.max(done, to);
  }
  return shown + text.slice(done);
}
