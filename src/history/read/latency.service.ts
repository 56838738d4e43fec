import { Injectable } from '@nestjs/common';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { defaultBucketSeconds, onGrid, stepProblem } from './bucket-width';
import { type LatencyBucketView, type LatencyQuery, toLatencyBucket } from './latency.dto';
import { HistoryLocations } from './history-location';
import { StatsReader } from './stats-reader';
import { DAY_MS, SECOND_MS } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';

/** Reads one endpoint's latency over time in buckets of equal width. */
@Injectable()
export class LatencyService {
  constructor(
    private readonly locations: HistoryLocations,
    private readonly stats: StatsReader,
    private readonly clock: Clock,
  ) {}

  /** Returns the buckets without gaps, oldest first. Expands the range to whole steps. */
  async series(orgId: string, endpointId: string, query: LatencyQuery): Promise<LatencyBucketView[]> {
    const { key, location } = await this.locations.require(orgId, endpointId, query.location);
    const range = rangeOf(query, this.clock.now().getTime());
    const step = query.step ?? defaultBucketSeconds(range);
    const problem = stepProblem(step, range);
    if (problem !== null) throw refused('step', problem);
    const stepMs = step * SECOND_MS;
    const { from, to } = onGrid(range, stepMs);
    const series = await this.stats.series(key, from, to, stepMs, location);
    const buckets = new Map(series.map(({ start, stats }) => [start, stats]));
    return Array.from({ length: (to - from) / stepMs }, (_, index) => {
      const start = from + index * stepMs;
      return toLatencyBucket(start, buckets.get(start) ?? null);
    });
  }
}

/** Throws: `invalid_query` for an empty range. */
function rangeOf(query: LatencyQuery, now: number): TimeRange {
  const to = Math.min(query.to?.getTime() ?? now, now);
  const from = query.from?.getTime() ?? to - DAY_MS;
  if (from >= to) throw refused('from', 'from must be before to, and in the past');
  return { from, to };
}

const refused = (parameter: string, message: string) =>
  problems.invalidQuery([{ pointer: `?${parameter}`, code: 'out_of_range', message }]);
