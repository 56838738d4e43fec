/** The maximum length of an email address (RFC 5321). */
export const MOST_EMAIL = 254;

/** As tolerant as a browser's email field, because nothing here relies on the email being deliverable. */
const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;

/** Returns whether a lowercase string looks like an email address. */
export const isEmail = (text: string): boolean => EMAIL.test(text);
