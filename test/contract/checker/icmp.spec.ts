import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CheckResult } from '../../../src/checker/checker';
import { type IcmpDescription, IcmpTransports, TRANSPORTS } from '../../../src/checker/icmp/icmp-transports';
import { IcmpChecker } from '../../../src/checker/icmp/icmp.checker';
import { itOverIpv6, whyNotOverIpv6 } from '../../harness/machine/loopback';
import { CABLE, obstacleTo, runInNamespace } from '../../harness/machine/namespace';
import { dialerWith } from '../../harness/app/network';
import { describeChecker, runCheck } from './checker.contract';

const dialer = dialerWith();
const capability = new IcmpTransports();
const checker = new IcmpChecker(dialer, capability);

const { method, available } = capability.describe();
const permitted = available ? it : it.skip;

afterAll(() => capability.onModuleDestroy());

describe(`An ICMP check (${available ? `by ${method}` : 'skipped: nothing is permitted here'})`, () => {
  const isUp = async (url: string) => {
    const report = await runCheck(checker, url);
    expect(report).toMatchObject({ outcome: 'up', error: null, records: null });
    expect(report.phases.firstByteMs).toBeGreaterThan(0);
  };
  permitted.each(['127.0.0.1', 'icmp://127.0.0.1', 'localhost'])('of %s is up', isUp);
  (available ? itOverIpv6 : it.skip).each(['::1', 'icmp://[::1]'])(`of %s is up${whyNotOverIpv6}`, isUp);

  // The ping command has no socket to share: it sends a few at once, and the others wait.
  (method === 'ping command' ? it.skip : permitted)(
    'sends many at once over one socket and mixes none up',
    async () => {
      const targets = Array.from({ length: 300 }, (_, index) => `127.0.${index % 3}.${(index % 250) + 1}`);
      const reports = await Promise.all(targets.map((target) => runCheck(checker, target)));
      expect(reports.map(({ outcome, address }) => [outcome, address])).toEqual(
        targets.map((target) => ['up', target]),
      );
    },
  );

  permitted('is up when one address of the name answers and another cannot be reached', async () => {
    const hostsFile = join(mkdtempSync(join(tmpdir(), 'hosts-')), 'hosts');
    writeFileSync(hostsFile, '2001:db8::1 dual.example.com\n127.0.0.1 dual.example.com\n');
    const report = await runCheck(new IcmpChecker(dialerWith({ hostsFile }), capability), 'dual.example.com');
    rmSync(dirname(hostsFile), { recursive: true });
    expect(report).toMatchObject({ outcome: 'up', address: '127.0.0.1' });
  });

  permitted('judges the round-trip time', async () => {
    const slow = { source: 'response_time', comparison: 'greater_than', target: '60000' } as const;
    const report = await runCheck(checker, '127.0.0.1', { assertions: [slow] });
    expect(report).toMatchObject({ outcome: 'down', error: { code: 'assertion_failed', phase: 'assertion' } });
  });
});

const timedByKernel = ['datagram socket', 'raw socket'].includes(method) ? it : it.skip;

timedByKernel('A monitor that stands still neither blames the host nor bills its own pause to it', async () => {
  await runCheck(checker, '127.0.0.1');
  const check = runCheck(checker, '127.0.0.1', { timeoutMs: 100 });
  await new Promise(setImmediate);
  const until = performance.now() + 400;
  while (performance.now() < until);
  const report = await check;
  expect(report).toMatchObject({ outcome: 'up', error: null });
  expect(report.durationMs).toBeLessThan(200);
});

if (available) {
  describeChecker({
    type: 'ICMP',
    open: () => {
      const own = new IcmpTransports();
      return Promise.resolve({
        checker: new IcmpChecker(dialer, own),
        up: { url: '127.0.0.1' },
        close: () => Promise.resolve(own.onModuleDestroy()),
      });
    },
    accepted: [
      ['example.com', { host: 'example.com' }],
      ['ICMP://Example.COM', { host: 'example.com' }],
      ['icmp://example.com/', { host: 'example.com' }],
      ['192.0.2.1', { host: '192.0.2.1' }],
      ['0x7f.1', { host: '127.0.0.1' }],
      ['[2001:DB8::1]', { host: '2001:db8::1' }],
      ['icmp://[2001:db8::1]', { host: '2001:db8::1' }],
      ['2001:db8::1', { host: '2001:db8::1' }],
    ],
    rejected: [
      '',
      'icmp://',
      'example.com:80',
      'icmp://example.com/path',
      'http://example.com',
      'a b',
      'a..b',
      'u@a',
      'a\n',
    ],
  });
}

