import { decodeReply, type DnsQuestion } from './dns-message';
import { findRecords } from './dns-records';
import type { DnsRecordType } from './dns-target';

const LIMIT = 65_535;
const ID = 1;
const TYPES: Record<DnsRecordType, number> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  CAA: 257,
};

/** The question contains the name `a` at offset 12. Records start at offset 19. */
const QUESTION_AT = 12;
const RECORDS_AT = 19;

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const pointer = (to: number): Buffer => uint16(0xc000 | to);

function record(name: Buffer, type: number, data: Buffer): Buffer {
  return Buffer.concat([name, uint16(type), uint16(1), Buffer.alloc(4), uint16(data.length), data]);
}

/** Returns a reply of maximum length: `first`, then as many other records as fit. */
function packet(type: DnsRecordType, first: Buffer[], rest: (index: number) => Buffer): Buffer {
  const records = [...first];
  let length = RECORDS_AT + Buffer.concat(first).length;
  for (let index = 0; ; index++) {
    const next = rest(index);
    if (length + next.length > LIMIT) break;
    records.push(next);
    length += next.length;
  }
  const header = [ID, 0x8180, 1, records.length, 0, 0].map(uint16);
  return Buffer.concat([...header, Buffer.from([1, 97, 0]), uint16(TYPES[type]), uint16(1), ...records]);
}

/**
 * Returns the data of an unrelated record with 8,000 pointers, each to the previous one, and the offset of the last
 * pointer.
 */
function pointers(): { holder: Buffer; last: number } {
  const dataAt = RECORDS_AT + 11;
  const chain = Array.from({ length: 8000 }, (_, index) => pointer(index === 0 ? dataAt : dataAt - 1 + 2 * index));
  return { holder: record(Buffer.of(0), 10, Buffer.concat([Buffer.of(0), ...chain])), last: dataAt - 1 + 2 * 8000 };
}

/**
 * Returns data with 2,000 offsets. From each, labels continue to the end of the data, where a pointer refers to the
 * previous offset.
 */
function overlapping(): { holder: Buffer; last: number } {
  const dataAt = RECORDS_AT + 11;
  const labels = Buffer.concat(Array.from({ length: 4000 }, () => Buffer.from([1, 1])));
  const jumps = Array.from({ length: 2000 }, (_, index) => pointer(dataAt + 2 * index));
  return { holder: record(Buffer.of(0), 10, Buffer.concat([labels, ...jumps])), last: dataAt };
}

/** A name with 120 one-letter labels, then the root. */
const manyLabels = Buffer.concat([...Array.from({ length: 120 }, () => Buffer.from([1, 97])), Buffer.of(0)]);
const here = pointer(QUESTION_AT);
const chain = pointers();
const address = Buffer.from([192, 0, 2, 1]);

const plain = packet('A', [], () => record(here, TYPES.A, address));

const hostile: [string, DnsRecordType, Buffer][] = [
  ['aliases of one name to itself', 'A', packet('A', [], () => record(here, TYPES.CNAME, here))],
  [
    'names that are pointers to pointers',
    'A',
    packet('A', [chain.holder], () => record(pointer(chain.last), TYPES.A, address)),
  ],
  [
    'data that are pointers to pointers',
    'NS',
    packet('NS', [chain.holder], () => record(here, TYPES.NS, pointer(chain.last))),
  ],
  [
    'pointers that lead over the same labels again and again',
    'A',
    packet('A', [overlapping().holder], () => record(pointer(overlapping().last), TYPES.A, address)),
  ],
  [
    'names with as many labels as possible',
    'A',
    packet('A', [record(manyLabels, TYPES.A, address)], () => record(pointer(RECORDS_AT), TYPES.A, address)),
  ],
  [
    'a chain of different aliases',
    'A',
    packet('A', [record(here, TYPES.CNAME, Buffer.from([1, 98, 0xc0, QUESTION_AT]))], (index) =>
      record(
        Buffer.concat([Buffer.from([5]), label(index), here]),
        TYPES.CNAME,
        Buffer.concat([Buffer.from([5]), label(index + 1), here]),
      ),
    ),
  ],
  [
    'one text of empty pieces',
    'TXT',
    packet('TXT', [record(here, TYPES.TXT, Buffer.alloc(65_000))], () => record(here, TYPES.TXT, Buffer.alloc(1))),
  ],
  [
    'one long text',
    'TXT',
    packet('TXT', [record(here, TYPES.TXT, Buffer.alloc(65_024, 0xff))], () =>
      record(here, TYPES.TXT, Buffer.alloc(1)),
    ),
  ],
];

function label(index: number): Buffer {
  return Buffer.from(String(10_000 + index));
}

/** Returns the minimum CPU time of several runs, which is the value that a busy machine affects least. */
function costOf(reply: Buffer, type: DnsRecordType): number {
  const question: DnsQuestion = { name: 'a', type };
  const once = () => {
    const before = process.cpuUsage();
    try {
      const read = decodeReply(reply, ID, question);
      if (read) findRecords(read, question);
    } catch {
      // Refused replies also count toward the cost.
    }
    // Only the sum is exact, because the kernel splits it by sampling.
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  return Math.min(...Array.from({ length: 12 }, once));
}

describe('the longest reply that a resolver can send costs about as much as any reply of its length, even if it is', () => {
  it.each(hostile)('%s', (_, type, reply) => {
    expect(costOf(reply, type)).toBeLessThan(12 * costOf(plain, 'A'));
  });
});
