/**
 * Starts candidates in order. The first one starts when `next` is called. Each later one starts when `next` is called
 * again, or `delayMs` after the previous start. Started work continues until the caller ends it.
 */
export class Stagger<Candidate> {
  private begun = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly candidates: readonly Candidate[],
    private readonly delayMs: number,
    private readonly begin: (candidate: Candidate) => void,
  ) {}

  /** True once all candidates have been started. */
  get isExhausted(): boolean {
    return this.begun >= this.candidates.length;
  }

  next(): void {
    if (this.timer) clearTimeout(this.timer);
    const candidate = this.candidates[this.begun];
    if (candidate === undefined) return;
    this.begun += 1;
    if (!this.isExhausted) this.timer = setTimeout(() => this.next(), this.delayMs);
    this.begin(candidate);
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.begun = this.candidates.length;
  }
}

export interface Attempts<Candidate, Result> {
  /**
   * The next candidate is tried after a failure, or after this many milliseconds without a result. The pending attempt
   * continues.
   */
  nextAfterMs: number;
  /** Must settle soon after its signal is aborted. A rejection ends all attempts. */
  attempt: (candidate: Candidate, signal: AbortSignal) => Promise<Result>;
  isGood: (result: Result) => boolean;
}

/**
 * A shared abort reason. Creating an error per attempt would capture a stack trace, which costs more than the rest of
 * an attempt.
 */
const LOST = new Error('another attempt was good');

/**
 * Tries candidates in order until one succeeds, then aborts the others. Resolves with the results so far in order of
 * arrival. A successful result comes last. There is no successful result if all attempts failed or the signal was
 * aborted first. After an abort, no more candidates are started, and the results of all started ones are awaited.
 */
export function attemptInTurn<Candidate, Result>(
  candidates: readonly Candidate[],
  { nextAfterMs, attempt, isGood }: Attempts<Candidate, Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    const losers = new AbortController();
    const results: Result[] = [];
    let running = 0;
    let isSettled = false;
    const onAbort = () => losers.abort(signal.reason);
    const conclude = (settle: () => void) => {
      isSettled = true;
      stagger.stop();
      signal.removeEventListener('abort', onAbort);
      settle();
      if (running > 0) losers.abort(LOST);
    };
    const take = (result: Result) => {
      running -= 1;
      if (isSettled) return;
      results.push(result);
      if (signal.aborted) stagger.stop();
      const isOver = stagger.isExhausted && running === 0;
      if (isOver || isGood(result)) conclude(() => resolve(results));
      else stagger.next();
    };
    const stagger = new Stagger(candidates, nextAfterMs, (candidate) => {
      running += 1;
      attempt(candidate, losers.signal).then(take, (error: Error) => conclude(() => reject(error)));
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    if (stagger.isExhausted) conclude(() => resolve([]));
    stagger.next();
  });
}
