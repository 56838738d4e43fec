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
 * Tries candidates in their order until one result is good; then the others are aborted. Answers what came in, in the
 * order of arrival: a good result is the last one, and there is none when all failed or the signal aborted first.
 */
export function attemptInTurn<Candidate, Result>(
  candidates: readonly Candidate[],
  { nextAfterMs, attempt, isGood }: Attempts<Candidate, Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    const losers = new AbortController();
    const results: Result[] = [];
    const waiting = [...candidates];
    let running = 0;
    let turn: NodeJS.Timeout | undefined;
    const onAbort = () => losers.abort(signal.reason);
    const conclude = (settle: () => void) => {
      clearTimeout(turn);
      signal.removeEventListener('abort', onAbort);
      settle();
      if (running > 0) losers.abort(LOST);
    };
    const take = (result: Result) => {
      running -= 1;
      results.push(result);
      const isOver = signal.aborted || (waiting.length === 0 && running === 0);
      if (isOver || isGood(result)) conclude(() => resolve([...results]));
      else tryNext();
    };
    const tryNext = () => {
      clearTimeout(turn);
      const [candidate] = waiting.splice(0, 1);
      if (candidate === undefined) return;
      running += 1;
      if (waiting.length > 0) turn = setTimeout(tryNext, nextAfterMs);
      attempt(candidate, losers.signal).then(take, (error: Error) => conclude(() => reject(error)));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    if (waiting.length === 0) conclude(() => resolve([]));
    tryNext();
  });
}
