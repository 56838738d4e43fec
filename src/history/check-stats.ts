import { type LatencyHistogram, mergeHistograms, quantile } from './latency-histogram';

/** The phases of a check, in order. They are also the column names. The columns store microseconds. */
export const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;
export type PhaseName = (typeof PHASES)[number];

/** Check stats for a time slice. Stats for adjacent slices can be merged without loss. */
export interface CheckStats {
  up: number;
  down: number;
  unknown: number;
  /** Checks during maintenance that is excluded from uptime. The three counts above exclude them. */
  planned: number;
  /** The number of `up` checks that had a failed warning. */
  degraded: number;
  /** In microseconds. Like all fields below, this covers only up checks that have a duration. */
  sumUs: number;
  phaseSumsUs: Readonly<Record<PhaseName, number>>;
  minUs: number;
  maxUs: number;
  histogram: LatencyHistogram;
}

/**
 * A row of stats as the driver returns it. Arrays are PostgreSQL text (`{1,2}`) and are parsed here, because the
 * driver's own conversions would dominate the time to read a month of hours.
 */
export interface CheckStatsRow {
  /** In milliseconds since the epoch. */
  start_ms: number;
  up: number;
  down: number;
  unknown: number;
  sum_us: number;
  dns_us: number;
  connect_us: number;
  tls_us: number;
  first_byte_us: number;
  transfer_us: number;
  min_us: number;
  max_us: number;
  buckets: string;
  counts: string;
  planned: number;
  degraded: number;
}

const integers = (array: string): number[] => (array === '{}' ? [] : array.slice(1, -1).split(',').map(Number));

/** Converts a row from check_hour or check_day to stats. */
export const toCheckStats = (row: CheckStatsRow): CheckStats => ({
  up: row.up,
  down: row.down,
  unknown: row.unknown,
  planned: row.planned,
  degraded: row.degraded,
  sumUs: row.sum_us,
  phaseSumsUs: {
    dns: row.dns_us,
    connect: row.connect_us,
    tls: row.tls_us,
    first_byte: row.first_byte_us,
    transfer: row.transfer_us,
  },
  minUs: row.min_us,
  maxUs: row.max_us,
  histogram: { buckets: integers(row.buckets), counts: integers(row.counts) },
});

const NO_PHASES: Readonly<Record<PhaseName, number>> = { dns: 0, connect: 0, tls: 0, first_byte: 0, transfer: 0 };

export function mergeStats(parts: readonly CheckStats[]): CheckStats {
  const sum = (value: (part: CheckStats) => number): number => parts.reduce((total, part) => total + value(part), 0);
  const measured = parts.filter((part) => measuredOf(part) > 0);
  const phaseSumsUs = { ...NO_PHASES };
  for (const phase of PHASES) phaseSumsUs[phase] = sum((part) => part.phaseSumsUs[phase]);
  return {
    up: sum((part) => part.up),
    down: sum((part) => part.down),
    unknown: sum((part) => part.unknown),
    planned: sum((part) => part.planned),
    degraded: sum((part) => part.degraded),
    sumUs: sum((part) => part.sumUs),
    phaseSumsUs,
    minUs: measured.reduce((least, part) => Math.min(least, part.minUs), measured.length > 0 ? Infinity : 0),
    maxUs: measured.reduce((most, part) => Math.max(most, part.maxUs), 0),
    histogram: mergeHistograms(measured.map((part) => part.histogram)),
  };
}

/** Returns the number of up checks that have a duration: all except job runs that did not report their start. */
const measuredOf = ({ histogram }: CheckStats): number => histogram.counts.reduce((sum, count) => sum + count, 0);

export const checksOf = ({ up, down, unknown, planned }: CheckStats): number => up + down + unknown + planned;

/**
 * Returns up / (up + down), or `null` if there are no such checks. `unknown` outcomes are not the target's fault and
 * don't count. Planned checks don't count either.
 */
export const uptimeOf = ({ up, down }: { up: number; down: number }): number | null =>
  up + down === 0 ? null : up / (up + down);

/**
 * Returns the share of unplanned checks with a known outcome: 1 − unknown / all. `null` if there are no unplanned
 * checks.
 */
export const coverageOf = ({ up, down, unknown }: { up: number; down: number; unknown: number }): number | null =>
  up + down + unknown === 0 ? null : (up + down) / (up + down + unknown);

/** The latency of up checks in milliseconds, rounded to three decimals. */
export interface LatencyStats {
  avg: number;
  p50: number;
  p95: number;
  p99: number;
  min: number;
  max: number;
}

const milliseconds = (us: number): number => Math.round(us) / 1000;

/** Returns `null` if no check was measured. Quantiles are clamped to the measured minimum and maximum. */
export function latencyOf(stats: CheckStats): LatencyStats | null {
  const measured = measuredOf(stats);
  if (measured === 0) return null;
  const at = (q: number): number =>
    milliseconds(Math.min(Math.max(quantile(stats.histogram, q) ?? stats.maxUs, stats.minUs), stats.maxUs));
  return {
    avg: milliseconds(stats.sumUs / measured),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    min: milliseconds(stats.minUs),
    max: milliseconds(stats.maxUs),
  };
}

/**
 * Returns the mean duration of a phase across all up checks, in milliseconds. The phase means add up to the overall
 * mean. `null` if no check reached the phase.
 */
export const phaseMeanOf = (stats: CheckStats, phase: PhaseName): number | null =>
  stats.phaseSumsUs[phase] === 0 ? null : milliseconds(stats.phaseSumsUs[phase] / measuredOf(stats));
