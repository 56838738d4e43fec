import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Networks } from '../capacity/by-network';

const MAPPED = '::ffff:';
/** The number of 16-bit groups in an IPv6 address that identify a client, a site, and a provider. */
const CLIENT_GROUPS = 4;
const WIDER_GROUPS = [3, 2];

/** The sender of a request, if it is known. */
export interface Client {
  /** The IP address without a zone, or `undefined` for a closed connection. IPv4 is never written as IPv6. */
  readonly address: string | undefined;
  /**
   * `false` if a trusted proxy reports the client in a form that isn't an IP address. In that case, `address` is the
   * proxy's.
   */
  readonly isKnown: boolean;
}

type Asked = Pick<Request, 'app' | 'headers' | 'socket'>;

/**
 * Returns the client that sent a request. This is normally the connection's address. If that address is in
 * `TRUSTED_PROXIES`, the client is the last address in `X-Forwarded-For` that isn't a trusted proxy. The header is
 * ignored from any other address.
 */
export function clientOf(request: Asked): Client {
  let address = cleanAddress(request.socket.remoteAddress ?? '');
  if (address === null) return { address: request.socket.remoteAddress, isKnown: true };
  const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
  for (let hop = hops.pop(); hop !== undefined && isTrustedProxy(request, address); hop = hops.pop()) {
    if (hop.trim() === '') continue;
    const next = readHop(hop);
    if (next === null) return { address, isKnown: false };
    address = next;
  }
  return { address, isKnown: true };
}

/** Returns the IP address that a request comes from. See `clientOf`. */
export const clientAddress = (request: Asked): string | undefined => clientOf(request).address;

const IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;
const IPV4_WITH_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;
/** Eight groups are a complete IPv6 address, so anything after them is a port. */
const IPV6_WITH_PORT = /^((?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d{1,5}$/i;

/**
 * Returns the IP address in an entry of `X-Forwarded-For`. Proxies use all formats in RFC 7239 section 6: with a port,
 * in quotes, or IPv6 in brackets. Returns `null` if the entry isn't an address, such as `unknown`.
 */
export function readHop(entry: string): string | null {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const [, host = text] = IN_BRACKETS.exec(text) ?? IPV4_WITH_PORT.exec(text) ?? IPV6_WITH_PORT.exec(text) ?? [];
  return cleanAddress(host);
}

/** Removes a zone and converts IPv4-mapped IPv6 addresses to IPv4. Returns `null` if the string isn't an address. */
function cleanAddress(text: string): string | null {
  const [address = ''] = text.split('%', 1);
  if (isIP(address) === 0) return null;
  return isIP(address) === 6 ? ipaddr.process(address).toString() : address;
}

/** Returns whether this address is in `TRUSTED_PROXIES`, using the same check as Express for `X-Forwarded-For`. */
export function isTrustedProxy({ app }: Pick<Request, 'app'>, address: string | undefined): boolean {
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return address !== undefined && trusts(address, 0);
}

/**
 * Returns the network that per-address limits count as one client: the IPv4 address, or the /64 of an IPv6 address,
 * because every IPv6 client has 2^64 addresses. Empty for a closed connection.
 */
export function networkOf(address: string | undefined): string {
  return networksOf(address)[0] ?? '';
}

/**
 * Returns a client's network and the wider networks that contain it, narrowest first. For IPv6, these are the /64, a
 * site's /48, and a provider's /32. If only the /64 were limited, the owner of a /48 would have 65,536 times the limit.
 * An IPv4 address has no wider networks.
 */
export function networksOf(address: string | undefined): Networks {
  if (address === undefined || !address.includes(':')) return [address ?? ''];
  if (address.startsWith(MAPPED) && address.includes('.')) return [address.slice(MAPPED.length)];
  if (!ipaddr.IPv6.isValid(address)) return [address];
  const groups = ipaddr.IPv6.parse(address).parts.map((group) => group.toString(16));
  const prefix = (count: number): string => `${groups.slice(0, count).join(':')}::/${count * 16}`;
  return [prefix(CLIENT_GROUPS), ...WIDER_GROUPS.map(prefix)];
}

/**
 * Returns the networks that per-address limits count for a request. These are the client's networks (`networksOf`), or
 * none if a proxy doesn't distinguish its clients.
 */
export function clientNetworks(request: Asked): Networks {
  const { address, isKnown } = clientOf(request);
  return isKnown ? networksOf(address) : [];
}
