import { type LatencyHistogram, mergeHistograms, quantile } from './latency-histogram';

/** The phases of a check in the order in which they happen; also the names of their columns, in microseconds. */
export const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;
export type PhaseName = (typeof PHASES)[number];

/** What is kept of the checks of a stretch of time. Tallies of neighbouring stretches add up without loss. */
export interface CheckStats {
  up: number;
  down: number;
  unknown: number;
  /** Microseconds over the up checks, like everything below. */
  sumUs: number;
  phaseSumsUs: Readonly<Record<PhaseName, number>>;
  minUs: number;
  maxUs: number;
  histogram: LatencyHistogram;
}

/**
 * A tally as it is read: plain numbers, and the arrays as PostgreSQL's text (`{1,2}`), which is parsed here. The driver's
 * own conversions would take most of the time of reading a month of hours.
 */
export interface CheckStatsRow {
  /** Milliseconds since the epoch. */
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
}

const integers = (array: string): number[] => (array === '{}' ? [] : array.slice(1, -1).split(',').map(Number));

export const toCheckStats = (row: CheckStatsRow): CheckStats => ({
  up: row.up,
  down: row.down,
  unknown: row.unknown,
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

/** The tally of all given stretches together. */
export function mergeStats(tallies: readonly CheckStats[]): CheckStats {
  const sum = (value: (tally: CheckStats) => number): number =>
    tallies.reduce((total, tally) => total + value(tally), 0);
  const answered = tallies.filter((tally) => tally.up > 0);
  const phaseSumsUs = { ...NO_PHASES };
  for (const phase of PHASES) phaseSumsUs[phase] = sum((tally) => tally.phaseSumsUs[phase]);
  return {
    up: sum((tally) => tally.up),
    down: sum((tally) => tally.down),
    unknown: sum((tally) => tally.unknown),
    sumUs: sum((tally) => tally.sumUs),
    phaseSumsUs,
    minUs: answered.reduce((least, tally) => Math.min(least, tally.minUs), answered.length > 0 ? Infinity : 0),
    maxUs: answered.reduce((most, tally) => Math.max(most, tally.maxUs), 0),
    histogram: mergeHistograms(answered.map((tally) => tally.histogram)),
  };
}

/** up / (up + down); `null` while nothing is known. `unknown` results are not the target's and take no part. */
export const uptimeOf = ({ up, down }: { up: number; down: number }): number | null =>
  up + down === 0 ? null : up / (up + down);

/** Which share of the checks could tell: 1 − unknown / all; `null` without checks. */
export const coverageOf = ({ up, down, unknown }: { up: number; down: number; unknown: number }): number | null =>
  up + down + unknown === 0 ? null : (up + down) / (up + down + unknown);

/** Latency of the up checks in milliseconds, three decimals. */
export interface LatencyStats {
  avg: number;
  p50: number;
  p95: number;
  p99: number;
  min: number;
  max: number;
}

const milliseconds = (us: number): number => Math.round(us) / 1000;

/** `null` without up checks. Quantiles never leave the range that was really seen. */
export function latencyOf(tally: CheckStats): LatencyStats | null {
  if (tally.up === 0) return null;
  const at = (q: number): number =>
    milliseconds(Math.min(Math.max(quantile(tally.histogram, q) ?? tally.maxUs, tally.minUs), tally.maxUs));
  return {
    avg: milliseconds(tally.sumUs / tally.up),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    min: milliseconds(tally.minUs),
    max: milliseconds(tally.maxUs),
  };
}

/** Mean of a phase over the up checks in milliseconds, so that the phases stack up to the mean; `null` if none had it. */
export const phaseMeanOf = (tally: CheckStats, phase: PhaseName): number | null =>
  tally.up === 0 || tally.phaseSumsUs[phase] === 0 ? null : milliseconds(tally.phaseSumsUs[phase] / tally.up);
