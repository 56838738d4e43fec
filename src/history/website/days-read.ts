/** Daily stats that one request reads: about a second of the embedded database. */
const MOST_ROWS = 60_000;
const FEWEST_DAYS = 7;

/** How many of the asked days are read of a website with so many endpoints. */
export const daysRead = (asked: number, endpoints: number): number =>
  Math.min(asked, Math.max(FEWEST_DAYS, Math.floor(MOST_ROWS / Math.max(1, endpoints))));
