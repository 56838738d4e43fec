import { Injectable, Logger } from '@nestjs/common';
import { EndpointSchedule } from '../endpoint/endpoint-schedule';
import { Config } from '../platform/config/config';
import { WorkerDatabase } from '../platform/database/database';
import { DatabaseServer } from '../platform/database/database-server';

/** An instance that has not been heard of for this long is dead. Together with a heartbeat every 5 s: replaced within 30 s. */
const DEAD_AFTER_SECONDS = 20;

/** Who is at work on this database. What a dead instance had claimed is handed on. */
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
  ) {}

  /** This process's number in claims, or `null` before it has registered. */
  get id(): number | null {
    return this.ownId;
  }

  /** True when other instances share the work. */
  get isShared(): boolean {
    return this.others > 0;
  }

  async register(): Promise<number> {
    // The directory lock of the embedded database has left us alone with it: whoever is still listed is dead.
    if (this.server.isEmbedded) await this.bury(0);
    const [row] = await this.database.query<{ id: number }>('INSERT INTO instance (role) VALUES ($1) RETURNING id', [
      this.config.role,
    ]);
    if (!row) throw new Error('the instance was not registered');
    this.ownId = row.id;
    return row.id;
  }

  /** Call every few seconds. An instance that was taken for dead meanwhile (a long pause) registers anew. */
  async beat(): Promise<void> {
    const rows = await this.database.query<{ id: number }>(
      'UPDATE instance SET heartbeat_at = now() WHERE id = $1 RETURNING id',
      [this.ownId],
    );
    if (rows.length === 0) await this.register();
    await this.bury(DEAD_AFTER_SECONDS);
    const [count] = await this.database.query<{ others: number }>(
      `SELECT count(*)::int AS others FROM instance WHERE id <> $1 AND role <> 'api'`,
      [this.ownId],
    );
    this.others = count?.others ?? 0;
  }

  /** Leaves in order: others need not wait for our claims to expire. */
  async leave(): Promise<void> {
    if (this.ownId === null) return;
    await this.database.query('DELETE FROM instance WHERE id = $1', [this.ownId]);
    await this.schedule.takeOver(this.database, this.ownId);
    this.ownId = null;
  }

  private async bury(seconds: number): Promise<void> {
    const dead = await this.database.query<{ id: number }>(
      `DELETE FROM instance WHERE heartbeat_at <= now() - make_interval(secs => $1::int) AND id IS DISTINCT FROM $2 RETURNING id`,
      [seconds, this.ownId],
    );
    for (const { id } of dead) {
      const taken = await this.schedule.takeOver(this.database, id);
      this.logger.warn(`Instance ${id} is gone; ${taken} checks it had claimed are due again.`);
    }
  }
}
