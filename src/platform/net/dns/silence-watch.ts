/** After this much silence one question tells dead DNS servers from a dead name. */
const ASK_AFTER_MS = 400;

/** The question every working DNS server can answer: the name servers of the root. */
export const ALIVE_QUESTION = { name: '.', type: 'NS' } as const;

/** Finds out, while lookups are not answered, whether the DNS servers they were sent to are alive. */
export class SilenceWatch {
  private lastAnswerAt = -Infinity;
  private isAsking = false;

  /** `ask` sends `ALIVE_QUESTION` to those servers and says whether any of them has answered; it must not reject. */
  constructor(private readonly ask: () => Promise<boolean>) {}

  /**
   * Watches one lookup from now on: if no server has answered anything after 400 ms, `ask` is called, once for all lookups
   * that wait. The lookup clears the timer when it has ended.
   */
  watch(): NodeJS.Timeout {
    const startedAt = performance.now();
    return setTimeout(() => void this.askIfSilent(startedAt), ASK_AFTER_MS);
  }

  /** A server has answered, whatever it said. */
  noteAnswer(): void {
    this.lastAnswerAt = performance.now();
  }

  /** Whether no server has answered anything since then, on the clock of `performance.now()`. */
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
