import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ChannelRegistry } from '../channel/channel.registry';
import { type SealedConfig, SealedConfigs } from './sealed-config';

/** Where an alert's messages go, as the one digest by which messages share limits. */
@Injectable()
export class AlertDestinations {
  private readonly logger = new Logger(AlertDestinations.name);

  constructor(
    private readonly channels: ChannelRegistry,
    private readonly configs: SealedConfigs,
  ) {}

  /** An unreadable config must not lose an event: it gets a destination of its own and fails visibly at delivery. */
  of(alert: { id: string; type: string; config: SealedConfig }): string {
    try {
      return this.channels.get(alert.type).destination(this.configs.open(alert.id, alert.config));
    } catch (error) {
      this.logger.error(`the config of alert ${alert.id} cannot be used: ${String(error)}`);
      return createHash('sha256').update(`unreadable:${alert.id}`).digest('hex');
    }
  }
}
