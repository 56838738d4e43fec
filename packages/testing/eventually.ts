/**
 * Polls `read` until it returns something other than `undefined`, `null` or `false`. Fails with `what` after `limitMs`.
 */
export async function eventually<T>(
  what: string,
  read: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  limitMs = 15_000,
): Promise<T> {
  const until = performance.now() + limitMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== null && value !== false) return value;
    if (performance.now() > until) throw new Error(`waited ${limitMs} ms without success for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
