/**
 * `aborted`: by the caller's signal. `monitor_offline`: the monitor's resolver does not answer. `no_turn`: too many
 * lookups of this organization are waiting. With the last two, nothing is known about the name.
 */
export type ResolveCode = 'dns_not_found' | 'dns_timeout' | 'dns_failure' | 'monitor_offline' | 'no_turn' | 'aborted';

/** The reason a name has no address. The message is public. */
export class ResolveError extends Error {
  constructor(
    readonly code: ResolveCode,
    message: string,
    /** True if no queried DNS server has answered anything. Then a missing answer shows nothing about the name. */
    readonly resolverSilent = false,
  ) {
    super(message);
  }
}
