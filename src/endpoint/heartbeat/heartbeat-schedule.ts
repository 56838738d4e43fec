import { readCron } from '../../platform/time/cron-calendar';
import { startsFrom, take } from '../../platform/time/cron-times';
import { isTimeZone } from '../../platform/time/time-zone';
import { SECOND_MS } from '../../platform/time/time-units';

export const HEARTBEAT = 'HEARTBEAT';
/** The stored URL of heartbeats, which have no target. */
export const HEARTBEAT_URL = 'heartbeat:';

/**
 * The stored ping schedule of a heartbeat: either a period, or a cron expression with a time zone. All durations are in
 * seconds.
 */
export interface HeartbeatSchedule {
  every: number | null;
  cron: string | null;
  timezone: string | null;
  /** The delay after the expected time that is still tolerated. */
  grace: number;
  /** How long a run may take after its start was reported. `null` means no limit. */
  max_runtime: number | null;
}

export const EVERY_BOUNDS = { minimum: 60, maximum: 31_536_000 };
const GRACE_BOUNDS = { least: 60, most: 3600 };
const INTERVAL_SECONDS = { least: 60, most: 86_400 };

/** The number of gaps between runs that are compared to find the shortest. */
const COMPARED = 20;
/**
 * The period of a cron expression must not depend on the current time, so the same document always produces the same
 * settings.
 */
const REFERENCE = new Date('2026-01-01T00:00:00Z');

/**
 * Returns the first `count` times of a cron expression after `from`. Empty if the expression is invalid or never
 * matches.
 */
export const timesOfCron = (cron: string, timezone: string, from: Date, count: number): Date[] =>
  readCron(cron) !== null && isTimeZone(timezone) ? take(startsFrom(cron, timezone, from), count) : [];

type Timing = Pick<HeartbeatSchedule, 'every' | 'cron' | 'timezone'>;

/** Returns the period in seconds. For a cron expression, it is the shortest gap between runs. */
export function periodSeconds({ every, cron, timezone }: Timing): number {
  if (every !== null) return every;
  const times = cron !== null && timezone !== null ? timesOfCron(cron, timezone, REFERENCE, COMPARED) : [];
  const pauses = times.slice(1).map((time, i) => (time.getTime() - (times[i]?.getTime() ?? 0)) / SECOND_MS);
  return pauses.length > 0 ? Math.min(...pauses) : INTERVAL_SECONDS.most;
}

const within = (value: number, { least, most }: { least: number; most: number }): number =>
  Math.min(Math.max(Math.round(value), least), most);

/** Returns one tenth of the period, but at least a minute and at most an hour. */
export const defaultGrace = (timing: Timing): number => within(periodSeconds(timing) / 10, GRACE_BOUNDS);

/** Returns the check interval that quotas and sorting assume for a heartbeat. */
export const intervalOf = (timing: Timing): number => within(periodSeconds(timing), INTERVAL_SECONDS);

/**
 * Returns the next `count` times after `from` at which a ping is expected. If the schedule has a period, a ping at
 * `from` is assumed.
 */
export function expectedTimes(schedule: Timing, from: Date, count: number): Date[] {
  const { every, cron, timezone } = schedule;
  if (every !== null)
    return Array.from({ length: count }, (_, i) => new Date(from.getTime() + (i + 1) * every * SECOND_MS));
  if (cron === null || timezone === null) return [];
  return timesOfCron(cron, timezone, new Date(from.getTime() + 1), count);
}
