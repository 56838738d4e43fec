import type { CheckResult } from '../../checker/checker';
import { storedDetail, DetailCache } from './check-detail';
import type { FinishedCheck } from '../../engine/finished-check';

const check = (result: Partial<CheckResult>, change: Partial<FinishedCheck> = {}): FinishedCheck => ({
  endpointKey: '7',
  endpointId: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11',
  orgId: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a10',
  location: 0,
  revision: 1,
  slotMs: null,
  checkedAt: new Date(0),
  attempts: 1,
  firstError: null,
  planned: false,
  muted: false,
  result: {
    outcome: 'up',
    durationMs: 1,
    phases: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null },
    statusCode: null,
    address: null,
    certificate: null,
    records: null,
    redirects: [],
    error: null,
    warning: null,
    ...result,
  },
  ...change,
});

const REFUSED = { code: 'connection_refused', phase: 'connect', message: 'refused' } as const;

const WARNING = { code: 'assertion_failed', phase: 'assertion', message: 'The certificate ends soon.' } as const;

describe('storedDetail', () => {
  it('creates no detail for a check without a repeating part', () => {
    expect(storedDetail(check({ statusCode: 200, durationMs: 9 }))).toBeNull();
  });

  it.each([
    ['an address', check({ address: '192.0.2.1' }), { address: '192.0.2.1' }],
    ['records', check({ records: ['a', 'b'] }), { records: ['a', 'b'] }],
    ['redirects', check({ redirects: ['http://a/'] }), { redirects: ['http://a/'] }],
    ['an error without its code', check({ error: REFUSED }), { error: { phase: 'connect', message: 'refused' } }],
    ['the first error', check({}, { firstError: REFUSED }), { firstError: REFUSED }],
    ['a warning with its code', check({ warning: WARNING }), { warning: WARNING }],
    [
      'no warning of a check that is down',
      check({ outcome: 'down', error: REFUSED, warning: WARNING }),
      { error: { phase: 'connect', message: 'refused' } },
    ],
  ])('stores %s', (_, from, expected) => {
    expect(JSON.parse(storedDetail(from)?.text ?? '')).toEqual(expected);
  });

  it('creates the same detail for checks that differ only in time and duration', () => {
    const one = storedDetail(check({ address: '192.0.2.1', durationMs: 1 }));
    const two = storedDetail(check({ address: '192.0.2.1', durationMs: 2 }, { checkedAt: new Date(5) }));
    expect(one).toEqual(two);
  });

  it('creates the same hash for any key order in the certificate object', () => {
    const expiresAt = '2027-01-01T00:00:00.000Z';
    const one = storedDetail(check({ certificate: { expiresAt, issuer: 'i', subject: 's', names: ['n'] } }));
    const two = storedDetail(check({ certificate: { names: ['n'], subject: 's', issuer: 'i', expiresAt } }));
    expect(one?.hash).toBe(two?.hash);
  });

  it('creates a hash that fits a signed 64-bit column and is never NO_DETAIL', () => {
    for (let index = 0; index < 200; index++) {
      const hash = BigInt(storedDetail(check({ address: `192.0.2.${index}` }))?.hash ?? 0);
      expect(hash).not.toBe(0n);
      expect(BigInt.asIntN(64, hash)).toBe(hash);
    }
  });

  it('removes text that the database refuses', () => {
    const text = storedDetail(check({ records: ['a\0b\ud800c'] }))?.text ?? '';
    expect(JSON.parse(text)).toEqual({ records: ['ab\u{fffd}c'] });
    expect(text).not.toMatch(/\\u/);
  });
});

describe('storedDetail of a hostile target', () => {
  const long = 'x'.repeat(384_000);
  const many = (text: string, count: number) => Array.from({ length: count }, () => text);

  it.each([
    ['long redirects', { redirects: many(`http://a/${long}`, 5) }],
    ['many redirects', { redirects: many('http://a/b', 10_000) }],
    ['long records', { records: many(long, 3) }],
    ['many records', { records: many('a 192.0.2.1', 10_000) }],
    ['records of three bytes a character', { records: many('\u{20ac}'.repeat(5000), 20) }],
    ['records that JSON has to escape', { records: many('"\\\u0001'.repeat(500), 20) }],
    ['a long message', { error: { ...REFUSED, message: long } }],
    ['a long address', { address: long }],
    [
      'a large certificate',
      { certificate: { expiresAt: '2027-01-01T00:00:00.000Z', issuer: long, subject: long, names: many(long, 20) } },
    ],
    [
      'everything at once',
      {
        address: long,
        redirects: many(long, 9),
        records: many('\u{20ac}'.repeat(5000), 900),
        error: { ...REFUSED, message: '\u{20ac}'.repeat(5000) },
        certificate: { expiresAt: 'x', issuer: long, subject: long, names: many('\u{20ac}'.repeat(900), 90) },
      },
    ],
  ])('is at most 16 KiB of JSON with %s', (_, result: Partial<CheckResult>) => {
    const text = storedDetail(check(result, { firstError: { ...REFUSED, message: long } }))?.text ?? '';
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
    expect(Object.keys(JSON.parse(text) as object)).toEqual([...Object.keys(result).sort(inOrder), 'firstError']);
  });

  const ORDER = ['address', 'certificate', 'records', 'redirects', 'error'];
  const inOrder = (a: string, b: string) => ORDER.indexOf(a) - ORDER.indexOf(b);

  it('reports what it left out', () => {
    const stored = storedDetail(check({ records: many('a'.repeat(600), 40) }))?.text ?? '';
    const { records } = JSON.parse(stored) as { records: string[] };
    expect([records.length, records[0]?.length, records[0]?.at(-1), records.at(-1)]).toEqual([
      16,
      300,
      '…',
      '… 25 more',
    ]);
  });

  it('does not change a detail of exactly 16 KiB', () => {
    const records = many('a'.repeat(96), 164);
    expect(JSON.parse(storedDetail(check({ records }))?.text ?? '')).toEqual({ records });
  });
});

describe('DetailCache', () => {
  it('knows a detail up to the day it was last marked as seen', () => {
    const cache = new DetailCache();
    cache.remember('7', '1', 100);
    expect([99, 100, 101].map((day) => cache.knows('7', '1', day))).toEqual([true, true, false]);
    expect(cache.knows('8', '1', 100)).toBe(false);
  });

  it('evicts the least recently used detail', () => {
    const cache = new DetailCache(2);
    cache.remember('1', '1', 1);
    cache.remember('2', '1', 1);
    cache.knows('1', '1', 1);
    cache.remember('3', '1', 1);
    expect(['1', '2', '3'].map((key) => cache.knows(key, '1', 1))).toEqual([true, false, true]);
  });
});
