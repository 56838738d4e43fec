import type { WorkerDatabase } from '../database';

/**
 * A vacuum blocks the only session, so larger tables are only analyzed. Those tables are append-only and dropped by
 * day.
 */
const VACUUM_UP_TO_BYTES = 64 * 1024 * 1024;

/**
 * Performs maintenance that a PostgreSQL server does automatically but the embedded one doesn't: checkpoints, vacuum,
 * and statistics. Without checkpoints, the write-ahead log would grow indefinitely. `EmbeddedMaintenanceJob` schedules
 * the steps.
 */
export class EmbeddedMaintenance {
  private checkpointedAt = '';

  /** `hotTables` are the tables that change constantly. */
  constructor(
    private readonly database: WorkerDatabase,
    private readonly hotTables: readonly string[],
  ) {}

  /** Creates a checkpoint if anything was written since the last one. */
  async checkpoint(): Promise<void> {
    if ((await this.position()) === this.checkpointedAt) return;
    await this.database.query('CHECKPOINT');
    this.checkpointedAt = await this.position();
  }

  /** Vacuums and analyzes the hot tables. */
  async vacuumHotTables(): Promise<void> {
    if (await this.isReadOnly()) return;
    for (const table of this.hotTables) await this.database.query(`VACUUM (ANALYZE) ${table}`);
  }

  /** Vacuums and analyzes all tables, one at a time, so that other statements can use the session in between. */
  async vacuumAll(): Promise<void> {
    if (await this.isReadOnly()) return;
    const tables = await this.database.query<{ name: string; small: boolean }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name,
              pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass) <= $1 AS small
         FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      [VACUUM_UP_TO_BYTES],
    );
    for (const { name, small } of tables)
      await this.database.query(`${small ? 'VACUUM (ANALYZE)' : 'ANALYZE'} ${name}`);
  }

  /**
   * Returns whether the database is read-only. While the volume is nearly full, a vacuum would use up the space that is
   * reserved for the log.
   */
  private async isReadOnly(): Promise<boolean> {
    const [row] = await this.database.query<{ setting: string }>(
      `SELECT current_setting('default_transaction_read_only') AS setting`,
    );
    return row?.setting === 'on';
  }

  /** Returns the current position in the write-ahead log. */
  private async position(): Promise<string> {
    const [row] = await this.database.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
    return row?.lsn ?? '';
  }
}
