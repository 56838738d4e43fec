/** More characters than any email address has (RFC 5321). */
export const MOST_EMAIL = 254;

/** As tolerant as a browser's email field, because delivery of an email proves nothing here. */
const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;

/** Returns whether a text in lower case looks like an email address. */
export const isEmail = (text: string): boolean => EMAIL.test(text);
