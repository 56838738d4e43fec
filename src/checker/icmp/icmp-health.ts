import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { IcmpTransports } from './icmp-transports';
import { Health } from '../../platform/observability/health';

/** Says once at start, and in /health/ready, how ICMP checks are made here, and what to do when they cannot be. */
@Injectable()
export class IcmpHealth implements OnApplicationBootstrap {
  private readonly logger = new Logger(IcmpHealth.name);

  constructor(
    private readonly capability: IcmpTransports,
    private readonly health: Health,
  ) {}

  onApplicationBootstrap(): void {
    const { method, available, advice } = this.capability.describe();
    if (!available) this.logger.warn(`ICMP checks will be unknown: ${advice ?? 'nothing is permitted'}`);
    this.health.register('icmp', () => ({ ok: true, detail: available ? method : `unavailable: ${advice ?? method}` }));
  }
}
