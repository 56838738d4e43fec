import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { WorkerDatabase } from '../../platform/database/database';
import { earlierNow } from '../../platform/database/database-clock';
import { Clock } from '../../platform/time/clock';
import { Partitions } from '../write/partitions';
import { DAY_MS, dayNumber, dayText } from '../../platform/time/time-units';

/** Rows per statement. The number is small, so that locks are held only briefly. */
const PORTION = 2000;

/** The number of endpoints whose history is deleted at a time. */
const ENDPOINTS = 50;

/**
 * The number of endpoints that are searched for old rollups at a time. Nearly all have none. An hourly run may search a
 * million endpoints.
 */
const SEARCHED = 1000;

/**
 * The number of days of history that one run may remove beyond the oldest stored day. Retention runs every hour, so it
 * catches up quickly. With a wrong clock, a host loses two days of history per hour, oldest first, instead of
 * everything at once.
 */
const MAX_DAYS_PER_RUN = 2;

/**
 * Tables with rows per endpoint, except the check_result partitions, with the columns that distinguish an endpoint's
 * rows. Rows are deleted by these keys and not by their physical position. If a table is distributed over several
 * nodes, the same position exists on every node.
 */
const OTHER_COLUMNS = {
  check_detail: 'hash',
  check_hour: 'start_at',
  check_day: 'start_at',
  location_hour: 'start_at, location',
  outage: 'started_at',
  endpoint_summary: 'until',
  history_late: 'hour_at',
} as const;
type HistoryTable = keyof typeof OTHER_COLUMNS;
const TABLES = Object.keys(OTHER_COLUMNS) as HistoryTable[];

/** Called between two statements. If it returns `true`, the work stops early. */
type StopSignal = () => boolean;

const never: StopSignal = () => false;

/**
 * Removes expired history. Drops individual checks one day partition at a time, and deletes all other history in
 * portions of a few thousand rows. Several processes may run it, because each portion locks one shared row.
 */
@Injectable()
export class HistoryRetention {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly partitions: Partitions,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Deletes the history of deleted endpoints that can no longer be restored. Runs once a minute. Cheap if there are none. */
  async removeDeletedEndpoints(isStopping: StopSignal = never): Promise<void> {
    const rows = await this.database.query<{ key: string }>(
      'SELECT endpoint_key AS key FROM history_purge WHERE asked_at <= now() ORDER BY asked_at LIMIT $1',
      [ENDPOINTS],
    );
    if (rows.length === 0) return;
    const keys = rows.map((row) => row.key);
    for (const partition of await this.partitions.tables()) await this.deleteChecks(partition, keys, isStopping);
    for (const table of TABLES) {
      await this.deletePortions(portionOf(table, 'endpoint_key = ANY ($1::bigint[])'), [keys], isStopping);
    }
    if (isStopping()) return;
    // Repeat this for ten minutes, because an open transaction may still write rows for an endpoint after its deletion.
    await this.database.query(
      `DELETE FROM history_purge WHERE endpoint_key = ANY ($1::bigint[]) AND asked_at < now() - interval '10 minutes'`,
      [keys],
    );
  }

  /**
   * Deletes everything that both clocks consider older than the configured retention, at most two days more than the
   * previous run. Iterates over all endpoints, so it runs only once an hour.
   */
  async removeOld(isStopping: StopSignal = never): Promise<void> {
    const today = await this.trustedToday();
    await this.partitions.dropBefore(today - this.config.rawRetentionDays);
    const oldestDay = dayText(today - this.config.rawRetentionDays);
    await this.deletePortions(portionOf('check_detail', 'seen_on < $1::date'), [oldestDay], isStopping);
    await this.removeOldRollups(new Date((today - this.config.rollupRetentionDays) * DAY_MS), isStopping);
  }

  /**
   * The oldest partition shows how far earlier runs got. While the service runs, it creates a partition even for days
   * without checks.
   */
  private async trustedToday(): Promise<number> {
    const today = dayNumber(await earlierNow(this.database, this.clock));
    const oldest = await this.partitions.oldestDay();
    return oldest === null ? today : Math.min(today, oldest + this.config.rawRetentionDays + MAX_DAYS_PER_RUN);
  }

  /** Iterates over endpoints, because the primary keys of these tables start with the endpoint. */
  private async removeOldRollups(before: Date, isStopping: StopSignal): Promise<void> {
    // Skips the search for locations if no endpoint has ever had one.
    const hours = (await this.hasLocations()) ? (['check_hour', 'location_hour'] as const) : (['check_hour'] as const);
    let after = '0';
    while (!isStopping()) {
      const rows = await this.database.query<{ key: string }>(
        'SELECT key FROM endpoint WHERE key > $1 ORDER BY key LIMIT $2',
        [after, SEARCHED],
      );
      const last = rows.at(-1);
      if (!last) return;
      const keys = rows.map((row) => row.key);
      const old = 'endpoint_key = ANY ($1::bigint[]) AND';
      for (const table of hours)
        await this.deletePortions(portionOf(table, `${old} start_at < $2`), [keys, before], isStopping);
      await this.deletePortions(portionOf('check_day', `${old} start_at < $2`), [keys, before], isStopping);
      await this.deletePortions(portionOf('outage', `${old} ended_at < $2`), [keys, before], isStopping);
      after = last.key;
    }
  }

  private async hasLocations(): Promise<boolean> {
    return (await this.database.query('SELECT 1 FROM location_hour LIMIT 1')).length > 0;
  }

  /**
   * Deletes one endpoint at a time. Individual checks have no key, and a row's physical position identifies it only on
   * one node.
   */
  private async deleteChecks(partition: string, keys: readonly string[], isStopping: StopSignal): Promise<void> {
    if (isStopping()) return;
    const present = await this.database.query<{ key: string }>(
      `SELECT DISTINCT endpoint_key AS key FROM ${partition} WHERE endpoint_key = ANY ($1::bigint[])`,
      [keys],
    );
    for (const { key } of present) await this.deletePortions(portionOfChecks(partition), [key], isStopping);
  }

  /** Repeats a statement that deletes one portion until it deletes less than a full portion. */
  private async deletePortions(
    statement: string,
    parameters: readonly unknown[],
    isStopping: StopSignal,
  ): Promise<void> {
    while (!isStopping()) {
      const deleted = await this.database.transaction(async (tx) => {
        await tx.query(`SELECT 1 FROM history_progress WHERE name = 'purge' FOR UPDATE`);
        return (await tx.query(statement, parameters)).length;
      });
      if (deleted < PORTION) return;
      await nextTurn();
    }
  }
}

/** Looks up each row by its primary key. In a million rows, that takes 8 ms per portion. */
function portionOf(table: HistoryTable, condition: string): string {
  const key = `endpoint_key, ${OTHER_COLUMNS[table]}`;
  return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${PORTION})
          RETURNING 1`;
}

/**
 * Deletes rows by physical position within one endpoint's rows, which takes 2 ms per portion. A lookup by time would
 * read the endpoint's whole day.
 */
const portionOfChecks = (partition: string): string => `
  DELETE FROM ${partition}
   WHERE endpoint_key = $1
     AND ctid = ANY (ARRAY(SELECT ctid FROM ${partition} WHERE endpoint_key = $1 LIMIT ${PORTION}))
  RETURNING 1`;
