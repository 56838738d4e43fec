import type { LatencyBucket, Phases } from '../api/types';

/** A check's phases in order, with their names and colors. */
export const PHASES = [
  { key: 'dns_ms', name: 'DNS', color: '--phase-1' },
  { key: 'connect_ms', name: 'Connect', color: '--phase-2' },
  { key: 'tls_ms', name: 'TLS', color: '--phase-3' },
  { key: 'first_byte_ms', name: 'First byte', color: '--phase-4' },
  { key: 'transfer_ms', name: 'Transfer', color: '--phase-5' },
] as const satisfies readonly { key: keyof Phases; name: string; color: string }[];

interface TimeData {
  /** The start of each bucket in seconds, plus the end of the last bucket, so that it has a width. */
  times: number[];
  failures: number[];
}

/** The data of the chart by phase. */
export interface PhaseData extends TimeData {
  /** One list per phase: its latency plus the latency of the preceding phases. 0 if no check was successful. */
  stacked: number[][];
}

/** Data for the response time chart: milliseconds per bucket, or `null` if no check was successful. */
export interface ResponseData extends TimeData {
  p50: (number | null)[];
  p95: (number | null)[];
  /** The p50 one week earlier. */
  before: (number | null)[];
}

/** Data for the chart by location: a p95 line for each. A value is `null` if no check was successful. */
export interface LocationData extends TimeData {
  lines: { location: string; style: LineStyle; p95: (number | null)[] }[];
}

export interface LineStyle {
  color: string;
  dash: number[];
}

/** Returns a line style. There are ten distinct styles: five colors, then the same colors dashed. */
export const lineStyle = (index: number): LineStyle => ({
  color: PHASES[index % PHASES.length]?.color ?? PHASES[0].color,
  dash: index < PHASES.length ? [] : [6, 4],
});

/** How far back the comparison week is, in milliseconds. */
export const WEEK_MS = 604_800_000;

const timesOf = (buckets: readonly LatencyBucket[], step: number): TimeData => {
  const times = buckets.map((bucket) => Date.parse(bucket.start) / 1000);
  const last = times.at(-1);
  return {
    times: last === undefined ? [] : [...times, last + step],
    failures: buckets.map((bucket) => bucket.failures),
  };
};

/** Returns the p50 and p95 for each bucket, and the p50 for the bucket one week earlier, which may be missing. */
export function responseData(
  buckets: readonly LatencyBucket[],
  earlier: readonly LatencyBucket[],
  step: number,
): ResponseData {
  const known = new Map(earlier.map((bucket) => [Date.parse(bucket.start), bucket.p50]));
  return {
    ...timesOf(buckets, step),
    p50: buckets.map((bucket) => bucket.p50),
    p95: buckets.map((bucket) => bucket.p95),
    before: buckets.map((bucket) => known.get(Date.parse(bucket.start) - WEEK_MS) ?? null),
  };
}

export interface LocationBuckets {
  location: string;
  buckets: readonly LatencyBucket[];
}

/**
 * Returns the p95 for each visible location. All locations have the same range, so the times come from the first one's
 * buckets. A line keeps its style while others are hidden. Only failures at visible locations are counted.
 */
export function locationData(of: readonly LocationBuckets[], off: readonly string[], step: number): LocationData {
  const { times } = timesOf(of[0]?.buckets ?? [], step);
  const found = of
    .map(({ location, buckets }, index) => ({
      location,
      style: lineStyle(index),
      byStart: new Map(buckets.map((bucket) => [Date.parse(bucket.start) / 1000, bucket])),
    }))
    .filter(({ location }) => !off.includes(location));
  const starts = times.slice(0, -1);
  return {
    times,
    failures: starts.map((at) => found.reduce((sum, { byStart }) => sum + (byStart.get(at)?.failures ?? 0), 0)),
    lines: found.map(({ byStart, ...line }) => ({ ...line, p95: starts.map((at) => byStart.get(at)?.p95 ?? null) })),
  };
}

/** Returns the first and last index of each run of values without gaps. */
export function runsOf(values: readonly (number | null)[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    const run = runs.at(-1);
    if (run && run[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  });
  return runs;
}

/**
 * Stacks the phases in each bucket. If there are no phases, the last list contains the entire mean, so that the outline
 * doesn't change.
 */
export function phaseData(buckets: readonly LatencyBucket[], step: number): PhaseData {
  const stacked = PHASES.map((_, top) =>
    buckets.map(({ phases, avg }) => {
      if (phases === null) return top === PHASES.length - 1 ? (avg ?? 0) : 0;
      return PHASES.slice(0, top + 1).reduce((sum, { key }) => sum + (phases[key] ?? 0), 0);
    }),
  );
  return { ...timesOf(buckets, step), stacked: stacked.map((values) => (values.length === 0 ? [] : [...values, 0])) };
}
