import {
  MAX_DURATION_SECONDS,
  MIN_DURATION_SECONDS,
  problemsOfFields,
  problemsOfTimes,
} from '../../../src/maintenance/window-rules';
import { SECOND_MS } from '../../../src/platform/time/time-units';
import { isTimeZone, momentOfWall } from '../../../src/platform/time/time-zone';
import { cut, oneLine } from '../../../src/platform/text/text-limits';
import type { DeclaredWindow } from '../../../src/configuration/document/document';
import type { ReportEntry } from '../conversion';
import { keyFrom } from '../../../src/configuration/document/keys';
import { entryOf } from './contacts';
import { quoted } from './monitor/draft';
import { isActive, nameOf } from './monitor/endpoint';
import type { Groups } from './groups';
import type { Relations } from './file/relations';
import { Row } from './file/row';
import type { Placed, Websites } from './websites';

const MAX_DESCRIPTION = 1000;
const MAX_SCOPE = 1000;

/** The resources that windows refer to. */
export interface WindowContext {
  relations: Relations;
  groups: Groups;
  websites: Websites;
  placed: ReadonlyMap<string, Placed>;
  now: Date;
}

type Times = Pick<DeclaredWindow, 'starts_at' | 'ends_at' | 'cron' | 'timezone' | 'duration'>;

/** Converts each maintenance entry to a window, or skips it with a reason. */
export function windowsOf(
  rows: readonly Row[],
  context: WindowContext,
): { declared: DeclaredWindow[]; report: ReportEntry[] } {
  const [keys, declared, report] = [new Set<string>(), [] as DeclaredWindow[], [] as ReportEntry[]];
  for (const row of rows) {
    const window = windowOf(row, context);
    if ('reason' in window) report.push({ at: row.at, name: row.name, result: 'skipped', why: window.reason });
    else {
      declared.push({ key: keyFrom(row.name, keys), ...window.fields });
      report.push(entryOf(row, window.differences));
    }
  }
  return { declared, report };
}

function windowOf(
  row: Row,
  context: WindowContext,
): { fields: Omit<DeclaredWindow, 'key'>; differences: string[] } | { reason: string } {
  if (!isActive(row)) return { reason: 'it is turned off, and maintenance windows cannot be turned off' };
  const differences: string[] = [];
  const scope = scopeOf(row, context, differences);
  if (scope === null) return { reason: 'the monitors that it covers are not converted' };
  const zone = zoneOf(row);
  const times = timesOf(row, { timezone: zone.name, now: context.now }, differences);
  if ('reason' in times) return times;
  if (zone.difference !== null) differences.push(zone.difference);
  const problem = problemOf(times, context.now);
  if (problem !== null) return { reason: problem };
  const { name, difference } = nameOf(row);
  if (difference !== null) differences.push(difference);
  const description = row.text('description').trim();
  if (description.length > MAX_DESCRIPTION)
    differences.push(`its description is shortened to ${MAX_DESCRIPTION} characters`);
  const shown = description === '' ? {} : { description: cut(oneLine(description), MAX_DESCRIPTION) };
  return { fields: { name, ...shown, ...times, scope }, differences };
}

/** Returns the websites and endpoints that a maintenance entry covers. Groups and nested groups become websites. */
function scopeOf(
  row: Row,
  { relations, groups, websites, placed }: WindowContext,
  differences: string[],
): DeclaredWindow['scope'] | null {
  const ids = relations.monitorsOfMaintenance(row);
  const found = ids.map((id) => ({ id, endpoint: placed.get(id)?.path, inside: groups.inside(id) }));
  const endpoints = [...new Set(found.flatMap(({ endpoint }) => endpoint ?? []))];
  const keys = [...new Set(found.flatMap(({ inside }) => inside.flatMap((id) => websites.find(id)?.key ?? [])))];
  const lost = found.filter(({ endpoint, inside }) => endpoint === undefined && inside.length === 0).length;
  if (lost > 0) differences.push(`${lost} of the ${ids.length} monitors that it covers are not converted`);
  if (endpoints.length > MAX_SCOPE || keys.length > MAX_SCOPE)
    differences.push(`it can cover at most ${MAX_SCOPE} endpoints and ${MAX_SCOPE} websites`);
  if (endpoints.length + keys.length === 0) return null;
  return {
    ...(keys.length > 0 ? { websites: keys.slice(0, MAX_SCOPE) } : {}),
    ...(endpoints.length > 0 ? { endpoints: endpoints.slice(0, MAX_SCOPE) } : {}),
  };
}

function zoneOf(row: Row): { name: string; difference: string | null } {
  const said = row.text('timezoneOption') || row.text('timezone');
  if (isTimeZone(said) && said !== 'SAME_AS_SERVER') return { name: said, difference: null };
  return {
    name: 'UTC',
    difference: 'it uses the time zone of the Uptime Kuma server, which is not in the file, so UTC is used',
  };
}

