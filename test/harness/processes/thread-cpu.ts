import { readFileSync } from 'node:fs';

/** CPU that the main thread of a process has used, in milliseconds, by the kernel's own account: what others run does not count. */
export function mainThreadCpuMs(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ');
  return Number(nanoseconds) / 1e6;
}

/**
 * The most CPU that the main thread of a service used in one piece while `ask` ran, milliseconds, or a bit more. Between two
 * pieces a ping is answered, so what is used from one response to the next is a piece with the response. When all of it is no
 * more than `enough`, it is not taken apart.
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
