import type { MaintenanceScope, MaintenanceWindow } from '../api/types';
import { count, duration } from './format';

/** The days of the week, starting with Sunday as in cron. */
export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** A time of day (`02:00`) on certain days of the week. */
export interface Weekly {
  days: readonly number[];
  time: string;
}

/** Returns the cron expression of a weekly time. */
export function cronOf({ days, time }: Weekly): string {
  const [hour = '0', minute = '0'] = time.split(':');
  const list = new Set(days).size === DAYS.length ? '*' : [...days].sort((a, b) => a - b).join(',');
  return `${Number(minute)} ${Number(hour)} * * ${list}`;
}

/** Returns the weekly time in a cron expression, or `null` if the expression is more complex. */
export function weeklyOf(cron: string): Weekly | null {
  const [, minute = '', hour = '', list = ''] =
    /^(\d{1,2}) (\d{1,2}) \* \* (\*|(?:[0-7]|[a-z]{3})(?:,(?:[0-7]|[a-z]{3}))*)$/i.exec(cron.trim()) ?? [];
  if (list === '' || Number(minute) > 59 || Number(hour) > 23) return null;
  const days = list === '*' ? DAYS.map((_, day) => day) : [...new Set(list.split(',').map(dayOf))];
  if (days.includes(-1)) return null;
  return { days: days.sort((a, b) => a - b), time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}

const dayOf = (name: string): number =>
  /\d/.test(name) ? Number(name) % 7 : DAYS.findIndex((day) => day.slice(0, 3).toLowerCase() === name.toLowerCase());

/** Returns text such as `Every Sunday at 02:00, Europe/Berlin, for 2 h`. `null` for a window that doesn't repeat. */
export function recurrenceText({ cron, timezone, duration: seconds }: MaintenanceWindow): string | null {
  if (cron === null) return null;
  const weekly = weeklyOf(cron);
  const days = weekly?.days.map((day) => DAYS[day]).join(', ');
  const when = weekly ? `Every ${weekly.days.length === DAYS.length ? 'day' : days} at ${weekly.time}` : `Cron ${cron}`;
  return `${when}, ${timezone}, for ${duration(seconds ?? 0)}`;
}

/** In a longer list, items are counted instead of named. */
const NAMED = 3;

/** Describes a window's scope, such as `Example shop, Checkout, tag prod`. Long lists are counted. */
export function scopeText(scope: MaintenanceScope, nameOf: (id: string) => string): string {
  if (scope.all === true) return 'Everything';
  const named = (ids: readonly string[] = [], noun: string) =>
    ids.length > NAMED ? [count(ids.length, noun)] : ids.map(nameOf);
  return [
    ...named(scope.website_ids, 'website'),
    ...named(scope.endpoint_ids, 'endpoint'),
    ...(scope.tags ?? []).map((tag) => `tag ${tag}`),
  ].join(', ');
}

/** Returns a window that mutes alerts starting now. Its checks count, and it isn't public. */
export const muteOf = (scope: MaintenanceScope, what: string, seconds: number, nowMs: number) => ({
  name: `Muted: ${what}`.slice(0, 255),
  scope,
  starts_at: new Date(nowMs).toISOString(),
  ends_at: new Date(nowMs + seconds * 1000).toISOString(),
  mute: true,
  exclude_from_uptime: false,
  public: false,
});

/** Returns the times for a one-time window if it starts now instead, with the same length. */
export function startedNow(window: Pick<MaintenanceWindow, 'starts_at' | 'ends_at'>, nowMs: number) {
  const length = Date.parse(window.ends_at ?? '') - Date.parse(window.starts_at ?? '');
  return { starts_at: new Date(nowMs).toISOString(), ends_at: new Date(nowMs + length).toISOString() };
}

/** Returns the tags in a string without duplicates: `Prod, team:web` → `['prod', 'team:web']`. */
export const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((tag) => tag !== ''),
  ),
];

/** Describes a window's effects, such as `no alerts, checks do not count, on status pages`. */
export const effectsText = (of: { mute: boolean; exclude_from_uptime: boolean; public?: boolean }): string =>
  [
    of.mute ? 'no alerts' : 'alerts as usual',
    of.exclude_from_uptime ? 'checks do not count' : 'checks count',
    ...(of.public === true ? ['on status pages'] : []),
  ].join(', ');
