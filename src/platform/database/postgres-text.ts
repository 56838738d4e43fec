/** Longest text in an `error_message` column. */
export const MAX_MESSAGE = 300;

/** Text that PostgreSQL accepts in text and jsonb: no NUL, no half of a surrogate pair. What a target sends may hold both. */
export const storableText = (text: string): string => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\u{fffd}');

/** The same, cut to what an `error_message` column takes. */
export const storableMessage = (text: string): string => storableText(text.slice(0, MAX_MESSAGE));
