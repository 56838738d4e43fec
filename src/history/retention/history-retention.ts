import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { WorkerDatabase } from '../../platform/database/database';
import { earlierNow } from '../../platform/database/database-clock';
import { Clock } from '../../platform/time/clock';
import { Partitions } from '../write/partitions';
import { DAY_MS, dayNumber, dayText } from '../../platform/time/time-units';

/** Rows per statement, few enough that it doesn't hold its locks for long. */
const PORTION = 2000;

/** Endpoints whose history is deleted at a time. */
const ENDPOINTS = 50;

/**
 * Endpoints searched for old rollups at a time, nearly always without a match. A million of them are searched every
 * hour.
 */
const SEARCHED = 1000;

/**
 * The days of history that one run may remove beyond the oldest stored one. Retention runs every hour, so it catches up
 * quickly. A host with a wrong clock loses two days an hour, oldest first, instead of everything at once.
 */
const MAX_DAYS_PER_RUN = 2;

/**
 * Tables with rows per endpoint, except the partitions of check_result, with the columns that distinguish the rows of
 * one endpoint. Rows are deleted by these keys, not by their position. In a table that is distributed over several
 * nodes, each node has a row at the same position.
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

/** Called between two statements. `true` ends the work early. */
type StopSignal = () => boolean;

const never: StopSignal = () => false;

/**
 * Removes expired history. Drops single checks by day partition, and deletes everything else in portions of a few
 * thousand rows. Safe to run in several processes, because each portion locks one shared row.
 */
@Injectable()
export class HistoryRetention {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly partitions: Partitions,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Deletes the history of deleted endpoints. Cheap if there are none. Runs once a minute. */
  async removeDeletedEndpoints(isStopping: StopSignal = never): Promise<void> {
    const rows = await this.database.query<{ key: string }>(
      'SELECT endpoint_key AS key FROM history_purge ORDER BY asked_at LIMIT $1',
      [ENDPOINTS],
    );
    if (rows.length === 0) return;
    const keys = rows.map((row) => row.key);
    for (const partition of await this.partitions.tables()) await this.deleteChecks(partition, keys, isStopping);
    for (const table of TABLES) {
      await this.deletePortions(portionOf(table, 'endpoint_key = ANY ($1::bigint[])'), [keys], isStopping);
    }
    if (isStopping()) return;
    // Repeat this for ten minutes, because an open transaction may still write rows of an endpoint after its deletion.
    await this.database.query(
      `DELETE FROM history_purge WHERE endpoint_key = ANY ($1::bigint[]) AND asked_at < now() - interval '10 minutes'`,
      [keys],
    );
  }

  /**
   * Deletes everything older than the configured retention by both clocks, at most two days more than the previous run.
   * Walks all endpoints, so it runs once an hour.
   */
  async removeOld(isStopping: StopSignal = never): Promise<void> {
    const today = await this.trustedToday();
    await this.partitions.dropBefore(today - this.config.rawRetentionDays);
    const oldestDay = dayText(today - this.config.rawRetentionDays);
    await this.deletePortions(portionOf('check_detail', 'seen_on < $1::date'), [oldestDay], isStopping);
    await this.removeOldRollups(new Date((today - this.config.rollupRetentionDays) * DAY_MS), isStopping);
  }

  /** The oldest partition shows how far earlier runs got. While the service runs, days without checks also have one. */
  private async trustedToday(): Promise<number> {
    const today = dayNumber(await earlierNow(this.database, this.clock));
    const oldest = await this.partitions.oldestDay();
    return oldest === null ? today : Math.min(today, oldest + this.config.rawRetentionDays + MAX_DAYS_PER_RUN);
  }

  /** Goes by endpoint, because the primary keys of these tables start with it. */
  private async removeOldRollups(before: Date, isStopping: StopSignal): Promise<void> {
    // Skip the search for locations if no endpoint ever had any.
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

  /** Goes endpoint by endpoint. Single checks have no key, and the position of a row identifies it only on one node. */
  private async deleteChecks(partition: string, keys: readonly string[], isStopping: StopSignal): Promise<void> {
    if (isStopping()) return;
    const present = await this.database.query<{ key: string }>(
      `SELECT DISTINCT endpoint_key AS key FROM ${partition} WHERE endpoint_key = ANY ($1::bigint[])`,
      [keys],
    );
    for (const { key } of present) await this.deletePortions(portionOfChecks(partition), [key], isStopping);
  }

  /** Runs a statement that deletes one portion until it finds less. */
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

/** Looks up each row by its primary key, which takes 8 ms per portion in a million rows. */
function portionOf(table: HistoryTable, condition: string): string {
  const key = `endpoint_key, ${OTHER_COLUMNS[table]}`;
  return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${PORTION})
          RETURNING 1`;
}

/**
 * Deletes by position within one endpoint's rows, which takes 2 ms per portion. A look-up by time reads the endpoint's
 * whole day.
 */
const portionOfChecks = (partition: string): string => `
  DELETE FROM ${partition}
   WHERE endpoint_key = $1
     AND ctid = ANY (ARRAY(SELECT ctid FROM ${partition} WHERE endpoint_key = $1 LIMIT ${PORTION}))
  RETURNING 1`;
