/** @lane slow */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CheckResult } from '../../../src/checker/checker';
import { type IcmpDescription, IcmpTransports, TRANSPORTS } from '../../../src/checker/icmp/icmp-transports';
import { IcmpChecker } from '../../../src/checker/icmp/icmp.checker';
import { itOverIpv6, whyNotOverIpv6 } from '../../harness/machine/loopback';
import { CABLE, obstacleTo, runInNamespace } from '../../harness/machine/namespace';
import { dialerWith } from '../../../packages/testing/checker/network';
import { describeChecker, runCheck } from '../../../packages/testing/checker/describe-checker';

const dialer = dialerWith();
const transports = new IcmpTransports();
const checker = new IcmpChecker(dialer, transports);

const { method, available } = transports.describe();
const permitted = available ? it : it.skip;

afterAll(() => transports.onModuleDestroy());

describe(`An ICMP check (${available ? `over ${method}` : 'skipped: nothing is permitted here'})`, () => {
  const isUp = async (url: string) => {
    const result = await runCheck(checker, url);
    expect(result).toMatchObject({ outcome: 'up', error: null, records: null });
    expect(result.phases.firstByteMs).toBeGreaterThan(0);
  };
  permitted.each(['127.0.0.1', 'icmp://127.0.0.1', 'localhost'])('says that %s is up', isUp);
  (available ? itOverIpv6 : it.skip).each(['::1', 'icmp://[::1]'])(`says that %s is up${whyNotOverIpv6}`, isUp);

  // The ping command runs eight processes of one organization at once. The other checks wait.
  (method === 'ping command' ? it.skip : permitted)(
    'pings many hosts at once over one socket and confuses none of them',
    async () => {
      const targets = Array.from({ length: 300 }, (_, index) => `127.0.${index % 3}.${(index % 250) + 1}`);
      const results = await Promise.all(targets.map((target) => runCheck(checker, target)));
      expect(results.map(({ outcome, address }) => [outcome, address])).toEqual(
        targets.map((target) => ['up', target]),
      );
    },
  );

  permitted('says that a host is up when one of its addresses replies and another cannot be reached', async () => {
    const hostsFile = join(mkdtempSync(join(tmpdir(), 'hosts-')), 'hosts');
    writeFileSync(hostsFile, '2001:db8::1 dual.example.com\n127.0.0.1 dual.example.com\n');
    const result = await runCheck(new IcmpChecker(dialerWith({ hostsFile }), transports), 'dual.example.com');
    rmSync(dirname(hostsFile), { recursive: true });
    expect(result).toMatchObject({ outcome: 'up', address: '127.0.0.1' });
  });

  permitted('judges the round-trip time by the assertions', async () => {
    const slow = { source: 'response_time', comparison: 'greater_than', target: '60000' } as const;
    const result = await runCheck(checker, '127.0.0.1', { assertions: [slow] });
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'assertion_failed', phase: 'assertion' } });
  });
});

const timedByKernel = ['datagram socket', 'raw socket'].includes(method) ? it : it.skip;

timedByKernel('A blocked event loop neither makes a host silent nor adds to its round-trip time', async () => {
  await runCheck(checker, '127.0.0.1');
  const check = runCheck(checker, '127.0.0.1', { timeoutMs: 100 });
  await new Promise(setImmediate);
  const until = performance.now() + 400;
  while (performance.now() < until);
  const result = await check;
  expect(result).toMatchObject({ outcome: 'up', error: null });
  expect(result.durationMs).toBeLessThan(200);
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

describe('An ICMP check without permission for any transport', () => {
  const barred = new IcmpTransports([{ name: 'raw socket', advice: null, open: () => 'EPERM' }]);

  it('is unknown and explains how to permit ICMP', async () => {
    const result = await runCheck(new IcmpChecker(dialer, barred), '127.0.0.1');
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'icmp_unavailable', phase: 'internal' } });
    expect(result.error?.message).toMatch(/net\.ipv4\.ping_group_range.*CAP_NET_RAW/);
  });

  it('describes that nothing is available, and why', () => {
    const { advice, ...described } = barred.describe();
    expect(described).toEqual({ method: 'none', available: false });
    expect(advice).toMatch(/CAP_NET_RAW.*raw socket: EPERM/);
  });
});

