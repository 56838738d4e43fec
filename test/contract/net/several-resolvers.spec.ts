/** @lane slow */
import { dialFailure } from '../../../src/checker/check-failure';
import { DnsChecker } from '../../../src/checker/dns/dns.checker';
import { SystemResolvers } from '../../../src/checker/dns/system-resolvers';
import { startDeadline } from '../../../src/platform/net/deadline';
import { DialError } from '../../../src/platform/net/dial/dial-error';
import { runCheck } from '../../../packages/testing/checker/describe-checker';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import { type DnsScript, DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { closedPort } from '../../../packages/testing/servers/tcp-target';

const NAME = 'shop.example.com';
const TIMEOUT_MS = 2500;

/** The behavior of a DNS server of the monitor's machine when it is queried for the name. */
const SERVERS = {
  'knows the name': ({ name, type }) =>
    type === 'A' ? { answers: [{ type: 'A', name, ttl: 60, data: '192.0.2.1' }] } : {},
  'says that there is no such name': () => ({ rcode: 3 }),
  'gets no answer from the DNS servers of the name': ({ name }) => (name === NAME ? null : {}),
  'says that they fail': () => ({ rcode: 2 }),
  'refuses us': () => ({ rcode: 5 }),
  'is dead': () => null,
  'is not there': null,
} satisfies Record<string, DnsScript | null>;
type Kind = keyof typeof SERVERS;
const KINDS = Object.keys(SERVERS) as Kind[];

const RESULTS: Record<Kind, string> = {
  'knows the name': 'up',
  'says that there is no such name': 'down dns_not_found',
  'says that they fail': 'down dns_failure',
  'gets no answer from the DNS servers of the name': 'down dns_timeout',
  'refuses us': 'unknown',
  'is dead': 'unknown',
  'is not there': 'unknown',
};
const CONCLUSIVE: readonly Kind[] = ['knows the name', 'says that there is no such name'];
const TELLING: readonly Kind[] = ['says that they fail', 'gets no answer from the DNS servers of the name'];

/**
 * Returns the first that knows the answer. Otherwise, failing DNS servers of the name come before silent ones and
 * local errors.
 */
function expected(kinds: readonly Kind[]): string {
  const conclusive = kinds.find((kind) => CONCLUSIVE.includes(kind));
  const telling = TELLING.find((kind) => kinds.includes(kind));
  return RESULTS[conclusive ?? telling ?? 'is dead'];
}

const ROWS: Kind[][] = [
  ...KINDS.map((kind) => [kind]),
  ...KINDS.flatMap((first) => KINDS.map((second) => [first, second])),
  ['is not there', 'refuses us', 'gets no answer from the DNS servers of the name'],
];

const keyOf = (kinds: readonly Kind[]) =>
  kinds.map((kind, at) => `the ${['first', 'second', 'third'][at]} one ${kind}`).join(' and ');

describe('With the DNS servers of this machine', () => {
  const started: DnsTestServer[] = [];
  const checks = new Map<string, string>();
  const lookups = new Map<string, string>();

  beforeAll(async () => {
    const places = new Map<Kind, string>();
    for (const kind of KINDS) {
      const script = SERVERS[kind];
      if (script === null) places.set(kind, `127.0.0.1:${await closedPort()}`);
      else {
        const server = await DnsTestServer.start(script);
        started.push(server);
        places.set(kind, server.address);
      }
    }
    const runs = ROWS.map(async (kinds) => {
      const servers = kinds.map((kind) => places.get(kind) ?? '');
      const checker = new DnsChecker(dialerWith(), new SystemResolvers(() => servers));
      const [{ outcome, error }, looked] = await Promise.all([
        runCheck(checker, `dns:${NAME}?type=A`, { timeoutMs: TIMEOUT_MS }),
        lookUp(servers),
      ]);
      checks.set(keyOf(kinds), outcome === 'down' ? `down ${error?.code}` : outcome);
      lookups.set(keyOf(kinds), looked);
    });
    await Promise.all(runs);
  });
  afterAll(() => Promise.all(started.map((server) => server.stop())));

  /** Returns the outcome of a check whose host lookup fails. */
  async function lookUp(servers: string[]): Promise<string> {
    const deadline = startDeadline(TIMEOUT_MS);
    try {
      await dialerWith({ servers }).resolve(NAME, openEgress, deadline.signal);
      return 'up';
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      const failure = dialFailure(error, deadline.signal);
      return failure.outcome === 'down' ? `down ${failure.error.code}` : failure.outcome;
    } finally {
      deadline.clear();
    }
  }

  it.each(ROWS.map((kinds) => [keyOf(kinds), expected(kinds)]))('when %s, a DNS check is %s', (key, result) => {
    expect(checks.get(key)).toBe(result);
  });

  it.each(ROWS.map((kinds) => [keyOf(kinds), expected(kinds)]))(
    'when %s, the lookup of a host is %s',
    (key, result) => {
      expect(lookups.get(key)).toBe(result);
    },
  );
});

describe('A DNS server of the machine that did not answer', () => {
  it.each([
    ['the lookup of a host', (servers: string[]) => resolverOf(servers)],
    ['a DNS check', (servers: string[]) => checkOf(servers)],
  ])('is queried after the others by the next one: %s', async (_, open) => {
    const dead = await DnsTestServer.start(() => null);
    const good = await DnsTestServer.start(SERVERS['knows the name']);
    const look = open([dead.address, good.address]);
    await look();
    const startedAt = performance.now();
    await look();
    expect(performance.now() - startedAt).toBeLessThan(900);
    await Promise.all([dead.stop(), good.stop()]);
  });

  const resolverOf = (servers: string[]) => {
    const dialer = dialerWith({ servers });
    return () => dialer.resolve(NAME, openEgress, new AbortController().signal);
  };
  const checkOf = (servers: string[]) => {
    const checker = new DnsChecker(dialerWith(), new SystemResolvers(() => servers));
    return () => runCheck(checker, `dns:${NAME}?type=A`);
  };
});

describe('A host name that only the system can look up', () => {
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
  const resolving = async (script: DnsScript, systemLookup: () => Promise<string[]>, timeoutMs = 5000) => {
    const server = await DnsTestServer.start(script);
    const deadline = startDeadline(timeoutMs);
    const failure = await dialerWith({ servers: [server.address], systemLookup, hostsFile: '/nonexistent' })
      .resolve('db.internal', openEgress, deadline.signal)
      .catch((error: DialError) => dialFailure(error, deadline.signal));
    deadline.clear();
    await server.stop();
    return 'outcome' in failure ? `${failure.outcome} ${failure.error.code}` : 'up';
  };
  const hangs = () => new Promise<string[]>(() => {});

  it.each<[string, DnsScript, () => Promise<string[]>, number, string]>([
    ['whose DNS servers fail', () => ({}), failing('EAI_AGAIN'), 5000, 'down dns_failure'],
    ['while no DNS server answers', () => null, failing('EAI_AGAIN'), 8000, 'unknown monitor_offline'],
    ['that does not exist', () => ({}), failing('ENOTFOUND'), 5000, 'down dns_not_found'],
    ['when the system has no memory', () => ({}), failing('EAI_MEMORY'), 5000, 'unknown monitor_offline'],
    ['whose DNS servers do not respond', () => ({}), hangs, 1000, 'down dns_timeout'],
    ['if nothing answers in time', () => null, hangs, 1000, 'unknown monitor_offline'],
  ])('%s is %s', async (_, script, systemLookup, timeoutMs, result) => {
    expect(await resolving(script, systemLookup, timeoutMs)).toBe(result);
  });
});
