export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Returns the latest multiple of `stepMs` since 1970 that isn't after `atMs`. Hours and days are in UTC. */
export const floorTo = (atMs: number, stepMs: number): number => Math.floor(atMs / stepMs) * stepMs;

/** Returns the earliest multiple of `stepMs` since 1970 that isn't before `atMs`. */
export const ceilTo = (atMs: number, stepMs: number): number => Math.ceil(atMs / stepMs) * stepMs;

/** Returns the number of days since 1970, in UTC. */
export const dayNumber = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

/** Returns a date such as `2026-01-31` for a number of days since 1970. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
