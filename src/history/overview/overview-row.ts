import type { EndpointLocation } from '../../endpoint/locations/location.dto';
import type { OutcomeCounts } from '../hour-counters';
import { madeAtMs } from '../../platform/ids/id';
import { DAY_MS, floorTo, HOUR_MS } from '../../platform/time/time-units';
import { type TimeRange, type Window, WINDOW_DAYS, windowRange } from '../time-range';
import { watchedShare } from '../watched-share';

/**
 * A row in the endpoint_overview view. The summary columns are `null` before the endpoint's first full hour. Times are
 * milliseconds since the epoch, because reading a thousand rows takes half as long as with `Date` columns.
 */
export interface OverviewRow {
  id: string;
  key: string;
  name: string;
  url: string;
  type: string;
  active: boolean;
  website_id: string;
  website_name: string;
  status: number;
  status_since: number | null;
  last_checked_at: number | null;
  last_error: number | null;
  recent: string;
  certificate_expires_at: number | null;
  hour_start: number | null;
  hour_up: number;
  hour_down: number;
  hour_unknown: number;
  before_up: number;
  before_down: number;
  before_unknown: number;
  until: number | null;
  up_24h: number | null;
  down_24h: number | null;
  unknown_24h: number | null;
  up_7d: number | null;
  down_7d: number | null;
  up_30d: number | null;
  down_30d: number | null;
  up_90d: number | null;
  down_90d: number | null;
  p95_24h_us: number | null;
  /** The number of full days before `until` that have at least one conclusive or planned check. */
  days_7d: number | null;
  days_30d: number | null;
  days_90d: number | null;
  alert_open: boolean;
  degraded_since: number | null;
  recent_degraded: number;
  tags: string[];
  website_tags: string[];
  acknowledged_by: string | null;
  /** `null` if not acknowledged. */
  acknowledged_at: number | null;
  acknowledged_note: string | null;
  acknowledged_until: number | null;
  /** Set only for heartbeats. */
  next_expected_at: number | null;
  /** It is down, but the failure isn't confirmed yet. */
  verifying: boolean;
  location_count: number;
  quorum: string;
  interval_seconds: number;
  timeout_seconds: number;
}

/** The number of an endpoint's locations that report it as down, whose result counts, and that are not missing. */
export interface LocationCounts {
  down: number;
  reporting: number;
  total: number;
}

/** Returns `null` if the endpoint has only one location. */
export function locationCounts(
  locations: readonly Pick<EndpointLocation, 'status' | 'counts' | 'reason'>[] | undefined,
): LocationCounts | null {
  if (locations === undefined) return null;
  return {
    down: locations.filter(({ status, counts }) => counts && status === 'down').length,
    reporting: locations.filter(({ counts }) => counts).length,
    total: locations.filter(({ reason }) => reason === null || reason === 'stale').length,
  };
}

/**
 * The number of outcomes in one half of endpoint_state.recent. Each takes 2 bits, so that a half fits in a 32-bit
 * integer.
 */
const HALF = 15;
const SLOT_OUTCOMES = [null, 'up', 'down', 'unknown'] as const;

export const RECENT_OUTCOMES = ['up', 'down', 'unknown', 'degraded'] as const;
export type RecentOutcome = (typeof RECENT_OUTCOMES)[number];

/**
 * Decodes endpoint_state.recent and returns the oldest outcome first. The value has 30 slots of 2 bits, with the newest
 * outcome in the lowest bits, and 0 for an empty slot. `degraded` has one bit per slot in the same order, set for up
 * checks with a failed warning.
 */
export function decodeRecent(stored: string, degraded: number): RecentOutcome[] {
  const bits = BigInt(stored);
  const outcomes: RecentOutcome[] = [];
  const halves = [
    [Number(bits >> BigInt(2 * HALF)), degraded >>> HALF],
    [Number(BigInt.asUintN(2 * HALF, bits)), degraded],
  ] as const;
  for (const [half, marks] of halves) {
    for (let slot = HALF - 1; slot >= 0; slot--) {
      const outcome = SLOT_OUTCOMES[(half >>> (2 * slot)) & 3];
      if (outcome) outcomes.push(outcome === 'up' && ((marks >>> slot) & 1) === 1 ? 'degraded' : outcome);
    }
  }
  return outcomes;
}

