import { askInTurn } from './dns-lookup';
import type { DnsServer, OpenTcp } from './dns-query';

/** After this much silence one question every resolver can answer tells a dead resolver from a dead name. */
const ASK_AFTER_MS = 400;

/** Finds out, while a lookup is silent, whether the resolvers it was sent to are alive. `stop` must be called. */
export class ResolverProbe {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private alive = false;

  constructor(
    private readonly servers: readonly DnsServer[],
    private readonly openTcp: OpenTcp,
  ) {
    this.timer = setTimeout(() => void this.probe(), ASK_AFTER_MS);
  }

  /** Whether any of them has answered anything by now. */
  get isAlive(): boolean {
    return this.alive;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.controller.abort();
  }

  private async probe(): Promise<void> {
    const root = { name: '.', type: 'NS' } as const;
    const { finding } = await askInTurn(this.servers, root, this.openTcp, this.controller.signal);
    if (finding.kind !== 'silent' && finding.kind !== 'fault') this.alive = true;
  }
}