/** Returns when a maintenance window is active. A recurring one becomes a cron expression. */
function timesOf(
  row: Row,
  { timezone, now }: { timezone: string; now: Date },
  differences: string[],
): Times | { reason: string } {
  const strategy = row.text('strategy');
  const [from, until] = dates(row);
  const [startsAt, endsAt] = [momentOf(from, timezone), momentOf(until, timezone)];
  if (strategy === 'manual') return { reason: 'it is turned on and off manually, but maintenance windows need times' };
  if (strategy === 'single') {
    if (startsAt === null || endsAt === null) return { reason: 'its start or its end cannot be read' };
    return { starts_at: startsAt, ends_at: endsAt };
  }
  const cron = cronOf(row, strategy, differences);
  if (typeof cron !== 'string') return cron;
  const duration = durationOf(row, strategy);
  if (duration === null || duration < MIN_DURATION_SECONDS || duration > MAX_DURATION_SECONDS)
    return { reason: `its duration is not from ${MIN_DURATION_SECONDS} to ${MAX_DURATION_SECONDS} seconds` };
  return {
    cron,
    timezone,
    duration,
    ...(startsAt === null || Date.parse(startsAt) <= now.getTime() ? {} : { starts_at: startsAt }),
    ...(endsAt === null ? {} : { ends_at: endsAt }),
  };
}

function cronOf(row: Row, strategy: string, differences: string[]): string | { reason: string } {
  if (strategy === 'cron') return row.text('cron').trim();
  const start = clockOf(row, 'start_time', 0);
  if (start === null) return { reason: `its start ${quoted(row.text('start_time'))} is not a time of day` };
  const at = `${start % 60} ${Math.floor(start / 60)}`;
  const days = (name: string): unknown[] => row.list(name) ?? [];
  switch (strategy) {
    case 'recurring-interval': {
      const every = row.number('interval_day') ?? 1;
      return every === 1
        ? `${at} * * *`
        : { reason: `it repeats every ${every} days, which a cron expression cannot express` };
    }
    case 'recurring-weekday': {
      const list = days('weekdays')
        .map(Number)
        .filter((day) => Number.isInteger(day) && day >= 0 && day <= 7);
      return list.length > 0 ? `${at} * * ${list.join(',')}` : { reason: 'it has no days of the week' };
    }
    case 'recurring-day-of-month': {
      const list = days('days_of_month').map((day) => (day === 'lastDay1' ? 'L' : String(day)));
      const usable = list.filter((day) => day === 'L' || /^([1-9]|[12]\d|3[01])$/.test(day));
      if (usable.length < list.length) differences.push('days such as the second-to-last day of a month are left out');
      return usable.length > 0
        ? `${at} ${[...new Set(usable)].join(',')} * *`
        : { reason: 'it has no days of the month' };
    }
    default:
      return { reason: `its strategy ${quoted(strategy)} is not supported` };
  }
}

function durationOf(row: Row, strategy: string): number | null {
  const said = row.number('duration') ?? (row.number('durationMinutes') ?? 0) * 60;
  if (strategy === 'cron') return Math.round(said);
  const [start, end] = [clockOf(row, 'start_time', 0), clockOf(row, 'end_time', 1)];
  if (start === null || end === null) return said > 0 ? Math.round(said) : null;
  return ((end - start + 1440) % 1440) * 60;
}

/** Returns minutes since midnight. Backups have `timeRange`, and tables have `start_time`. */
function clockOf(row: Row, column: string, index: number): number | null {
  const item = (row.list('timeRange') ?? [])[index];
  if (typeof item === 'object' && item !== null) {
    const time = new Row('', { ...item });
    return (time.number('hours') ?? 0) * 60 + (time.number('minutes') ?? 0);
  }
  const [, hour, minute] = /^(\d{1,2}):(\d{2})/.exec(row.text(column)) ?? [];
  return hour === undefined || Number(hour) > 23 || Number(minute) > 59 ? null : Number(hour) * 60 + Number(minute);
}

const dates = (row: Row): [string, string] => {
  const [from, until] = row.list('dateRange') ?? [row.text('start_date'), row.text('end_date')];
  return [typeof from === 'string' ? from : '', typeof until === 'string' ? until : ''];
};

/** Converts a local time such as `2026-11-23 02:00:00` to an instant. Returns `null` if it is invalid. */
function momentOf(text: string, timezone: string): string | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?)?(Z?)$/.exec(text.trim());
  if (!parts) return null;
  const wall = Date.parse(
    `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4] ?? '00'}:${parts[5] ?? '00'}:${parts[6] ?? '00'}Z`,
  );
  if (Number.isNaN(wall)) return null;
  if (parts[7] === 'Z') return new Date(wall).toISOString();
  return new Date(momentOfWall(timezone, wall)).toISOString();
}

function problemOf(
  { starts_at, ends_at, cron = null, timezone = null, duration = null }: Times,
  now: Date,
): string | null {
  const date = (text: string | null | undefined): Date | null => (text ? new Date(text) : null);
  const [startsAt, endsAt] = [date(starts_at), date(ends_at)];
  if (endsAt !== null && endsAt.getTime() <= now.getTime() + SECOND_MS) return 'it has ended';
  const [problem] = [
    ...problemsOfFields({ cron, timezone }),
    ...problemsOfTimes({ startsAt, endsAt, cron, timezone, durationSeconds: duration }, now, null),
  ];
  return problem ? `it would be refused: ${problem.message}` : null;
}
