import { setImmediate as breathe } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { Partitions } from '../write/partitions';
import { DAY_MS, dayNumber, dayText } from '../../platform/time/time-units';

/** Rows deleted by one statement, so that none holds its locks for long. */
const PORTION = 2000;

/** Endpoints whose history is removed, or looked through for old figures, in one go. */
const ENDPOINTS = 50;

/** Tables with rows of single endpoints, besides the partitions of check_result. */
const TABLES = ['check_detail', 'check_hour', 'check_day', 'outage', 'endpoint_summary', 'history_late'];

/**
 * Removes what is not to be kept: single checks by dropping their day, everything else in portions of a few thousand
 * rows. Safe to run in several processes: a shared row makes their portions take turns.
 */
@Injectable()
export class HistoryRetention {
  private stopping = false;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly partitions: Partitions,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Cheap; once a minute. */
  async removeDeletedEndpoints(): Promise<void> {
    const rows = await this.database.query<{ key: string }>(
      'SELECT endpoint_key AS key FROM history_purge ORDER BY asked_at LIMIT $1',
      [ENDPOINTS],
    );
    if (rows.length === 0) return;
    const keys = rows.map((row) => row.key);
    for (const table of [...(await this.partitions.tables()), ...TABLES]) {
      await this.deletePortions(table, 'endpoint_key = ANY ($1::bigint[])', [keys]);
    }
    // A check or an hour that was just being written when the endpoint went is found by a later pass.
    await this.database.query(
      `DELETE FROM history_purge WHERE endpoint_key = ANY ($1::bigint[]) AND asked_at < now() - interval '10 minutes'`,
      [keys],
    );
  }

  /** Walks all endpoints; a few times a day. */
  async removeOld(): Promise<void> {
    const today = dayNumber(this.clock.now());
    await this.partitions.dropBefore(today - this.config.rawRetentionDays);
    await this.deletePortions('check_detail', 'seen_on < $1::date', [dayText(today - this.config.rawRetentionDays)]);
    await this.removeOldFigures(new Date((today - this.config.rollupRetentionDays) * DAY_MS));
  }

  /** Ends the work after the statement in flight. */
  stop(): void {
    this.stopping = true;
  }

  /** By endpoint, because that is how the figures are indexed. */
  private async removeOldFigures(before: Date): Promise<void> {
    let after = '0';
    while (!this.stopping) {
      const rows = await this.database.query<{ key: string }>(
        'SELECT key FROM endpoint WHERE key > $1 ORDER BY key LIMIT $2',
        [after, ENDPOINTS],
      );
      const last = rows.at(-1);
      if (!last) return;
      const keys = rows.map((row) => row.key);
      const old = 'endpoint_key = ANY ($1::bigint[]) AND';
      await this.deletePortions('check_hour', `${old} start_at < $2`, [keys, before]);
      await this.deletePortions('check_day', `${old} start_at < $2`, [keys, before]);
      await this.deletePortions('outage', `${old} ended_at < $2`, [keys, before]);
      after = last.key;
    }
  }

  private async deletePortions(table: string, condition: string, parameters: readonly unknown[]): Promise<void> {
    while (!this.stopping) {
      const deleted = await this.database.transaction((tx) => deletePortion(tx, table, condition, parameters));
      if (deleted < PORTION) return;
      await breathe();
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
