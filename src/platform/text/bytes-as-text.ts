import { isUtf8 } from 'node:buffer';

const NOT_ASCII = /[\x80-\xff]/;

/** Decodes bytes of unknown charset as UTF-8 if valid, otherwise as Latin-1. */
export const textFromBytes = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');

/** Works as `textFromBytes`, for text that was read byte by byte as Latin-1, such as a header value. */
export const textFromLatin1 = (text: string): string =>
  NOT_ASCII.test(text) ? textFromBytes(Buffer.from(text, 'latin1')) : text;

/** Removes the byte order mark, which isn't part of the text (WHATWG Encoding, "UTF-8 decode"). */
export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);
