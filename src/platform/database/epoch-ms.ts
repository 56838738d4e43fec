/**
 * SQL: a timestamp as milliseconds since 1970, as in JavaScript. Uses `float8` from the start, because `extract`
 * computes with `numeric`, which is three times as slow.
 */
export const epochMs = (column: string): string => `(date_part('epoch', ${column}) * 1000)`;

/** SQL: a timestamp from milliseconds since 1970. */
export const timeAt = (ms: string): string => `to_timestamp(${ms} / 1000.0)`;
