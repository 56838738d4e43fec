/**
 * Matches an ID with this prefix: a TypeID (https://github.com/jetify-com/typeid), with 26 characters in Crockford's
 * base32.
 */
export const idWith = (prefix: string): unknown =>
  expect.stringMatching(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));

/** Matches a UTC time with milliseconds (ISO 8601). */
export const timestamp = (): unknown => expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Matches the mask for a value that this reader may not see. */
export const MASK = /^\*{8}/;

export const masked = (): unknown => expect.stringMatching(MASK);
