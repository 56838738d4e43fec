import type { Heartbeat, Ping } from '../api/types';
import { clockTime, count, duration, time } from './format';
import { spanText } from './time-span';

/** Whether it waits for the pings of a job, so that nothing can be checked. */
export const isHeartbeat = ({ type }: { type: string }): boolean => type === 'HEARTBEAT';

/** `every 1 day`, `0 3 * * * (Europe/Berlin)`. */
export const scheduleText = ({ every, cron, timezone }: Pick<Heartbeat, 'every' | 'cron' | 'timezone'>): string =>
  every === null ? `${cron} (${timezone})` : `every ${spanText(every)}`;

/** `every 1 day, late after 1 h, a run may take 2 h`. */
export const waitingText = (of: Pick<Heartbeat, 'every' | 'cron' | 'timezone' | 'grace' | 'max_runtime'>): string =>
  `${scheduleText(of)}, ${of.grace === 0 ? 'no grace period' : `grace period ${spanText(of.grace)}`}${
    of.max_runtime === null ? '' : `, at most ${spanText(of.max_runtime)} per run`
  }`;

/** Without seconds, because no one schedules a job by them. */
const moment = (iso: string, nowMs: number): string => {
  const isToday = new Date(iso).toDateString() === new Date(nowMs).toDateString();
  return isToday ? clockTime(Date.parse(iso)) : time(iso, nowMs).replace(/:\d\d$/, '');
};

/** `Expected 03:00, 12 min ago`, `Running since 02:58, for 3 min`, `No ping yet`. */
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

/** `Expected 03:00, 12 min ago`. */
export const expectedText = (iso: string, nowMs: number): string =>
  `Expected ${moment(iso, nowMs)}, ${expectedIn(iso, nowMs)}`;

/** `in 3 h 5 min`, `12 min ago`, `–`: for a tile. */
export function expectedIn(iso: string | null, nowMs: number): string {
  if (iso === null) return '–';
  const late = (nowMs - Date.parse(iso)) / 1000;
  return late < 0 ? `in ${duration(-late)}` : `${duration(late)} ago`;
}

const KINDS: Record<Ping['kind'], string> = { success: 'Success', start: 'Started', fail: 'Failed', log: 'Note' };

/** `Failed, exit code 3`. */
export const pingText = ({ kind, exit_code }: Pick<Ping, 'kind' | 'exit_code'>): string =>
  exit_code === null ? KINDS[kind] : `${KINDS[kind]}, exit code ${exit_code}`;

/** What of a body is not shown: only its beginning is kept. */
export function cutText({ body, body_bytes }: Pick<Ping, 'body' | 'body_bytes'>): string | null {
  if (body_bytes === 0) return null;
  if (body === null) return `${count(body_bytes, 'byte')}, not stored`;
  const shown = new TextEncoder().encode(body).length;
  return body_bytes > shown ? `The first of ${count(body_bytes, 'byte')}` : null;
}

/** What an alert of a heartbeat begins with: nobody waits three nights for three failures. */
export const HEARTBEAT_THRESHOLDS = { failure_threshold: '1', success_threshold: '1' } as const;

/** Where to ping. `origin`: of this page, where the service does not know its own address. */
export const pingUrl = ({ ping_url, ping_id }: Pick<Heartbeat, 'ping_url' | 'ping_id'>, origin: string): string =>
  ping_url ?? `${origin}/ping/${ping_id}`;

/** Those that can be checked, and a sentence about those that cannot; it is null without any. */
export function checkable<T extends { type: string }>(list: readonly T[]): { checked: T[]; leftOut: string | null } {
  const checked = list.filter((each) => !isHeartbeat(each));
  const number = list.length - checked.length;
  return {
    checked,
    leftOut: number === 0 ? null : `${count(number, 'heartbeat')} left out: heartbeats have no checks to run.`,
  };
}
