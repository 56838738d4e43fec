import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Returns the CPU milliseconds that this process's main thread has used so far. The kernel counts them, so other load
 * doesn't matter.
 */
const cpuOfMainThread = (): number =>
  Number(readFileSync(`/proc/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/**
 * Returns the longest time that this process's main thread worked without a break, in CPU milliseconds, and the result.
 */
export async function longestPieceOf<Result>(
  work: () => Promise<Result>,
): Promise<{ longestMs: number; result: Result }> {
  let longestMs = 0;
  const state = { isDone: false };
  const result = work().finally(() => (state.isDone = true));
  let before = cpuOfMainThread();
  while (!state.isDone) {
    await nextTurn();
    const now = cpuOfMainThread();
    longestMs = Math.max(longestMs, now - before);
    before = now;
  }
  return { longestMs, result: await result };
}
