import { decodeIcmp, decodeQuotedEcho, encodeEchoRequest, errorReason, stripIpv4Header } from './icmp-packet';

const token = Buffer.from('0123456789abcdef', 'hex');
const echo = { identifier: 0x1234, sequence: 0xfffe, token };

const asReply = (family: 4 | 6) => {
  const packet = encodeEchoRequest(family, echo);
  packet[0] = family === 4 ? 0 : 129;
  return packet;
};

const onesComplementSum = (packet: Buffer) => {
  let sum = 0;
  for (let at = 0; at < packet.length; at += 2) {
    sum += packet.readUInt16BE(at);
    if (sum > 0xffff) sum -= 0xffff;
  }
  return sum;
};

const ipv4Header = (protocol: number, destination: number[], words = 5) => {
  const header = Buffer.alloc(words * 4);
  header[0] = 0x40 | words;
  header[9] = protocol;
  Buffer.from(destination).copy(header, 16);
  return header;
};

const ipv6Header = (nextHeader: number, destination: Buffer) => {
  const header = Buffer.alloc(40);
  header[0] = 0x60;
  header[6] = nextHeader;
  destination.copy(header, 24);
  return header;
};

const error = (type: number, code: number, ...quoted: Buffer[]) =>
  Buffer.concat([Buffer.from([type, code, 0, 0, 0, 0, 0, 0]), ...quoted]);

describe('an ICMP echo request', () => {
  it('encodes an IPv4 echo request with a checksum that makes the message sum up to all ones', () => {
    expect(onesComplementSum(encodeEchoRequest(4, echo))).toBe(0xffff);
  });

  it('leaves the checksum of an IPv6 echo request to the kernel', () => {
    expect(encodeEchoRequest(6, echo).readUInt16BE(2)).toBe(0);
  });

  it.each([4, 6] as const)('encodes an echo request of 64 bytes as ping does (IPv%d)', (family) => {
    expect(encodeEchoRequest(family, echo)).toHaveLength(64);
  });
});

describe('decodeIcmp', () => {
  it.each([4, 6] as const)('decodes an echo reply (IPv%d)', (family) => {
    expect(decodeIcmp(family, asReply(family))).toEqual({ kind: 'reply', identifier: 0x1234, sequence: 0xfffe, token });
  });

  it('decodes an IPv4 error that quotes the whole request', () => {
    const packet = error(3, 1, ipv4Header(1, [192, 0, 2, 7]), encodeEchoRequest(4, echo));
    expect(decodeIcmp(4, packet)).toEqual({
      kind: 'unreachable',
      identifier: 0x1234,
      sequence: 0xfffe,
      token,
      destination: Buffer.from([192, 0, 2, 7]),
      reason: 'host unreachable',
    });
  });

  it('decodes an IPv4 error that quotes eight bytes after a header with options', () => {
    const packet = error(3, 13, ipv4Header(1, [192, 0, 2, 7], 6), encodeEchoRequest(4, echo).subarray(0, 8));
    expect(decodeIcmp(4, packet)).toMatchObject({
      sequence: 0xfffe,
      token: null,
      reason: 'administratively prohibited',
    });
  });

  it('decodes an IPv6 error', () => {
    const destination = Buffer.from('20010db8000000000000000000000007', 'hex');
    const packet = error(1, 3, ipv6Header(58, destination), encodeEchoRequest(6, echo));
    expect(decodeIcmp(6, packet)).toMatchObject({
      kind: 'unreachable',
      token,
      destination,
      reason: 'address unreachable',
    });
  });

  it('decodes an error about an expired time to live', () => {
    const packet = error(11, 0, ipv4Header(1, [192, 0, 2, 7]), encodeEchoRequest(4, echo));
    expect(decodeIcmp(4, packet)).toMatchObject({ reason: 'the time to live expired in transit' });
  });

  it.each([
    ['an empty packet', Buffer.alloc(0)],
    ['a header cut short', asReply(4).subarray(0, 7)],
    ['a reply without room for a token', asReply(4).subarray(0, 15)],
    ['an echo request', encodeEchoRequest(4, echo)],
    ['an error about UDP', error(3, 3, ipv4Header(17, [192, 0, 2, 7]), encodeEchoRequest(4, echo))],
    ['an error about an echo reply', error(3, 1, ipv4Header(1, [192, 0, 2, 7]), asReply(4))],
    ['an error that quotes no IP header', error(3, 1)],
    ['an error with an impossible header length', error(3, 1, Buffer.alloc(60))],
    ['a redirect', error(5, 1, ipv4Header(1, [192, 0, 2, 7]), encodeEchoRequest(4, echo))],
  ])('ignores %s', (_, packet) => {
    expect(decodeIcmp(4, packet)).toBeNull();
  });

  it('decodes any bytes without throwing', () => {
    const whole = error(3, 1, ipv4Header(1, [192, 0, 2, 7]), encodeEchoRequest(4, echo));
    for (let length = 0; length <= whole.length; length++) {
      expect(() => decodeIcmp(4, whole.subarray(0, length))).not.toThrow();
      expect(() => decodeIcmp(6, whole.subarray(0, length))).not.toThrow();
    }
  });
});

it('strips the header of a raw IPv4 packet, including options', () => {
  expect(stripIpv4Header(Buffer.concat([ipv4Header(1, [1, 2, 3, 4], 8), asReply(4)]))).toEqual(asReply(4));
  expect(stripIpv4Header(ipv4Header(1, [1, 2, 3, 4]).subarray(0, 12))).toBeNull();
});

it('decodes a quoted packet only if it is an echo request', () => {
  expect(decodeQuotedEcho(4, encodeEchoRequest(4, echo))).toMatchObject({ identifier: 0x1234 });
  expect(decodeQuotedEcho(4, asReply(4))).toBeNull();
  expect(decodeQuotedEcho(6, encodeEchoRequest(4, echo))).toBeNull();
});

it.each([
  [4, 3, 0, 'network unreachable'],
  [4, 3, 10, 'administratively prohibited'],
  [4, 3, 8, 'host isolated'],
  [4, 3, 99, 'destination unreachable, code 99'],
  [4, 11, 0, 'the time to live expired in transit'],
  [4, 12, 0, 'a router or the host rejects the packet'],
  [6, 1, 0, 'no route'],
  [6, 1, 1, 'administratively prohibited'],
  [6, 1, 4, 'port unreachable'],
  [6, 2, 0, 'the packet is too large for a link on the path'],
  [6, 3, 0, 'the time to live expired in transit'],
  [6, 4, 1, 'a router or the host rejects the packet'],
] as const)('the ICMPv%d error of type %d and code %d reads "%s"', (family, type, code, words) => {
  expect(errorReason(family, type, code)).toBe(words);
});
