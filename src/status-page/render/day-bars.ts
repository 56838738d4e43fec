import { SHOWN_DAYS } from '../shown-days';
import { type StatusDay } from '../status-snapshot';
import { percent } from './uptime';

const WIDTH = 6;
const HEIGHT = 40;
/**
 * The top of the bar for a day without a failure. Bars with failures are taller, so they are noticeable even to
 * color-blind readers.
 */
const TOP = 6;
/** The bar for today is wider because it is the most important day. */
const TODAY_WIDTH = 16;
/** The height that remains for the day's other checks above the dashes of announced maintenance. */
const ABOVE = 20;
const DASH = 4;
const GAP = 2;

/**
 * Draws the bar for one day: green from the bottom, and red from the top, taller than any green and never too small to
 * see. A day without data is a stub. Outages during announced maintenance are dashes at the bottom. The last bar is
 * today.
 */
function bar({ date, up, down, planned }: StatusDay, index: number, all: readonly StatusDay[]): string {
  const x = index * WIDTH + 1;
  const width = index === all.length - 1 ? TODAY_WIDTH : WIDTH - GAP;
  const share = up + down === 0 ? null : down / (up + down);
  const room = planned ? ABOVE : HEIGHT;
  const failed = share === null || share === 0 ? 0 : Math.min(room, Math.max(TOP + 4, Math.round(share * room)));
  const ok = Math.max(failed, TOP);
  const part = (kind: string, y: number, height: number) =>
    height > 0 ? `<path class="${kind}" d="M${x} ${y}h${width}v${height}h-${width}z"/>` : '';
  const empty = planned ? '' : part('none', HEIGHT - 4, 4);
  const parts = share === null ? empty : part('bad', 0, failed) + part('ok', ok, room - ok);
  const work = planned ? dashes(x, width, share === null ? TOP : ABOVE + GAP) : '';
  return `<g><title>${date}: ${dayText(planned, up, down)}</title>${parts}${work}</g>`;
}

function dashes(x: number, width: number, from: number): string {
  let path = '';
  for (let y = HEIGHT - DASH; y >= from; y -= DASH + GAP) path += `M${x} ${y}h${width}v${DASH}h-${width}z`;
  return `<path class="work" d="${path}"/>`;
}

/** Draws the bars of all days as one image. */
export const dayBars = (days: readonly StatusDay[], label: string): string =>
  `<svg class="bars" viewBox="0 0 ${(SHOWN_DAYS - 1) * WIDTH + TODAY_WIDTH + GAP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${days.map(bar).join('')}</svg>`;

/** A sample of the dashes for the legend. */
export const PLANNED_SAMPLE = `<svg class="sample" width="8" height="16" viewBox="0 0 4 16" preserveAspectRatio="none" aria-hidden="true"><path class="work" d="M0 0h4v4h-4zM0 6h4v4h-4zM0 12h4v4h-4z"/></svg>`;

const checksText = (up: number, down: number): string =>
  up + down === 0 ? 'no data' : `${percent(up / (up + down))} of ${up + down} ${up + down === 1 ? 'check' : 'checks'}`;

function dayText(planned: boolean, up: number, down: number): string {
  if (!planned) return checksText(up, down);
  return up + down === 0 ? 'planned maintenance' : `planned maintenance, otherwise ${checksText(up, down)}`;
}

/** The kind of day. 0: no data, 1: all up, 2: something failed, 3: planned. */
const kindOf = ({ up, down, planned }: StatusDay): number => (planned ? 3 : down > 0 ? 2 : Math.min(1, up));

/**
 * Lists the contents of the bars as text for users who cannot point at them. Each day with failures is an item, and the
 * days in between are combined. Newest first.
 */
export function dayItems(days: readonly StatusDay[]): string {
  const runs: StatusDay[][] = [];
  for (const day of days.toReversed()) {
    const [newest] = runs.at(-1) ?? [];
    if (newest && kindOf(day) < 2 && kindOf(day) === kindOf(newest)) runs.at(-1)?.push(day);
    else runs.push([day]);
  }
  return runs
    .map((run) => {
      const [newest, oldest] = [run[0]?.date, run.at(-1)?.date];
      const sum = (part: 'up' | 'down') => run.reduce((total, day) => total + day[part], 0);
      const dates = newest === oldest ? `${newest}` : `${oldest} to ${newest}`;
      return `<li><span>${dates}</span><span>${dayText(run[0]?.planned ?? false, sum('up'), sum('down'))}</span></li>`;
    })
    .join('');
}
