/**
 * The maximum number of daily stats that one request reads. Reading them takes the embedded database about a second.
 */
const MOST_ROWS = 60_000;
const FEWEST_DAYS = 7;

/** Returns how many of the requested days are read for a website with this many endpoints. */
export const daysRead = (asked: number, endpoints: number): number =>
  Math.min(asked, Math.max(FEWEST_DAYS, Math.floor(MOST_ROWS / Math.max(1, endpoints))));
