/**
 * Begins candidates in their order: the first when `next` is called, each further one when `next` is called again or
 * `delayMs` after the one before was begun. What was begun goes on; ending it is the caller's business.
 */
export class Stagger<Candidate> {
  private begun = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly candidates: readonly Candidate[],
    private readonly delayMs: number,
    private readonly begin: (candidate: Candidate) => void,
  ) {}

  /** True when there is no further candidate to begin. */
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

  /** Begins nothing more. */
  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.begun = this.candidates.length;
  }
}

/** How the attempts on a list of candidates are made. */
export interface Attempts<Candidate, Result> {
  /** The next candidate is tried when one has failed, or after this much silence; the silent one goes on. */
  nextAfterMs: number;
  /** Settles soon after its signal aborts. A rejection ends everything. */
  attempt: (candidate: Candidate, signal: AbortSignal) => Promise<Result>;
  isGood: (result: Result) => boolean;
}

/** One object for all: a reason of its own would carry a stack, at more cost than the rest of an attempt. */
const LOST = new Error('another attempt was good');

/**
 * Tries candidates in their order until one result is good; then the others are aborted. Resolves with the results so
 * far, in the order of arrival: a good result is the last one, and there is none when all failed or the signal aborted
 * first. After an abort no candidate is begun, and the results of all that were begun are waited for.
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
