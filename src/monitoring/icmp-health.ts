import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { IcmpTransports } from '../checker/icmp/icmp-transports';
import { Health } from '../platform/observability/health';

/**
 * Logs at startup, and reports in `/health/ready`, how this process sends ICMP checks, or what is needed to allow them.
 */
@Injectable()
export class IcmpHealth implements OnApplicationBootstrap {
  private readonly logger = new Logger(IcmpHealth.name);

  constructor(
    private readonly transports: IcmpTransports,
    private readonly health: Health,
  ) {}

  onApplicationBootstrap(): void {
    const { method, available, advice } = this.transports.describe();
    if (!available) this.logger.warn(`ICMP checks will be unknown: ${advice ?? 'no method is permitted'}`);
    this.health.register('icmp', () => ({ ok: true, detail: available ? method : `unavailable: ${advice ?? method}` }));
  }
}
