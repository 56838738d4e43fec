/** Characters that JSON can write in more than one way, or that occur between values. */
const JSON_SIGNS = /["{}[\]\\/]|[^\x20-\x7e]/;
/** A colon or comma next to a value, or next to part of a value at either end of the keyword. */
const BETWEEN_VALUES =
  /(?:^(?:e|ue|rue|se|lse|alse|l|ll|ull)?|\d|true|false|null)\s*[:,]|[:,]\s*(?:-|\d|true|false|null|(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)?$)/;
/** A value, or part of one, surrounded by spaces. */
const PADDED = /^(?:\s+(?:[a-z]{1,5})\s*|(?:[a-z]{1,5})\s+)$/;
const isPieceOfWord = (text: string): boolean => ['true', 'false', 'null'].some((word) => word.includes(text));
/** Spaces, a number, or part of one. 1.0 and 1 are the same number. */
const NUMBER = /^[-+.\deE]*$/;

/**
 * True if the keyword might be found only in the compact JSON, or only in the response as sent. Kuma searches the
 * compact JSON (`JSON.stringify` of the parsed response).
 */
export const mayBeJson = (keyword: string): boolean =>
  JSON_SIGNS.test(keyword) ||
  BETWEEN_VALUES.test(keyword) ||
  NUMBER.test(keyword.trim()) ||
  (PADDED.test(keyword) && isPieceOfWord(keyword.trim()));
