/**
 * How much the end of one attempt tells about the target, from most to least:
 *
 * - `target`: the target answered, if only to refuse.
 * - `way`: a router or a firewall on the way answered in its place.
 * - `silence`: something was sent, and nothing came back in time.
 * - `ours`: nothing could be sent, so nothing is known of the target.
 */
export const TELLING = ['target', 'way', 'silence', 'ours'] as const;
export type Telling = (typeof TELLING)[number];

/**
 * Returns the attempt that decides when several addresses, address families, or resolvers were tried and none of them was
 * good: the first one of those that tell most. So a result is `unknown` only when nothing could be sent at all, and one
 * address family or one resolver that this machine cannot use hides nothing. `undefined` without attempts.
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
