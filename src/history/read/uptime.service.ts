import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { formatId, madeAtMs } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { HistoryLocations } from './history-location';
import { OutageReader } from './outage-reader';
import { checksOf, coverageOf, latencyOf, uptimeOf } from '../check-stats';
import { secondsOf, PlannedTimeReader } from './planned-time';
import { StatsReader } from './stats-reader';
import { ceilTo, DAY_MS, dayNumber, floorTo, HOUR_MS } from '../../platform/time/time-units';
import { type TimeRange, windowRange } from '../time-range';
import { watchedDays, watchedShare } from '../watched-share';
import type { LatencyView, UptimeQuery, UptimeView } from './uptime.dto';

const NO_LATENCY: LatencyView = { avg: null, p50: null, p95: null, p99: null, min: null, max: null };

/** Reads how reliable and how fast one endpoint was in a time range. */
@Injectable()
export class UptimeService {
  constructor(
    private readonly locations: HistoryLocations,
    private readonly stats: StatsReader,
    private readonly outages: OutageReader,
    private readonly plannedTime: PlannedTimeReader,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async read(orgId: string, endpointId: string, query: UptimeQuery): Promise<UptimeView> {
    const { key, location } = await this.locations.require(orgId, endpointId, query.location);
    const now = this.clock.now();
    const range = this.readable(rangeOf(query, now.getTime()), now);
    const readOutages = async () => {
      const planned = await this.plannedTime.read(orgId, endpointId, range);
      // Outages are based on the verdict, not on a single location.
      return { planned, outages: location ? null : await this.outages.read(key, range, planned, now) };
    };
    const [{ stats, days }, { planned, outages }] = await Promise.all([
      this.stats.total(key, range.from, range.to, location),
      readOutages(),
    ]);
    return {
      endpoint_id: formatId('endpoint', endpointId),
      from: new Date(range.from).toISOString(),
      to: new Date(range.to).toISOString(),
      uptime: uptimeOf(stats),
      coverage: coverageOf(stats),
      watched: days.size === 0 ? 0 : watchedShare(range, madeAtMs(endpointId), watchedDays(range, days)),
      checks: checksOf(stats),
      failures: stats.down,
      unknown: stats.unknown,
      planned: stats.planned,
      planned_seconds: secondsOf(planned),
      degraded: stats.degraded,
      outage_count: outages && outages.count,
      downtime_seconds: outages && outages.downtimeSeconds,
      outages: outages?.newest ?? [],
      latency: latencyOf(stats) ?? NO_LATENCY,
    };
  }

  /**
   * Part of an hour can be read only from individual checks. If those are deleted, this expands the range to the whole
   * hour.
   */
  private readable({ from, to }: TimeRange, now: Date): TimeRange {
    const kept = (dayNumber(now) - this.config.rawRetentionDays) * DAY_MS;
    return { from: from < kept ? floorTo(from, HOUR_MS) : from, to: to < kept ? ceilTo(to, HOUR_MS) : to };
  }
}

/** Throws: `invalid_query` for an empty range, or for a window together with a range. */
function rangeOf(query: UptimeQuery, now: number): TimeRange {
  if (query.from === undefined && query.to === undefined) return windowRange(query.window ?? '24h', now);
  if (query.window !== undefined) throw refused('window', 'window cannot be combined with from or to');
  if (query.from === undefined) throw refused('from', 'from is required together with to');
  const from = query.from.getTime();
  const to = Math.min(query.to?.getTime() ?? now, now);
  if (from >= to) throw refused('from', 'from must be before to, and in the past');
  return { from, to };
}

const refused = (parameter: string, message: string) =>
  problems.invalidQuery([{ pointer: `?${parameter}`, code: 'out_of_range', message }]);
