import { startsFrom, take } from '../platform/time/cron-times';
import { SECOND_MS } from '../platform/time/time-units';

/** The times of a window. Without a cron expression it is one-off. Otherwise it recurs between two optional bounds. */
export interface WindowTimes {
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly cron: string | null;
  readonly timezone: string | null;
  readonly durationSeconds: number | null;
}

/** A period from `startsAt` (inclusive) to `endsAt` (exclusive). */
export interface Span {
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** Yields the occurrences that are not over at `from`, in order. */
export function* spansFrom(times: WindowTimes, from: Date): Generator<Span> {
  const { cron, timezone, durationSeconds, startsAt, endsAt } = times;
  if (cron === null || timezone === null || durationSeconds === null) {
    if (startsAt && endsAt && endsAt > from) yield { startsAt, endsAt };
    return;
  }
  const durationMs = durationSeconds * SECOND_MS;
  const earliest = new Date(Math.max(from.getTime() - durationMs + 1, startsAt?.getTime() ?? -Infinity));
  for (const start of startsFrom(cron, timezone, earliest)) {
    if (endsAt && start >= endsAt) return;
    const end = start.getTime() + durationMs;
    yield { startsAt: start, endsAt: new Date(Math.min(end, endsAt?.getTime() ?? end)) };
  }
}

/** Returns the first `count` occurrences that are not over at `from`. */
export const nextSpans = (times: WindowTimes, from: Date, count: number): Span[] => take(spansFrom(times, from), count);
