/** A chart's time range, in milliseconds. */
export interface TimeRange {
  from: number;
  to: number;
  /** Seconds per bucket. */
  step: number;
  /** The preset, or `null` for a zoomed range. */
  name: RangeName | null;
}

const SECONDS = { '1h': 3600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
export type RangeName = keyof typeof SECONDS;
/** The presets, shortest first. */
export const RANGES = Object.keys(SECONDS) as RangeName[];

const STEPS = [10, 60, 300, 900, 3600, 7200, 14_400, 21_600, 86_400];
/** The number of buckets in a bar chart, and in a percentile chart, which needs several checks per bucket. */
export const BUCKETS = { bars: 300, percentiles: 120 };
/** A shorter range has too few buckets to draw. */
const SHORTEST_MS = 120_000;

/** Returns the smallest step in seconds that needs at most `buckets` buckets, each at least one check interval long. */
export const stepFor = (seconds: number, interval: number, buckets: number): number =>
  STEPS.find((step) => step >= interval && seconds / step <= buckets) ?? 86_400;

/**
 * Returns the range in a URL: `range=24h`, or `from` and `to` in seconds after zooming. The default is `usual`. If that
 * is missing, it is a day, or an hour if the endpoint is less than two hours old.
 */
export function rangeOf(
  query: URLSearchParams,
  nowMs: number,
  sinceMs: number,
  interval: number,
  buckets: number,
  usual?: RangeName,
): TimeRange {
  const to = Number(query.get('to')) * 1000;
  const from = Math.min(Number(query.get('from')) * 1000, to - SHORTEST_MS);
  if (from > 0 && to > from && to <= nowMs + 60_000)
    return { from, to, step: stepFor((to - from) / 1000, interval, buckets), name: null };
  const byAge = nowMs - sinceMs < 2 * 3_600_000 ? '1h' : '24h';
  const name = RANGES.find((each) => each === query.get('range')) ?? usual ?? byAge;
  const step = stepFor(SECONDS[name], interval, buckets);
  const end = Math.ceil(nowMs / 1000 / step) * step * 1000;
  return { from: end - SECONDS[name] * 1000, to: end, step, name };
}
