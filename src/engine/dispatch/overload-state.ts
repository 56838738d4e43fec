/** A slot that is claimed later than this is late. */
const LATE_MS = 2000;
/** Overload starts with the third consecutive tick that has a late or skipped slot … */
const TICKS_TO_BEGIN = 3;
/** … and ends when there has been no such slot for this long. */
const CALM_MS = 5000;
/** The time window that the current values cover. */
const WINDOW_MS = 5000;
/** A queue that grows by almost a second per second only shows that very little is being done. */
const MOST_GROWTH = 0.75;

/** The events in one second of claiming. Counts are since the previous tick. Times are monotonic milliseconds. */
export interface ScheduleTick {
  at: number;
  /** The delay of the oldest claimed slot: 0 if no slot was late, and `null` if there was no room to claim any. */
  lateMs: number | null;
  begun: number;
  /** Slots skipped for lack of capacity, not because their endpoint was still being checked. */
  skipped: number;
  lost: number;
}

interface Began {
  at: number;
  skipped: number;
  lost: number;
}

export interface LoadHistory {
  /** The ticks in the window, oldest first. */
  recent: readonly ScheduleTick[];
  lateInARow: number;
  /** When a slot was last late or skipped. */
  lateAt: number;
  overload: Began | null;
}

export interface Load {
  checksPerSecond: number;
  /** The load relative to the maximum possible load, at least 1. */
  ratio: number;
  skippedPerSecond: number;
  /** When the overload started, in monotonic milliseconds, or `null` if there is none. */
  overloadedAt: number | null;
}

export const NO_LOAD: LoadHistory = { recent: [], lateInARow: 0, lateAt: -Infinity, overload: null };

/** Returns the history after another tick. This is where overload starts and ends. */
export function afterTick(history: LoadHistory, tick: ScheduleTick): LoadHistory {
  const recent = [...history.recent.filter(({ at }) => at > tick.at - WINDOW_MS), tick];
  const isLate = tick.skipped > 0 || (tick.lateMs !== null && tick.lateMs > LATE_MS);
  // A tick without room to claim provides no information. It neither starts nor ends an overload.
  const lateInARow = isLate ? history.lateInARow + 1 : tick.lateMs === null ? history.lateInARow : 0;
  const lateAt = isLate || (tick.lateMs === null && history.overload) ? tick.at : history.lateAt;
  return { recent, lateInARow, lateAt, overload: overloadAfter(history.overload, tick, lateInARow, lateAt) };
}

function overloadAfter(before: Began | null, tick: ScheduleTick, lateInARow: number, lateAt: number): Began | null {
  if (before === null)
    return lateInARow >= TICKS_TO_BEGIN ? { at: tick.at, skipped: tick.skipped, lost: tick.lost } : null;
  if (tick.at - lateAt >= CALM_MS) return null;
  return { at: before.at, skipped: before.skipped + tick.skipped, lost: before.lost + tick.lost };
}

/**
 * Returns how many slots became due for each one that started, at least 1. While slots start later and later, the
 * waiting ones aren't counted as skipped yet. A queue that grows by half a second per second means twice the possible
 * load.
 */
export function ratioOf({ recent }: LoadHistory): number {
  const begun = sum(recent.map((tick) => tick.begun));
  const skipped = sum(recent.map((tick) => tick.skipped));
  return Math.max(1, (begun + skipped) / Math.max(1, begun), 1 / (1 - growthOf(recent)));
}

/** Returns how many slots started and were skipped per second. */
export function ratesOf({ recent }: LoadHistory): { begun: number; skipped: number } {
  const seconds = Math.max(1, recent.length);
  return {
    begun: sum(recent.map((tick) => tick.begun)) / seconds,
    skipped: sum(recent.map((tick) => tick.skipped)) / seconds,
  };
}

/** Returns how many milliseconds later slots start per elapsed millisecond, over the window. */
function growthOf(recent: readonly ScheduleTick[]): number {
  const known = recent.flatMap(({ at, lateMs }) => (lateMs === null ? [] : [{ at, lateMs }]));
  const [first, last] = [known.at(0), known.at(-1)];
  if (!first || !last || last.at <= first.at) return 0;
  return Math.min(MOST_GROWTH, Math.max(0, (last.lateMs - first.lateMs) / (last.at - first.at)));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
