/** Days of history that a page shows. The badge's windows and `uptime_90d` of the JSON name them, too. */
export const SHOWN_DAYS = 90;
