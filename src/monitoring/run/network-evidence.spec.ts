import fc from 'fast-check';
import { type CheckResult, ERROR_CODES, type ErrorCode } from '../../checker/checker';
import { type Evidence, isMassFailure, isSuspicious } from './network-evidence';

const resultWith = (code: ErrorCode | null, address: string | null = '192.0.2.1'): CheckResult => ({
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

const evidence = (suspicious: boolean): Evidence => ({ at: 0, suspicious });
const recent = (suspiciousCount: number, otherCount: number): Evidence[] => [
  ...Array.from({ length: suspiciousCount }, () => evidence(true)),
  ...Array.from({ length: otherCount }, () => evidence(false)),
];

describe('a suspicious result, one that an offline machine would have had too', () => {
  const OURS: readonly ErrorCode[] = [
    'dns_timeout',
    'dns_failure',
    'connection_timeout',
    'host_unreachable',
    'icmp_timeout',
  ];

  it.each(ERROR_CODES.map((code) => [code, OURS.includes(code)] as const))(
    'judges a failure with %s as suspicious: %p',
    (code, expected) => {
      expect(isSuspicious(resultWith(code))).toBe(expected);
    },
  );

  it.each([
    ['127.0.0.1', false],
    ['127.200.3.4', false],
    ['::1', false],
    ['192.0.2.1', true],
    ['2001:db8::1', true],
    // A name is not an address: it proves nothing about where the packet went.
    ['127.example.com', true],
    [null, true],
  ])('judges a timeout at address %p as suspicious: %p', (address, expected) => {
    expect(isSuspicious(resultWith('connection_timeout', address))).toBe(expected);
  });

  it('never suspects a success or an unknown result with a network error', () => {
    expect(isSuspicious(resultWith(null))).toBe(false);
    expect(isSuspicious({ ...resultWith('dns_timeout'), outcome: 'unknown' })).toBe(false);
  });

  it('suspects an unknown result that says the monitor was offline, and no other internal error', () => {
    expect(isSuspicious({ ...resultWith('monitor_offline'), outcome: 'unknown' })).toBe(true);
    expect(isSuspicious({ ...resultWith('internal'), outcome: 'unknown' })).toBe(false);
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
  ])('calls %i suspicious results among %i others a mass failure: %p', (suspiciousCount, otherCount, expected) => {
    expect(isMassFailure(recent(suspiciousCount, otherCount))).toBe(expected);
  });

  it('does not end a mass failure by one more failure, nor begin one by one more success', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(100), (bad, good) => {
        if (isMassFailure(recent(bad, good))) expect(isMassFailure(recent(bad + 1, good))).toBe(true);
        else expect(isMassFailure(recent(bad, good + 1))).toBe(false);
      }),
    );
  });
});
