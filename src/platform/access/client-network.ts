import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Networks } from '../capacity/by-network';

const MAPPED = '::ffff:';
/** Groups of an IPv6 address that are those of a client, of a site and of a provider. */
const CLIENT_GROUPS = 4;
const WIDER_GROUPS = [3, 2];

/** Who sent a request, as far as it can be told. */
export interface Client {
  /** The IP address, without a zone, IPv4 never as IPv6; `undefined` for a connection that is gone. */
  readonly address: string | undefined;
  /** `false` when a trusted proxy names its client in a form that is no address: the address is then that of the proxy. */
  readonly isKnown: boolean;
}

type Asked = Pick<Request, 'app' | 'headers' | 'socket'>;

/**
 * Returns the client of a request: the address of its connection. If that is one of `TRUSTED_PROXIES`, it is the last address in
 * `X-Forwarded-For` that is not one of them. From any other address the header means nothing.
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

/** The IP address that a request comes from; see `clientOf`. */
export const clientAddress = (request: Asked): string | undefined => clientOf(request).address;

const IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;
const IPV4_WITH_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;
/** Eight groups are a whole IPv6 address: what follows them is a port. */
const IPV6_WITH_PORT = /^((?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d{1,5}$/i;

/**
 * Returns the address in one entry of `X-Forwarded-For`, which proxies write in all forms of RFC 7239 section 6: with a port, with
 * quotes, IPv6 in brackets. `null` for what is no address, such as `unknown`.
 */
export function readHop(entry: string): string | null {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const [, host = text] = IN_BRACKETS.exec(text) ?? IPV4_WITH_PORT.exec(text) ?? IPV6_WITH_PORT.exec(text) ?? [];
  return cleanAddress(host);
}

/** Without a zone, and IPv4 that is mapped into IPv6 as itself; `null` for what is no address. */
function cleanAddress(text: string): string | null {
  const [address = ''] = text.split('%', 1);
  if (isIP(address) === 0) return null;
  return isIP(address) === 6 ? ipaddr.process(address).toString() : address;
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
  return networksOf(address)[0] ?? '';
}

/**
 * The network of a client, and the wider ones that contain it, the narrowest first: of IPv6 the /64, the /48 that a site has
 * and the /32 that a provider has. A limit that counts the /64 alone gives 65,536 of them to whoever has a /48. An IPv4 address
 * has no wider ones.
 */
export function networksOf(address: string | undefined): Networks {
  if (address === undefined || !address.includes(':')) return [address ?? ''];
  if (address.startsWith(MAPPED) && address.includes('.')) return [address.slice(MAPPED.length)];
  if (!ipaddr.IPv6.isValid(address)) return [address];
  const groups = ipaddr.IPv6.parse(address).parts.map((group) => group.toString(16));
  const prefix = (count: number): string => `${groups.slice(0, count).join(':')}::/${count * 16}`;
  return [prefix(CLIENT_GROUPS), ...WIDER_GROUPS.map(prefix)];
}

/** What limits by address count for a request: `networksOf` its client, none when a proxy does not tell its clients apart. */
export function clientNetworks(request: Asked): Networks {
  const { address, isKnown } = clientOf(request);
  return isKnown ? networksOf(address) : [];
}