/** Returns the counts for hours that the summary does not include yet. */
function notSummarized(row: OverviewRow): OutcomeCounts {
  const until = row.until ?? -Infinity;
  const start = row.hour_start ?? -Infinity;
  const hour = start >= until ? { up: row.hour_up, down: row.hour_down, unknown: row.hour_unknown } : NONE;
  const before =
    start - HOUR_MS >= until ? { up: row.before_up, down: row.before_down, unknown: row.before_unknown } : NONE;
  return {
    up: hour.up + before.up,
    down: hour.down + before.down,
    unknown: hour.unknown + before.unknown,
  };
}

const NONE: OutcomeCounts = { up: 0, down: 0, unknown: 0 };

/**
 * Returns the counts for each window: the full hours from the summary, plus the hours after it. Only "24h" counts
 * `unknown`.
 */
export function windowCounts(row: OverviewRow): Record<Window, OutcomeCounts> {
  const newest = notSummarized(row);
  const plus = (up: number | null, down: number | null, unknown: number | null = 0): OutcomeCounts => ({
    up: (up ?? 0) + newest.up,
    down: (down ?? 0) + newest.down,
    unknown: (unknown ?? 0) + newest.unknown,
  });
  return {
    '24h': plus(row.up_24h, row.down_24h, row.unknown_24h),
    '7d': plus(row.up_7d, row.down_7d),
    '30d': plus(row.up_30d, row.down_30d),
    '90d': plus(row.up_90d, row.down_90d),
  };
}

/** The windows that end now. They are the same for all rows in a response. */
export type Windows = Readonly<Record<Window, TimeRange>>;

/** Returns the windows that end at `now`, in milliseconds since the epoch. */
export const windowsAt = (now: number): Windows => ({
  '24h': windowRange('24h', now),
  '7d': windowRange('7d', now),
  '30d': windowRange('30d', now),
  '90d': windowRange('90d', now),
});

/**
 * Returns the share of each window in which the endpoint was monitored, from 0 to 1, or `null` while that is unknown.
 * The summary provides the full days. The day after them counts once it has a check.
 */
export function watchedShares(row: OverviewRow, windows: Windows): Record<Window, number | null> {
  const madeMs = madeAtMs(row.id);
  const isSummarized = row.until !== null;
  const today = floorTo(row.until ?? windows['24h'].to, DAY_MS);
  const newest = row.last_checked_at !== null && row.last_checked_at >= today ? 1 : 0;
  const share = (window: Exclude<Window, '24h'>, days: number | null): number | null =>
    days === null && isSummarized
      ? null
      : watchedShare(windows[window], madeMs, { watched: (days ?? 0) + newest, of: WINDOW_DAYS[window] + newest });
  return {
    '24h': row.last_checked_at === null ? 0 : watchedShare(windows['24h'], madeMs),
    '7d': share('7d', row.days_7d),
    '30d': share('30d', row.days_30d),
    '90d': share('90d', row.days_90d),
  };
}

/** The number of points in an endpoint's latency chart, one per full hour. */
export const LATENCY_HOURS = 24;

/**
 * An endpoint's mean latency in microseconds. The hour with index `hours[n]`, counted from the first hour, has the mean
 * `us[n]`.
 */
export interface HourlyLatencyRow {
  key: string;
  hours: number[];
  us: number[];
}

/**
 * Places each hour's mean at its index, in milliseconds with two significant digits. A sparkline 24 pixels high can't
 * show more, and a third digit would add a seventh to the gzipped response.
 */
export function hourlyLatency({ hours, us }: Pick<HourlyLatencyRow, 'hours' | 'us'>): (number | null)[] {
  const points = Array.from({ length: LATENCY_HOURS }, (): number | null => null);
  hours.forEach((hour, at) => {
    points[hour] = Number(((us[at] ?? 0) / 1000).toPrecision(2));
  });
  return points;
}
