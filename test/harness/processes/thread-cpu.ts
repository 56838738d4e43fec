import { readFileSync } from 'node:fs';

/**
 * Returns the CPU milliseconds that a process's main thread has used. The kernel counts them, so other load doesn't
 * matter.
 */
export function mainThreadCpuMs(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ');
  return Number(nanoseconds) / 1e6;
}

/**
 * Returns the longest piece of work that a service's main thread did while `ask` ran, in CPU milliseconds. The service
 * answers pings between pieces, so the CPU from one response to the next is one piece plus the response. If the total
 * is at most `enough`, it isn't split.
 */
export async function longestPiece(
  pid: number,
  ask: () => Promise<unknown>,
  ping: () => Promise<unknown>,
  enough: number,
): Promise<number> {
  const before = mainThreadCpuMs(pid);
  await ask();
  const whole = mainThreadCpuMs(pid) - before;
  if (whole <= enough) return whole;
  const running = { asked: true };
  const asked = ask().finally(() => (running.asked = false));
  let longest = 0;
  for (let at = mainThreadCpuMs(pid); running.asked;) {
    await ping();
    const now = mainThreadCpuMs(pid);
    longest = Math.max(longest, now - at);
    at = now;
  }
  await asked;
  return longest;
}
