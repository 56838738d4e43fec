/** A slot claimed later than this is late. */
const LATE_MS = 2000;
/** Overload begins with the third tick in a row in which something was late or skipped … */
const TICKS_TO_BEGIN = 3;
/** … and ends when nothing was for this long. */
const CALM_MS = 5000;
/** What is told about now looks back this far. */
const WINDOW_MS = 5000;
/** A queue that grows by nearly a second each second says only that little is done. */
const MOST_GROWTH = 0.75;

/** What a second of claiming has seen; counts are since the tick before. Times are monotonic milliseconds. */
export interface ScheduleTick {
  at: number;
  /** Of the oldest slot that was claimed; 0 when none was late, `null` when there was no room to claim any. */
  lateMs: number | null;
  begun: number;
  /** For lack of capacity; not those whose endpoint was still being checked. */
  skipped: number;
  /** Results. */
  lost: number;
}

/** An overload, so far. */
interface Began {
  at: number;
  skipped: number;
  lost: number;
}

export interface LoadHistory {
  /** The ticks of the window, oldest first. */
  recent: readonly ScheduleTick[];
  lateInARow: number;
  /** When something was late or skipped for the last time. */
  lateAt: number;
  overload: Began | null;
}

/** What this process does now, also without overload. */
export interface Load {
  checksPerSecond: number;
  /** At least 1. */
  ratio: number;
  skippedPerSecond: number;
  /** Since when, monotonic milliseconds; `null` without overload. */
  overloadedAt: number | null;
}

export const NO_LOAD: LoadHistory = { recent: [], lateInARow: 0, lateAt: -Infinity, overload: null };

/** The history with one more tick: here overload begins and ends. */
export function afterTick(history: LoadHistory, tick: ScheduleTick): LoadHistory {
  const recent = [...history.recent.filter(({ at }) => at > tick.at - WINDOW_MS), tick];
  const isLate = tick.skipped > 0 || (tick.lateMs !== null && tick.lateMs > LATE_MS);
  // A tick without room to claim says nothing: it neither begins an overload nor ends one.
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
 * Slots that fell due for each one that began, at least 1. While slots begin later and later those that wait are not counted
 * as skipped yet: a queue that grows by half a second each second is asked twice what it does.
 */
export function ratioOf({ recent }: LoadHistory): number {
  const begun = sum(recent.map((tick) => tick.begun));
  const skipped = sum(recent.map((tick) => tick.skipped));
  return Math.max(1, (begun + skipped) / Math.max(1, begun), 1 / (1 - growthOf(recent)));
}

/** Per second. */
export function ratesOf({ recent }: LoadHistory): { begun: number; skipped: number } {
  const seconds = Math.max(1, recent.length);
  return {
    begun: sum(recent.map((tick) => tick.begun)) / seconds,
    skipped: sum(recent.map((tick) => tick.skipped)) / seconds,
  };
}

/** Milliseconds by which slots get later each millisecond, over the window. */
function growthOf(recent: readonly ScheduleTick[]): number {
  const known = recent.flatMap(({ at, lateMs }) => (lateMs === null ? [] : [{ at, lateMs }]));
  const [first, last] = [known.at(0), known.at(-1)];
  if (!first || !last || last.at <= first.at) return 0;
  return Math.min(MOST_GROWTH, Math.max(0, (last.lateMs - first.lateMs) / (last.at - first.at)));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
