import { cut } from '../../../src/platform/text/text-limits';

/** Longer texts of others are cut: what they say first is enough, and the reader pays for each word. */
const MAX_TEXT_CHARACTERS = 1000;

/**
 * What steers a terminal or is not seen: control characters, halves of characters, direction marks, tags. Line ends and tabs
 * are escaped by JSON, and the two joiners are part of words and of emoji.
 */
const UNSEEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/gu;

/** Text of others with what cannot be seen written out, such as `\u{202e}`, and at most a thousand characters of it. */
export const dataText = (text: string): string =>
  cut(text, MAX_TEXT_CHARACTERS).replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** The same for every text in a value, the names of members included. */
export function dataOf(value: unknown): unknown {
  if (typeof value === 'string') return dataText(value);
  if (Array.isArray(value)) return value.map(dataOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [dataText(name), dataOf(each)]));
}
