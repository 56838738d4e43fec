import type { LatencyBucket, Outage } from '../api/types';
import { type Day, daysOf, dayText, uptimeOf } from './calendar';
import { count, duration } from './format';

export const DAYS = 90;
const DAY_MS = 86_400_000;

/** How bad a day was, by the share of failed checks. `none` means that nothing was checked. */
export type Severity = 'good' | 'slight' | 'bad' | 'worst' | 'planned' | 'unknown' | 'none';

/** From this uptime, a day with failures is slight, then bad. Below, it is among the worst. */
const [SLIGHT, BAD] = [0.99, 0.9];

export function severityOf(day: Day): Severity {
  const uptime = uptimeOf(day);
  if (uptime === null) return day.planned > 0 ? 'planned' : day.unknown > 0 ? 'unknown' : 'none';
  if (uptime === 1) return 'good';
  return uptime >= SLIGHT ? 'slight' : uptime >= BAD ? 'bad' : 'worst';
}

/** Returns the last 90 UTC days, the last of which is today. */
export function ninetyDays(buckets: readonly LatencyBucket[], nowMs: number): Day[] {
  const known = new Map(daysOf(buckets).map((day) => [day.date, day]));
  const today = Math.floor(nowMs / DAY_MS);
  return Array.from({ length: DAYS }, (_, index) => {
    const date = new Date((today - DAYS + 1 + index) * DAY_MS).toISOString().slice(0, 10);
    return known.get(date) ?? { date, up: 0, down: 0, unknown: 0, planned: 0 };
  });
}

type Span = Pick<Outage, 'started_at' | 'ended_at' | 'planned'>;

/** Returns the outages that overlap a day, oldest first, without planned ones. */
export function outagesOn<T extends Span>({ date }: Pick<Day, 'date'>, outages: readonly T[], nowMs: number): T[] {
  const start = Date.parse(date);
  return outages
    .filter(
      ({ started_at, ended_at, planned }) =>
        !planned &&
        Date.parse(started_at) < start + DAY_MS &&
        (ended_at === null ? nowMs : Date.parse(ended_at)) > start,
    )
    .sort((a, b) => a.started_at.localeCompare(b.started_at));
}

/** Returns how many seconds of a day the outages take up. */
export function downSeconds({ date }: Pick<Day, 'date'>, outages: readonly Span[], nowMs: number): number {
  const start = Date.parse(date);
  return outages.reduce((sum, { started_at, ended_at }) => {
    const from = Math.max(Date.parse(started_at), start);
    const to = Math.min(ended_at === null ? nowMs : Date.parse(ended_at), start + DAY_MS);
    return sum + Math.max(0, to - from) / 1000;
  }, 0);
}

/** Returns text such as `Thu, Nov 26, 2026: 99.93%, 1 of 1,440 checks failed, down for 2 min 10 s`. */
export function daySentence(day: Day, outages: readonly Outage[], nowMs: number): string {
  const seconds = downSeconds(day, outagesOn(day, outages, nowMs), nowMs);
  return `${dayText(day)}${seconds > 0 ? `, down for ${duration(seconds)}` : ''}`;
}

/** Describes all days in a sentence, for users who can't see them. */
export function daysSummary(days: readonly Day[]): string {
  const told = days.filter((day) => uptimeOf(day) !== null);
  const failed = told.filter(({ down }) => down > 0).length;
  if (told.length === 0) return 'no day with checks yet';
  return `${count(told.length, 'day')} with checks, ${failed === 0 ? 'no failures' : `failures on ${failed.toLocaleString('en')}`}`;
}

/** The size of the view box. Each day is 6 wide, and the bars are equally high except on the worst days. */
export const BAR = { step: 6, width: 4, height: 30 };
const TOP = 4;

/** The gaps in a bar, as offsets from its top. With them, the severities differ without color (WCAG 1.4.1). */
const GAPS: Partial<Record<Severity, readonly number[]>> = { slight: [6], bad: [6, 12] };
const GAP = 2;

/** Returns the SVG path data of all days of one severity. */
export const dayPath = (severities: readonly Severity[], severity: Severity): string =>
  severities.map((each, index) => (each === severity ? shape(each, index * BAR.step + 1) : '')).join('');

function shape(severity: Severity, x: number): string {
  const rect = (from: number, to: number) => `M${x} ${from}h${BAR.width}v${to - from}h-${BAR.width}z`;
  if (severity === 'worst') return rect(0, BAR.height);
  if (severity === 'none') return rect(BAR.height - 3, BAR.height);
  if (severity === 'unknown')
    return `${rect(TOP, BAR.height)}M${x + 1} ${TOP + 1}v${BAR.height - TOP - 2}h2V${TOP + 1}z`;
  if (severity === 'planned')
    return [0, 1, 2, 3, 4].map((part) => rect(TOP + part * 5.6, TOP + part * 5.6 + 3.2)).join('');
  const edges = (GAPS[severity] ?? []).flatMap((gap) => [TOP + gap, TOP + gap + GAP]);
  const points = [TOP, ...edges, BAR.height];
  return points.flatMap((from, at) => (at % 2 === 0 ? [rect(from, points[at + 1] ?? BAR.height)] : [])).join('');
}
