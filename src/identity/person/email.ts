/** More characters than any e-mail address has (RFC 5321). */
export const MOST_EMAIL = 254;

/** As loose as a browser's field: whether mail arrives proves nothing here. */
const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;

/** Whether a text in lower case looks like an e-mail address. */
export const isEmail = (text: string): boolean => EMAIL.test(text);
