import type { Answer } from 'dns-packet';
import type { Checker, CheckPhase, CheckResult, ErrorCode } from '../../../src/checker/checker';
import { DnsChecker } from '../../../src/checker/dns/dns.checker';
import { IcmpTransports } from '../../../src/checker/icmp/icmp-transports';
import { IcmpChecker } from '../../../src/checker/icmp/icmp.checker';
import { SshChecker } from '../../../src/checker/ssh/ssh.checker';
import { SystemResolvers } from '../../../src/checker/dns/system-resolvers';
import { type DnsScript, DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { closedEgress, dialerWith } from '../../../packages/testing/checker/network';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { runCheck } from '../../../packages/testing/checker/describe-checker';

/** The parameters of a check whose cause of failure is set up. */
interface Case {
  checker: Checker;
  url: string;
  options?: Parameters<typeof runCheck>[2];
}

type Row = [
  cause: string,
  arrange: () => Promise<Case> | Case,
  outcome: CheckResult['outcome'],
  code: ErrorCode | null,
  phase: CheckPhase | null,
];

const NAME = 'www.example.com';
const SHORT = { timeoutMs: 400 };
const dialer = dialerWith();
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

const a = (data: string): Answer => ({ type: 'A', name: NAME, ttl: 60, data });
const alias = (name: string, data: string): Answer => ({ type: 'CNAME', name, ttl: 60, data });
const fine: DnsScript = () => ({ answers: [a('192.0.2.1')] });

async function dnsServer(script: DnsScript): Promise<DnsTestServer> {
  const server = await DnsTestServer.start(script);
  open.push(() => server.stop());
  return server;
}

/** Returns a check through a resolver in the target. */
const named = (script: DnsScript, options?: Case['options']) => async (): Promise<Case> => {
  const server = await dnsServer(script);
  return { checker: new DnsChecker(dialer, new SystemResolvers(() => [])), url: server.target(NAME), options };
};

/** Returns a check through the machine's resolver. */
const own = (script: DnsScript, options?: Case['options']) => async (): Promise<Case> => {
  const server = await dnsServer(script);
  return { checker: new DnsChecker(dialer, new SystemResolvers(() => [server.address])), url: `dns:${NAME}`, options };
};

/** The reply does not fit into UDP. `tcp` is what happens to the TCP connection. */
const long =
  (tcp: DnsScript): DnsScript =>
  (question) =>
    question.via === 'udp' ? { truncated: true } : tcp(question);

const dnsRows: Row[] = [
  ['a record', named(fine), 'up', null, null],
  [
    'a thousand records',
    named(long(() => ({ answers: Array.from({ length: 1000 }, () => a('192.0.2.1')) }))),
    'up',
    null,
    null,
  ],
  ['NXDOMAIN', named(() => ({ rcode: 3 })), 'down', 'dns_not_found', 'dns'],
  ['NODATA', named(() => ({ answers: [] })), 'down', 'dns_not_found', 'dns'],
  ['an alias to nowhere', named(() => ({ answers: [alias(NAME, 'gone.example')] })), 'down', 'dns_not_found', 'dns'],
  [
    'aliases that lead back to themselves',
    named(() => ({ answers: [alias(NAME, 'b.example'), alias('b.example', NAME)] })),
    'down',
    'dns_failure',
    'dns',
  ],
  ['SERVFAIL', named(() => ({ rcode: 2 })), 'down', 'dns_failure', 'dns'],
  ['REFUSED', named(() => ({ rcode: 5 })), 'down', 'dns_failure', 'dns'],
  ['NOTIMP', named(() => ({ rcode: 4 })), 'down', 'dns_failure', 'dns'],
  ['no answer', named(() => null, SHORT), 'down', 'dns_timeout', 'dns'],
  [
    'answers with a wrong id only',
    named(({ id }) => ({ id: (id + 1) & 0xffff, answers: [a('192.0.2.1')] }), SHORT),
    'down',
    'dns_timeout',
    'dns',
  ],
  [
    'answers to another question only',
    named(() => ({ question: { name: 'x.example', type: 'A' } }), SHORT),
    'down',
    'dns_timeout',
    'dns',
  ],
  [
    'an answer that is cut off',
    named(({ id }) => ({ raw: Buffer.from([id >> 8, id & 255, 0x84, 0, 0, 1, 0, 9, 0, 0, 0, 0, 3, 119]) })),
    'down',
    'dns_failure',
    'dns',
  ],
  ['a long answer that TCP also truncates', named(long(() => ({ truncated: true }))), 'down', 'dns_failure', 'dns'],
  [
    'a long answer, TCP does not respond',
    named(
      long(() => null),
      SHORT,
    ),
    'down',
    'dns_timeout',
    'dns',
  ],
  ['a long answer, TCP disconnects', named(long(() => 'hang_up')), 'down', 'dns_failure', 'dns'],
  ['a long answer, TCP reset', named(long(() => 'reset')), 'down', 'connection_reset', 'connect'],
  ['a long answer, TCP refused', withoutTcp, 'down', 'connection_refused', 'connect'],
  ['nothing listens at the resolver', closedResolver, 'down', 'connection_refused', 'connect'],
  ['the resolver has a name that does not exist', namelessResolver, 'down', 'dns_not_found', 'dns'],
  [
    'the resolver is refused by the egress policy',
    named(fine, { egress: closedEgress }),
    'unknown',
    'target_blocked',
    'connect',
  ],
  [
    'an assertion that does not hold',
    named(fine, { assertions: [{ source: 'dns_record', comparison: 'equals', target: '192.0.2.2' }] }),
    'down',
    'assertion_failed',
    'assertion',
  ],
  [
    'a shutdown of the service',
    named(() => null, { shutdown: AbortSignal.abort(new Error('shutting down')) }),
    'unknown',
    'internal',
    'dns',
  ],
  ['NXDOMAIN from the configured resolver', own(() => ({ rcode: 3 })), 'down', 'dns_not_found', 'dns'],
  ['SERVFAIL from the configured resolver', own(() => ({ rcode: 2 })), 'down', 'dns_failure', 'dns'],
  ['REFUSED from the configured resolver', own(() => ({ rcode: 5 })), 'unknown', 'dns_failure', 'dns'],
  ['the configured resolver is dead', own(() => null, { timeoutMs: 900 }), 'unknown', 'dns_timeout', 'dns'],
  [
    'the configured resolver works but does not get this name',
    own(({ name }) => (name === NAME ? null : {}), { timeoutMs: 2000 }),
    'down',
    'dns_timeout',
    'dns',
  ],
  ['nothing listens at the configured resolver', closedOwnResolver, 'unknown', 'dns_failure', 'connect'],
  [
    'no configured resolver',
    () => ({ checker: new DnsChecker(dialer, new SystemResolvers(() => [])), url: NAME }),
    'unknown',
    'dns_failure',
    'dns',
  ],
];

async function withoutTcp(): Promise<Case> {
  const server = await dnsServer(() => ({ truncated: true }));
  await server.stopTcp();
  return { checker: new DnsChecker(dialer, new SystemResolvers(() => [])), url: server.target(NAME) };
}

async function closedResolver(): Promise<Case> {
  const url = `dns://127.0.0.1:${await closedPort()}/${NAME}`;
  return { checker: new DnsChecker(dialer, new SystemResolvers(() => [])), url };
}

async function closedOwnResolver(): Promise<Case> {
  const port = await closedPort();
  return { checker: new DnsChecker(dialer, new SystemResolvers(() => [`127.0.0.1:${port}`])), url: `dns:${NAME}` };
}

async function namelessResolver(): Promise<Case> {
  const checker = new DnsChecker(await dialerThatFindsNothing(), new SystemResolvers(() => []));
  return { checker, url: `dns://ns.example.com/${NAME}` };
}

/** Its DNS server knows no name. */
const dialerThatFindsNothing = async () => dialerWith({ servers: [(await dnsServer(() => ({ rcode: 3 }))).address] });

const ssh = (script: Parameters<typeof TcpTarget.listen>[0], options?: Case['options']) => async (): Promise<Case> => {
  const target = await TcpTarget.listen(script);
  open.push(() => target.close());
  return { checker: new SshChecker(dialer), url: target.authority, options };
};

const says = (text: string, options?: Case['options']) => ssh((socket) => void socket.resume().write(text), options);
const saysAndEnds = (text: string) => ssh((socket) => void socket.resume().end(text));

const sshRows: Row[] = [
  ['an identification', saysAndEnds('SSH-2.0-x\r\n'), 'up', null, null],
  ['an identification of a server that supports both versions', saysAndEnds('SSH-1.99-x\r\n'), 'up', null, null],
  [
    'nothing listens',
    async () => ({ checker: new SshChecker(dialer), url: `127.0.0.1:${await closedPort()}` }),
    'down',
    'connection_refused',
    'connect',
  ],
  ['silence', ssh(silence, SHORT), 'down', 'first_byte_timeout', 'first_byte'],
  ['half an identification', says('SSH-2.0-Open', SHORT), 'down', 'first_byte_timeout', 'first_byte'],
  ['half an identification and a disconnect', saysAndEnds('SSH-2.0-Open'), 'down', 'banner_invalid', 'first_byte'],
  ['a disconnect without a byte', saysAndEnds(''), 'down', 'banner_invalid', 'first_byte'],
  [
    'a reset',
    ssh((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    'down',
    'connection_reset',
    'first_byte',
  ],
  ['SSH 1.5', says('SSH-1.5-old\r\n'), 'down', 'banner_invalid', 'first_byte'],
  ['a web server', saysAndEnds('HTTP/1.1 400 Bad Request\r\n\r\n'), 'down', 'banner_invalid', 'first_byte'],
  [
    'an identification of 300 characters',
    says(`SSH-2.0-${'x'.repeat(300)}\r\n`),
    'down',
    'banner_invalid',
    'first_byte',
  ],
  ['lines without end', says('no\r\n'.repeat(10_000)), 'down', 'banner_invalid', 'first_byte'],
  ['a line without end', says('x'.repeat(50_000)), 'down', 'banner_invalid', 'first_byte'],
  [
    'a name that does not exist',
    async () => ({ checker: new SshChecker(await dialerThatFindsNothing()), url: 'host.example.com' }),
    'down',
    'dns_not_found',
    'dns',
  ],
  ['refused by the egress policy', ssh(silence, { egress: closedEgress }), 'unknown', 'target_blocked', 'connect'],
  [
    'a shutdown of the service',
    ssh(silence, { shutdown: AbortSignal.abort(new Error('shutting down')) }),
    'unknown',
    'internal',
    'connect',
  ],
];

const barred = new IcmpTransports([{ name: 'raw socket', advice: null, open: () => 'EPERM' }]);
const icmp = new IcmpTransports();
const isPermitted = icmp.describe().available;

afterAll(() => icmp.onModuleDestroy());

const icmpRows: Row[] = [
  [
    'no permission',
    () => ({ checker: new IcmpChecker(dialer, barred), url: '127.0.0.1' }),
    'unknown',
    'icmp_unavailable',
    'internal',
  ],
];
/**
 * A reply requires the permission to send. Silence, absence, and missing routes require a network namespace (see
 * icmp.spec).
 */
const permittedIcmpRows: Row[] = [
  ['a reply', () => ({ checker: new IcmpChecker(dialer, icmp), url: '127.0.0.1' }), 'up', null, null],
  [
    'a name that does not exist',
    async () => ({ checker: new IcmpChecker(await dialerThatFindsNothing(), icmp), url: 'host.example.com' }),
    'down',
    'dns_not_found',
    'dns',
  ],
  [
    'refused by the egress policy',
    () => ({ checker: new IcmpChecker(dialer, icmp), url: '::1', options: { egress: closedEgress } }),
    'unknown',
    'target_blocked',
    'connect',
  ],
  [
    'a shutdown of the service',
    () => ({
      checker: new IcmpChecker(dialer, icmp),
      url: '127.0.0.1',
      options: { shutdown: AbortSignal.abort(new Error('shutting down')) },
    }),
    'unknown',
    'internal',
    'first_byte',
  ],
];

const judge = async (arrange: Row[1], outcome: Row[2], code: Row[3], phase: Row[4]) => {
  const { checker, url, options } = await arrange();
  const result = await runCheck(checker, url, options);
  expect(result).toMatchObject({ outcome, error: code && { code, phase } });
};

describe('Cause and code of a DNS check:', () => {
  it.each(dnsRows)('%s', (_, ...row) => judge(...row));
});

describe('Cause and code of an SSH check:', () => {
  it.each(sshRows)('%s', (_, ...row) => judge(...row));
});

describe('Cause and code of an ICMP check:', () => {
  it.each(icmpRows)('%s', (_, ...row) => judge(...row));
  (isPermitted ? it : it.skip).each(permittedIcmpRows)('%s', (_, ...row) => judge(...row));
});
