/**
 * `aborted`: by the caller's signal. `monitor_offline`: our own resolver does not answer, `no_turn`: too many lookups of
 * this organization wait; then nothing is known of the name.
 */
export type ResolveCode = 'dns_not_found' | 'dns_timeout' | 'dns_failure' | 'monitor_offline' | 'no_turn' | 'aborted';

/** Why a name gave no address. The message is public. */
export class ResolveError extends Error {
  constructor(
    readonly code: ResolveCode,
    message: string,
    /** True when no DNS server that was asked has answered anything: then silence says nothing about the name. */
    readonly resolverSilent = false,
  ) {
    super(message);
  }
}
