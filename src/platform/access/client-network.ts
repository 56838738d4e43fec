import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Networks } from '../capacity/by-network';

const MAPPED = '::ffff:';
/** How many groups of an IPv6 address identify a client, a site, and a provider. */
const CLIENT_GROUPS = 4;
const WIDER_GROUPS = [3, 2];

/** The sender of a request, as far as known. */
export interface Client {
  /** The IP address without a zone, with IPv4 never written as IPv6, or `undefined` for a closed connection. */
  readonly address: string | undefined;
  /** `false` if a trusted proxy gives the client in a form that isn't an address. `address` is then the proxy's. */
  readonly isKnown: boolean;
}

type Asked = Pick<Request, 'app' | 'headers' | 'socket'>;

/**
 * Returns the client of a request: the address of its connection. If that is in `TRUSTED_PROXIES`, it is the last
 * address in `X-Forwarded-For` that isn't. From any other address, the header is ignored.
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
/** Eight groups are a whole IPv6 address, so anything after them is a port. */
const IPV6_WITH_PORT = /^((?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d{1,5}$/i;

/**
 * Returns the address in an entry of `X-Forwarded-For`. Proxies write all forms of RFC 7239 section 6: with a port, in
 * quotes, IPv6 in brackets. Returns `null` if it isn't an address, such as `unknown`.
 */
export function readHop(entry: string): string | null {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const [, host = text] = IN_BRACKETS.exec(text) ?? IPV4_WITH_PORT.exec(text) ?? IPV6_WITH_PORT.exec(text) ?? [];
  return cleanAddress(host);
}

/** Removes a zone and converts IPv4 mapped into IPv6. Returns `null` if the text isn't an address. */
function cleanAddress(text: string): string | null {
  const [address = ''] = text.split('%', 1);
  if (isIP(address) === 0) return null;
  return isIP(address) === 6 ? ipaddr.process(address).toString() : address;
}

/** Returns whether this address is in `TRUSTED_PROXIES`. Uses the same check as Express for `X-Forwarded-For`. */
export function isTrustedProxy({ app }: Pick<Request, 'app'>, address: string | undefined): boolean {
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return address !== undefined && trusts(address, 0);
}

/**
 * Returns the unit that limits by address count: the IPv4 address, or the /64 of an IPv6 address, because every IPv6
 * client has 2^64 addresses. Empty for a closed connection.
 */
export function networkOf(address: string | undefined): string {
  return networksOf(address)[0] ?? '';
}

/**
 * Returns the network of a client and the wider networks that contain it, the narrowest first. For IPv6 these are the
 * /64, the /48 of a site, and the /32 of a provider. A limit on the /64 alone would give the owner of a /48 65,536
 * shares. An IPv4 address has no wider networks.
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
 * Returns the networks that limits by address count for a request: `networksOf` its client, or none if a proxy does not
 * distinguish its clients.
 */
export function clientNetworks(request: Asked): Networks {
  const { address, isKnown } = clientOf(request);
  return isKnown ? networksOf(address) : [];
}
