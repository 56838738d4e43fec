import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

const MAPPED = '::ffff:';

/**
 * Where a request comes from: the address of its connection, and where that is one of `TRUSTED_PROXIES` what the proxy says of
 * its client, as Express reads it: `X-Forwarded-For` from right to left past all that are trusted. Of all others the header
 * means nothing.
 */
export const clientAddress = (request: Request): string | undefined => request.ip ?? request.socket.remoteAddress;

/**
 * What stands for one client where limits count by address: the IPv4 address, or the /64 of an IPv6 one, because whoever
 * has an IPv6 address has 2^64 of them. Empty for a connection that is gone.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !address.includes(':')) return address ?? '';
  if (address.startsWith(MAPPED) && address.includes('.')) return address.slice(MAPPED.length);
  if (!ipaddr.IPv6.isValid(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
