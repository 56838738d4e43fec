/** The bounds of an endpoint's interval in seconds, at all locations. An installation may set a higher minimum. */
export const INTERVAL_BOUNDS = { minimum: 1, maximum: 86_400 } as const;
/** The bounds of a check's timeout in seconds. */
export const TIMEOUT_BOUNDS = { minimum: 1, maximum: 300 } as const;
