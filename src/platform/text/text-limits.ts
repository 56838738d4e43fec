/** Matches control characters, lone surrogates, and marks that change the text direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/u;
const UNPRINTABLE_RUN = /[\p{Cc}\p{Cs}\p{Bidi_Control}]+/gu;

/**
 * Returns the length of a string in code points, as most vendors count it. An emoji outside the Basic Multilingual
 * Plane counts as one.
 */
export const countCodePoints = (text: string): number => Array.from(text).length;

/** Returns whether a string has more than `max` code points, which is how OpenAPI counts `maxLength`. */
export const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || countCodePoints(text) > max);

/**
 * Returns true if the string contains characters that could break a line, be invisible, or be rejected by a provider's
 * JSON parser.
 */
export const hasUnprintable = (text: string): boolean => UNPRINTABLE.test(text);

/**
 * Returns the text on a single line. Control characters, line breaks, direction marks, and broken characters are
 * replaced with single spaces.
 */
export const oneLine = (text: string): string =>
  text
    .replace(UNPRINTABLE_RUN, ' ')
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim();

/** Returns at most `maxLines` lines of the text. Each line is cleaned like in `oneLine`. */
export const someLines = (text: string, maxLines: number): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(oneLine)
    .filter((line) => line !== '')
    .slice(0, maxLines)
    .join('\n');

/**
 * Returns at most `max` characters, with `mark` at the end if the string was truncated. The limit applies to code
 * points as well as UTF-16 units, because vendors count in either unit. Never splits a character.
 */
export function cut(text: string, max: number, mark = '…'): string {
  if (text.length <= max) return text;
  const end = Math.max(0, max - mark.length);
  return text.slice(0, isWithinPair(text, end) ? end - 1 : end) + mark;
}

/** Returns true if the position is between the two UTF-16 units of one character. */
const isWithinPair = (text: string, place: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, place - 1), place + 1));
