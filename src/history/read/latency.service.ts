import { Injectable } from '@nestjs/common';
import { EndpointService } from '../../endpoint/endpoint.service';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { defaultBucketSeconds, onGrid, stepProblem } from './bucket-width';
import { type LatencyBucketView, type LatencyQuery, toLatencyBucket } from './latency.dto';
import { StatsReader } from './stats-reader';
import { DAY_MS, SECOND_MS } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';

/** The latency of one endpoint over time, in buckets of equal width. */
@Injectable()
export class LatencyService {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly stats: StatsReader,
    private readonly clock: Clock,
  ) {}

  /** Oldest bucket first, without gaps; the range is widened to whole steps. */
  async series(orgId: string, endpointId: string, query: LatencyQuery): Promise<LatencyBucketView[]> {
    const { key } = await this.endpoints.require(orgId, endpointId);
    const range = rangeOf(query, this.clock.now().getTime());
    const step = query.step ?? defaultBucketSeconds(range);
    const problem = stepProblem(step, range);
    if (problem !== null) throw refused('step', problem);
    const stepMs = step * SECOND_MS;
    const { from, to } = onGrid(range, stepMs);
    const buckets = new Map((await this.stats.series(key, from, to, stepMs)).map(({ start, stats }) => [start, stats]));
    return Array.from({ length: (to - from) / stepMs }, (_, index) => {
      const start = from + index * stepMs;
      return toLatencyBucket(start, buckets.get(start) ?? null);
    });
  }
}

/** Throws `invalid_query` for an empty range. */
function rangeOf(query: LatencyQuery, now: number): TimeRange {
  const to = Math.min(query.to?.getTime() ?? now, now);
  const from = query.from?.getTime() ?? to - DAY_MS;
  if (from >= to) throw refused('from', 'from must be before to, and in the past');
  return { from, to };
}

const refused = (parameter: string, message: string) =>
  problems.invalidQuery([{ pointer: `?${parameter}`, code: 'out_of_range', message }]);
