/** @lane slow */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckResult } from '../../../src/checker/checker';
import { CABLE, farSide, obstacleTo, runInNamespace } from '../../harness/machine/namespace';
import type { ChecksOrder, OrderedCheck } from '../../harness/processes/checks-process';

const [FOUR, SIX] = ['10.99.0.2', 'fd99::2'];
/** No host has the address, and no error reports that. */
const DEAF_FOUR = '10.99.0.9';

const rules = (chain: string, hook: string, lines: readonly string[]) => [
  'nft add table inet t',
  `nft "add chain inet t ${chain} { type filter hook ${hook} priority 0; }"`,
  ...lines.map((line) => `nft add rule inet t ${chain} ${line}`),
];

/**
 * The response of a firewall for a port: a packet filter's `reject with`, by port. UDP sockets receive no errors that
 * Linux considers temporary, so a DNS check sees only silence.
 */
const REJECTS: readonly [port: number, family: 4 | 6, reject: string, code: string, ofDns?: string][] = [
  [1001, 6, 'icmpv6 type admin-prohibited', 'host_unreachable'],
  [1002, 6, 'icmpv6 type no-route', 'host_unreachable', 'dns_timeout'],
  [1003, 6, 'icmpv6 type addr-unreachable', 'host_unreachable', 'dns_timeout'],
  [1004, 6, 'icmpv6 type policy-fail', 'host_unreachable'],
  [1005, 6, 'icmpv6 type reject-route', 'host_unreachable'],
  [1006, 6, 'icmpv6 type port-unreachable', 'connection_refused'],
  [1007, 4, 'icmp type prot-unreachable', 'host_unreachable'],
  [1008, 4, 'icmp type admin-prohibited', 'host_unreachable'],
  [1009, 4, 'icmp type net-prohibited', 'host_unreachable'],
  [1010, 4, 'icmp type host-prohibited', 'host_unreachable'],
  [1011, 4, 'icmp type net-unreachable', 'host_unreachable', 'dns_timeout'],
  [1012, 4, 'icmp type host-unreachable', 'host_unreachable', 'dns_timeout'],
  [1013, 4, 'icmp type port-unreachable', 'connection_refused'],
];
const SILENT_PORT = 1020;
const placeOf = (family: 4 | 6) => (family === 4 ? FOUR : `[${SIX}]`);

const far = farSide(
  'ip link set lo up',
  'sysctl -qw net.ipv6.conf.v1.accept_dad=0 net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0',
  `ip addr add ${FOUR}/24 dev v1`,
  `ip addr add ${SIX}/64 dev v1`,
  'ip link set v1 up',
  ...rules('input', 'input', [
    ...REJECTS.map(([port, family, reject]) => {
      const address = family === 4 ? `ip daddr ${FOUR}` : `ip6 daddr ${SIX}`;
      return `${address} meta l4proto { tcp, udp } th dport ${port} reject with ${reject}`;
    }),
    `meta l4proto { tcp, udp } th dport ${SILENT_PORT} drop`,
    'icmp type echo-request drop',
  ]),
);
const near = [
  ...CABLE,
  ...far,
  'sysctl -qw net.ipv6.conf.v0.accept_dad=0 || true',
  'ip addr add 10.99.0.1/24 dev v0',
  'ip link set v0 up',
  `ip neigh add ${DEAF_FOUR} lladdr 02:00:00:00:00:09 dev v0`,
  'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range',
];
const BOTH = [...near, 'ip addr add fd99::1/64 dev v0'];
const WITHOUT_IPV6: readonly [how: string, lines: string[]][] = [
  ['A host without a route for IPv6', [...near, 'ip -6 addr flush dev v0']],
  ['A host on which IPv6 is turned off', [...near, 'sysctl -qw net.ipv6.conf.all.disable_ipv6=1']],
];

const obstacle = obstacleTo(...BOTH, 'command -v ping > /dev/null || { echo needs ping >&2; exit 1; }', 'kill $far');
const here = obstacle === null ? describe : describe.skip;
const why = obstacle === null ? '' : ` (skipped: ${obstacle})`;

const folder = mkdtempSync(join(tmpdir(), 'ways-'));
const hostsFile = join(folder, 'hosts');
writeFileSync(
  hostsFile,
  [
    `2001:db8::1 dual.test\n${FOUR} dual.test`,
    `${SIX} rejected.test\n${DEAF_FOUR} rejected.test`,
    `fd77::1 forbidden.test\n${DEAF_FOUR} forbidden.test`,
  ].join('\n'),
);
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the results of checks on a machine that these shell lines set up. */
const resultsOn = (setup: string[], checks: OrderedCheck[], more: Partial<ChecksOrder> = {}): CheckResult[] =>
  runInNamespace(
    setup,
    'test/harness/processes/checks-process.ts',
    JSON.stringify({ checks, hostsFile, ...more } satisfies ChecksOrder),
  )
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CheckResult);

const check = (type: OrderedCheck['type'], url: string, more: Partial<OrderedCheck> = {}): OrderedCheck => ({
  type,
  url,
  timeoutMs: 2500,
  ...more,
});
const brief = ({ outcome, error, address }: CheckResult) => [outcome, error?.code ?? null, address];

