import type { Packet } from 'dns-packet';
import type { DnsScript, DnsServerReply } from '../../packages/testing/servers/dns-server';

type DnsRecord = NonNullable<Packet['answers']>[number];

/** The name that the DNS checks query. */
export const NAME = 'www.example.com';

const a = (name: string, data = '192.0.2.1'): DnsRecord => ({ type: 'A', name, ttl: 60, data });
const alias = (name: string, data: string): DnsRecord => ({ type: 'CNAME', name, ttl: 60, data });

/** Returns a message with the correct ID, followed by these bytes. */
const raw = (id: number, rest: Buffer): DnsServerReply => ({ raw: Buffer.concat([Buffer.from([id >> 8, id]), rest]) });

/** A response that is too long for UDP. `tcp` determines what happens on the TCP connection. */
const long =
  (tcp: DnsScript): DnsScript =>
  (question) =>
    question.via === 'udp' ? { truncated: true } : tcp(question);

const thousand: DnsServerReply = { answers: Array.from({ length: 1000 }, () => a(NAME)) };

/** Resolver behaviors by name. */
export const hostileResolvers: Record<string, DnsScript> = {
  'a thousand records': long(() => thousand),
  NXDOMAIN: () => ({ rcode: 3 }),
  NODATA: () => ({ answers: [] }),
  SERVFAIL: () => ({ rcode: 2 }),
  REFUSED: () => ({ rcode: 5 }),
  'an alias to nowhere': () => ({ answers: [alias(NAME, 'gone.example')] }),
  'aliases in a loop': () => ({ answers: [alias(NAME, 'b.example'), alias('b.example', NAME)] }),
  silence: () => null,
  'a wrong id': ({ id }) => ({ id: (id + 1) & 0xffff, answers: [a(NAME)] }),
  'another question': () => ({ question: { name: 'x.example', type: 'A' } }),
  'a message cut in the middle': ({ id }) => raw(id, Buffer.from('840000010009000000000377', 'hex')),
  'garbage with the right id': ({ id }) => raw(id, Buffer.alloc(500, 0xff)),
  'two hundred unsolicited packets': () => Array.from({ length: 200 }, () => ({ raw: Buffer.alloc(500, 1) })),
  'truncated over TCP too': long(() => ({ truncated: true })),
  'TCP silent': long(() => null),
  'TCP hung up': long(() => 'hang_up'),
  'TCP reset': long(() => 'reset'),
  'compression pointers in a loop': long(({ id }) =>
    raw(id, Buffer.concat([Buffer.from('8400ffffffff0000', 'hex'), Buffer.alloc(65_000, 0xc0)])),
  ),
  'two bytes over TCP': long(({ id }) => raw(id, Buffer.alloc(0))),
};

/** Behaviors of the machine's own resolvers. Their faults aren't the target's. */
export const hostileOwnResolvers: Record<string, DnsScript> = {
  NXDOMAIN: () => ({ rcode: 3 }),
  REFUSED: () => ({ rcode: 5 }),
  silence: () => null,
  'silence about this name only': ({ name }) => (name === NAME ? null : {}),
  'garbage with the right id': ({ id }) => raw(id, Buffer.alloc(500, 0xff)),
};

/** Hostnames that are named after what their DNS server does with them. */
export const HOST_NAMES = ['gone', 'failing', 'silent', 'garbled', 'circular'].map((word) => `${word}.example.com`);

/** Serves `HOST_NAMES`. Every other name resolves to this machine. */
export const hostNames: DnsScript = ({ name, type, id }) => {
  switch (name.split('.')[0]?.toLowerCase()) {
    case 'gone':
      return { rcode: 3 };
    case 'failing':
      return { rcode: 2 };
    case 'silent':
      return null;
    case 'garbled':
      return raw(id, Buffer.alloc(300, 0xff));
    case 'circular':
      return { answers: [alias(name, name)] };
    default:
      return { answers: type === 'A' ? [a(name, '127.0.0.1')] : [] };
  }
};
