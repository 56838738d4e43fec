import { readCron } from '../../platform/time/cron-calendar';
import { startsFrom, take } from '../../platform/time/cron-times';
import { isTimeZone } from '../../platform/time/time-zone';
import { SECOND_MS } from '../../platform/time/time-units';

/** The type of endpoints that wait for pings. */
export const HEARTBEAT = 'HEARTBEAT';
/** What they have in place of a URL. */
export const HEARTBEAT_URL = 'heartbeat:';

/** When a heartbeat expects its pings, as it is stored: either a period, or a cron expression in a zone. Seconds. */
export interface HeartbeatSchedule {
  every: number | null;
  cron: string | null;
  timezone: string | null;
  /** How long after the expected time a run is not late. */
  grace: number;
  /** How long a run may take that has told its start; `null`: as long as it takes. */
  max_runtime: number | null;
}

export const EVERY_BOUNDS = { minimum: 60, maximum: 31_536_000 };
const GRACE_BOUNDS = { least: 60, most: 3600 };
const INTERVAL_SECONDS = { least: 60, most: 86_400 };

/** Pauses between runs that are compared for the shortest. */
const COMPARED = 20;
/** The period of a cron expression must not depend on when it is asked for: the same document means the same settings. */
const REFERENCE = new Date('2026-01-01T00:00:00Z');

/** The first times of a cron expression from `from` on; empty where it is none, or has no date. */
export const timesOfCron = (cron: string, timezone: string, from: Date, count: number): Date[] =>
  readCron(cron) !== null && isTimeZone(timezone) ? take(startsFrom(cron, timezone, from), count) : [];

type Timing = Pick<HeartbeatSchedule, 'every' | 'cron' | 'timezone'>;

/** Seconds from run to run: for cron the shortest of 20 pauses. A day where there is nothing to tell it by. */
export function periodSeconds({ every, cron, timezone }: Timing): number {
  if (every !== null) return every;
  const times = cron !== null && timezone !== null ? timesOfCron(cron, timezone, REFERENCE, COMPARED) : [];
  const pauses = times.slice(1).map((time, i) => (time.getTime() - (times[i]?.getTime() ?? 0)) / SECOND_MS);
  return pauses.length > 0 ? Math.min(...pauses) : INTERVAL_SECONDS.most;
}

const within = (value: number, { least, most }: { least: number; most: number }): number =>
  Math.min(Math.max(Math.round(value), least), most);

/** A tenth of the period, a minute to an hour. */
export const defaultGrace = (timing: Timing): number => within(periodSeconds(timing) / 10, GRACE_BOUNDS);

/** What quotas count, and what sorts it among its siblings: as if it were checked so often. */
export const intervalOf = (timing: Timing): number => within(periodSeconds(timing), INTERVAL_SECONDS);

/** The next `count` times at which a ping is expected after `from`: of a period as if one came at `from`. */
export function expectedTimes(schedule: Timing, from: Date, count: number): Date[] {
  const { every, cron, timezone } = schedule;
  if (every !== null)
    return Array.from({ length: count }, (_, i) => new Date(from.getTime() + (i + 1) * every * SECOND_MS));
  if (cron === null || timezone === null) return [];
  return timesOfCron(cron, timezone, new Date(from.getTime() + 1), count);
}
