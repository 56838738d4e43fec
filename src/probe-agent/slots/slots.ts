/** The times at which an endpoint is due: `phaseMs` + k · `intervalMs` since the epoch. */
export interface Grid {
  phaseMs: number;
  intervalMs: number;
}

/** Returns the newest slot that isn't after this time. */
export const slotNotAfter = (atMs: number, { phaseMs, intervalMs }: Grid): number =>
  phaseMs + Math.floor((atMs - phaseMs) / intervalMs) * intervalMs;

export const slotAfter = (atMs: number, grid: Grid): number => slotNotAfter(atMs, grid) + grid.intervalMs;

/**
 * The minimum distance from the newest slot, in intervals. The service doesn't accept a closer slot as a new one.
 * Closer slots occur after the grid has moved.
 */
const LEAST_APART = 0.5;
/** A slot that is more intervals ahead than this comes from a clock that has since been set back. */
export const MOST_AHEAD = 2;

/**
 * Returns when the endpoint is checked next: on its grid, never early, and never in the newest slot again. `lastSlotMs`
 * is -Infinity if there was none.
 */
export function nextSlot(nowMs: number, lastSlotMs: number, grid: Grid): number {
  const next = slotAfter(nowMs, grid);
  if (lastSlotMs > nowMs + MOST_AHEAD * grid.intervalMs) return next;
  const least = lastSlotMs + LEAST_APART * grid.intervalMs;
  return next >= least ? next : slotAfter(Math.max(least, lastSlotMs), grid);
}

/** The interval between the first checks of endpoints that are checked immediately. */
const AT_ONCE_APART_MS = 20;
/** The time within which all of these checks start. */
const AT_ONCE_WITHIN_MS = 30_000;

/** Returns how long the new endpoint at position `turn` waits for its first check. */
export const atOnceDelayMs = (turn: number, count: number, intervalMs: number): number =>
  (turn / count) * Math.min(intervalMs, AT_ONCE_WITHIN_MS, count * AT_ONCE_APART_MS);

/**
 * Returns the slot and time for an endpoint that should be checked immediately, which is its newest slot. Returns
 * `null` if that slot has already run, or if the next slot comes first.
 */
export function slotAtOnce(nowMs: number, delayMs: number, lastSlotMs: number, grid: Grid): number | null {
  const newest = slotNotAfter(nowMs, grid);
  if (newest < lastSlotMs + LEAST_APART * grid.intervalMs) return null;
  return nowMs + delayMs < newest + grid.intervalMs ? nowMs + delayMs : null;
}
