import { count } from './format';

/** If an uptime covers less than this share of its window, it needs a note. */
const ENOUGH = 0.9;

/**
 * Returns the share of its window that an uptime is based on, or `null` if it is large enough. `watched` is the share
 * of time since the endpoint was created. `coverage` is the share of conclusive checks.
 */
export function restsOn(watched: number | null | undefined, coverage: number | null | undefined): number | null {
  const part = (watched ?? 1) * (coverage ?? 1);
  return part < ENOUGH ? part : null;
}

/** A percentile of fewer checks means little. */
const FEW = 20;

/** Returns text such as `from 3 checks` if a percentile is based on too few checks. Otherwise returns `null`. */
export const fewText = (checks: number | undefined): string | null =>
  checks !== undefined && checks > 0 && checks < FEW ? `from ${count(checks, 'check')}` : null;

/** Returns how much of a window was monitored, such as `3%` or `less than 1%`. */
export const partText = (part: number): string => (part < 0.01 ? 'less than 1%' : `${Math.floor(part * 100)}%`);
