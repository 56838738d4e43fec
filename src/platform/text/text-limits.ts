/** Control characters, lone surrogates and the marks that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/u;
const UNPRINTABLE_RUN = /[\p{Cc}\p{Cs}\p{Bidi_Control}]+/gu;

/** The length of a text in code points, as most vendors count it: an emoji outside the basic plane is one. */
export const countCodePoints = (text: string): number => Array.from(text).length;

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
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > max - mark.length) break;
    kept += character;
  }
  return kept + mark;
}
