/**
 * Returns the offset from this process's monotonic clock to another host's clock, which showed `nowMs` at some moment
 * between `before` and `after`. Keeps the old estimate if it fits into that interval, so that a slow reply can't make
 * checks run early.
 */
export function offsetAfter(estimateMs: number | null, nowMs: number, before: number, after: number): number {
  const least = nowMs - after;
  return Math.min(Math.max(estimateMs ?? least, least), nowMs - before);
}
