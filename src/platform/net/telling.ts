/**
 * How much the end of an attempt shows about the target, from most to least:
 *
 * - `target`: the target answered, even if only to refuse.
 * - `way`: a router or a firewall on the way answered in its place.
 * - `silence`: something was sent, and nothing came back in time.
 * - `ours`: nothing could be sent, so nothing is known about the target.
 */
export const TELLING = ['target', 'way', 'silence', 'ours'] as const;
export type Telling = (typeof TELLING)[number];

/**
 * Returns the attempt that decides if several addresses, address families, or resolvers were tried and none succeeded:
 * the first of those that show the most. So a result is `unknown` only if nothing could be sent at all. An address
 * family or resolver that this machine can't use hides nothing. Returns `undefined` without attempts.
 */
export function decisive<Attempt>(
  attempts: readonly Attempt[],
  tellingOf: (attempt: Attempt) => Telling,
): Attempt | undefined {
  for (const telling of TELLING) {
    const found = attempts.find((attempt) => tellingOf(attempt) === telling);
    if (found !== undefined) return found;
  }
  return undefined;
}
