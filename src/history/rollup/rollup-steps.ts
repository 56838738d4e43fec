import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { MARK_STALE, summarizeHour } from './endpoint-summary';
import { NOTE_WITHOUT_P95, noteNewEndpoints, summarizeNewEndpoints } from './new-endpoints';
import { mergeHoursSql, REPLACE_STATS, rollUpChecksSql, rollUpLocationsSql, STATS_COLUMNS } from './rollup-sql';
import { DAY_MS, dayNumber, dayText, floorTo, HOUR_MS } from '../../platform/time/time-units';

/** The result of a step: whether there may be more to do, and whether the portion was full. */
export interface StepResult {
  more: boolean;
  full: boolean;
}

const NOTHING: StepResult = { more: false, full: false };

interface ClosedProgress {
  hour: Date;
  day: Date;
  has_locations: boolean;
}

interface HourProgress {
  start: Date;
  after_key: string;
  is_newest: boolean;
  has_locations: boolean;
}

/**
 * Runs the rollup steps. Each step is a short transaction that replaces what it builds, so it can be repeated. The
 * progress row serves as a lock, and a process that finds it locked does nothing. An hour is closed two minutes after
 * it ends by the database's clock, because the writer uses the same clock to detect late checks. This process's clock
 * can only delay that.
 */
@Injectable()
export class RollupSteps {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Builds check_hour for the next `limit` endpoints. For the latest hour, also writes the summaries. */
  closeHour(limit: number): Promise<StepResult> {
    return this.database.transaction(async (tx) => {
      const [progress] = await tx.query<HourProgress>(NEXT_HOUR, [this.clock.now()]);
      if (!progress) return NOTHING;
      const { start, after_key } = progress;
      const end = new Date(start.getTime() + HOUR_MS);
      if (after_key === '0') await this.indexBlocks(tx, start);
      const keys = await this.nextKeys(tx, after_key, limit);
      const last = keys.at(-1);
      if (last !== undefined) {
        await tx.query(keys.length < MANY_KEYS ? CLOSE_HOUR : CLOSE_HOUR_BY_TIME, [start, end, after_key, last, keys]);
        const several = progress.has_locations ? await severalOf(tx, keys) : [];
        if (several.length > 0) await tx.query(CLOSE_LOCATIONS, [several, start, end]);
        if (progress.is_newest) {
          await summarizeHour(tx, keys, end);
          await tx.query(NOTE_WITHOUT_P95, [keys]);
        }
      }
      const full = keys.length === limit;
      await tx.query(ADVANCE, ['hour', full ? start : end, full ? last : '0']);
      return { more: true, full };
    });
  }

  /** Builds check_day from the hours for the next `limit` endpoints. */
  closeDay(limit: number): Promise<StepResult> {
    return this.database.transaction(async (tx) => {
      const [progress] = await tx.query<{ start: Date; after_key: string }>(NEXT_DAY);
      if (!progress) return NOTHING;
      const { start, after_key } = progress;
      const keys = await this.nextKeys(tx, after_key, limit);
      if (keys.length > 0) await tx.query(BUILD_DAYS, [keys, keys.map(() => start)]);
      const full = keys.length === limit;
      await tx.query(ADVANCE, ['day', full ? start : new Date(start.getTime() + DAY_MS), full ? keys.at(-1) : '0']);
      return { more: true, full };
    });
  }

  /**
   * Rebuilds the hours in which late checks arrived, and their days if those are closed. Processes `limit` late hours
   * at a time.
   */
  correctLate(limit: number): Promise<StepResult> {
    return this.database.transaction(async (tx) => {
      const [progress] = await tx.query<ClosedProgress>(LOCK_PROGRESS);
      if (!progress) return NOTHING;
      const lateHours = await tx.query<{ endpoint_key: string; hour_at: Date }>(TAKE_LATE_HOURS, [
        progress.hour,
        limit,
      ]);
      if (lateHours.length === 0) return NOTHING;
      // If some of an hour's checks are already deleted, rebuilding it would lose counts.
      const oldestDay = dayNumber(this.clock.now()) - this.config.rawRetentionDays + 1;
      const complete = lateHours.filter((late) => dayNumber(late.hour_at) >= oldestDay);
      await this.rebuild(tx, complete, progress);
      return { more: true, full: lateHours.length >= limit };
    });
  }

  /** Queues the next `limit` newly created endpoints for `summarizeNew`. */
  noteNew(limit: number): Promise<StepResult> {
    return this.forNewEndpoints(limit, (tx) => noteNewEndpoints(tx, limit));
  }

