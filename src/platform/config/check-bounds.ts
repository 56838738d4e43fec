/** Seconds from check to check of an endpoint, wherever it runs; an installation may ask for more. */
export const INTERVAL_BOUNDS = { minimum: 1, maximum: 86_400 } as const;
/** Seconds that a check may take. */
export const TIMEOUT_BOUNDS = { minimum: 1, maximum: 300 } as const;
