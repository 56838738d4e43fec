import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config';
import { EgressPolicy } from '../net/egress/egress-policy';
import { OutboundHttp } from '../net/http/outbound-http';

const LIMIT_MS = 10_000;

/**
 * Tells somebody outside that this service watches: `HEARTBEAT_URL` is requested once a minute while the audit passes.
 * Its absence is the alarm that needs nothing of ours to work.
 */
@Injectable()
export class Heartbeat {
  private readonly logger = new Logger(Heartbeat.name);
  private readonly reasons = new Map<string, () => boolean>();
  private failing = false;

  constructor(
    private readonly config: Config,
    private readonly http: OutboundHttp,
    private readonly egress: EgressPolicy,
  ) {}

  /** No heartbeat while this holds, for example while the monitor has no network. Asked once a minute. */
  holdWhile(reason: string, holds: () => boolean): void {
    this.reasons.set(reason, holds);
  }

  /** One heartbeat, unless something holds it. Never throws: its absence says enough. */
  async beat(): Promise<void> {
    const url = this.config.heartbeatUrl;
    if (url === null) return;
    const held = [...this.reasons].find(([, holds]) => holds());
    if (held) return this.report(`no heartbeat: ${held[0]}`);
    try {
      // The operator's own setting, so it may point into the operator's network.
      const egress = this.egress.forOrganization({ isDefault: true });
      const { status } = await this.http.request({
        method: 'GET',
        url,
        headers: {},
        body: null,
        egress,
        timeoutMs: LIMIT_MS,
      });
      this.report(status < 300 ? null : `the heartbeat was answered ${status}`);
    } catch (error) {
      this.report(`the heartbeat did not arrive: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }

  private report(problem: string | null): void {
    if (problem !== null && !this.failing) this.logger.warn(problem);
    this.failing = problem !== null;
  }
}
