/** What the API document says of the fields of a new endpoint; a test holds these to it. Seconds. */
export const INTERVAL = { minimum: 1, maximum: 86_400, default: 60 };
export const TIMEOUT = { minimum: 1, maximum: 300, default: 10 };
/** Days before the end of its certificate at which a new endpoint begins to warn. */
export const WARN_DAYS = 14;
