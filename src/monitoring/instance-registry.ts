import { Injectable, Logger } from '@nestjs/common';
import { EndpointSchedule } from '../endpoint/endpoint-schedule';
import { Config } from '../platform/config/config';
import { WorkerDatabase } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { DatabaseServer } from '../platform/database/database-server';
import type { Load } from '../engine/dispatch/overload-state';

/**
 * An instance counts as dead after this long without a heartbeat. With a heartbeat every 5 s, its slots are taken over
 * within 30 s.
 */
const DEAD_AFTER_SECONDS = 20;

/** The registry of instances that run checks on this database. Slots claimed by a dead instance become due again. */
@Injectable()
export class InstanceRegistry {
  private readonly logger = new Logger(InstanceRegistry.name);
  private ownId: number | null = null;
  private others = 0;

  constructor(
    private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly server: DatabaseServer,
    private readonly schedule: EndpointSchedule,
    private readonly clock: DatabaseClock,
  ) {}

  /** The number that identifies this process in claims, or `null` while it isn't registered. */
  get id(): number | null {
    return this.ownId;
  }

  /** Whether other instances share the work. */
  get isShared(): boolean {
    return this.others > 0;
  }

  async register(): Promise<number> {
    // The embedded database's directory lock admits one process at a time, so every instance that is still listed is
    // dead.
    if (this.server.isEmbedded) await this.removeDead(0);
    // An instance that doesn't declare support for locations is given no slots for endpoints that have locations.
    const [row] = await this.database.query<{ id: number }>(
      'INSERT INTO instance (role, locations) VALUES ($1, true) RETURNING id',
      [this.config.role],
    );
    if (!row) throw new Error('the instance was not registered');
    this.ownId = row.id;
    return row.id;
  }

  /**
   * Stores a heartbeat and this process's load. Call this every 5 s while registered. An instance that was removed as
   * dead after a long pause registers again.
   */
  async beat(load: Load): Promise<void> {
    const { checksPerSecond, ratio, skippedPerSecond, overloadedAt } = load;
    const overloadedSince = overloadedAt === null ? null : this.clock.dateAt(overloadedAt);
    const rows = await this.database.query<{ id: number }>(
      `UPDATE instance SET heartbeat_at = now(), checks_per_second = $2, overload_ratio = $3, skipped_per_second = $4,
              overloaded_since = $5
        WHERE id = $1 RETURNING id`,
      [this.ownId, checksPerSecond, ratio, skippedPerSecond, overloadedSince],
    );
    if (rows.length === 0) await this.register();
    // No other process can use the embedded database.
    if (this.server.isEmbedded) return;
    await this.removeDead(DEAD_AFTER_SECONDS);
    const [count] = await this.database.query<{ others: number }>(
      `SELECT count(*)::int AS others FROM instance WHERE id <> $1 AND role <> 'api'`,
      [this.ownId],
    );
    this.others = count?.others ?? 0;
  }

  /**
   * Removes this instance during a regular shutdown, so that other instances don't have to wait for its claims to
   * expire.
   */
  async leave(): Promise<void> {
    if (this.ownId === null) return;
    await this.database.query('DELETE FROM instance WHERE id = $1', [this.ownId]);
    await this.schedule.takeOver(this.database, this.ownId);
    this.ownId = null;
  }

  private async removeDead(afterSeconds: number): Promise<void> {
    // Uses one transaction. A heartbeat that arrives in the meantime waits, and then registers again.
    const gone = await this.database.transaction(async (tx) => {
      const dead = await tx.query<{ id: number }>(
        `DELETE FROM instance WHERE heartbeat_at <= now() - make_interval(secs => $1::int) AND id IS DISTINCT FROM $2 RETURNING id`,
        [afterSeconds, this.ownId],
      );
      const takenOver: { id: number; due: number }[] = [];
      for (const { id } of dead) takenOver.push({ id, due: await this.schedule.takeOver(tx, id) });
      return takenOver;
    });
    for (const { id, due } of gone)
      this.logger.warn(`Instance ${id} no longer responds; ${due} checks that it had claimed are due again.`);
  }
}
