import { Injectable } from '@nestjs/common';
import { ChannelRegistry } from '../../channel/channel.registry';
import { ownerOf, type SealedConfig, SealedConfigs } from '../../delivery/config/sealed-config';
import type { Sql } from '../../platform/database/database';

interface AlertRow {
  id: string;
  type: string;
  config: SealedConfig;
}

/** The destinations of alerts whose config could not be read before, as with a lost key that was found again. */
@Injectable()
export class MissingDestinations {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly configs: SealedConfigs,
  ) {}

  /** Writes those that can be read by now; a config that is saved meanwhile keeps its own. One probe of an index without any. */
  async write(sql: Sql): Promise<void> {
    const alerts = await sql.query<AlertRow>(
      'SELECT id, type, config FROM alert WHERE destination IS NULL AND contact_id IS NULL ORDER BY id LIMIT 1000',
    );
    for (const alert of alerts) {
      const destination = this.destinationOf(alert);
      if (destination !== null)
        await sql.query(
          `UPDATE alert SET destination = $2 WHERE id = $1 AND type = $3 AND config ->> 'sealed' = $4 AND destination IS NULL`,
          [alert.id, destination, alert.type, alert.config.sealed],
        );
    }
  }

  private destinationOf({ id, type, config }: AlertRow): string | null {
    try {
      return this.channels.destination(type, this.configs.open(ownerOf(id, null), config));
    } catch {
      return null;
    }
  }
}
