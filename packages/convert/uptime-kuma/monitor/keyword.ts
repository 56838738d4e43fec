/** Characters that JSON writes in more than one way, or that stand between its values. */
const JSON_SIGNS = /["{}[\]\\/]|[^\x20-\x7e]/;
/** A colon or a comma next to a value, or to the piece of one with which the keyword begins or ends. */
const BETWEEN_VALUES =
  /(?:^(?:e|ue|rue|se|lse|alse|l|ll|ull)?|\d|true|false|null)\s*[:,]|[:,]\s*(?:-|\d|true|false|null|(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)?$)/;
/** A value, or a piece of one, with blanks around it. */
const PADDED = /^(?:\s+(?:[a-z]{1,5})\s*|(?:[a-z]{1,5})\s+)$/;
const isPieceOfWord = (text: string): boolean => ['true', 'false', 'null'].some((word) => word.includes(text));
/** Blanks, a number, or a piece of one: 1.0 and 1 are one number. */
const NUMBER = /^[-+.\deE]*$/;

/**
 * True when the keyword may be found in the compact text of a JSON response, which Kuma looks into (`JSON.stringify` of what it
 * has parsed), and not in the response as it was sent, or the other way round.
 */
export const mayBeJson = (keyword: string): boolean =>
  JSON_SIGNS.test(keyword) ||
  BETWEEN_VALUES.test(keyword) ||
  NUMBER.test(keyword.trim()) ||
  (PADDED.test(keyword) && isPieceOfWord(keyword.trim()));
