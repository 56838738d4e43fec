/** Time without an answer before a test query distinguishes dead DNS servers from a name that doesn't resolve. */
const ASK_AFTER_MS = 400;

/** A query that every working DNS server can answer: the name servers of the root. */
export const ALIVE_QUESTION = { name: '.', type: 'NS' } as const;

/** Finds out whether DNS servers are alive while they don't answer lookups. */
export class SilenceWatch {
  private lastAnswerAt = -Infinity;
  private isAsking = false;

  /** `ask` sends `ALIVE_QUESTION` to the servers and resolves with whether any of them answered. It must not reject. */
  constructor(private readonly ask: () => Promise<boolean>) {}

  /**
   * Watches a lookup. If no server has answered anything after 400 ms, `ask` is called once for all waiting lookups.
   * The lookup must clear the timer when it ends.
   */
  watch(): NodeJS.Timeout {
    const startedAt = performance.now();
    return setTimeout(() => void this.askIfSilent(startedAt), ASK_AFTER_MS);
  }

  /** Records that a server has answered anything. */
  noteAnswer(): void {
    this.lastAnswerAt = performance.now();
  }

  /** Returns whether no server has answered anything since `startedAt` (`performance.now()`). */
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
