/**
 * `aborted`: by the caller's signal. `monitor_offline`: the monitor's resolver does not answer. `no_turn`: too many of
 * this organization's lookups are waiting. With the last two codes, nothing is known about the name.
 */
export type ResolveCode = 'dns_not_found' | 'dns_timeout' | 'dns_failure' | 'monitor_offline' | 'no_turn' | 'aborted';

/** The reason why a name has no address. The message is public. */
export class ResolveError extends Error {
  constructor(
    readonly code: ResolveCode,
    message: string,
    /**
     * True if the queried DNS servers have not answered any query. In that case, a missing answer shows nothing about
     * the name.
     */
    readonly resolverSilent = false,
  ) {
    super(message);
  }
}
