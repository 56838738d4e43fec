import { Injectable, Logger } from '@nestjs/common';
import { ChannelRegistry } from '../../channel/channel.registry';
import { ownerOf, type SealedConfig, SealedConfigs } from '../../delivery/config/sealed-config';
import type { Sql } from '../../platform/database/database';
import { NIL_UUID } from '../../platform/ids/id';
import { plural } from '../../platform/text/plural';

/** The maximum number of alerts in one statement. */
const STEP = 200;

interface AlertRow {
  id: string;
  type: string;
  config: SealedConfig;
}

/**
 * The destinations of alerts whose config couldn't be read earlier, for example because a key was lost and later
 * restored.
 */
@Injectable()
export class MissingDestinations {
  private readonly logger = new Logger(MissingDestinations.name);
  private unreadable = 0;

  constructor(
    private readonly channels: ChannelRegistry,
    private readonly configs: SealedConfigs,
  ) {}

  /**
   * Writes the destinations that can be read now. A config that is saved in the meantime keeps its own destination.
   * Cost: one index lookup if none is missing.
   */
  async write(sql: Sql): Promise<void> {
    let unreadable = 0;
    for (let after: string | null = NIL_UUID; after !== null;) {
      const alerts: AlertRow[] = await sql.query<AlertRow>(
        `SELECT id, type, config FROM alert
          WHERE destination IS NULL AND contact_id IS NULL AND id > $1 ORDER BY id LIMIT ${STEP}`,
        [after],
      );
      for (const alert of alerts) if (!(await this.writeOne(sql, alert))) unreadable += 1;
      after = alerts.length < STEP ? null : (alerts.at(-1)?.id ?? null);
    }
    this.report(unreadable);
  }

  /** Logs only if the number changed, because this runs every minute. */
  private report(unreadable: number): void {
    if (unreadable === this.unreadable) return;
    this.unreadable = unreadable;
    if (unreadable === 0) return this.logger.log('the configs of all alerts can be read again');
    this.logger.warn(`the config of ${plural(unreadable, 'alert')} cannot be read: its key or its channel is missing`);
  }

  /** Returns false if the config can't be read. */
  private async writeOne(sql: Sql, alert: AlertRow): Promise<boolean> {
    const destination = this.destinationOf(alert);
    if (destination === null) return false;
    await sql.query(
      `UPDATE alert SET destination = $2 WHERE id = $1 AND type = $3 AND config ->> 'sealed' = $4 AND destination IS NULL`,
      [alert.id, destination, alert.type, alert.config.sealed],
    );
    return true;
  }

  private destinationOf({ id, type, config }: AlertRow): string | null {
    try {
      return this.channels.destination(type, this.configs.open(ownerOf(id, null), config));
    } catch {
      return null;
    }
  }
}
