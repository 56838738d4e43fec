import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** CPU of the main thread of this process so far, milliseconds: what the kernel has counted, however busy the machine is. */
const cpuOfMainThread = (): number =>
  Number(readFileSync(`/proc/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** The longest that the main thread of this process worked without letting others in, milliseconds of CPU, and the result. */
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
