import { type Answer, encode } from 'dns-packet';
import { decodeReply } from './dns-message';
import { findRecords, type Hides, recordLine } from './dns-records';
import type { DnsRecordType } from './dns-target';

const NAME = 'www.example.com';

const a = (data: string, name = NAME): Answer => ({ type: 'A', name, ttl: 300, data });
const alias = (name: string, data: string): Answer => ({ type: 'CNAME', name, ttl: 60, data });

/** Returns the records as decoded from a packet. */
function answersOf(answers: Answer[], type: DnsRecordType) {
  const packet = encode({ type: 'response', id: 1, questions: [{ name: NAME, type, class: 'IN' }], answers });
  return decodeReply(packet, 1, { name: NAME, type })?.answers ?? [];
}

const find = (answers: Answer[], type: DnsRecordType = 'A', rcode = 'NOERROR', hides?: Hides) =>
  findRecords({ rcode, truncated: false, answers: answersOf(answers, type) }, { name: NAME, type }, hides);

const values = (answers: Answer[], type: DnsRecordType = 'A') => {
  const finding = find(answers, type);
  return finding.kind === 'records' ? finding.records.map(({ value }) => value) : finding.kind;
};

describe('the records of a DNS reply', () => {
  it('sorts the records, so that a rotating reply reads the same', () => {
    expect(values([a('192.0.2.9'), a('192.0.2.10'), a('192.0.2.1')])).toEqual(['192.0.2.1', '192.0.2.10', '192.0.2.9']);
  });

  it('finds records with any case of the name, with or without a final dot', () => {
    expect(values([a('192.0.2.1', 'WWW.Example.COM.')])).toEqual(['192.0.2.1']);
  });

  it('finds records at the end of a chain of aliases, in any order', () => {
    const finding = find([
      a('192.0.2.1', 'c.example.net'),
      alias('b.example.net', 'C.example.net'),
      alias(NAME, 'b.example.net'),
    ]);
    expect(finding).toMatchObject({
      kind: 'records',
      records: [{ value: '192.0.2.1' }],
      chain: [{ value: 'b.example.net' }, { value: 'C.example.net' }],
    });
  });

  it('ignores records of other names or types', () => {
    expect(values([a('192.0.2.1', 'other.example.com')])).toBe('no_records');
    expect(values([a('192.0.2.1')], 'MX')).toBe('no_records');
    expect(values([])).toBe('no_records');
  });

  it('finds no records when the aliases lead nowhere', () => {
    expect(values([alias(NAME, 'gone.example.net')])).toBe('no_records');
  });

  it.each([
    ['to itself', [alias(NAME, NAME)]],
    ['back to each other', [alias(NAME, 'b.example.net'), alias('b.example.net', NAME)]],
    [
      'to an inner circle',
      [alias(NAME, 'b.example'), alias('b.example', 'c.example'), alias('c.example', 'b.example')],
    ],
  ])('are missing when the aliases lead %s', (_, answers) => {
    expect(values(answers)).toBe('alias_loop');
  });

  it.each([
    [16, 'records'],
    [17, 'too_many_aliases'],
  ])('follows %i aliases to %s', (count, kind) => {
    const names = [NAME, ...Array.from({ length: count }, (_, index) => `alias${index}.example`)];
    const aliases = names.slice(1).map((to, index) => alias(names[index] ?? '', to));
    expect(find([...aliases, a('192.0.2.1', names.at(-1))]).kind).toBe(kind);
  });

  it('returns the alias as the record for a CNAME query', () => {
    expect(values([alias(NAME, 'b.example.net')], 'CNAME')).toEqual(['b.example.net']);
  });

  it('keeps all of a thousand records', () => {
    const many = Array.from({ length: 1000 }, (_, index) => a(`192.0.${index >> 8}.${index & 255}`));
    expect(values(many)).toHaveLength(1000);
  });
});

describe('records that may not be shown', () => {
  const hides: Hides = ({ data }) => data.startsWith('10.') || data.endsWith('.internal');

  it('are left out if there are others', () => {
    expect(find([a('10.0.0.1'), a('192.0.2.1')], 'A', 'NOERROR', hides)).toMatchObject({
      kind: 'records',
      records: [{ value: '192.0.2.1' }],
    });
  });

  it('are hidden when there are no others', () => {
    expect(find([a('10.0.0.1')], 'A', 'NOERROR', hides)).toEqual({ kind: 'hidden' });
  });

  it.each(['NOERROR', 'NXDOMAIN', 'SERVFAIL'])(
    'hide everything that an alias leads to, including the code %s',
    (rcode) => {
      const answers = [alias(NAME, 'db.corp.internal'), a('192.0.2.1', 'db.corp.internal')];
      expect(find(answers, 'A', rcode, hides)).toEqual({ kind: 'hidden' });
    },
  );
});

it.each([
  ['NXDOMAIN', { kind: 'no_name' }],
  ['SERVFAIL', { kind: 'failed', rcode: 'SERVFAIL' }],
  ['REFUSED', { kind: 'failed', rcode: 'REFUSED' }],
  ['RCODE16', { kind: 'failed', rcode: 'RCODE16' }],
])('an answer with code %s has no records', (rcode, finding) => {
  expect(find([a('192.0.2.1')], 'A', rcode)).toEqual(finding);
});

describe('the line of a record in a result', () => {
  const lines: [Answer, DnsRecordType, string][] = [
    [a('192.0.2.1'), 'A', 'A 192.0.2.1'],
    [{ type: 'AAAA', name: NAME, ttl: 5, data: '2001:db8::1' }, 'AAAA', 'AAAA 2001:db8::1'],
    [{ type: 'NS', name: NAME, ttl: 5, data: 'ns1.example.com' }, 'NS', 'NS ns1.example.com'],
    [{ type: 'PTR', name: NAME, ttl: 5, data: 'host.example.com' }, 'PTR', 'PTR host.example.com'],
    [
      { type: 'MX', name: NAME, ttl: 5, data: { preference: 10, exchange: 'mx.example.com' } },
      'MX',
      'MX 10 mx.example.com',
    ],
    [{ type: 'TXT', name: NAME, ttl: 5, data: ['v=spf1 ', Buffer.from('-all')] }, 'TXT', 'TXT v=spf1 -all'],
    [
      {
        type: 'SOA',
        name: NAME,
        ttl: 5,
        data: { mname: 'ns1', rname: 'root', serial: 7, refresh: 1, retry: 2, expire: 3, minimum: 4 },
      },
      'SOA',
      'SOA ns1 root 7 1 2 3 4',
    ],
    [
      { type: 'CAA', name: NAME, ttl: 5, data: { flags: 0, tag: 'issue', value: 'ca.example' } },
      'CAA',
      'CAA 0 issue "ca.example"',
    ],
  ];

  it.each(lines)('shows the record %j (%s) as %s', (answer, type, line) => {
    const finding = find([answer], type);
    expect(finding.kind === 'records' && finding.records.map(recordLine)).toEqual([line]);
  });

  it('replaces control characters in a record and limits its length', () => {
    const finding = find(
      [{ type: 'TXT', name: NAME, ttl: 5, data: [`\u001b[31m\u202e${'x'.repeat(245)}`, 'y'.repeat(255)] }],
      'TXT',
    );
    const [line = ''] = finding.kind === 'records' ? finding.records.map(recordLine) : [];
    expect(line).toMatch(/^TXT \?\[31m\?x+y*$/);
    expect(line.length).toBeLessThan(300);
  });
});
