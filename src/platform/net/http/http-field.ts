/** A header name or a method (RFC 9110, section 5.6.2). */
export const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** A character that no header value may contain (RFC 9110, section 5.5). Values are read and written as Latin-1. */
export const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
