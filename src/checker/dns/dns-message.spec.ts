import { encode, type Packet } from 'dns-packet';
import fc from 'fast-check';
import { decodeReply, encodeQuery } from './dns-message';
import { MalformedReply } from './packet-reader';

const ID = 0x1234;
const question = { name: 'www.example.com', type: 'A' } as const;
const asked = { ...question, class: 'IN' } as const;

const reply = (packet: Partial<Packet> & { rcode?: number } = {}) => {
  const { rcode = 0, flags = 0, ...rest } = packet;
  return encode({ type: 'response', id: ID, flags: flags | rcode, questions: [asked], ...rest });
};

const read = (packet: Buffer) => decodeReply(packet, ID, question);

describe('a DNS reply', () => {
  it('decodes a reply with its records', () => {
    const answers = [{ type: 'A', name: question.name, ttl: 5, data: '192.0.2.1' } as const];
    expect(read(reply({ answers }))).toMatchObject({
      rcode: 'NOERROR',
      truncated: false,
      answers: [{ data: '192.0.2.1' }],
    });
  });

  it('accepts a reply that echoes the name in another case', () => {
    expect(read(reply({ questions: [{ ...asked, name: 'WWW.Example.COM' }] }))).not.toBeNull();
  });

  it.each([
    [1, 'FORMERR'],
    [2, 'SERVFAIL'],
    [3, 'NXDOMAIN'],
    [4, 'NOTIMP'],
    [5, 'REFUSED'],
    [9, 'RCODE9'],
  ])('with code %d is called %s', (rcode, name) => {
    expect(read(reply({ rcode }))).toMatchObject({ rcode: name, answers: [] });
  });

  it('recognizes a truncated reply before it decodes the rest', () => {
    const cut = Buffer.concat([reply({ flags: 0x0200 }), Buffer.from('rest of a record')]);
    expect(read(cut)).toEqual({ rcode: 'NOERROR', truncated: true, answers: [] });
  });

  it.each<[string, Buffer]>([
    ['another id', reply({ id: ID + 1 })],
    ['a query', encodeQuery(ID, question, true)],
    ['another name', reply({ questions: [{ ...asked, name: 'example.com' }] })],
    ['another type', reply({ questions: [{ ...asked, type: 'AAAA' }] })],
    ['another class', reply({ questions: [{ ...asked, class: 'CH' }] })],
    ['no question although it has an answer', reply({ questions: [] })],
    ['eleven bytes', reply().subarray(0, 11)],
  ])('belongs to another query if it has %s', (_, packet) => {
    expect(read(packet)).toBeNull();
  });

  it('accepts an error reply without a question: some servers leave it out', () => {
    expect(read(reply({ questions: [], rcode: 1 }))).toMatchObject({ rcode: 'FORMERR' });
  });

  it('refuses a reply that ends too early', () => {
    const answers = [{ type: 'A', name: question.name, ttl: 5, data: '192.0.2.1' } as const];
    expect(() => read(reply({ answers }).subarray(0, -3))).toThrow(MalformedReply);
  });

  it('decodes, ignores, or refuses any bytes', () => {
    const header = fc.constant(Buffer.from([ID >> 8, ID & 255, 0x84, 0]));
    fc.assert(
      fc.property(header, fc.uint8Array({ maxLength: 600 }), (start, rest) => {
        try {
          const found = read(Buffer.concat([start, Buffer.from(rest)]));
          return found === null || Array.isArray(found.answers);
        } catch (error) {
          return error instanceof MalformedReply;
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a DNS query', () => {
  it('sets the recursion flag and offers larger UDP replies (EDNS)', () => {
    const query = encodeQuery(ID, question, true);
    expect(query.readUInt16BE(0)).toBe(ID);
    expect(query.readUInt16BE(2)).toBe(0x0100);
    expect(query.readUInt16BE(10)).toBe(1);
  });

  it('omits EDNS on request', () => {
    expect(encodeQuery(ID, question, false).readUInt16BE(10)).toBe(0);
  });
});
