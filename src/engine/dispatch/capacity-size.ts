/** Results that wait longer show that recording is what limits us … */
const BEHIND_MS = 2000;
/** … and until then it keeps up. */
export const KEEPS_UP_MS = 1500;
/** So many seconds of recording may be held when it is what limits us. */
const SECONDS_HELD = 2;
/** One step, smaller or larger; a capacity that is still small doubles. */
const STEP = 1.5;
/** A process begins with so many at most: on a slow machine more would wait for minutes. */
const FIRST = 1000;
/** For each check that may run at once: one that runs, one claimed ahead, results until they are recorded; … */
const USUAL = 4;
/** … and for quick checks at a high rate. */
const MOST = 8;
/** However fast the capacity shrinks, an organization that holds little finds a place beside those who hold the rest. */
const LEFT_FREE = 1.1;
/** Never fewer, unless there are fewer places than that. */
const LEAST = 400;

/** What decides how many claimed slots may be held. */
export interface CapacityUse {
  /** How many may be held now, and how many are. */
  size: number;
  used: number;
  /** Checks that may run at once. */
  places: number;
  /** There was no room left for what was due, and there are places for what is held: the capacity is what limits us. */
  isTooSmall: boolean;
  /** Age of the oldest result that waits to be recorded. */
  lagMs: number;
  recordedPerSecond: number;
  /** Of several organizations none may hold more than half. */
  isShared: boolean;
}

/** How many slots a process may hold when it starts: memory and what other instances could run instead are bounded. */
export const firstCapacity = (places: number): number => Math.min(FIRST, USUAL * places);

/**
 * The capacity of the next second: while recording keeps up it grows as far as it is used; when recording falls behind it
 * shrinks to what two seconds of recording empty, so that what cannot be recorded is not checked either.
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
