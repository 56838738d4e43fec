/** The IP version of an ICMP socket and its peers. */
export type IpFamily = 4 | 6;

/** The number of random payload bytes that match a reply to its request. */
export const TOKEN_BYTES = 8;

export interface EchoRequest {
  /** A 16-bit number. On datagram sockets, the kernel replaces it. */
  identifier: number;
  /** A 16-bit number. */
  sequence: number;
  token: Buffer;
}

/** A received packet that relates to an echo request. */
export type IcmpMessage =
  | { kind: 'reply'; identifier: number; sequence: number; token: Buffer }
  | {
      kind: 'unreachable';
      identifier: number;
      sequence: number;
      /** `null` if the error quotes only the header, which senders are allowed to do. */
      token: Buffer | null;
      /** The target host of the request. */
      destination: Buffer;
      reason: string;
    };

const HEADER_BYTES = 8;
/** The payload size that `ping` uses. Some firewalls drop unusual sizes. */
const PAYLOAD_BYTES = 56;
const PROTOCOL_ICMP = 1;
const PROTOCOL_ICMPV6 = 58;
const IPV6_HEADER_BYTES = 40;

const TYPES = {
  4: { request: 8, reply: 0, unreachable: 3, tooBig: -1, timeExceeded: 11, badHeader: 12 },
  6: { request: 128, reply: 129, unreachable: 1, tooBig: 2, timeExceeded: 3, badHeader: 4 },
} as const;

/** The types of ICMP errors that a router or the host sends in response to a request. */
export const ERRORS: Readonly<Record<IpFamily, readonly number[]>> = { 4: [3, 11, 12], 6: [1, 2, 3, 4] };

/**
 * Returns the whole ICMP message. The checksum is correct for IPv4. For IPv6 the kernel fills it in, because it covers
 * the addresses.
 */
export function encodeEchoRequest(family: IpFamily, echo: EchoRequest): Buffer {
  const packet = Buffer.alloc(HEADER_BYTES + PAYLOAD_BYTES);
  packet[0] = TYPES[family].request;
  packet.writeUInt16BE(echo.identifier, 4);
  packet.writeUInt16BE(echo.sequence, 6);
  echo.token.copy(packet, HEADER_BYTES, 0, TOKEN_BYTES);
  if (family === 4) packet.writeUInt16BE(checksum(packet), 2);
  return packet;
}

/**
 * Decodes a received ICMP message (without the IP header). Returns `null` if it doesn't relate to an echo request or is
 * truncated.
 */
export function decodeIcmp(family: IpFamily, packet: Buffer): IcmpMessage | null {
  const types = TYPES[family];
  const [type, code] = [packet[0], packet[1]];
  if (packet.length < HEADER_BYTES || code === undefined) return null;
  if (type === types.reply) {
    const token = tokenOf(packet);
    return token && { kind: 'reply', ...idsOf(packet), token };
  }
  if (type === undefined || !ERRORS[family].includes(type)) return null;
  const quoted = quotedEcho(family, packet.subarray(HEADER_BYTES));
  return quoted && { kind: 'unreachable', ...quoted, reason: errorReason(family, type, code) };
}

/** Returns the ICMP message after the header of a raw IPv4 packet, or `null` if it is truncated. */
export function stripIpv4Header(packet: Buffer): Buffer | null {
  const headerBytes = ((packet[0] ?? 0) & 0x0f) * 4;
  return headerBytes >= 20 && packet.length >= headerBytes ? packet.subarray(headerBytes) : null;
}

/** Returns the IDs and token of an echo request that an error quotes, or `null` if it quotes something else. */
export function decodeQuotedEcho(
  family: IpFamily,
  icmp: Buffer,
): { identifier: number; sequence: number; token: Buffer | null } | null {
  if (icmp.length < HEADER_BYTES || icmp[0] !== TYPES[family].request) return null;
  return { ...idsOf(icmp), token: tokenOf(icmp) };
}

/** Describes an ICMP error of this type in plain words. */
export function errorReason(family: IpFamily, type: number, code: number): string {
  const types = TYPES[family];
  if (type === types.timeExceeded) return 'the time to live expired in transit';
  if (type === types.tooBig) return 'the packet is too large for a link on the path';
  if (type === types.badHeader) return 'a router or the host rejects the packet';
  return type === types.unreachable ? unreachableReason(family, code) : `ICMP error of type ${type}`;
}

const UNREACHABLE: Readonly<Record<IpFamily, Readonly<Record<number, string>>>> = {
  4: {
    0: 'network unreachable',
    1: 'host unreachable',
    2: 'protocol unreachable',
    3: 'port unreachable',
    4: 'the packet is too large for a link on the path',
    5: 'source route failed',
    6: 'network unknown',
    7: 'host unknown',
    8: 'host isolated',
    11: 'network unreachable for this type of service',
    12: 'host unreachable for this type of service',
  },
  6: { 0: 'no route', 2: 'beyond the scope of the source address', 3: 'address unreachable', 4: 'port unreachable' },
};
const PROHIBITED: Readonly<Record<IpFamily, readonly number[]>> = { 4: [9, 10, 13, 14, 15], 6: [1, 5, 6] };

function unreachableReason(family: IpFamily, code: number): string {
  if (PROHIBITED[family].includes(code)) return 'administratively prohibited';
  return UNREACHABLE[family][code] ?? `destination unreachable, code ${code}`;
}

function quotedEcho(family: IpFamily, quoted: Buffer) {
  const ip = family === 4 ? readIpv4(quoted) : readIpv6(quoted);
  const echo = ip && decodeQuotedEcho(family, ip.payload);
  return echo && { ...echo, destination: ip.destination };
}

function readIpv4(packet: Buffer): { destination: Buffer; payload: Buffer } | null {
  const payload = stripIpv4Header(packet);
  if (!payload || packet[9] !== PROTOCOL_ICMP) return null;
  return { destination: packet.subarray(16, 20), payload };
}

function readIpv6(packet: Buffer): { destination: Buffer; payload: Buffer } | null {
  if (packet.length < IPV6_HEADER_BYTES || packet[6] !== PROTOCOL_ICMPV6) return null;
  return { destination: packet.subarray(24, 40), payload: packet.subarray(IPV6_HEADER_BYTES) };
}

const idsOf = (icmp: Buffer) => ({ identifier: icmp.readUInt16BE(4), sequence: icmp.readUInt16BE(6) });

function tokenOf(icmp: Buffer): Buffer | null {
  const end = HEADER_BYTES + TOKEN_BYTES;
  return icmp.length >= end ? icmp.subarray(HEADER_BYTES, end) : null;
}

/** Implements RFC 1071: the ones' complement of the ones' complement sum of all 16-bit words. */
function checksum(packet: Buffer): number {
  let sum = 0;
  for (let at = 0; at < packet.length; at += 2) sum += packet.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
