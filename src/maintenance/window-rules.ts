import { problemsOfScope, type SentScope } from '../endpoint/search/scope';
import type { FieldProblem } from '../platform/problem/problem';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../platform/time/time-units';
import { readCron } from '../platform/time/cron-calendar';
import { startsFrom, take } from '../platform/time/cron-times';
import { isTimeZone } from '../platform/time/time-zone';
import type { WindowTimes } from './window-times';

export const MIN_DURATION_SECONDS = 60;
export const MAX_DURATION_SECONDS = 604_800;
const MAX_LENGTH_MS = 90 * DAY_MS;
/** The tolerance for a client's wrong clock and a slow request. */
const MOST_PAST_MS = 5 * MINUTE_MS;
/** The number of starts whose gaps are compared with the duration. */
const COMPARED = 20;

/** Returns the problems of individual fields that were sent. */
export function problemsOfFields({
  cron,
  timezone,
  scope,
}: {
  cron?: string | null;
  timezone?: string | null;
  scope?: SentScope;
}): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (typeof cron === 'string' && readCron(cron) === null)
    problems.push({
      pointer: '/cron',
      code: 'invalid_format',
      message: 'cron must have five fields: minute, hour, day of the month, month and day of the week',
    });
  if (typeof timezone === 'string' && !isTimeZone(timezone))
    problems.push({
      pointer: '/timezone',
      code: 'unknown_zone',
      message: 'timezone must be a name in the IANA database, such as Europe/Berlin',
    });
  if (scope) problems.push(...problemsOfScope(scope));
  return problems;
}

const sameTime = (a: Date | null | undefined, b: Date | null | undefined): boolean => a?.getTime() === b?.getTime();

/** Returns true if both are active at the same times. */
export const sameTimes = (a: WindowTimes, b: WindowTimes): boolean =>
  sameTime(a.startsAt, b.startsAt) && sameTime(a.endsAt, b.endsAt) && sameRecurrence(a, b);

const sameRecurrence = (a: WindowTimes, b: WindowTimes): boolean =>
  a.cron === b.cron && a.timezone === b.timezone && a.durationSeconds === b.durationSeconds;

/**
 * Returns the problems of a window's times as a whole. `before` contains the times before a change. Unchanged times are
 * not validated again, so a client can always send back what it has read.
 */
export function problemsOfTimes(times: WindowTimes, now: Date, before: WindowTimes | null): FieldProblem[] {
  const isRecurring = times.cron !== null || times.timezone !== null || times.durationSeconds !== null;
  return isRecurring ? problemsOfRecurring(times, now, before) : problemsOfOneOff(times, now, before);
}

function problemsOfOneOff(times: WindowTimes, now: Date, before: WindowTimes | null): FieldProblem[] {
  const { startsAt, endsAt } = times;
  if (!startsAt || !endsAt) {
    const message = 'starts_at and ends_at are required, or else cron, timezone, and duration';
    const missing = [...(startsAt ? [] : ['/starts_at']), ...(endsAt ? [] : ['/ends_at'])];
    return missing.map((pointer) => ({ pointer, code: 'required', message }));
  }
  const problems = problemsOfOrder(times);
  if (endsAt.getTime() - startsAt.getTime() > MAX_LENGTH_MS)
    problems.push({
      pointer: '/ends_at',
      code: 'out_of_range',
      message: 'ends_at must be at most 90 days after starts_at',
    });
  const isKept = before !== null && sameTime(before.startsAt, startsAt);
  if (!isKept && startsAt.getTime() < now.getTime() - MOST_PAST_MS)
    problems.push({ pointer: '/starts_at', code: 'in_past', message: 'starts_at must not be more than 5 minutes ago' });
  return problems;
}

function problemsOfOrder({ startsAt, endsAt }: WindowTimes): FieldProblem[] {
  if (!startsAt || !endsAt || endsAt > startsAt) return [];
  return [{ pointer: '/ends_at', code: 'out_of_range', message: 'ends_at must be later than starts_at' }];
}

function problemsOfRecurring(times: WindowTimes, now: Date, before: WindowTimes | null): FieldProblem[] {
  const { cron, timezone, durationSeconds, startsAt } = times;
  const problems = problemsOfOrder(times);
  for (const [field, value] of [
    ['cron', cron],
    ['timezone', timezone],
    ['duration', durationSeconds],
  ] as const)
    if (value === null)
      problems.push({
        pointer: `/${field}`,
        code: 'required',
        message: `${field} is required for a recurring window`,
      });
  if (cron === null || timezone === null || readCron(cron) === null || !isTimeZone(timezone)) return problems;
  if (before !== null && sameRecurrence(before, times)) return problems;
  const starts = take(startsFrom(cron, timezone, startsAt && startsAt > now ? startsAt : now), COMPARED);
  if (starts.length === 0) problems.push({ pointer: '/cron', code: 'never_due', message: 'cron never matches a date' });
  const pauses = starts.slice(1).map((start, index) => start.getTime() - (starts[index]?.getTime() ?? 0));
  const shortest = Math.min(...pauses);
  if (durationSeconds !== null && durationSeconds * SECOND_MS >= shortest)
    problems.push({
      pointer: '/duration',
      code: 'overlaps_itself',
      message: `duration must be less than the shortest time between two starts, which is ${shortest / SECOND_MS} seconds`,
    });
  return problems;
}
