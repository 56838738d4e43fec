import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { WorkerDatabase } from '../database';
import { DatabaseServer } from '../database-server';

const CHECKPOINT_EVERY_MS = 60_000;
const HOT_VACUUM_EVERY_MS = 3 * 60_000;
const FULL_VACUUM_EVERY_MS = 60 * 60_000;

/** Rewritten by every check or delivery. */
const HOT_TABLES = ['endpoint_schedule', 'endpoint_state', 'notification'];
/** A vacuum holds the only session: larger tables are analysed only. They are append-only and dropped by the day. */
const VACUUM_UP_TO_BYTES = 64 * 1024 * 1024;

/**
 * What a PostgreSQL server does by itself and the embedded one does not: checkpoints (or the write-ahead log grows
 * without end), vacuum and statistics. Idle on a real server.
 */
@Injectable()
export class EmbeddedMaintenance implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Database');
  private timers: NodeJS.Timeout[] = [];
  private last: Promise<void> = Promise.resolve();
  private checkpointedAt = '';

  constructor(
    private readonly server: DatabaseServer,
    private readonly database: WorkerDatabase,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.server.isEmbedded) return;
    this.every(CHECKPOINT_EVERY_MS, () => this.checkpoint());
    this.every(HOT_VACUUM_EVERY_MS, () => this.vacuumHotTables());
    this.every(FULL_VACUUM_EVERY_MS, () => this.vacuumAll());
  }

  /** Waits for the step that runs. */
  async onModuleDestroy(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
    await this.last;
  }

  /** Only when something was written since the last one. */
  async checkpoint(): Promise<void> {
    if ((await this.position()) === this.checkpointedAt) return;
    await this.database.query('CHECKPOINT');
    this.checkpointedAt = await this.position();
  }

  async vacuumHotTables(): Promise<void> {
    if (await this.isReadOnly()) return;
    for (const table of HOT_TABLES) await this.database.query(`VACUUM (ANALYZE) ${table}`);
  }

  /** Table by table, so that others get the session in between. */
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

  /** While the volume is nearly full a vacuum would use up the space that is kept for the log. */
  private async isReadOnly(): Promise<boolean> {
    const [row] = await this.database.query<{ setting: string }>(
      `SELECT current_setting('default_transaction_read_only') AS setting`,
    );
    return row?.setting === 'on';
  }

  private async position(): Promise<string> {
    const [row] = await this.database.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
    return row?.lsn ?? '';
  }

  /** One step at a time; a failed one is logged and tried again at its next turn. */
  private every(intervalMs: number, step: () => Promise<void>): void {
    const run = (): void => {
      this.last = this.last
        .then(step)
        .catch((error: unknown) => this.logger.warn(`Maintenance of the embedded database failed: ${String(error)}`));
    };
    this.timers.push(setInterval(run, intervalMs).unref());
  }
}
