import { PROBE_QUESTION, SilenceProbe } from '../../platform/net/dns/silence-probe';
import { askInTurn } from './dns-lookup';
import type { DnsServer, OpenTcp } from './dns-query';

/** Finds out, while a check is not answered, whether the resolvers it asks are alive. `stop` must be called. */
export class ResolverProbe {
  private readonly startedAt = performance.now();
  private readonly controller = new AbortController();
  private readonly silence: SilenceProbe;
  private readonly timer: NodeJS.Timeout;

  constructor(servers: readonly DnsServer[], openTcp: OpenTcp) {
    const { signal } = this.controller;
    this.silence = new SilenceProbe(async () => {
      const { finding } = await askInTurn(servers, PROBE_QUESTION, openTcp, signal);
      return finding.kind !== 'silent' && finding.kind !== 'fault';
    });
    this.timer = this.silence.watch();
  }

  /** Whether any of them has answered the probe by now. */
  get isAlive(): boolean {
    return !this.silence.isSilentSince(this.startedAt);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.controller.abort();
  }
}
