import { cut } from '../../../src/platform/text/text-limits';

/** Longer texts of other parties are cut. The start is enough, and the client pays for each word. */
const MAX_TEXT_CHARACTERS = 1000;

/**
 * Matches characters that control a terminal or are invisible: control characters, lone surrogates, direction marks,
 * tags. JSON escapes line ends and tabs. The two joiners are part of words and emoji.
 */
const UNSEEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/gu;

/**
 * Returns at most a thousand characters of an untrusted text, with invisible characters escaped, such as `\u{202e}`.
 */
export const dataText = (text: string): string =>
  cut(text, MAX_TEXT_CHARACTERS).replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** Applies `dataText` to every text in a value, including property names. */
export function dataOf(value: unknown): unknown {
  if (typeof value === 'string') return dataText(value);
  if (Array.isArray(value)) return value.map(dataOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [dataText(name), dataOf(each)]));
}
