import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config';
import { EgressPolicy } from '../net/egress/egress-policy';
import { OutboundHttp } from '../net/http/outbound-http';

const LIMIT_MS = 10_000;

/**
 * Shows an external watchdog that this service works. `HEARTBEAT_URL` is requested once a minute while the consistency
 * check passes. If the requests stop, the watchdog raises an alarm, for which no part of this service needs to work.
 */
@Injectable()
export class WatchdogPing {
  private readonly logger = new Logger(WatchdogPing.name);
  private readonly reasons = new Map<string, () => boolean>();
  private failing = false;

  constructor(
    private readonly config: Config,
    private readonly http: OutboundHttp,
    private readonly egress: EgressPolicy,
  ) {}

  /**
   * Skips pings while `holds` returns true, for example while the monitor is offline. `holds` is called once a minute.
   */
  holdWhile(reason: string, holds: () => boolean): void {
    this.reasons.set(reason, holds);
  }

  /** Sends one ping, unless there is a reason to skip it. Never throws, because the missing ping is the signal. */
  async send(): Promise<void> {
    const url = this.config.heartbeatUrl;
    if (url === null) return;
    const held = [...this.reasons].find(([, holds]) => holds());
    if (held) return this.report(`heartbeat not sent: ${held[0]}`);
    try {
      // The operator sets this URL, so it may point to the operator's network.
      const egress = this.egress.forOrganization({ id: null, isDefault: true });
      const { status } = await this.http.request({
        method: 'GET',
        url,
        headers: {},
        body: null,
        egress,
        timeoutMs: LIMIT_MS,
      });
      this.report(status < 300 ? null : `the heartbeat got the response ${status}`);
    } catch (error) {
      this.report(`the heartbeat did not arrive: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }

  private report(problem: string | null): void {
    if (problem !== null && !this.failing) this.logger.warn(problem);
    this.failing = problem !== null;
  }
}
