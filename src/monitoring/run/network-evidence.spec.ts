import fc from 'fast-check';
import { type CheckResult, ERROR_CODES, type ErrorCode } from '../../checker/checker';
import { type Evidence, isMassive, suspicious } from './network-evidence';

const report = (code: ErrorCode | null, address: string | null = '192.0.2.1'): CheckResult => ({
  outcome: code === null ? 'up' : 'down',
  durationMs: 10,
  phases: { dnsMs: null, connectMs: 10, tlsMs: null, firstByteMs: null, transferMs: null },
  statusCode: null,
  address,
  certificate: null,
  records: null,
  redirects: [],
  error: code === null ? null : { code, phase: 'connect', message: 'It failed.' },
});

const evidence = (isSuspicious: boolean): Evidence => ({ at: 0, failed: isSuspicious, suspicious: isSuspicious });
const recent = (suspiciousCount: number, otherCount: number): Evidence[] => [
  ...Array.from({ length: suspiciousCount }, () => evidence(true)),
  ...Array.from({ length: otherCount }, () => evidence(false)),
];

describe('a failure that could be our own network’s', () => {
  const OURS: readonly ErrorCode[] = [
    'dns_timeout',
    'dns_failure',
    'connection_timeout',
    'host_unreachable',
    'icmp_timeout',
  ];

  it.each(ERROR_CODES.map((code) => [code, OURS.includes(code)] as const))('%s: %p', (code, expected) => {
    expect(suspicious(report(code))).toBe(expected);
  });

  it.each([
    ['127.0.0.1', false],
    ['127.200.3.4', false],
    ['::1', false],
    ['192.0.2.1', true],
    ['2001:db8::1', true],
    // A name is no address: it proves nothing about where the packet went.
    ['127.example.com', true],
    [null, true],
  ])('at %p: %p', (address, expected) => {
    expect(suspicious(report('connection_timeout', address))).toBe(expected);
  });

  it('is never an answer, whatever it said, nor something we could not tell', () => {
    expect(suspicious(report(null))).toBe(false);
    expect(suspicious({ ...report('dns_timeout'), outcome: 'unknown' })).toBe(false);
  });

  it('is also what this machine says of itself', () => {
    expect(suspicious({ ...report('monitor_offline'), outcome: 'unknown' })).toBe(true);
    expect(suspicious({ ...report('internal'), outcome: 'unknown' })).toBe(false);
  });
});

describe('mass failure', () => {
  it.each([
    [0, 0, false],
    [4, 0, false],
    [5, 0, true],
    [5, 11, true],
    [5, 12, false],
    [30, 70, true],
    [29, 71, false],
    [3000, 7000, true],
  ])('%i suspicious beside %i others: %p', (suspiciousCount, otherCount, expected) => {
    expect(isMassive(recent(suspiciousCount, otherCount))).toBe(expected);
  });

  it('does not end when one more fails, nor begin when one more answers', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(100), (bad, good) => {
        if (isMassive(recent(bad, good))) expect(isMassive(recent(bad + 1, good))).toBe(true);
        else expect(isMassive(recent(bad, good + 1))).toBe(false);
      }),
    );
  });
});
