import type { CheckResult, CheckRequest } from '../checker';
import { isSensitiveHeader } from '../request-headers';

/** Shorter values and parts reveal little, and hiding them would remove ordinary words. */
const MIN_VALUE = 4;
const MIN_PIECE = 6;
const HIDDEN = '(hidden)';
/** Matches text that URL encoding leaves unchanged. */
const SPELT_ALIKE = /^[\w.!~*'()-]*$/;
/** The mark at the end of a truncated text. */
const CUT = '…';

/**
 * Removes the credentials in the request's headers from the result, because a target may echo them in a header, a body,
 * or a redirect URL. Parts of a value count too, such as the token after `Bearer`, and so does the start of a
 * credential where the text was truncated. A header may have hundreds of parts, so it searches only for those whose
 * first characters occur.
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

/** Returns each part both unchanged and URL-encoded. */
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

/** Returns all substrings of the text with the length of the shortest secret. */
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

/** Finds the longest secret at a position in a few comparisons, even if many secrets share a prefix. */
class SortedSecrets {
  private readonly sorted: string[];
  /** For each secret, the index of the longest other secret that is a prefix of it, or −1 if there is none. */
  private readonly shorter: number[] = [];

  constructor(secrets: string[]) {
    this.sorted = secrets.toSorted();
    for (const [place, secret] of this.sorted.entries()) {
      let before = place - 1;
      while (before >= 0 && !secret.startsWith(this.sorted[before] ?? '')) before = this.shorter[before] ?? -1;
      this.shorter.push(before);
    }
  }

  /**
   * Returns the number of characters at a position that belong to a secret. This is the whole secret, its start if the
   * text was truncated, or 0.
   */
  lengthAt(text: string, at: number): number {
    const rest = text.slice(at);
    const above = this.placeAbove(rest);
    // If a secret is a prefix of a text, everything that sorts between the two has that prefix too.
    for (let place = above - 1; place >= 0; place = this.shorter[place] ?? -1) {
      const secret = this.sorted[place] ?? '';
      if (rest.startsWith(secret)) return secret.length;
    }
    const mark = rest.indexOf(CUT);
    const kept = mark < 0 ? rest : rest.slice(0, mark);
    const longer = mark < 0 ? above : this.placeAbove(kept);
    return kept.length >= MIN_VALUE && (this.sorted[longer] ?? '').startsWith(kept) ? kept.length : 0;
  }

  /** Returns the index of the first secret that sorts after a text. */
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
