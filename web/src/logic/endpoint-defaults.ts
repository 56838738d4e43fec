/** The defaults for a new endpoint, in seconds. A test compares them with the API document. */
export const INTERVAL = { minimum: 1, maximum: 86_400, default: 60 };
export const TIMEOUT = { minimum: 1, maximum: 300, default: 10 };
/** How many days before the certificate expires a new endpoint starts to warn. */
export const WARN_DAYS = 14;
/**
 * After how many failed checks a contact or an alert rule that is created here notifies. The service's own default is 3.
 * With a check every minute, the first message is sent about a minute after the first failed check.
 */
export const FAILURES = 2;
