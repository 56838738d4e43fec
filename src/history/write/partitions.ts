import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Sql, WorkerDatabase } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { dayNumber, dayText } from '../../platform/time/time-units';

/**
 * The number of days for which partitions are created in advance. The service keeps working this long if partition
 * maintenance fails.
 */
const DAYS_AHEAD = 3;

/** An arbitrary advisory lock key that keeps two processes from creating the same partition at the same time. */
const CREATE_LOCK = 7_203_144_001;

/** Tables that are partitioned by day. Each has partitions for the same days. */
const TABLES = ['check_result', 'ping'] as const;
type Partitioned = (typeof TABLES)[number];

const NAME = /^(check_result|ping)_(\d{4})(\d{2})(\d{2})$/;
const nameOf = (table: Partitioned, day: number): string => `${table}_${dayText(day).replaceAll('-', '')}`;

function dayOf(name: string): number | null {
  const parts = NAME.exec(name);
  return parts ? dayNumber(new Date(`${parts[2]}-${parts[3]}-${parts[4]}T00:00:00Z`)) : null;
}

/**
 * Creates the daily partitions for check_result and ping ahead of time. If a batch contains a check for any other day,
 * it creates that day's partitions in its own transaction. This way, neither a wrong clock nor missed maintenance loses
 * a result. There is no default partition, because rows in it would prevent the creation of their day's partition
 * later.
 */
@Injectable()
export class Partitions implements OnModuleInit {
  private readyDays: ReadonlySet<number> = new Set();

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
  ) {}

  /** Runs before the first check is recorded. */
  async onModuleInit(): Promise<void> {
    await this.createAhead();
  }

  /** Creates the partitions for yesterday, today, and the next three days. Call this more than once a day. */
  async createAhead(): Promise<void> {
    const today = dayNumber(this.clock.now());
    const days = Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => today - 1 + index);
    await this.database.transaction((tx) => this.createMissing(tx, days));
    this.readyDays = new Set(days);
  }

  /** Creates missing partitions for these days (since 1970, UTC) in the caller's transaction. Usually does nothing. */
  async ensure(tx: Sql, days: Iterable<number>): Promise<void> {
    const unknown = [...new Set(days)].filter((day) => !this.readyDays.has(day));
    if (unknown.length > 0) await this.createMissing(tx, unknown);
  }

  /**
   * Drops the partitions for days before `firstKept` and returns the number of days. Each partition is detached first,
   * which locks the whole table for an instant. To avoid delaying checks, detaching gives up after half a second. A
   * second statement drops the partition.
   */
  async dropBefore(firstKept: number): Promise<number> {
    const tables = await this.all();
    const old = tables.filter(({ name }) => (dayOf(name) ?? firstKept) < firstKept);
    for (const { name, attached } of old) {
      if (attached) await this.detach(name);
      await this.database.query(`DROP TABLE IF EXISTS ${name}`);
    }
    return new Set(old.map(({ name }) => dayOf(name))).size;
  }

  /** Returns the oldest day (since 1970, UTC) that has a partition, or `null` if there are none. */
  async oldestDay(): Promise<number | null> {
    const days = (await this.all()).flatMap(({ name }) => dayOf(name) ?? []);
    return days.length === 0 ? null : Math.min(...days);
  }

  /** Returns the names of all partitions, including any that an interrupted drop left detached. */
  async tables(): Promise<string[]> {
    return (await this.all()).map((table) => table.name);
  }

  private async all(): Promise<{ name: string; attached: boolean }[]> {
    const tables = await this.database.query<{ name: string; attached: boolean }>(
      `SELECT c.relname AS name, i.inhrelid IS NOT NULL AS attached
         FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
        WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND (c.relname LIKE 'check\\_result\\_%' OR c.relname LIKE 'ping\\_%')`,
    );
    return tables.filter(({ name }) => dayOf(name) !== null);
  }

  private async detach(name: string): Promise<void> {
    const table = name.startsWith('ping') ? 'ping' : 'check_result';
    await this.database.transaction((tx) => tx.query(`ALTER TABLE ${table} DETACH PARTITION ${name}`), {
      lockMs: 500,
    });
  }

  private async createMissing(tx: Sql, days: readonly number[]): Promise<void> {
    if ((await this.missing(tx, days)).length === 0) return;
    await tx.query('SELECT pg_advisory_xact_lock($1)', [CREATE_LOCK]);
    for (const { table, day } of await this.missing(tx, days)) await this.create(tx, table, day);
  }

  private async missing(tx: Sql, days: readonly number[]): Promise<{ table: Partitioned; day: number }[]> {
    const wanted = TABLES.flatMap((table) => days.map((day) => ({ table, day })));
    const rows = await tx.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent IN ('check_result'::regclass, 'ping'::regclass) AND c.relname = ANY($1)`,
      [wanted.map(({ table, day }) => nameOf(table, day))],
    );
    const present = new Set(rows.map((row) => row.name));
    return wanted.filter(({ table, day }) => !present.has(nameOf(table, day)));
  }

  /**
   * Creates the table separately and then attaches it. Attaching doesn't block writers, but creating it in place would.
   * Rows never change and the partition is dropped as a whole, so vacuuming it would be a waste.
   */
  private async create(tx: Sql, table: Partitioned, day: number): Promise<void> {
    const name = nameOf(table, day);
    await tx.query(
      `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS) WITH (autovacuum_vacuum_insert_threshold = -1)`,
    );
    await tx.query(
      `ALTER TABLE ${table} ATTACH PARTITION ${name}
         FOR VALUES FROM ('${dayText(day)}T00:00:00Z') TO ('${dayText(day + 1)}T00:00:00Z')`,
    );
  }
}
