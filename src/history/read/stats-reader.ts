import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { type BuiltUntil, type Resolution, planReads, type TimeSlice } from './read-plan';
import { mergeStats, type CheckStats, type CheckStatsRow, toCheckStats } from '../check-stats';
import { STATS_ROW, rollUpChecksSql, rollUpLocationsSql } from '../rollup/rollup-sql';
import { DAY_MS, floorTo, HOUR_MS, SECOND_MS } from '../../platform/time/time-units';
import type { HistoryLocation } from './history-location';

export interface Bucket {
  /** In milliseconds since the epoch. A multiple of the step. */
  start: number;
  stats: CheckStats;
}

/**
 * Reads an endpoint's stats for any time range. Reads each slice at the coarsest resolution that is still exact. For a
 * single location, it counts that location's own results, and the coarsest resolution is hours.
 */
@Injectable()
export class StatsReader {
  constructor(private readonly database: Database) {}

  /**
   * Returns the stats for [from, to), in milliseconds since the epoch, and the starts of days that have a conclusive or
   * planned check.
   */
  async total(
    endpointKey: string,
    from: number,
    to: number,
    location: HistoryLocation | null = null,
  ): Promise<{ stats: CheckStats; days: Set<number> }> {
    const plan = planReads(from, to, await this.builtUntil(), location === null ? 'day' : 'hour');
    const parts = await this.read(endpointKey, plan, DAY_MS, location);
    const known = parts.filter(({ stats }) => stats.up + stats.down + stats.planned > 0);
    return {
      stats: mergeStats(parts.map((part) => part.stats)),
      days: new Set(known.map(({ start }) => floorTo(start, DAY_MS))),
    };
  }

  /**
   * Returns the stats for [from, to) in buckets of `stepMs`. Both bounds must be multiples of `stepMs`. Omits buckets
   * without checks.
   */
  async series(
    endpointKey: string,
    from: number,
    to: number,
    stepMs: number,
    location: HistoryLocation | null = null,
  ): Promise<Bucket[]> {
    const coarsest = coarsestFor(stepMs);
    const plan = planReads(from, to, await this.builtUntil(), location && coarsest === 'day' ? 'hour' : coarsest);
    const groups = new Map<number, CheckStats[]>();
    for (const { start, stats } of await this.read(endpointKey, plan, stepMs, location)) {
      const bucket = floorTo(start, stepMs);
      groups.set(bucket, [...(groups.get(bucket) ?? []), stats]);
    }
    return [...groups].map(([start, parts]) => ({ start, stats: mergeStats(parts) }));
  }

  /** The database aggregates individual checks into bins of `binMs`. Rollups are returned unchanged. */
  private async read(
    endpointKey: string,
    plan: readonly TimeSlice[],
    binMs: number,
    location: HistoryLocation | null,
  ): Promise<Bucket[]> {
    const parts = await Promise.all(
      plan.map(({ resolution, from, to }) => {
        const bounds = [endpointKey, new Date(from), new Date(to)];
        if (location !== null) {
          const { number, alone } = location;
          return resolution === 'check'
            ? this.database.query<CheckStatsRow>(ROLL_UP_LOCATION, [...bounds, binMs / SECOND_MS, number])
            : this.database.query<CheckStatsRow>(READ_LOCATION_HOURS, [
                ...bounds,
                number,
                new Date(Math.max(from, alone.from)),
                new Date(Math.min(to, alone.to)),
              ]);
        }
        return resolution === 'check'
          ? this.database.query<CheckStatsRow>(ROLL_UP_CHECKS, [...bounds, binMs / SECOND_MS])
          : this.database.query<CheckStatsRow>(READ_ROLLUPS[resolution], bounds);
      }),
    );
    return parts.flat().map((row) => ({ start: row.start_ms, stats: toCheckStats(row) }));
  }

  /**
   * Returns the times up to which stats are built for all endpoints. Call this before reading stats, in a separate
   * statement. These times only move forward, so everything before them exists by then.
   */
  async builtUntil(): Promise<BuiltUntil> {
    const rows = await this.database.query<{ name: string; done_until: Date }>(
      `SELECT name, done_until FROM history_progress WHERE name IN ('hour', 'day')`,
    );
    const until = (name: string): number => rows.find((row) => row.name === name)?.done_until.getTime() ?? -Infinity;
    return { hours: until('hour'), days: until('day') };
  }
}

/** Returns the coarsest resolution whose slices each fit inside one bucket of that step. */
function coarsestFor(stepMs: number): Resolution {
  if (stepMs % DAY_MS === 0) return 'day';
  return stepMs % HOUR_MS === 0 ? 'hour' : 'check';
}

const BIN = `date_bin(make_interval(secs => $4::integer), checked_at, timestamptz 'epoch')`;
const CHECKS = 'check_result WHERE endpoint_key = $1 AND checked_at >= $2 AND checked_at < $3';
const ROLL_UP_CHECKS = `SELECT ${STATS_ROW} FROM (${rollUpChecksSql(BIN, CHECKS)}) AS built`;
const ROLL_UP_LOCATION = `SELECT ${STATS_ROW} FROM (${rollUpLocationsSql(BIN, `${CHECKS} AND location = $5`)}) AS built`;

const readRollups = (table: string): string =>
  `SELECT ${STATS_ROW} FROM ${table} WHERE endpoint_key = $1 AND start_at >= $2 AND start_at < $3`;

/**
 * Reads hours for location $4, plus the hours from $5 to $6, in which the endpoint had only one location. Cost: one
 * index range scan per table. The range in location_hour contains all of the endpoint's locations, at most ten.
 */
const READ_LOCATION_HOURS = `
  ${readRollups('location_hour')} AND location = $4
  UNION ALL
  ${readRollups('check_hour')} AND start_at >= $5 AND start_at < $6
     AND start_at NOT IN (SELECT start_at FROM location_hour WHERE endpoint_key = $1 AND start_at >= $2 AND start_at < $3)`;

const READ_ROLLUPS = { hour: readRollups('check_hour'), day: readRollups('check_day') } as const;
