import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { isIP } from 'node:net';

/**
 * `public`: always allowed. `private`: depends on the organization's rule. `reserved`: allowed only if the operator
 * lists the address. `forbidden`: never allowed, in any configuration.
 */
export type AddressTier = 'public' | 'private' | 'reserved' | 'forbidden';

/** The classification of an IP address. `kind` completes the sentence "… addresses are refused". */
export interface AddressClass {
  tier: AddressTier;
  kind: string;
}

type Cidr<T> = [T, number];
type Row = [cidr: string, tier: AddressTier, kind: string];

/** The first match applies, so single addresses come before the ranges that contain them. */
const IPV4_ROWS: Row[] = [
  ['100.100.100.200/32', 'forbidden', 'cloud metadata'],
  ['168.63.129.16/32', 'forbidden', 'cloud metadata'],
  ['192.0.0.192/32', 'forbidden', 'cloud metadata'],
  ['169.254.0.0/16', 'forbidden', 'link-local'],
  ['0.0.0.0/8', 'forbidden', 'unspecified'],
  ['224.0.0.0/4', 'forbidden', 'multicast'],
  ['255.255.255.255/32', 'forbidden', 'broadcast'],
  ['127.0.0.0/8', 'private', 'loopback'],
  ['10.0.0.0/8', 'private', 'private'],
  ['172.16.0.0/12', 'private', 'private'],
  ['192.168.0.0/16', 'private', 'private'],
  ['100.64.0.0/10', 'private', 'carrier-grade NAT'],
  ['192.0.0.0/24', 'reserved', 'reserved'],
  ['192.0.2.0/24', 'reserved', 'documentation'],
  ['198.51.100.0/24', 'reserved', 'documentation'],
  ['203.0.113.0/24', 'reserved', 'documentation'],
  ['192.88.99.0/24', 'reserved', 'reserved'],
  ['198.18.0.0/15', 'reserved', 'benchmarking'],
  ['240.0.0.0/4', 'reserved', 'reserved'],
];

const IPV6_ROWS: Row[] = [
  ['::/128', 'forbidden', 'unspecified'],
  ['fd00:ec2::/32', 'forbidden', 'cloud metadata'],
  ['fd20:ce::254/128', 'forbidden', 'cloud metadata'],
  ['fe80::/10', 'forbidden', 'link-local'],
  ['ff00::/8', 'forbidden', 'multicast'],
  ['::1/128', 'private', 'loopback'],
  ['fc00::/7', 'private', 'private'],
  ['fec0::/10', 'private', 'private'],
  ['64:ff9b:1::/48', 'private', 'private'],
  ['64:ff9b::/96', 'public', 'public'],
  ['2001:db8::/32', 'reserved', 'documentation'],
  ['3fff::/20', 'reserved', 'documentation'],
  ['2001:2::/48', 'reserved', 'benchmarking'],
  ['2001:10::/28', 'reserved', 'reserved'],
  ['2001:20::/28', 'reserved', 'reserved'],
  ['2000::/3', 'public', 'public'],
  ['::/0', 'reserved', 'reserved'],
];

const PUBLIC: AddressClass = { tier: 'public', kind: 'public' };

const table = <T extends IPv4 | IPv6>(rows: Row[]): { cidr: Cidr<T>; is: AddressClass }[] =>
  rows.map(([cidr, tier, kind]) => ({ cidr: ipaddr.parseCIDR(cidr) as Cidr<T>, is: { tier, kind } }));

const IPV4_TABLE = table<IPv4>(IPV4_ROWS);
const IPV6_TABLE = table<IPv6>(IPV6_ROWS);

/**
 * IPv6 ranges that embed IPv4 addresses, with the byte positions of the embedded address. Teredo inverts the bits of
 * its client address. The local NAT64 prefix doesn't define the position (RFC 6052). For this reason, every position is
 * read, and a value that starts with zero is treated as padding.
 */
const EMBEDDINGS: { cidr: Cidr<IPv6>; at: number[][]; invert?: boolean; replaces?: boolean }[] = [
  { cidr: v6('::ffff:0:0/96'), at: [[12, 13, 14, 15]], replaces: true },
  { cidr: v6('::ffff:0:0:0/96'), at: [[12, 13, 14, 15]], replaces: true },
  { cidr: v6('64:ff9b::/96'), at: [[12, 13, 14, 15]] },
  {
    cidr: v6('64:ff9b:1::/48'),
    at: [
      [12, 13, 14, 15],
      [6, 7, 9, 10],
      [7, 9, 10, 11],
      [9, 10, 11, 12],
    ],
  },
  { cidr: v6('2002::/16'), at: [[2, 3, 4, 5]] },
  { cidr: v6('2001::/32'), at: [[4, 5, 6, 7]] },
  { cidr: v6('2001::/32'), at: [[12, 13, 14, 15]], invert: true },
  { cidr: v6('::/96'), at: [[12, 13, 14, 15]], replaces: true },
];

/**
 * Returns the addresses to check for a given address: the address itself and every IPv4 address that is embedded in it.
 * Drops a zone ID. Returns an empty list if the string isn't an IP address.
 */
export function readings(address: string): (IPv4 | IPv6)[] {
  const bare = address.replace(/%.*/s, '');
  const family = isIP(bare);
  if (family === 4) return [ipaddr.IPv4.parse(bare)];
  return family === 6 ? ipv6Readings(ipaddr.IPv6.parse(bare)) : [];
}

/**
 * Classifies one address, based on IANA's special-purpose registries and the addresses at which cloud providers serve
 * credentials.
 */
export function classify(reading: IPv4 | IPv6): AddressClass {
  const row =
    reading instanceof ipaddr.IPv4
      ? IPV4_TABLE.find(({ cidr }) => reading.match(cidr))
      : IPV6_TABLE.find(({ cidr }) => reading.match(cidr));
  return row?.is ?? PUBLIC;
}

/** Returns false for a string that isn't an IP address. */
export function isPublicAddress(address: string): boolean {
  const forms = readings(address);
  return forms.length > 0 && forms.every((form) => classify(form).tier === 'public');
}

function ipv6Readings(address: IPv6): (IPv4 | IPv6)[] {
  const bytes = address.toByteArray();
  if (isLoopbackOrUnspecified(bytes)) return [address];
  const carried = EMBEDDINGS.filter(({ cidr }) => address.match(cidr));
  const inner = carried.flatMap(({ at, invert }) =>
    at
      .map((positions) => ipv4At(bytes, positions, invert ?? false))
      .filter((reading) => at.length === 1 || reading.octets[0] !== 0),
  );
  if (isIsatap(bytes)) inner.push(ipv4At(bytes, [12, 13, 14, 15], false));
  return carried.some(({ replaces }) => replaces) ? inner : [address, ...inner];
}

function ipv4At(bytes: number[], positions: number[], invert: boolean): IPv4 {
  const octets = positions.map((position) => bytes[position] ?? 0);
  return new ipaddr.IPv4(invert ? octets.map((octet) => octet ^ 0xff) : octets);
}

/** ISATAP places an IPv4 address after `0:5efe` or `200:5efe` in the lower half of an address with any prefix. */
const isIsatap = (bytes: number[]): boolean =>
  (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;

const isLoopbackOrUnspecified = (bytes: number[]): boolean =>
  bytes.slice(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) <= 1;

function v6(cidr: string): Cidr<IPv6> {
  return ipaddr.parseCIDR(cidr) as Cidr<IPv6>;
}
