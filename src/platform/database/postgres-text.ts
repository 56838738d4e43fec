import { cut } from '../text/text-limits';

/** The maximum length of an `error_message` column. */
export const MAX_MESSAGE = 300;

/**
 * Returns a string that PostgreSQL accepts in text and jsonb, without NUL and lone surrogates. Targets may send both.
 */
export const storableText = (text: string): string => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\u{fffd}');

/** Returns a string that PostgreSQL accepts, truncated to the length of an `error_message` column. */
export const storableMessage = (text: string): string => storableText(cut(text, MAX_MESSAGE, ''));
