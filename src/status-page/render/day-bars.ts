import { SHOWN_DAYS } from '../shown-days';
import type { StatusDay } from '../status-snapshot';
import { dayOfMonth } from './times';
import { percent } from './uptime';

/** One day is 6 units wide: a bar of 5 and a gap. Its style draws a run of equal days as one dashed line. */
const WIDTH = 6;
const GAP = 1;
const HEIGHT = 28;
/** The vertical middle of the bars, and of the ticks below days with failures. */
const BAR_Y = 11;
const TICK_Y = 26;

/** Up to which share of failed checks a day is `low` or `some`. */
const LOW = 0.01;
const SOME = 0.1;

/** The kinds of days, in the order in which their paths are drawn. They are also class names. */
const KINDS = ['none', 'ok', 'low', 'some', 'bad', 'work'] as const;
type DayKind = (typeof KINDS)[number];

/** Returns the severity of a day. A day is `work` only if nothing was checked outside of announced maintenance. */
export function kindOf({ up, down, planned }: StatusDay): DayKind {
  const checks = up + down;
  if (checks === 0) return planned ? 'work' : 'none';
  const failed = down / checks;
  if (failed === 0) return 'ok';
  return failed < LOW ? 'low' : failed < SOME ? 'some' : 'bad';
}

/** Days of equal kind that follow each other, from day `from` up to, but not including, day `to`. */
interface Run<Kind extends string> {
  kind: Kind;
  from: number;
  to: number;
}

function runsOf<Kind extends string>(kinds: readonly Kind[]): Run<Kind>[] {
  const runs: Run<Kind>[] = [];
  for (const [at, kind] of kinds.entries()) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.to = at + 1;
    else runs.push({ kind, from: at, to: at + 1 });
  }
  return runs;
}

/** The mark below a day: failures, planned maintenance, or nothing. They are also class names. */
const tickOf = ({ down, planned }: StatusDay): 'tick' | 'tick work' | '' =>
  down > 0 ? 'tick' : planned ? 'tick work' : '';

/** Returns one path for runs, in relative steps. The dashes start again with each of them. */
function pathOf(runs: readonly Run<string>[], y: number): string {
  let [path, x] = ['', 0];
  for (const { from, to } of runs) {
    const start = from * WIDTH;
    const length = (to - from) * WIDTH - GAP;
    path += path === '' ? `M${start} ${y}h${length}` : `m${start - x} 0h${length}`;
    x = start + length;
  }
  return path;
}

/** Draws all runs of one kind as one path. Empty if there are none. */
function drawn(kind: string, runs: readonly Run<string>[], y: number): string {
  const own = runs.filter((run) => run.kind === kind);
  return own.length === 0 ? '' : `<path class="${kind}" d="${pathOf(own, y)}"/>`;
}

/** The outline of the last of `SHOWN_DAYS` bars. It is in the document once. */
export const TODAY_SYMBOL = `<path id="today" class="today" d="M${(SHOWN_DAYS - 1) * WIDTH} 0h${WIDTH - GAP}v22h-${WIDTH - GAP}z"/>`;

/** Draws bars of these kinds, with ticks below. Both are class names. `''` draws nothing. The last bar is outlined if `isToday`. */
export function daysImage(kinds: readonly string[], ticks: readonly string[], label: string, isToday = false): string {
  const [bars, marks] = [runsOf(kinds), runsOf(ticks)];
  const paths = [
    ...KINDS.map((kind) => drawn(kind, bars, BAR_Y)),
    ...(['tick', 'tick work'] as const).map((kind) => drawn(kind, marks, TICK_Y)),
    isToday ? '<use href="#today"/>' : '',
  ];
  return `<svg class="bars" viewBox="0 0 ${kinds.length * WIDTH - GAP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${paths.join('')}</svg>`;
}

/**
 * Draws the days as equal bars in one image, the oldest first. The color shows the severity. A tick below shows each
 * day with failures or planned maintenance, also to readers who don't see colors. Today is outlined.
 */
export const dayBars = (days: readonly StatusDay[], label: string): string =>
  daysImage(days.map(kindOf), days.map(tickOf), label, true);

/** Describes the bars as text: `90 days: 99.81% up, 3 days with failures`. */
export function barsLabel(days: readonly StatusDay[], uptime: string): string {
  const bad = days.filter(({ down }) => down > 0).length;
  const planned = days.filter((day) => day.planned).length;
  const also = planned === 0 ? '' : `, ${planned} with planned maintenance`;
  return `${SHOWN_DAYS} days: ${uptime} up, ${bad} ${bad === 1 ? 'day' : 'days'} with failures${also}`;
}

/** The maximum number of days in a list, so that a page with many endpoints stays small. */
const LISTED = 7;

/**
 * Lists the days with failures or planned maintenance as text, newest first, and counts the days without data. Empty if
 * there is nothing to list.
 */
export function dayItems(days: readonly StatusDay[]): string {
  const noted = days.filter(({ down, planned }) => down > 0 || planned).toReversed();
  const unknown = days.filter(({ up, down, planned }) => up + down === 0 && !planned).length;
  if (noted.length === 0) return '';
  const items = noted.slice(0, LISTED).map((day) => item(dayOfMonth(day.date), dayText(day)));
  const more = noted.length - LISTED;
  if (more > 0) items.push(item('Earlier', `${more} more ${more === 1 ? 'day' : 'days'}`));
  if (unknown > 0) items.push(item('No data', `${unknown} ${unknown === 1 ? 'day' : 'days'}`));
  return items.join('');
}

const item = (name: string, text: string): string => `<li>${name}<span>${text}</span></li>`;

function dayText({ up, down, planned }: StatusDay): string {
  const checks = up + down;
  const failed = `${percent(up / checks)}, ${down} of ${checks} failed`;
  if (!planned) return failed;
  return down === 0 ? 'planned maintenance' : `${failed}, planned maintenance`;
}

const LEGEND: readonly (readonly [DayKind, string])[] = [
  ['ok', 'No failures'],
  ['low', 'Under 1% failed'],
  ['some', 'Under 10%'],
  ['bad', '10% or more'],
  ['none', 'No data'],
  ['work', 'Planned maintenance, not part of the uptime'],
];

/** Explains the colors that the bars of these days use. */
export function legend(all: readonly (readonly StatusDay[])[]): string {
  const used = new Set(all.flatMap((days) => days.map(kindOf)));
  if (all.some((days) => days.some(({ planned }) => planned))) used.add('work');
  const shown = LEGEND.filter(([kind]) => used.has(kind));
  if (!shown.some(([kind]) => kind !== 'ok' && kind !== 'none')) return '';
  const items = shown.map(
    ([kind, text]) =>
      `<li><svg width="10" height="14" viewBox="0 0 5 22" preserveAspectRatio="none" aria-hidden="true"><path class="${kind}" d="M0 11h5"/></svg>${text}</li>`,
  );
  return `\n<ul class="legend small soft">${items.join('')}</ul>`;
}
