/** If results wait longer than this, recording is the bottleneck … */
const BEHIND_MS = 2000;
/** … and if they wait less than this, it keeps up. */
export const KEEPS_UP_MS = 1500;
/** How many seconds' worth of recording may be held while recording is the bottleneck. */
const SECONDS_HELD = 2;
/** The factor by which each step grows or shrinks the capacity. A capacity that is still small doubles. */
const STEP = 1.5;
/** The maximum when a process starts. On a slow machine, more slots would wait for minutes. */
const FIRST = 1000;
/**
 * The number of slots for each check that may run at the same time: one running, one claimed ahead, and results until
 * they are recorded …
 */
const USUAL = 4;
/** … and the maximum, for quick checks at a high rate. */
const MOST = 8;
/** However fast the capacity shrinks, this leaves room for organizations that hold few slots. */
const LEFT_FREE = 1.1;
/** The minimum, unless fewer checks may run at the same time. */
const LEAST = 400;

export interface CapacityUse {
  /** The number of slots that may be held now, and the number that are held. */
  size: number;
  used: number;
  /** The maximum number of checks that run at the same time. */
  places: number;
  /** Whether the capacity is the bottleneck: there was no room for due slots, although every held slot could run. */
  isTooSmall: boolean;
  /** The age of the oldest result that waits to be recorded. */
  lagMs: number;
  recordedPerSecond: number;
  /** Whether there are several organizations, in which case each may hold at most half. */
  isShared: boolean;
}

/**
 * Returns how many slots a process may hold when it starts. This limits memory use and leaves slots for other
 * instances.
 */
export const firstCapacity = (places: number): number => Math.min(FIRST, USUAL * places);

/**
 * Returns the capacity for the next second. While recording keeps up, it grows as needed. When recording falls behind,
 * it shrinks to what can be recorded in two seconds, so that no checks are run whose results can't be recorded.
 */
export function nextCapacity({
  size,
  used,
  places,
  isTooSmall,
  lagMs,
  recordedPerSecond,
  isShared,
}: CapacityUse): number {
  if (lagMs > BEHIND_MS) {
    const least = Math.min(firstCapacity(places), LEAST);
    const emptied = SECONDS_HELD * recordedPerSecond * (isShared ? 2 : 1);
    const shared = isShared ? LEFT_FREE * used : 0;
    return Math.min(size, Math.ceil(Math.max(least, emptied, shared, size / STEP)));
  }
  if (!isTooSmall || lagMs > KEEPS_UP_MS) return size;
  const grown = size < USUAL * places ? Math.min(2 * size, USUAL * places) : Math.ceil(size * STEP);
  return Math.min(grown, MOST * places);
}
