/** Waits until `ask` answers something other than `undefined`, `null` or `false`; fails with `what` after `limitMs`. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  limitMs = 15_000,
): Promise<T> {
  const until = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
    if (performance.now() > until) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