it('The transport is chosen once', () => {
  let attempts = 0;
  const counted = new IcmpTransports([{ name: 'none', advice: null, open: () => `refusal ${(attempts += 1)}` }]);
  counted.describe();
  counted.best();
  counted.describe();
  expect(attempts).toBe(1);
});

type Results = Record<string, { description: IcmpDescription; results: Record<string, CheckResult> }>;

const SILENT = '10.99.0.9';
const network = [
  ...CABLE,
  'ip addr add 10.99.0.1/24 dev v0',
  'ip link set v0 up',
  'ip link set v1 up',
  'echo 100 > /proc/sys/net/ipv4/neigh/v0/retrans_time_ms',
  `ip neigh add ${SILENT} lladdr 02:00:00:00:00:09 dev v0 nud permanent`,
];
const everyGroup = 'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range';
const obstacle = obstacleTo(...network, everyGroup, 'command -v ping > /dev/null || { echo needs ping >&2; exit 1; }');
const here = obstacle === null ? describe : describe.skip;

here(`An ICMP check in a network namespace${obstacle === null ? '' : ` (skipped: ${obstacle})`}`, () => {
  const ABSENT = '10.99.0.7';
  const UNROUTED = '198.51.100.1';
  const DUAL = '::1';
  const names = TRANSPORTS.map(({ name }) => name);
  const targets = ['127.0.0.1', '127.0.0.2', DUAL, SILENT, ABSENT, UNROUTED];
  const argument = JSON.stringify({ transports: names, targets, timeoutMs: 2500 });
  const bareArgument = JSON.stringify({ transports: names, targets: ['127.0.0.1'], timeoutMs: 2500 });
  let byTransport: Results = {};

  beforeAll(() => {
    byTransport = JSON.parse(
      runInNamespace([...network, everyGroup], 'test/harness/processes/icmp-check.ts', argument),
    ) as Results;
  }, 60_000);

  describe.each(['datagram socket', 'raw socket', 'ping command'])('over the %s', (transport) => {
    const resultOf = (target: string) => byTransport[transport]?.results[target];

    it.each(['127.0.0.1', '127.0.0.2', DUAL])('is up when %s replies', (target) => {
      expect(resultOf(target)).toMatchObject({ outcome: 'up', address: target, error: null });
    });

    it('is down when the host does not reply in time', () => {
      expect(resultOf(SILENT)).toMatchObject({
        outcome: 'down',
        error: { code: 'icmp_timeout', phase: 'first_byte', message: expect.stringContaining(SILENT) as unknown },
      });
    });

    it('is unknown when this machine has no route to the host', () => {
      expect(resultOf(UNROUTED)).toMatchObject({ outcome: 'unknown', error: { code: 'monitor_offline' } });
    });

    it('is down if no host has the address', () => {
      expect(resultOf(ABSENT)).toMatchObject({
        outcome: 'down',
        error: { code: 'host_unreachable', phase: 'first_byte' },
      });
    });
  });

  it('is unknown without any permission', () => {
    const bare = 'setpriv --reuid=65534 --clear-groups --inh-caps=-all --bounding-set=-all';
    const closed = 'echo "1 0" > /proc/sys/net/ipv4/ping_group_range';
    const output = runInNamespace([...network, closed], 'test/harness/processes/icmp-check.ts', bareArgument, bare);
    for (const { description, results } of Object.values(JSON.parse(output) as Results)) {
      expect(description).toMatchObject({ method: 'none', available: false });
      expect(results['127.0.0.1']).toMatchObject({ outcome: 'unknown', error: { code: 'icmp_unavailable' } });
    }
  }, 60_000);
});
