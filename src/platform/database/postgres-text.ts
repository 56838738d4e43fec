import { cut } from '../text/text-limits';

/** Longest text in an `error_message` column. */
export const MAX_MESSAGE = 300;

/** Text that PostgreSQL accepts in text and jsonb: no NUL, no half of a surrogate pair. Targets may send both. */
export const storableText = (text: string): string => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\u{fffd}');

/** Text that PostgreSQL accepts, cut to the length of an `error_message` column. */
export const storableMessage = (text: string): string => storableText(cut(text, MAX_MESSAGE, ''));
