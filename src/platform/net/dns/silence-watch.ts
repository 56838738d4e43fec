/**
 * How long to wait for an answer before a test query determines whether the DNS servers are down or the name just
 * doesn't resolve.
 */
const ASK_AFTER_MS = 400;

/** A query that every working DNS server can answer: the root's name servers. */
export const ALIVE_QUESTION = { name: '.', type: 'NS' } as const;

/** Determines whether DNS servers are working while they don't answer lookups. */
export class SilenceWatch {
  private lastAnswerAt = -Infinity;
  private isAsking = false;

  /** `ask` sends `ALIVE_QUESTION` to the servers and resolves with whether any of them answered. It must not reject. */
  constructor(private readonly ask: () => Promise<boolean>) {}

  /**
   * Watches a lookup. If no server has answered any query after 400 ms, calls `ask` once for all waiting lookups. The
   * lookup must clear the timer when it ends.
   */
  watch(): NodeJS.Timeout {
    const startedAt = performance.now();
    return setTimeout(() => void this.askIfSilent(startedAt), ASK_AFTER_MS);
  }

  /** Records that a server has answered a query. */
  noteAnswer(): void {
    this.lastAnswerAt = performance.now();
  }

  /** Returns true if no server has answered any query since `startedAt` (`performance.now()`). */
  isSilentSince(startedAt: number): boolean {
    return this.lastAnswerAt < startedAt;
  }

  private async askIfSilent(startedAt: number): Promise<void> {
    if (this.isAsking || !this.isSilentSince(startedAt)) return;
    this.isAsking = true;
    if (await this.ask()) this.noteAnswer();
    this.isAsking = false;
  }
}
