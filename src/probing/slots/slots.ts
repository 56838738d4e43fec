/** When an endpoint is due: at `phaseMs` + k · `intervalMs` since the epoch. */
export interface Grid {
  phaseMs: number;
  intervalMs: number;
}

/** The newest slot that is not after that moment. */
export const slotNotAfter = (atMs: number, { phaseMs, intervalMs }: Grid): number =>
  phaseMs + Math.floor((atMs - phaseMs) / intervalMs) * intervalMs;

/** The first slot after that moment. */
export const slotAfter = (atMs: number, grid: Grid): number => slotNotAfter(atMs, grid) + grid.intervalMs;

/** What the service does not take as another slot comes less than this after the newest one, in intervals: the grid has moved. */
const LEAST_APART = 0.5;
/** A slot that was run, or is to be, and lies further ahead, in intervals, is of a clock that has been set back since. */
export const MOST_AHEAD = 2;

/** When the endpoint is checked next: on its grid, never early, never the newest slot again. `lastSlotMs`: -Infinity without one. */
export function nextSlot(nowMs: number, lastSlotMs: number, grid: Grid): number {
  const next = slotAfter(nowMs, grid);
  if (lastSlotMs > nowMs + MOST_AHEAD * grid.intervalMs) return next;
  const least = lastSlotMs + LEAST_APART * grid.intervalMs;
  return next >= least ? next : slotAfter(Math.max(least, lastSlotMs), grid);
}

/** Endpoints that are to be checked at once begin so far apart … */
const AT_ONCE_APART_MS = 20;
/** … all within this. */
const AT_ONCE_WITHIN_MS = 30_000;

/** How long the `turn`-th of so many new endpoints waits for its first check. */
export const atOnceDelayMs = (turn: number, count: number, intervalMs: number): number =>
  (turn / count) * Math.min(intervalMs, AT_ONCE_WITHIN_MS, count * AT_ONCE_APART_MS);

/**
 * The slot of an endpoint that is to be checked at once, and when: its newest one. `null` when that has been run, or when the
 * next one comes before its turn.
 */
export function slotAtOnce(nowMs: number, delayMs: number, lastSlotMs: number, grid: Grid): number | null {
  const newest = slotNotAfter(nowMs, grid);
  if (newest < lastSlotMs + LEAST_APART * grid.intervalMs) return null;
  return nowMs + delayMs < newest + grid.intervalMs ? nowMs + delayMs : null;
}
