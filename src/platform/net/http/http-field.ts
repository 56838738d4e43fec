/** What a header name or a method is made of (RFC 9110, section 5.6.2). */
export const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What no header value may hold (RFC 9110, section 5.5), read and written as Latin-1. */
export const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
