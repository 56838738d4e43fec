import type { CheckResult, CheckRequest } from '../checker';
import { isSensitiveHeader } from '../request-headers';

/** Shorter values, and pieces of values, reveal little, and hiding them would remove ordinary words. */
const MIN_VALUE = 4;
const MIN_PIECE = 6;
const HIDDEN = '(hidden)';
/** What URLs spell as it is. */
const SPELT_ALIKE = /^[\w.!~*'()-]*$/;
/** Where a text was cut. */
const CUT = '…';

/**
 * The result without the credentials among the request's headers: a target may echo them, in a header, a body or the URL it
 * redirects to. Parts of a value (the token behind `Bearer`) count as well, and so does the beginning of one where the text
 * was cut. A header may have hundreds of parts: only those are looked for whose first characters are there.
 */
export function redacted(result: CheckResult, headers: CheckRequest<unknown>['headers']): CheckResult {
  const { error, warning, redirects } = result;
  if (error === null && warning === null && redirects.length === 0) return result;
  const secrets = new Set(headers.filter(({ key }) => isSensitiveHeader(key)).flatMap(({ value }) => piecesOf(value)));
  if (secrets.size === 0) return result;
  return {
    ...result,
    error: error && { ...error, message: without(secrets, error.message) },
    warning: warning && { ...warning, message: without(secrets, warning.message) },
    redirects: redirects.map((url) => without(secrets, url)),
  };
}

/** Each of them as it is and as URLs spell it. */
function piecesOf(value: string): string[] {
  const pieces = value.split(/[\s;,=]+/).filter((piece) => piece.length >= MIN_PIECE);
  const whole = value.length >= MIN_VALUE ? [value] : [];
  return [...whole, ...pieces].flatMap((piece) =>
    SPELT_ALIKE.test(piece) ? [piece] : [piece, encodeURI(piece), encodeURIComponent(piece)],
  );
}

function without(secrets: ReadonlySet<string>, text: string): string {
  const runs = runsOf(text);
  const present = [...secrets].filter((secret) => runs.has(secret.slice(0, MIN_VALUE)));
  return present.length === 0 ? text : hide(new SortedSecrets(present), text);
}

/** Each run of as many characters as a secret has at least. */
function runsOf(text: string): Set<string> {
  const runs = new Set<string>();
  for (let at = 0; at + MIN_VALUE <= text.length; at++) runs.add(text.slice(at, at + MIN_VALUE));
  return runs;
}

function hide(secrets: SortedSecrets, text: string): string {
  let shown = '';
  let done = 0;
  for (let at = 0; at + MIN_VALUE <= text.length; at++) {
    const end = at + secrets.lengthAt(text, at);
    if (end <= Math.max(at, done)) continue;
    if (at >= done) shown += text.slice(done, at) + HIDDEN;
    done = end;
  }
  return shown + text.slice(done);
}

/** Finds the longest secret at a place in a few comparisons, however many secrets begin alike. */
class SortedSecrets {
  private readonly sorted: string[];
  /** For each secret the place of the longest other one that it begins with; −1 without. */
  private readonly shorter: number[] = [];

  constructor(secrets: string[]) {
    this.sorted = secrets.toSorted();
    for (const [place, secret] of this.sorted.entries()) {
      let before = place - 1;
      while (before >= 0 && !secret.startsWith(this.sorted[before] ?? '')) before = this.shorter[before] ?? -1;
      this.shorter.push(before);
    }
  }

  /** How many characters of a secret stand at a place: all, or its first ones until the text was cut; otherwise 0. */
  lengthAt(text: string, at: number): number {
    const rest = text.slice(at);
    const above = this.placeAbove(rest);
    // What lies in order between a secret and a text that begins with it begins with it, too.
    for (let place = above - 1; place >= 0; place = this.shorter[place] ?? -1) {
      const secret = this.sorted[place] ?? '';
      if (rest.startsWith(secret)) return secret.length;
    }
    const mark = rest.indexOf(CUT);
    const kept = mark < 0 ? rest : rest.slice(0, mark);
    const longer = mark < 0 ? above : this.placeAbove(kept);
    return kept.length >= MIN_VALUE && (this.sorted[longer] ?? '').startsWith(kept) ? kept.length : 0;
  }

  /** The place of the first secret behind a text in order. */
  private placeAbove(text: string): number {
    let from = 0;
    let to = this.sorted.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.sorted[middle] ?? '') <= text) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
