/** Control characters, lone surrogates and the marks that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/u;
const UNPRINTABLE_RUN = /[\p{Cc}\p{Cs}\p{Bidi_Control}]+/gu;

/** The length of a text in code points, as most vendors count it: an emoji outside the basic plane is one. */
export const countCodePoints = (text: string): number => Array.from(text).length;

/** Whether a text has more than `max` characters, counted as OpenAPI counts `maxLength`: by code points. */
export const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || countCodePoints(text) > max);

/** True when the text holds anything that could break a line, hide itself or be refused by a provider's JSON parser. */
export const hasUnprintable = (text: string): boolean => UNPRINTABLE.test(text);

/** The text on one line: control characters, line ends, direction marks and broken characters become single spaces. */
export const oneLine = (text: string): string =>
  text
    .replace(UNPRINTABLE_RUN, ' ')
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim();

/** The text with each line cleaned as `oneLine` does; lines are kept, at most `maxLines` of them. */
export const someLines = (text: string, maxLines: number): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(oneLine)
    .filter((line) => line !== '')
    .slice(0, maxLines)
    .join('\n');

/**
 * At most `max` characters, ended by `mark` when something was cut. The limit holds in code points and in UTF-16 units,
 * because vendors count either way, and no character is ever cut in half.
 */
export function cut(text: string, max: number, mark = '…'): string {
  if (text.length <= max) return text;
  const end = Math.max(0, max - mark.length);
  return text.slice(0, isWithinPair(text, end) ? end - 1 : end) + mark;
}

/** True when the place is between the two halves of a character that has two UTF-16 units. */
const isWithinPair = (text: string, place: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, place - 1), place + 1));
