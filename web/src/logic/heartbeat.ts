import type { Heartbeat, Ping } from '../api/types';
import { clockTime, count, duration, time } from './format';
import { spanText } from './time-span';

/** Whether the endpoint waits for pings from a job, which means that it can't be checked on demand. */
export const isHeartbeat = ({ type }: { type: string }): boolean => type === 'HEARTBEAT';

/** Describes a schedule, such as `every 1 day` or `0 3 * * * (Europe/Berlin)`. */
export const scheduleText = ({ every, cron, timezone }: Pick<Heartbeat, 'every' | 'cron' | 'timezone'>): string =>
  every === null ? `${cron} (${timezone})` : `every ${spanText(every)}`;

/** Returns text such as `every 1 day, grace period 1 h, at most 2 h per run`. */
export const waitingText = (of: Pick<Heartbeat, 'every' | 'cron' | 'timezone' | 'grace' | 'max_runtime'>): string =>
  `${scheduleText(of)}, ${of.grace === 0 ? 'no grace period' : `grace period ${spanText(of.grace)}`}${
    of.max_runtime === null ? '' : `, at most ${spanText(of.max_runtime)} per run`
  }`;

/** Leaves out seconds, because no one schedules jobs that precisely. */
const moment = (iso: string, nowMs: number): string => {
  const isToday = new Date(iso).toDateString() === new Date(nowMs).toDateString();
  return isToday ? clockTime(Date.parse(iso)) : time(iso, nowMs).replace(/:\d\d$/, '');
};

/** Returns text such as `Expected 03:00, 12 min ago`, `Running since 02:58, for 3 min`, or `No ping yet`. */
export function expectationText(
  {
    running_since,
    last_ping_at,
    next_expected_at,
  }: Pick<Heartbeat, 'running_since' | 'last_ping_at' | 'next_expected_at'>,
  nowMs: number,
): string {
  const since = (iso: string) => (nowMs - Date.parse(iso)) / 1000;
  if (running_since !== null)
    return `Running since ${moment(running_since, nowMs)}, for ${duration(since(running_since))}`;
  if (last_ping_at === null) return 'No ping yet';
  if (next_expected_at === null) return 'No ping expected';
  return expectedText(next_expected_at, nowMs);
}

/** Returns text such as `Expected 03:00, 12 min ago`. */
export const expectedText = (iso: string, nowMs: number): string =>
  `Expected ${moment(iso, nowMs)}, ${expectedIn(iso, nowMs)}`;

/** Returns text for a tile, such as `in 3 h 5 min`, `12 min ago`, or `–`. */
export function expectedIn(iso: string | null, nowMs: number): string {
  if (iso === null) return '–';
  const late = (nowMs - Date.parse(iso)) / 1000;
  return late < 0 ? `in ${duration(-late)}` : `${duration(late)} ago`;
}

const KINDS: Record<Ping['kind'], string> = { success: 'Success', start: 'Started', fail: 'Failed', log: 'Note' };

/** Returns text such as `Failed, exit code 3`. */
export const pingText = ({ kind, exit_code }: Pick<Ping, 'kind' | 'exit_code'>): string =>
  exit_code === null ? KINDS[kind] : `${KINDS[kind]}, exit code ${exit_code}`;

/** Describes how much of a body isn't shown, because only its start is stored. */
export function cutText({ body, body_bytes }: Pick<Ping, 'body' | 'body_bytes'>): string | null {
  if (body_bytes === 0) return null;
  if (body === null) return `${count(body_bytes, 'byte')}, not stored`;
  const shown = new TextEncoder().encode(body).length;
  return body_bytes > shown ? `The first of ${count(body_bytes, 'byte')}` : null;
}

/**
 * The thresholds for a new heartbeat alert rule. With the usual thresholds, a nightly job would have to fail for three
 * nights.
 */
export const HEARTBEAT_THRESHOLDS = { failure_threshold: '1', success_threshold: '1' } as const;

/** Returns the ping URL. `origin` is this page's origin, for a service that doesn't know its own URL. */
export const pingUrl = ({ ping_url, ping_id }: Pick<Heartbeat, 'ping_url' | 'ping_id'>, origin: string): string =>
  ping_url ?? `${origin}/ping/${ping_id}`;

/** Returns the endpoints that can be checked, and a sentence about the others, or `null` if there are none. */
export function checkable<T extends { type: string }>(list: readonly T[]): { checked: T[]; leftOut: string | null } {
  const checked = list.filter((each) => !isHeartbeat(each));
  const number = list.length - checked.length;
  return {
    checked,
    leftOut: number === 0 ? null : `${count(number, 'heartbeat')} left out: heartbeats have no checks to run.`,
  };
}
