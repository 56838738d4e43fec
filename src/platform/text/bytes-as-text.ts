import { isUtf8 } from 'node:buffer';

const NOT_ASCII = /[\x80-\xff]/;

/** Decodes bytes with an unknown charset as UTF-8 if they are valid UTF-8, otherwise as Latin-1. */
export const textFromBytes = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');

/** Works like `textFromBytes`, for strings whose bytes were decoded as Latin-1, such as header values. */
export const textFromLatin1 = (text: string): string =>
  NOT_ASCII.test(text) ? textFromBytes(Buffer.from(text, 'latin1')) : text;

/** Removes the byte order mark, which isn't part of the text (WHATWG Encoding, "UTF-8 decode"). */
export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);