  /** Writes the p95 for `limit` new endpoints, which have none from closed hours. The overview uses it. */
  summarizeNew(limit: number): Promise<StepResult> {
    return this.forNewEndpoints(limit, (tx, closedUntil) => summarizeNewEndpoints(tx, closedUntil, limit));
  }

  /** Returns the time up to which check_hour is built. */
  async hoursUntil(): Promise<Date> {
    const [row] = await this.database.query<{ until: Date }>(
      `SELECT done_until AS until FROM history_progress WHERE name = 'hour'`,
    );
    return row?.until ?? new Date(0);
  }

  private forNewEndpoints(limit: number, step: (tx: Tx, closedUntil: Date) => Promise<number>): Promise<StepResult> {
    return this.database.transaction(async (tx) => {
      const [progress] = await tx.query<ClosedProgress>(LOCK_PROGRESS);
      if (!progress) return NOTHING;
      const full = (await step(tx, progress.hour)) === limit;
      return { more: full, full };
    });
  }

  private async rebuild(
    tx: Tx,
    hours: readonly { endpoint_key: string; hour_at: Date }[],
    { day: daysUntil, has_locations }: ClosedProgress,
  ): Promise<void> {
    if (hours.length === 0) return;
    const times = hours.map((hour) => hour.hour_at.getTime());
    const keys = hours.map((hour) => hour.endpoint_key);
    const bounds = [new Date(Math.min(...times)), new Date(Math.max(...times) + HOUR_MS)];
    await tx.query(REBUILD_HOURS, [keys, hours.map((hour) => hour.hour_at), ...bounds]);
    await tx.query(MARK_STALE, [keys]);
    const several = new Set(has_locations ? await severalOf(tx, keys) : []);
    const ofSeveral = hours.filter(({ endpoint_key }) => several.has(endpoint_key));
    if (ofSeveral.length > 0) {
      await tx.query(REBUILD_LOCATIONS, [
        ofSeveral.map(({ endpoint_key }) => endpoint_key),
        ofSeveral.map(({ hour_at }) => hour_at),
        ...bounds,
      ]);
    }
    const days = new Map<string, { key: string; day: Date }>();
    hours.forEach(({ endpoint_key: key, hour_at }) => {
      const day = new Date(floorTo(hour_at.getTime(), DAY_MS));
      if (day < daysUntil) days.set(`${key}/${day.getTime()}`, { key, day });
    });
    const closed = [...days.values()];
    if (closed.length > 0) await tx.query(BUILD_DAYS, [closed.map(({ key }) => key), closed.map(({ day }) => day)]);
  }

  private async nextKeys(tx: Tx, afterKey: string, limit: number): Promise<string[]> {
    const rows = await tx.query<{ key: string }>('SELECT key FROM endpoint WHERE key > $1 ORDER BY key LIMIT $2', [
      afterKey,
      limit,
    ]);
    return rows.map((row) => row.key);
  }

  /** Summarizes the newest blocks in the day's BRIN index, so that reading the last hour doesn't scan the whole day. */
  private async indexBlocks(tx: Tx, hour: Date): Promise<void> {
    const table = `check_result_${dayText(dayNumber(hour)).replaceAll('-', '')}`;
    await tx.query(
      `SELECT brin_summarize_new_values(i.inhrelid::regclass)
         FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
        WHERE i.inhparent = 'check_result_by_time'::regclass AND x.indrelid = to_regclass($1)`,
      [table],
    );
  }
}

/** If no endpoint has locations, the statements skip them. Cost: the first row in an index. */
const HAS_LOCATIONS = 'EXISTS (SELECT FROM endpoint_location) AS has_locations';

/**
 * Returns the endpoints that have several locations. Cost: one key lookup per endpoint, and none if no endpoint has
 * locations.
 */
async function severalOf(tx: Tx, keys: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ key: string }>(
    'SELECT key FROM endpoint WHERE key = ANY ($1::bigint[]) AND location_count > 1',
    [keys],
  );
  return rows.map(({ key }) => key);
}

const NEXT_HOUR = `
  SELECT done_until AS start, after_key,
         done_until + interval '2 hours' > least($1::timestamptz, now()) - interval '2 minutes' AS is_newest, ${HAS_LOCATIONS}
    FROM history_progress
   WHERE name = 'hour' AND done_until + interval '1 hour' <= least($1::timestamptz, now()) - interval '2 minutes'
     FOR UPDATE SKIP LOCKED`;

