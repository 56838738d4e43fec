/** SQL: a timestamp as milliseconds since 1970, as JavaScript counts them. */
export const epochMs = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;