describe('Where nothing is permitted an ICMP check', () => {
  const barred = new IcmpTransports([{ name: 'raw socket', advice: null, open: () => 'EPERM' }]);

  it('is unknown and names the fix', async () => {
    const report = await runCheck(new IcmpChecker(dialer, barred), '127.0.0.1');
    expect(report).toMatchObject({ outcome: 'unknown', error: { code: 'icmp_unavailable', phase: 'internal' } });
    expect(report.error?.message).toMatch(/net\.ipv4\.ping_group_range.*CAP_NET_RAW/);
  });

  it('is described so', () => {
    const { advice, ...described } = barred.describe();
    expect(described).toEqual({ method: 'none', available: false });
    expect(advice).toMatch(/CAP_NET_RAW.*raw socket: EPERM/);
  });
});

it('The ladder is climbed once', () => {
  let climbs = 0;
  const counted = new IcmpTransports([{ name: 'none', advice: null, open: () => `refusal ${(climbs += 1)}` }]);
  counted.describe();
  counted.best();
  counted.describe();
  expect(climbs).toBe(1);
});

type Results = Record<string, { description: IcmpDescription; reports: Record<string, CheckResult> }>;

const SILENT = '10.99.0.9';
const network = [
  ...CABLE,
  'ip addr add 10.99.0.1/24 dev v0',
  'ip link set v0 up',
  'ip link set v1 up',
  'echo 100 > /proc/sys/net/ipv4/neigh/v0/retrans_time_ms',
  `ip neigh add ${SILENT} lladdr 02:00:00:00:00:09 dev v0 nud permanent`,
];
const everybody = 'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range';
const obstacle = obstacleTo(...network, everybody, 'command -v ping > /dev/null || { echo needs ping >&2; exit 1; }');
const here = obstacle === null ? describe : describe.skip;

here(`In a network of its own an ICMP check${obstacle === null ? '' : ` (skipped: ${obstacle})`}`, () => {
  const ABSENT = '10.99.0.7';
  const UNROUTED = '198.51.100.1';
  const DUAL = '::1';
  const rungs = TRANSPORTS.map(({ name }) => name);
  const targets = ['127.0.0.1', '127.0.0.2', DUAL, SILENT, ABSENT, UNROUTED];
  const argument = JSON.stringify({ rungs, targets, timeoutMs: 2500 });
  const bareArgument = JSON.stringify({ rungs, targets: ['127.0.0.1'], timeoutMs: 2500 });
  let results: Results = {};

  beforeAll(() => {
    results = JSON.parse(
      runInNamespace([...network, everybody], 'test/harness/processes/icmp-check.ts', argument),
    ) as Results;
  }, 60_000);

  describe.each(['datagram socket', 'raw socket', 'datagram socket through node', 'ping command'])('by %s', (rung) => {
    const reportOf = (target: string) => results[rung]?.reports[target];

    it.each(['127.0.0.1', '127.0.0.2', DUAL])('is up when %s answers', (target) => {
      expect(reportOf(target)).toMatchObject({ outcome: 'up', address: target, error: null });
    });

    it('is down when the host is silent', () => {
      expect(reportOf(SILENT)).toMatchObject({
        outcome: 'down',
        error: { code: 'icmp_timeout', phase: 'first_byte', message: expect.stringContaining(SILENT) as unknown },
      });
    });

    it('is unknown when this machine has no route', () => {
      expect(reportOf(UNROUTED)).toMatchObject({ outcome: 'unknown', error: { code: 'monitor_offline' } });
    });

    it('is down when the host is not there', () => {
      const code = rung === 'datagram socket through node' ? 'icmp_timeout' : 'host_unreachable';
      expect(reportOf(ABSENT)).toMatchObject({ outcome: 'down', error: { code, phase: 'first_byte' } });
    });
  });

  it('without any permission is unknown', () => {
    const bare = 'setpriv --reuid=65534 --clear-groups --inh-caps=-all --bounding-set=-all';
    const closed = 'echo "1 0" > /proc/sys/net/ipv4/ping_group_range';
    const output = runInNamespace([...network, closed], 'test/harness/processes/icmp-check.ts', bareArgument, bare);
    for (const { description, reports } of Object.values(JSON.parse(output) as Results)) {
      expect(description).toMatchObject({ method: 'none', available: false });
      expect(reports['127.0.0.1']).toMatchObject({ outcome: 'unknown', error: { code: 'icmp_unavailable' } });
    }
  }, 60_000);
});
