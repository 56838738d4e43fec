import { clockTime, count } from './format';

/** How many endpoints were down in each step, oldest first. The last step is now. */
export interface DownSteps {
  /** The time of the first step, in ISO format. */
  from: string;
  step_seconds: number;
  down: readonly number[];
}

/** A range of steps in which an endpoint was down. `until` is exclusive. */
interface Run {
  first: number;
  until: number;
  most: number;
}

const timeOf = ({ from, step_seconds }: DownSteps, step: number): string =>
  clockTime(Date.parse(from) + step * step_seconds * 1000);

function runsOf(down: readonly number[]): Run[] {
  const runs: Run[] = [];
  down.forEach((n, step) => {
    const last = runs.at(-1);
    if (n === 0) return;
    if (last?.until !== step) runs.push({ first: step, until: step + 1, most: n });
    else Object.assign(last, { until: step + 1, most: Math.max(last.most, n) });
  });
  return runs;
}

/** Returns text such as `14:20: 3 down`. */
export const stepText = (steps: DownSteps, step: number): string =>
  `${timeOf(steps, step)}: ${(steps.down[step] ?? 0).toLocaleString('en')} down`;

/** Returns text such as `Peak: 3 down at 14:20` */
export function peakText(steps: DownSteps): string {
  const peak = Math.max(0, ...steps.down);
  if (peak === 0) return 'Nothing was down';
  return `Peak: ${peak.toLocaleString('en')} down at ${timeOf(steps, steps.down.indexOf(peak))}`;
}

/** The number of ranges that screen readers announce. Earlier ones are only counted. */
const MOST_READ = 5;

/** Describes the strip for users who can't see it: when endpoints were down, and how many. */
export function stripText(steps: DownSteps): string {
  const runs = runsOf(steps.down);
  const read = runs.slice(-MOST_READ).map(({ first, until, most }) => {
    const end = until === steps.down.length ? 'now' : timeOf(steps, until);
    return `${timeOf(steps, first)} to ${end} ${most === 1 ? '1' : `up to ${most.toLocaleString('en')}`}`;
  });
  const earlier = runs.length - read.length;
  if (runs.length === 0) return 'Nothing was down in the last 24 hours.';
  return `Down in the last 24 hours: ${earlier > 0 ? `${count(earlier, 'time')} earlier, ` : ''}${read.join(', ')}.`;
}

/**
 * If fewer endpoints than this are down, the strip isn't filled to the top, so that one of many doesn't look like all
 * of them.
 */
const FEWEST_AT_TOP = 4;
/** The minimum height, so that endpoints that are down remain visible next to many that are up. */
const LOWEST = 0.12;

/** Returns SVG path data for the strip. Each step is 1 wide, and the height is 100. */
export function stripPath(down: readonly number[], endpoints: number): string {
  const top = Math.max(Math.min(FEWEST_AT_TOP, endpoints), ...down);
  return runsOf(down)
    .map(({ first, until }) => {
      const heights = down.slice(first, until).map((n) => Math.round(Math.max(LOWEST, n / top) * 100));
      return `M${first} 100${heights.map((height) => `V${100 - height}h1`).join('')}V100z`;
    })
    .join('');
}
