import fc from 'fast-check';
import { type CheckResult, ERROR_CODES, type ErrorCode } from '../../checker/checker';
import { type Evidence, isMassFailure, isProof, isSuspicious } from './network-evidence';

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
  warning: null,
});

type Organization = [name: string, suspiciousCount: number, otherCount: number];

const recent = (...organizations: Organization[]): Evidence[] =>
  organizations.flatMap(([orgId, suspiciousCount, otherCount]) => [
    ...Array.from({ length: suspiciousCount }, () => ({ at: 100, orgId, suspicious: true })),
    ...Array.from({ length: otherCount }, () => ({ at: 100, orgId, suspicious: false })),
  ]);
const isMass = (...organizations: Organization[]): boolean => isMassFailure(recent(...organizations), 0);

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
    // A hostname isn't an address, so it proves nothing about where the packet went.
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

describe('proof that the network of the service works', () => {
  it.each<[string, CheckResult, boolean]>([
    ['a success', resultWith(null), true],
    ['a refusal', resultWith('connection_refused'), true],
    ['a wrong status', resultWith('status_unexpected'), true],
    ['a success on this machine', resultWith(null, '127.0.0.1'), false],
    ['a timeout', resultWith('connection_timeout'), false],
    // Otherwise, an organization could use blocked targets to make a dead network look as if it worked.
    ['a target that is not allowed', { ...resultWith('target_blocked'), outcome: 'unknown' }, false],
    ['a fault of the service', { ...resultWith('internal'), outcome: 'unknown' }, false],
  ])('is %s: %p', (_, result, expected) => {
    expect(isProof(result)).toBe(expected);
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
    expect(isMass(['A', suspiciousCount, otherCount])).toBe(expected);
  });

  it.each<[string, Organization[], boolean]>([
    [
      'one of two organizations, with all of its many endpoints',
      [
        ['B', 5000, 0],
        ['A', 0, 3],
      ],
      false,
    ],
    [
      'one of two organizations, while one endpoint of four of the other fails',
      [
        ['B', 5000, 0],
        ['A', 1, 3],
      ],
      false,
    ],
    [
      'two of four organizations',
      [
        ['B', 90, 0],
        ['C', 90, 0],
        ['A', 0, 1],
        ['D', 0, 1],
      ],
      false,
    ],
    [
      'all organizations',
      [
        ['B', 5, 0],
        ['A', 3, 0],
      ],
      true,
    ],
    [
      'most organizations',
      [
        ['B', 5, 0],
        ['A', 3, 0],
        ['C', 0, 100],
      ],
      true,
    ],
    [
      'all of several small organizations',
      [
        ['B', 2, 0],
        ['A', 2, 0],
        ['C', 1, 0],
      ],
      true,
    ],
  ])('is judged by organizations: %s', (_, organizations, expected) => {
    expect(isMass(...organizations)).toBe(expected);
  });

  it('counts only checks since then', () => {
    expect(isMassFailure(recent(['A', 9, 0]), 100)).toBe(true);
    expect(isMassFailure(recent(['A', 9, 0]), 101)).toBe(false);
  });

  it('neither ends a mass failure at one more failure, nor starts one at one more success', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(100), (bad, good) => {
        if (isMass(['A', bad, good])) expect(isMass(['A', bad + 1, good])).toBe(true);
        else expect(isMass(['A', bad, good + 1])).toBe(false);
      }),
    );
  });

  it('is never caused by one organization while the endpoints of others are reached', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), fc.integer({ min: 1, max: 5 }), (bad, good, reached) => {
        expect(isMass(['B', bad, good], ['A', 0, reached])).toBe(false);
      }),
    );
  });
});
