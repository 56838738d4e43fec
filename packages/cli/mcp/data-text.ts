import { cut } from '../../../src/platform/text/text-limits';

/** Longer third-party strings are cut. The start is enough, and the client pays for each token. */
const MAX_TEXT_CHARACTERS = 1000;

/**
 * Matches invisible characters and characters that control a terminal: control characters, lone surrogates, direction
 * marks, and tags. JSON escapes line breaks and tabs. The two joiners are allowed because words and emoji need them.
 */
const UNSEEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/gu;

/** Returns up to 1,000 characters of an untrusted string, with invisible characters escaped, such as `\u{202e}`. */
export const dataText = (text: string): string =>
  cut(text, MAX_TEXT_CHARACTERS).replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** Applies `dataText` to every string in a value, including property names. */
export function dataOf(value: unknown): unknown {
  if (typeof value === 'string') return dataText(value);
  if (Array.isArray(value)) return value.map(dataOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [dataText(name), dataOf(each)]));
}