here(`A host with an IPv6 and an IPv4 address, seen by a machine${why}`, () => {
  const checks = [
    check('ICMP', 'dual.test', { transport: 'datagram socket' }),
    check('ICMP', 'dual.test', { transport: 'raw socket' }),
    check('ICMP', 'dual.test', { transport: 'ping command' }),
    check('TCP', `dual.test:${SILENT_PORT}`),
    check('SSH', `dual.test:${SILENT_PORT}`),
    check('HTTP', `http://dual.test:${SILENT_PORT}/`),
    check('DNS', `dns://dual.test:${SILENT_PORT}/example.com`),
    check('TCP', 'dual.test:9'),
    check('HTTP', 'http://dual.test:9/'),
    check('DNS', 'dns://dual.test:9/example.com'),
    check('TCP', '[2001:db8::1]:9'),
    check('ICMP', '2001:db8::1', { transport: 'datagram socket' }),
    check('ICMP', '2001:db8::1', { transport: 'ping command' }),
    check('DNS', 'dns://[2001:db8::1]/example.com'),
  ];
  it.each(WITHOUT_IPV6)(`%s reports down with the IPv4 address if that does not respond`, (_, setup) => {
    expect(resultsOn(setup, checks).map(brief)).toEqual([
      ['down', 'icmp_timeout', FOUR],
      ['down', 'icmp_timeout', FOUR],
      ['down', 'icmp_timeout', FOUR],
      ['down', 'connection_timeout', FOUR],
      ['down', 'connection_timeout', FOUR],
      ['down', 'connection_timeout', FOUR],
      ['down', 'dns_timeout', FOUR],
      ['down', 'connection_refused', FOUR],
      ['down', 'connection_refused', FOUR],
      ['down', 'connection_refused', FOUR],
      ['unknown', 'monitor_offline', '2001:db8::1'],
      ['unknown', 'monitor_offline', '2001:db8::1'],
      ['unknown', 'monitor_offline', '2001:db8::1'],
      ['unknown', 'monitor_offline', '2001:db8::1'],
    ]);
  });
});

here(`What a firewall before the target answers${why}`, () => {
  let results: CheckResult[] = [];
  const TYPES = ['TCP', 'HTTP', 'SSH', 'DNS'] as const;
  const urlOf = (type: (typeof TYPES)[number], place: string) =>
    ({ TCP: place, SSH: place, HTTP: `http://${place}/`, DNS: `dns://${place}/example.com` })[type];
  const rows = REJECTS.flatMap(([port, family, reject, code, ofDns = code]) =>
    TYPES.map((type) => ({ type, reject, code: type === 'DNS' ? ofDns : code, place: `${placeOf(family)}:${port}` })),
  );

  beforeAll(() => {
    results = resultsOn(
      BOTH,
      rows.map(({ type, place }) => check(type, urlOf(type, place), { timeoutMs: 6000 })),
    );
  });

  it.each(rows.map((row, at) => ({ ...row, at })))('reports a $type check as down: $reject', ({ at, code }) => {
    expect(results[at]).toMatchObject({ outcome: 'down', error: { code } });
  });
});

here(`What the machine of the monitor forbids itself${why}`, () => {
  it('is unknown, for every type of check and every way to forbid it', () => {
    const setup = [
      ...BOTH,
      'ip -6 route add prohibit fd77::/64',
      'ip -6 route add unreachable fd78::/64',
      'ip -6 route add blackhole fd79::/64',
      'ip route add prohibit 10.77.0.0/16',
      'ip route add unreachable 10.78.0.0/16',
      'ip route add blackhole 10.79.0.0/16',
      ...rules('output', 'output', [`udp dport 2001 drop`, `udp dport 2002 reject`]),
    ];
    const addresses = ['[fd77::1]', '[fd78::1]', '[fd79::1]', '10.77.0.1', '10.78.0.1', '10.79.0.1'];
    const results = resultsOn(setup, [
      ...addresses.flatMap((address) => [
        check('TCP', `${address}:80`),
        check('HTTP', `http://${address}/`),
        check('SSH', address),
        check('DNS', `dns://${address}/example.com`),
        check('ICMP', address, { transport: 'datagram socket' }),
        check('ICMP', address, { transport: 'raw socket' }),
        check('ICMP', address, { transport: 'ping command' }),
      ]),
      check('DNS', `dns://${FOUR}:2001/example.com`),
      check('DNS', `dns://[${SIX}]:2001/example.com`),
      check('DNS', `dns://[${SIX}]:2002/example.com`),
    ]);
    expect(results.filter(({ outcome }) => outcome !== 'unknown')).toEqual([]);
    expect(results.length).toBe(7 * addresses.length + 3);
  });

  it('does not hide the response of another address of the same name, or that it does not respond', () => {
    const setup = [...BOTH, 'ip -6 route add prohibit fd77::/64'];
    const results = resultsOn(setup, [
      check('TCP', `forbidden.test:${SILENT_PORT}`),
      check('ICMP', 'forbidden.test', { transport: 'datagram socket' }),
      check('TCP', 'rejected.test:1001', { timeoutMs: 4000 }),
      check('TCP', 'rejected.test:1006', { timeoutMs: 4000 }),
    ]);
    expect(results.map(brief)).toEqual([
      ['down', 'connection_timeout', DEAF_FOUR],
      ['down', 'icmp_timeout', DEAF_FOUR],
      ['down', 'host_unreachable', SIX],
      ['down', 'connection_refused', SIX],
    ]);
  });
});
