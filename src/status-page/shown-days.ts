/**
 * The number of days of history that a page shows. The badge's windows and `uptime_90d` in the JSON also depend on it.
 */
export const SHOWN_DAYS = 90;
