import type { CheckResult } from '../../checker/checker';
import { storedDetail } from './check-detail';
import { DetailCache } from './detail-cache';
import type { FinishedCheck } from '../../endpoint/finished-check';

const check = (report: Partial<CheckResult>, change: Partial<FinishedCheck> = {}): FinishedCheck => ({
  endpointKey: '7',
  endpointId: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11',
  orgId: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a10',
  revision: 1,
  slotMs: null,
  checkedAt: new Date(0),
  attempts: 1,
  firstError: null,
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
    ...report,
  },
  ...change,
});

const REFUSED = { code: 'connection_refused', phase: 'connect', message: 'refused' } as const;

describe('the detail of a check', () => {
  it('is none when nothing repeats', () => {
    expect(storedDetail(check({ statusCode: 200, durationMs: 9 }))).toBeNull();
  });

  it.each([
    ['an address', check({ address: '192.0.2.1' }), { address: '192.0.2.1' }],
    ['records', check({ records: ['a', 'b'] }), { records: ['a', 'b'] }],
    ['redirects', check({ redirects: ['http://a/'] }), { redirects: ['http://a/'] }],
    ['an error without its code', check({ error: REFUSED }), { error: { phase: 'connect', message: 'refused' } }],
    ['the first error', check({}, { firstError: REFUSED }), { firstError: REFUSED }],
  ])('holds %s', (_, from, expected) => {
    expect(JSON.parse(storedDetail(from)?.text ?? '')).toEqual(expected);
  });

  it('is the same for checks that differ in time and measure only', () => {
    const one = storedDetail(check({ address: '192.0.2.1', durationMs: 1 }));
    const two = storedDetail(check({ address: '192.0.2.1', durationMs: 2 }, { checkedAt: new Date(5) }));
    expect(one).toEqual(two);
  });

  it('does not depend on the order in which a certificate was put together', () => {
    const expiresAt = '2027-01-01T00:00:00.000Z';
    const one = storedDetail(check({ certificate: { expiresAt, issuer: 'i', subject: 's', names: ['n'] } }));
    const two = storedDetail(check({ certificate: { names: ['n'], subject: 's', issuer: 'i', expiresAt } }));
    expect(one?.hash).toBe(two?.hash);
  });

  it('has a hash that fits a signed 64-bit column', () => {
    for (let index = 0; index < 200; index++) {
      const hash = BigInt(storedDetail(check({ address: `192.0.2.${index}` }))?.hash ?? 0);
      expect(hash).not.toBe(0n);
      expect(BigInt.asIntN(64, hash)).toBe(hash);
    }
  });

  it('holds no text that the database refuses', () => {
    const text = storedDetail(check({ records: ['a\0b\ud800c'] }))?.text ?? '';
    expect(JSON.parse(text)).toEqual({ records: ['ab\u{fffd}c'] });
    expect(text).not.toMatch(/\\u/);
  });
});

describe('the memory of stored details', () => {
  it('knows a detail up to the day it was marked', () => {
    const memory = new DetailCache();
    memory.remember('7', '1', 100);
    expect([99, 100, 101].map((day) => memory.knows('7', '1', day))).toEqual([true, true, false]);
    expect(memory.knows('8', '1', 100)).toBe(false);
  });

  it('forgets what was not asked for longest', () => {
    const memory = new DetailCache(2);
    memory.remember('1', '1', 1);
    memory.remember('2', '1', 1);
    memory.knows('1', '1', 1);
    memory.remember('3', '1', 1);
    expect(['1', '2', '3'].map((key) => memory.knows(key, '1', 1))).toEqual([true, false, true]);
  });
});
