import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

const MAPPED = '::ffff:';

/**
 * The IP address that a request comes from: that of its connection, and where that is one of `TRUSTED_PROXIES` what the proxy
 * says of its client, as Express reads it: `X-Forwarded-For` from right to left past all that are trusted. Of all others the
 * header means nothing, and so does what is no address, which some proxies send. Without a zone; IPv4 never as IPv6.
 */
export function clientAddress({ ip = '', socket }: Pick<Request, 'ip' | 'socket'>): string | undefined {
  const address = isIP(ip) === 0 ? socket.remoteAddress : ip;
  return address?.replace(/^::ffff:(?=\d+\.)|%.*$/g, '');
}

/** Whether a connection from this address is one of `TRUSTED_PROXIES`: as Express judges whose `X-Forwarded-For` it reads. */
export function isTrustedProxy({ app }: Pick<Request, 'app'>, address: string | undefined): boolean {
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return address !== undefined && trusts(address, 0);
}

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
