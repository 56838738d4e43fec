import type { EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { Dialer } from '../../../src/platform/net/dial/dialer';
import { HostResolver, type ResolverOptions } from '../../../src/platform/net/dns/host-resolver';
import { TrustedRoots } from '../../../src/platform/net/dial/trusted-roots';

/** Returns a real dialer with its own resolver and trusted roots. */
export function dialerWith(options: ResolverOptions & { roots?: string[] } = {}): Dialer {
  const { roots, ...resolver } = options;
  return new Dialer(new HostResolver(resolver), new TrustedRoots(roots));
}

/** Allows every address. */
export const openEgress: EgressRule = {
  refusal: () => null,
  organization: null,
  allowsPrivate: true,
  allowsInternalNames: true,
};

/** Refuses every address. */
export const closedEgress: EgressRule = {
  refusal: () => 'no address is allowed in this test',
  organization: null,
  allowsPrivate: false,
  allowsInternalNames: false,
};

/** Refuses only the listed addresses. */
export const egressWithout = (...addresses: string[]): EgressRule => ({
  refusal: (address) => (addresses.includes(address) ? 'the address is not allowed in this test' : null),
  organization: null,
  allowsPrivate: false,
  allowsInternalNames: true,
});
