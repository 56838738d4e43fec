import { count } from './format';

/** Below this a figure is about too little of its window to stand as if it were about all of it. */
const ENOUGH = 0.9;

/**
 * The part of its window that an uptime rests on, where that is too small to go unsaid; otherwise `null`. `watched`: the time
 * since the endpoint was made; `coverage`: the checks that could tell.
 */
export function restsOn(watched: number | null | undefined, coverage: number | null | undefined): number | null {
  const part = (watched ?? 1) * (coverage ?? 1);
  return part < ENOUGH ? part : null;
}

/** A percentile of fewer checks than this says little. */
const FEW = 20;

/** `of 3 checks`, where a percentile rests on so few that it says little; otherwise `null`. */
export const fewText = (checks: number | undefined): string | null =>
  checks !== undefined && checks > 0 && checks < FEW ? `from ${count(checks, 'check')}` : null;

/** `3%`, `less than 1%`: exact enough for how much of a window was watched. */
export const partText = (part: number): string => (part < 0.01 ? 'less than 1%' : `${Math.floor(part * 100)}%`);