const NEXT_DAY = `
  SELECT done_until AS start, after_key FROM history_progress AS day
   WHERE name = 'day' AND done_until + interval '1 day' <= (SELECT done_until FROM history_progress WHERE name = 'hour')
     FOR UPDATE OF day SKIP LOCKED`;

const LOCK_PROGRESS = `
  SELECT hour.done_until AS hour, day.done_until AS day, ${HAS_LOCATIONS}
    FROM history_progress AS hour JOIN history_progress AS day ON day.name = 'day'
   WHERE hour.name = 'hour'
     FOR UPDATE SKIP LOCKED`;

const ADVANCE = 'UPDATE history_progress SET done_until = $2, after_key = $3 WHERE name = $1';

/**
 * Returns SQL that inserts or replaces stats, except for endpoints that were deleted since then. `present` is a
 * condition on endpoint_key that also works if history is distributed over several servers and endpoints are not.
 */
const upsertStats = (table: string, stats: string, present: string, key = 'endpoint_key, start_at'): string => `
  INSERT INTO ${table} (${key}, ${STATS_COLUMNS})
  SELECT ${key}, ${STATS_COLUMNS} FROM (${stats}) AS built
   WHERE ${present}
  ON CONFLICT (${key}) DO UPDATE SET ${REPLACE_STATS}`;

const STILL_THERE = 'endpoint_key IN (SELECT key FROM endpoint WHERE key = ANY ($1::bigint[]))';

const closeHourSql = (key: string): string =>
  upsertStats(
    'check_hour',
    rollUpChecksSql(
      '$1::timestamptz',
      `check_result WHERE checked_at >= $1 AND checked_at < $2 AND ${key} > $3 AND ${key} <= $4`,
    ),
    `${key} = ANY ($5::bigint[])`,
  );

// For few endpoints, the planner chooses between the index over endpoints and the index over time.
const CLOSE_HOUR = closeHourSql('endpoint_key');

/**
 * A step only reaches this many endpoints if they are rarely checked (see the job's limits). In that case, the index
 * over endpoints would read their whole day, one page per check. A single pass over the hour costs 0.15 µs per check
 * for any number of endpoints. The sum keeps the planner from using the index.
 */
const MANY_KEYS = 1000;
const CLOSE_HOUR_BY_TIME = closeHourSql('(endpoint_key + 0)');

const CHECKS_OF_LATE_HOURS = `
            (SELECT DISTINCT * FROM unnest($1::bigint[], $2::timestamptz[]) AS late_hours (late_key, hour_at)) AS late
            JOIN check_result ON endpoint_key = late_key
                             AND checked_at >= hour_at AND checked_at < hour_at + interval '1 hour'
           WHERE checked_at >= $3 AND checked_at < $4`;

const REBUILD_HOURS = upsertStats('check_hour', rollUpChecksSql('hour_at', CHECKS_OF_LATE_HOURS), STILL_THERE);

const upsertLocations = (stats: string): string =>
  upsertStats('location_hour', stats, 'true', 'endpoint_key, start_at, location');

const CLOSE_LOCATIONS = upsertLocations(
  rollUpLocationsSql(
    '$2::timestamptz',
    'check_result WHERE endpoint_key = ANY ($1::bigint[]) AND checked_at >= $2 AND checked_at < $3',
  ),
);

const REBUILD_LOCATIONS = upsertLocations(rollUpLocationsSql('hour_at', CHECKS_OF_LATE_HOURS));

const BUILD_DAYS = upsertStats(
  'check_day',
  mergeHoursSql(
    'wanted_at',
    `unnest($1::bigint[], $2::timestamptz[]) AS wanted (wanted_key, wanted_at)
       JOIN check_hour ON endpoint_key = wanted_key
                      AND start_at >= wanted_at AND start_at < wanted_at + interval '1 day'`,
  ),
  STILL_THERE,
);

/**
 * Deletes by key, which may match several rows. In a distributed database, a late note is on the same node as its
 * checks, so both become visible at the same time. A note that is inserted while this statement runs is not visible to
 * it and is kept.
 */
const TAKE_LATE_HOURS = `
  DELETE FROM history_late
   WHERE (endpoint_key, hour_at) IN (SELECT endpoint_key, hour_at FROM history_late WHERE hour_at < $1 LIMIT $2)
  RETURNING endpoint_key, hour_at`;
