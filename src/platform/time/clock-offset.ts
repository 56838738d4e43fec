/**
 * The offset from our monotonic clock to another machine's clock, given that this one showed `nowMs` at some moment between
 * `before` and `after`. The old estimate is kept if it fits that interval, so a slow reply cannot make checks early.
 */
export function offsetAfter(estimateMs: number | null, nowMs: number, before: number, after: number): number {
  const least = nowMs - after;
  return Math.min(Math.max(estimateMs ?? least, least), nowMs - before);
}
