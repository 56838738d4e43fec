import { clockTime, count } from './format';

/** How many endpoints were down in each step, oldest first; the last step is now. */
export interface DownSteps {
  /** ISO time of the first step. */
  from: string;
  step_seconds: number;
  down: readonly number[];
}

/** Steps in a row in which something was down: from `first` to before `until`. */
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

/** What was down in one step: `14:20: 3 down`. */
export const stepText = (steps: DownSteps, step: number): string =>
  `${timeOf(steps, step)}: ${(steps.down[step] ?? 0).toLocaleString('en')} down`;

/** The strip in a sentence: `At most 3 down at once, at 14:20.` */
export function peakText(steps: DownSteps): string {
  const peak = Math.max(0, ...steps.down);
  if (peak === 0) return 'Nothing was down.';
  return `At most ${peak.toLocaleString('en')} down at once, at ${timeOf(steps, steps.down.indexOf(peak))}.`;
}

/** So many times are read out: the newest. */
const MOST_READ = 5;

/** The strip for those who do not see it: when something was down, and how many. */
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

/** One of many must not look as all of them do: so many reach the top at least, where there are as many. */
const FEWEST_AT_TOP = 4;
/** What is down shows, however many others are up. */
const LOWEST = 0.12;

/** SVG path data of a width of one for each step, in a height of 100: what is down, on the ground line. */
export function stripPath(down: readonly number[], endpoints: number): string {
  const top = Math.max(Math.min(FEWEST_AT_TOP, endpoints), ...down);
  return runsOf(down)
    .map(({ first, until }) => {
      const heights = down.slice(first, until).map((n) => Math.round(Math.max(LOWEST, n / top) * 100));
      return `M${first} 100${heights.map((height) => `V${100 - height}h1`).join('')}V100z`;
    })
    .join('');
}
