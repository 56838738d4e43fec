import { type Coverable, covers, type Occurrence } from '../../endpoint/maintenance/cover';
import { SECOND_MS } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';

/**
 * The parts of a range in which maintenance that is excluded from uptime covers the endpoint, oldest first: what touches or
 * overlaps is one part. An endpoint is covered as it is now: where it moved or got other tags, its past is judged by them.
 */
export function plannedTime(
  occurrences: readonly Occurrence[],
  endpoint: Coverable,
  { from, to }: TimeRange,
): TimeRange[] {
  const parts: TimeRange[] = [];
  const excluded = occurrences
    .filter((occurrence) => occurrence.excludeFromUptime && covers(occurrence, endpoint))
    .map(({ startsAt, endsAt }) => ({ from: Math.max(startsAt.getTime(), from), to: Math.min(endsAt.getTime(), to) }))
    .filter((part) => part.from < part.to)
    .sort((a, b) => a.from - b.from);
  for (const part of excluded) {
    const last = parts.at(-1);
    if (last && part.from <= last.to) last.to = Math.max(last.to, part.to);
    else parts.push(part);
  }
  return parts;
}

/** Whole seconds of these parts together. */
export const secondsOf = (parts: readonly TimeRange[]): number =>
  Math.round(parts.reduce((sum, { from, to }) => sum + to - from, 0) / SECOND_MS);
