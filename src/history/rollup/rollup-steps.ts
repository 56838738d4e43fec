import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { SUMMARIZE, SUMMARIZE_NEW } from './endpoint-summary';
import { mergeHoursSql, REPLACE_STATS, STATS_COLUMNS, rollUpChecksSql } from './rollup-sql';
import { DAY_MS, dayNumber, dayText, floorTo, HOUR_MS } from '../../platform/time/time-units';

/** What a step did: whether there may be more to do, and whether its portion was full. */
export interface StepResult {
  more: boolean;
  full: boolean;
}

const NOTHING: StepResult = { more: false, full: false };

interface HourProgress {
  start: Date;
  after_key: string;
  is_newest: boolean;
}

/**
 * The steps of the rollups, each a short transaction that replaces what it builds and so may be repeated. The progress row
 * is their lock: a process that finds it locked does nothing. An hour is closed two minutes after its end by database
 * time, as the writer judges lateness by database time too; this process's clock can only delay that.
 */
@Injectable()
export class RollupSteps {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Builds check_hour, and with the newest hour the summaries, for the next `limit` endpoints. */
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
        await tx.query(CLOSE_HOUR, [start, end, after_key, last]);
        if (progress.is_newest) await tx.query(SUMMARIZE, [keys, end]);
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

  /** Rebuilds the hours (and their days, when closed) for which checks came late, `limit` late hours at a time. */
  correctLate(limit: number): Promise<StepResult> {
    return this.database.transaction(async (tx) => {
      const [progress] = await tx.query<{ hour: Date; day: Date }>(LOCK_PROGRESS);
      if (!progress) return NOTHING;
      const lateHours = await tx.query<{ endpoint_key: string; hour_at: Date }>(TAKE_LATE_HOURS, [
        progress.hour,
        limit,
      ]);
      if (lateHours.length === 0) return NOTHING;
      // Rebuilding an hour whose checks are partly dropped would lose counts.
      const oldestDay = dayNumber(this.clock.now()) - this.config.rawRetentionDays + 1;
      const complete = lateHours.filter((late) => dayNumber(late.hour_at) >= oldestDay);
      await this.rebuild(tx, complete, progress.day);
      return { more: true, full: lateHours.length === limit };
    });
  }

  /** Writes the p95 of the next `limit` new endpoints, those without a full hour, for the overview. */
  summarizeNew(limit: number): Promise<StepResult> {
    return this.database.transaction(async (tx) => {
      const [progress] = await tx.query<{ hour: Date }>(LOCK_PROGRESS);
      if (!progress) return NOTHING;
      const full = (await tx.query(SUMMARIZE_NEW, [progress.hour, limit])).length === limit;
      return { more: full, full };
    });
  }

  /** The time up to which check_hour is built. */
  async hoursUntil(): Promise<Date> {
    const [row] = await this.database.query<{ until: Date }>(
      `SELECT done_until AS until FROM history_progress WHERE name = 'hour'`,
    );
    return row?.until ?? new Date(0);
  }

  private async rebuild(
    tx: Tx,
    hours: readonly { endpoint_key: string; hour_at: Date }[],
    daysUntil: Date,
  ): Promise<void> {
    if (hours.length === 0) return;
    const times = hours.map((hour) => hour.hour_at.getTime());
    const keys = hours.map((hour) => hour.endpoint_key);
    await tx.query(REBUILD_HOURS, [
      keys,
      hours.map((hour) => hour.hour_at),
      new Date(Math.min(...times)),
      new Date(Math.max(...times) + HOUR_MS),
    ]);
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

  /** Summarizes the newest blocks in the day's BRIN index, so that reading the last hour does not scan the whole day. */
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

const NEXT_HOUR = `
  SELECT done_until AS start, after_key,
         done_until + interval '2 hours' > least($1::timestamptz, now()) - interval '2 minutes' AS is_newest
    FROM history_progress
   WHERE name = 'hour' AND done_until + interval '1 hour' <= least($1::timestamptz, now()) - interval '2 minutes'
     FOR UPDATE SKIP LOCKED`;

const NEXT_DAY = `
  SELECT done_until AS start, after_key FROM history_progress AS day
   WHERE name = 'day' AND done_until + interval '1 day' <= (SELECT done_until FROM history_progress WHERE name = 'hour')
     FOR UPDATE OF day SKIP LOCKED`;

const LOCK_PROGRESS = `
  SELECT hour.done_until AS hour, day.done_until AS day
    FROM history_progress AS hour JOIN history_progress AS day ON day.name = 'day'
   WHERE hour.name = 'hour'
     FOR UPDATE SKIP LOCKED`;

const ADVANCE = 'UPDATE history_progress SET done_until = $2, after_key = $3 WHERE name = $1';

/** Inserts or replaces stats, except of endpoints that were deleted in the meantime. */
const upsertStats = (table: string, stats: string): string => `
  INSERT INTO ${table} (endpoint_key, start_at, ${STATS_COLUMNS})
  SELECT endpoint_key, start_at, ${STATS_COLUMNS} FROM (${stats}) AS built
   WHERE EXISTS (SELECT FROM endpoint WHERE key = endpoint_key)
  ON CONFLICT (endpoint_key, start_at) DO UPDATE SET ${REPLACE_STATS}`;

const CLOSE_HOUR = upsertStats(
  'check_hour',
  rollUpChecksSql(
    '$1::timestamptz',
    'check_result WHERE checked_at >= $1 AND checked_at < $2 AND endpoint_key > $3 AND endpoint_key <= $4',
  ),
);

const REBUILD_HOURS = upsertStats(
  'check_hour',
  rollUpChecksSql(
    'hour_at',
    `(SELECT DISTINCT * FROM unnest($1::bigint[], $2::timestamptz[]) AS late_hours (late_key, hour_at)) AS late
            JOIN check_result ON endpoint_key = late_key
                             AND checked_at >= hour_at AND checked_at < hour_at + interval '1 hour'
           WHERE checked_at >= $3 AND checked_at < $4`,
  ),
);

const BUILD_DAYS = upsertStats(
  'check_day',
  mergeHoursSql(
    'wanted_at',
    `unnest($1::bigint[], $2::timestamptz[]) AS wanted (wanted_key, wanted_at)
       JOIN check_hour ON endpoint_key = wanted_key
                      AND start_at >= wanted_at AND start_at < wanted_at + interval '1 day'`,
  ),
);

/** By row position, since history_late has no key: the same late hour inserted in the meantime is another row and stays. */
const TAKE_LATE_HOURS = `
  DELETE FROM history_late
   WHERE ctid = ANY (ARRAY(SELECT ctid FROM history_late WHERE hour_at < $1 LIMIT $2))
  RETURNING endpoint_key, hour_at`;
