import { isUtf8 } from 'node:buffer';

const NOT_ASCII = /[\x80-\xff]/;

/** The text of bytes of which no charset is known: UTF-8 if they are that, otherwise Latin-1. */
export const textFromBytes = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');

/** As `textFromBytes`, for what was read byte by byte as Latin-1, such as the value of a header. */
export const textFromLatin1 = (text: string): string =>
  NOT_ASCII.test(text) ? textFromBytes(Buffer.from(text, 'latin1')) : text;

/** A mark at the beginning of a text that says that it is UTF-8; it is no part of the text (WHATWG Encoding, "UTF-8 decode"). */
export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);
