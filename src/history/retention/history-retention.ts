import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { earlierNow } from '../../platform/database/database-clock';
import { Clock } from '../../platform/time/clock';
import { Partitions } from '../write/partitions';
import { DAY_MS, dayNumber, dayText } from '../../platform/time/time-units';

/** Rows deleted by one statement: few enough that it does not hold its locks for long. */
const PORTION = 2000;

/** Endpoints whose history is deleted, or searched for old rollups, at a time. */
const ENDPOINTS = 50;

/**
 * Days of history that one run may remove beyond the oldest stored one. Retention runs every hour, so that it catches up
 * quickly; a host whose clock is wrong loses two days an hour, oldest first, instead of everything at once.
 */
const MAX_DAYS_PER_RUN = 2;

/** Tables with rows per endpoint, besides the partitions of check_result. */
const TABLES = ['check_detail', 'check_hour', 'check_day', 'outage', 'endpoint_summary', 'history_late'];

/** Asked between two statements; `true` ends the work early. */
type StopSignal = () => boolean;

const never: StopSignal = () => false;

/**
 * Removes history whose time is over: single checks by dropping the partition of their day, everything else in portions of
 * a few thousand rows. Safe to run in several processes: each portion locks one shared row.
 */
@Injectable()
export class HistoryRetention {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly partitions: Partitions,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Deletes the history of deleted endpoints. Cheap when there are none; runs once a minute. */
  async removeDeletedEndpoints(isStopping: StopSignal = never): Promise<void> {
    const rows = await this.database.query<{ key: string }>(
      'SELECT endpoint_key AS key FROM history_purge ORDER BY asked_at LIMIT $1',
      [ENDPOINTS],
    );
    if (rows.length === 0) return;
    const keys = rows.map((row) => row.key);
    for (const table of [...(await this.partitions.tables()), ...TABLES]) {
      await this.deletePortions(table, 'endpoint_key = ANY ($1::bigint[])', [keys], isStopping);
    }
    if (isStopping()) return;
    // Repeated for ten minutes: a transaction in progress may still write rows of an endpoint after its deletion.
    await this.database.query(
      `DELETE FROM history_purge WHERE endpoint_key = ANY ($1::bigint[]) AND asked_at < now() - interval '10 minutes'`,
      [keys],
    );
  }

  /**
   * Deletes what is older than the configured retention by both clocks, at most two days more than the run before. Walks
   * all endpoints; runs once an hour.
   */
  async removeOld(isStopping: StopSignal = never): Promise<void> {
    const today = await this.trustedToday();
    await this.partitions.dropBefore(today - this.config.rawRetentionDays);
    const oldestDay = dayText(today - this.config.rawRetentionDays);
    await this.deletePortions('check_detail', 'seen_on < $1::date', [oldestDay], isStopping);
    await this.removeOldRollups(new Date((today - this.config.rollupRetentionDays) * DAY_MS), isStopping);
  }

  /** The oldest partition tells how far earlier runs came: days without checks have one too, while the service runs. */
  private async trustedToday(): Promise<number> {
    const today = dayNumber(await earlierNow(this.database, this.clock));
    const oldest = await this.partitions.oldestDay();
    return oldest === null ? today : Math.min(today, oldest + this.config.rawRetentionDays + MAX_DAYS_PER_RUN);
  }

  /** By endpoint, because the primary keys of these tables begin with it. */
  private async removeOldRollups(before: Date, isStopping: StopSignal): Promise<void> {
    let after = '0';
    while (!isStopping()) {
      const rows = await this.database.query<{ key: string }>(
        'SELECT key FROM endpoint WHERE key > $1 ORDER BY key LIMIT $2',
        [after, ENDPOINTS],
      );
      const last = rows.at(-1);
      if (!last) return;
      const keys = rows.map((row) => row.key);
      const old = 'endpoint_key = ANY ($1::bigint[]) AND';
      await this.deletePortions('check_hour', `${old} start_at < $2`, [keys, before], isStopping);
      await this.deletePortions('check_day', `${old} start_at < $2`, [keys, before], isStopping);
      await this.deletePortions('outage', `${old} ended_at < $2`, [keys, before], isStopping);
      after = last.key;
    }
  }

  private async deletePortions(
    table: string,
    condition: string,
    parameters: readonly unknown[],
    isStopping: StopSignal,
  ): Promise<void> {
    while (!isStopping()) {
      const deleted = await this.database.transaction((tx) => deletePortion(tx, table, condition, parameters));
      if (deleted < PORTION) return;
      await nextTurn();
    }
  }
}

async function deletePortion(
  tx: Tx,
  table: string,
  condition: string,
  parameters: readonly unknown[],
): Promise<number> {
  await tx.query(`SELECT 1 FROM history_progress WHERE name = 'purge' FOR UPDATE`);
  const rows = await tx.query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${PORTION})) RETURNING 1`,
    parameters,
  );
  return rows.length;
}
