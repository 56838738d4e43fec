/**
 * SQL: converts a timestamp to milliseconds since 1970, as in JavaScript. Uses `float8` from the start, because
 * `extract` uses `numeric`, which is three times as slow.
 */
export const epochMs = (column: string): string => `(date_part('epoch', ${column}) * 1000)`;

/** SQL: converts milliseconds since 1970 to a timestamp. */
export const timeAt = (ms: string): string => `to_timestamp(${ms} / 1000.0)`;
