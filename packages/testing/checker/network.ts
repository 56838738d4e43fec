import type { EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { Dialer } from '../../../src/platform/net/dial/dialer';
import { HostResolver, type ResolverOptions } from '../../../src/platform/net/dns/host-resolver';
import { TrustedRoots } from '../../../src/platform/net/dial/trusted-roots';

/** A real dialer with its own resolver and its own trusted roots. */
export function dialerWith(options: ResolverOptions & { roots?: string[] } = {}): Dialer {
  const { roots, ...resolver } = options;
  return new Dialer(new HostResolver(resolver), new TrustedRoots(roots));
}

/** Everything may be dialed. */
export const openEgress: EgressRule = {
  refusal: () => null,
  organization: null,
  allowsPrivate: true,
  allowsInternalNames: true,
};

/** Nothing may be dialed. */
export const closedEgress: EgressRule = {
  refusal: () => 'no address is allowed in this test',
  organization: null,
  allowsPrivate: false,
  allowsInternalNames: false,
};

/** Only the listed addresses are refused. */
export const egressWithout = (...addresses: string[]): EgressRule => ({
  refusal: (address) => (addresses.includes(address) ? 'the address is not allowed in this test' : null),
  organization: null,
  allowsPrivate: false,
  allowsInternalNames: true,
});
