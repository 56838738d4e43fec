import { networkInterfaces } from 'node:os';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

/** `it` if this machine has the IPv6 loopback address, which many containers lack. Otherwise `it.skip`. */
export const itOverIpv6: jest.It = hasIpv6 ? it : it.skip;

/** A suffix for the titles of these tests. */
export const whyNotOverIpv6 = hasIpv6 ? '' : ' (skipped: there is no ::1 here)';
