/**
 * How much the outcome of an attempt shows about the target, from most to least:
 *
 * - `target`: the target answered, even if only to reject the request.
 * - `way`: a router or firewall on the way answered instead.
 * - `silence`: something was sent, but no answer arrived in time.
 * - `ours`: nothing could be sent, so nothing is known about the target.
 */
export const TELLING = ['target', 'way', 'silence', 'ours'] as const;
export type Telling = (typeof TELLING)[number];

/**
 * Returns the attempt that decides the result if several addresses, address families, or resolvers were tried and none
 * succeeded. This is the first attempt among those that show the most. A result is therefore `unknown` only if nothing
 * could be sent. An address family or resolver that this host can't use hides nothing. Returns `undefined` if there
 * were no attempts.
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
