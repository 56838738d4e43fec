/** SQL: a timestamp as milliseconds since 1970, as JavaScript counts them. As `float8` from the start: `extract` computes with `numeric`, three times as slow. */
export const epochMs = (column: string): string => `(date_part('epoch', ${column}) * 1000)`;

/** SQL: the other way round. */
export const timeAt = (ms: string): string => `to_timestamp(${ms} / 1000.0)`;
