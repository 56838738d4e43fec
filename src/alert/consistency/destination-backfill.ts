import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ChannelRegistry } from '../../channel/channel.registry';
import { Outbox } from '../../delivery/outbox';
import { ownerOf, type SealedConfig, SealedConfigs } from '../../delivery/config/sealed-config';
import { Config } from '../../platform/config/config';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { NIL_UUID } from '../../platform/ids/id';

/** Alerts per step. Their rows are locked for the length of three statements. */
const STEP = 200;

interface AlertRow {
  id: string;
  orgId: string;
  type: string;
  config: SealedConfig;
}

interface FilledRow extends AlertRow {
  destination: string;
}

/**
 * Writes the destination of alerts that were saved by an older version, and of those whose config could not be read
 * before. Runs at the start and as part of the consistency check; may run in several instances at once and be
 * interrupted anywhere. Configs are decrypted outside any transaction; one that cannot be read is logged and left.
 */
@Injectable()
export class DestinationBackfill implements OnApplicationBootstrap {
  private readonly logger = new Logger(DestinationBackfill.name);
  private reported = '';

  constructor(
    private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly channels: ChannelRegistry,
    private readonly configs: SealedConfigs,
    private readonly outbox: Outbox,
  ) {}

  /** Never stops the start: what is left over is done a minute later. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role === 'api') return;
    try {
      await this.run();
    } catch (error) {
      this.logger.error(`the destinations of alerts could not be filled in, will try again: ${String(error)}`);
    }
  }

  /** One probe of an index when there is nothing to do. Throws when the database fails. */
  async run(): Promise<void> {
    const unreadable: string[] = [];
    for (let after: string | null = NIL_UUID; after !== null;) {
      const alerts: AlertRow[] = await this.database.query<AlertRow>(
        `SELECT id, org_id AS "orgId", type, config FROM alert
         WHERE destination IS NULL AND contact_id IS NULL AND id > $1 ORDER BY id LIMIT ${STEP}`,
        [after],
      );
      const filled = alerts.flatMap((alert) => {
        const destination = this.destinationOf(alert);
        if (destination === null) unreadable.push(alert.id);
        return destination === null ? [] : [{ ...alert, destination }];
      });
      if (filled.length > 0) await this.database.transaction((tx) => this.save(tx, filled));
      after = alerts.length < STEP ? null : (alerts.at(-1)?.id ?? null);
    }
    this.report(unreadable);
  }

  private destinationOf({ id, type, config }: AlertRow): string | null {
    try {
      return this.channels.destination(type, this.configs.open(ownerOf(id, null), config));
    } catch {
      return null;
    }
  }

  /** Leaves alone what another session has locked or changed meanwhile. */
  private async save(tx: Tx, alerts: readonly FilledRow[]): Promise<void> {
    const locked = await tx.query<{ id: string; type: string; sealed: string }>(
      `SELECT id, type, config ->> 'sealed' AS sealed FROM alert
       WHERE id = ANY ($1::uuid[]) AND destination IS NULL ORDER BY id FOR UPDATE SKIP LOCKED`,
      [alerts.map(({ id }) => id)],
    );
    const present = new Map(locked.map((alert) => [alert.id, alert]));
    const unchanged = alerts.filter(({ id, type, config }) => {
      const now = present.get(id);
      return now?.type === type && now.sealed === config.sealed;
    });
    if (unchanged.length === 0) return;
    await tx.query(
      `UPDATE alert a SET destination = f.destination
       FROM unnest($1::uuid[], $2::text[]) AS f (id, destination) WHERE a.id = f.id`,
      [unchanged.map(({ id }) => id), unchanged.map(({ destination }) => destination)],
    );
    await this.outbox.destinationsKnown(tx, unchanged);
  }

  private report(unreadable: readonly string[]): void {
    const text = unreadable.length === 0 ? '' : `${unreadable.length} (${unreadable.slice(0, 5).join(' ')})`;
    if (text !== '' && text !== this.reported)
      this.logger.error(`alerts whose config cannot be read, their deliveries will fail: ${text}`);
    this.reported = text;
  }
}
