import type { Answer } from 'dns-packet';
import type { Assertion } from '../../../src/checker/assertion/assertion';
import { DnsChecker } from '../../../src/checker/dns/dns.checker';
import { SystemResolvers } from '../../../src/checker/dns/system-resolvers';
import { type DnsScript, DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { itOverIpv6, whyNotOverIpv6 } from '../../harness/machine/loopback';
import { dialerWith } from '../../../packages/testing/checker/network';
import { eventually } from '../../../packages/testing/eventually';
import {
  type CheckerBench,
  describeChecker,
  type LiveTarget,
  runCheck,
} from '../../../packages/testing/checker/describe-checker';

const NAME = 'www.example.com';
const dialer = dialerWith();
const servers: DnsTestServer[] = [];

const serve = async (script: DnsScript, host?: string) => {
  const server = await DnsTestServer.start(script, host);
  servers.push(server);
  return server;
};

const checkerWith = (...own: DnsTestServer[]) =>
  new DnsChecker(dialer, new SystemResolvers(() => own.map(({ address: place }) => place)));
const checker = checkerWith();

const a = (data: string, name = NAME): Answer => ({ type: 'A', name, ttl: 300, data });
const alias = (name: string, data: string): Answer => ({ type: 'CNAME', name, ttl: 60, data });
const good: DnsScript = () => ({ answers: [a('192.0.2.1')] });
const assertion = (comparison: Assertion['comparison'], target: string): Assertion => ({
  source: 'dns_record',
  comparison,
  target,
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

describe('A DNS check', () => {
  const records: [string, Answer, string][] = [
    ['A', a('192.0.2.1'), 'A 192.0.2.1'],
    ['AAAA', { type: 'AAAA', name: NAME, ttl: 60, data: '2001:db8::1' }, 'AAAA 2001:db8::1'],
    ['CNAME', alias(NAME, 'cdn.example.net'), 'CNAME cdn.example.net'],
    ['MX', { type: 'MX', name: NAME, ttl: 60, data: { preference: 5, exchange: 'mx.example' } }, 'MX 5 mx.example'],
    ['NS', { type: 'NS', name: NAME, ttl: 60, data: 'ns.example.net' }, 'NS ns.example.net'],
    ['TXT', { type: 'TXT', name: NAME, ttl: 60, data: ['v=spf1 ', '-all'] }, 'TXT v=spf1 -all'],
    [
      'SOA',
      {
        type: 'SOA',
        name: NAME,
        ttl: 60,
        data: { mname: 'ns.example', rname: 'root.example', serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 },
      },
      'SOA ns.example root.example 1 2 3 4 5',
    ],
    [
      'SRV',
      { type: 'SRV', name: NAME, ttl: 60, data: { priority: 1, port: 5060, target: 'sip.example' } },
      'SRV 1 0 5060 sip.example',
    ],
    [
      'CAA',
      { type: 'CAA', name: NAME, ttl: 60, data: { flags: 0, tag: 'issue', value: 'ca.example' } },
      'CAA 0 issue "ca.example"',
    ],
    ['PTR', { type: 'PTR', name: NAME, ttl: 60, data: 'host.example' }, 'PTR host.example'],
  ];

  it.each(records)('lists the records of type %s', async (type, answer, line) => {
    const server = await serve(() => ({ answers: [answer] }));
    const result = await runCheck(checker, server.target(NAME, type));
    expect(result).toMatchObject({ outcome: 'up', error: null, records: [line], address: '127.0.0.1' });
    expect(result.phases.dnsMs).toBeGreaterThan(0);
    expect(result.durationMs).toBe(result.phases.dnsMs);
    expect(server.asked).toMatchObject([{ name: NAME, type, via: 'udp', edns: true }]);
  });

  it('queries the configured resolver for both address types of a bare name and lists both', async () => {
    const server = await serve(({ type }) => ({
      answers: type === 'A' ? [a('192.0.2.1')] : [{ type: 'AAAA', name: NAME, ttl: 60, data: '2001:db8::1' }],
    }));
    const result = await runCheck(checkerWith(server), NAME);
    expect(result).toMatchObject({ outcome: 'up', records: ['A 192.0.2.1', 'AAAA 2001:db8::1'] });
  });

  it('reports a bare name with only IPv6 addresses as up', async () => {
    const server = await serve(({ type }) => ({
      answers: type === 'A' ? [] : [{ type: 'AAAA', name: NAME, ttl: 60, data: '2001:db8::1' }],
    }));
    expect(await runCheck(checkerWith(server), NAME)).toMatchObject({ outcome: 'up', error: null });
  });

  it('does not wait long for AAAA once A was answered, and does not count the wait', async () => {
    const server = await serve(({ type }) => (type === 'A' ? { answers: [a('192.0.2.1')] } : null));
    const result = await runCheck(checkerWith(server), NAME, { timeoutMs: 20_000 });
    expect(result).toMatchObject({ outcome: 'up', records: ['A 192.0.2.1'] });
    expect(result.durationMs).toBeLessThan(900);
  });

  it('lists the aliases that point to the records', async () => {
    const server = await serve(() => ({
      answers: [alias(NAME, 'cdn.example.net'), a('192.0.2.1', 'cdn.example.net')],
    }));
    const result = await runCheck(checker, server.target(NAME));
    expect(result.records).toEqual(['CNAME cdn.example.net', 'A 192.0.2.1']);
  });

  it('fetches a truncated DNS reply over TCP, all of its thousand records', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => a(`10.0.${index >> 8}.${index & 255}`));
    const server = await serve(({ via }) => (via === 'udp' ? { truncated: true } : { answers: many }));
    const result = await runCheck(checker, server.target(NAME), {
      assertions: [assertion('contains', '10.0.3.231')],
    });
    expect(result).toMatchObject({ outcome: 'up', error: null });
    expect(result.records).toHaveLength(101);
    expect(result.records?.at(-1)).toBe('and 900 more');
    expect(server.asked.map(({ via }) => via)).toEqual(['udp', 'tcp']);
  });

  it('repeats the query without EDNS if the resolver does not support it', async () => {
    const server = await serve(({ edns }) => (edns ? { rcode: 1 } : { answers: [a('192.0.2.1')] }));
    expect(await runCheck(checker, server.target(NAME))).toMatchObject({ outcome: 'up' });
    expect(server.asked.map(({ edns }) => edns)).toEqual([true, false]);
  });

  it('sends the DNS query again when a packet was lost', async () => {
    let lost = false;
    const server = await serve(() => {
      if (lost) return { answers: [a('192.0.2.1')] };
      lost = true;
      return null;
    });
    expect(await runCheck(checker, server.target(NAME))).toMatchObject({ outcome: 'up' });
    expect(server.asked).toHaveLength(2);
  });

  it('uses a new port and a new id for each DNS query', async () => {
    const server = await serve(good);
    for (let round = 0; round < 8; round++) await runCheck(checker, server.target(NAME));
    expect(new Set(server.asked.map(({ port }) => port)).size).toBeGreaterThan(4);
    expect(new Set(server.asked.map(({ id }) => id)).size).toBeGreaterThan(4);
  });

  it('queries a resolver given by name', async () => {
    const server = await serve(good);
    const result = await runCheck(checker, `dns://localhost:${server.port}/${NAME}?type=A`);
    expect(result).toMatchObject({ outcome: 'up', address: '127.0.0.1' });
  });

  itOverIpv6(`asks a resolver over IPv6${whyNotOverIpv6}`, async () => {
    const server = await serve(good, '::1');
    expect(await runCheck(checker, server.target(NAME))).toMatchObject({ outcome: 'up', address: '::1' });
  });
});

describe('Packets that are not the reply to the query', () => {
  const right = { answers: [a('192.0.2.1')] };
  const wrong = { answers: [a('192.0.2.66')] };

  it.each([
    ['another id', (id: number) => ({ ...wrong, id: (id + 1) & 0xffff })],
    ['another name', () => ({ ...wrong, question: { name: 'evil.example', type: 'A', class: 'IN' } as const })],
    ['another type', () => ({ ...wrong, question: { name: NAME, type: 'MX', class: 'IN' } as const })],
    ['three bytes', () => ({ raw: Buffer.from('abc') })],
    ['the query sent back', (id: number) => ({ raw: Buffer.from([id >> 8, id & 255, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]) })],
  ])('ignores %s', async (_, spoofed) => {
    const server = await serve(({ id }) => [spoofed(id), right]);
    const result = await runCheck(checker, server.target(NAME));
    expect(result).toMatchObject({ outcome: 'up', records: ['A 192.0.2.1'] });
  });
});

describe('A DNS check with several configured resolvers', () => {
  it.each<[string, DnsScript]>([
    ['does not respond', () => null],
    ['fails', () => ({ rcode: 2 })],
    ['refuses', () => ({ rcode: 5 })],
  ])('queries the second resolver if the first %s', async (_, script) => {
    const [first, second] = [await serve(script), await serve(good)];
    const result = await runCheck(checkerWith(first, second), `dns:${NAME}`);
    expect(result).toMatchObject({ outcome: 'up', error: null });
    // On a busy machine, it also gets a query that tests whether it is alive.
    expect(second.asked.filter(({ name }) => name === NAME)).toHaveLength(1);
  });

  it('queries the second resolver if nothing listens at the first', async () => {
    const [first, second] = [await serve(good), await serve(good)];
    await first.stop();
    servers.splice(servers.indexOf(first), 1);
    expect(await runCheck(checkerWith(first, second), `dns:${NAME}`)).toMatchObject({ outcome: 'up' });
  });

  it('does not query the second resolver if the first reports that the name does not exist', async () => {
    const [first, second] = [await serve(() => ({ rcode: 3 })), await serve(good)];
    const result = await runCheck(checkerWith(first, second), `dns:${NAME}`);
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'dns_not_found' } });
    expect(second.asked).toHaveLength(0);
  });
});

describe('Assertions on DNS records', () => {
  const answers = [a('192.0.2.2'), a('192.0.2.1')];

  it.each<[Assertion['comparison'], string]>([
    ['equals', '192.0.2.1,192.0.2.2'],
    ['contains', '192.0.2.2'],
    ['not_contains', '192.0.2.3'],
    ['exists', 'true'],
  ])('holds for the records: %s %s', async (comparison, target) => {
    const server = await serve(() => ({ answers }));
    const result = await runCheck(checker, server.target(NAME), { assertions: [assertion(comparison, target)] });
    expect(result).toMatchObject({ outcome: 'up', error: null });
  });

  it('names the expected and the found records when an assertion does not hold', async () => {
    const server = await serve(() => ({ answers }));
    const result = await runCheck(checker, server.target(NAME), { assertions: [assertion('equals', '192.0.2.9')] });
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'assertion_failed', phase: 'assertion' } });
    expect(result.error?.message).toMatch(/192\.0\.2\.9.*192\.0\.2\.1, 192\.0\.2\.2/);
    expect(result.records).toHaveLength(2);
  });

  it('warns of records that differ, and of a name that exists, but not of one that does not: that is down', async () => {
    const [missing, present] = [await serve(() => ({ rcode: 3 })), await serve(() => ({ answers }))];
    const warning = (...[comparison, target]: Parameters<typeof assertion>) => ({
      assertions: [{ ...assertion(comparison, target), severity: 'warning' as const }],
    });
    const warned = { outcome: 'up', error: null, warning: { code: 'assertion_failed', phase: 'assertion' } };
    expect(await runCheck(checker, present.target(NAME), warning('equals', '192.0.2.9'))).toMatchObject(warned);
    expect(await runCheck(checker, present.target(NAME), warning('exists', 'false'))).toMatchObject(warned);
    expect(await runCheck(checker, missing.target(NAME), warning('exists', 'false'))).toMatchObject({
      outcome: 'down',
      error: { code: 'dns_not_found' },
      warning: null,
    });
  });

  it('reports a missing name as up and an existing one as down when it must not exist', async () => {
    const absent = [assertion('exists', 'false')];
    const [missing, present] = [await serve(() => ({ rcode: 3 })), await serve(() => ({ answers }))];
    expect(await runCheck(checker, missing.target(NAME), { assertions: absent })).toMatchObject({ outcome: 'up' });
    expect(await runCheck(checker, present.target(NAME), { assertions: absent })).toMatchObject({
      outcome: 'down',
      error: { code: 'assertion_failed' },
    });
  });
});

it('A DNS check that is stopped while it reads a long reply closes the connection', async () => {
  const server = await serve(({ via }) => (via === 'udp' ? { truncated: true } : null));
  const shutdown = new AbortController();
  const check = runCheck(checker, server.target(NAME), { shutdown: shutdown.signal });
  await eventually('the connection', () => server.connections.size > 0);
  shutdown.abort(new Error('shutting down'));
  expect(await check).toMatchObject({ outcome: 'unknown', error: { code: 'internal' } });
  await eventually('the connection to be closed', () => server.connections.size === 0);
});

const live = (server: DnsTestServer): LiveTarget => ({
  url: server.target(NAME),
  arrived: () => server.asked.length,
  untilLeft: async () => {
    await eventually('every connection to be closed', () => server.connections.size === 0);
  },
});

async function open(): Promise<CheckerBench> {
  const endless = Buffer.alloc(65_000, 0xc0);
  const targets = {
    up: await DnsTestServer.start(good),
    refused: await DnsTestServer.start(good),
    silent: await DnsTestServer.start(() => null),
    garbage: await DnsTestServer.start(({ id }) => ({ raw: Buffer.concat([uint16(id), Buffer.alloc(500, 0xff)]) })),
    flood: await DnsTestServer.start(() => Array.from({ length: 200 }, () => ({ raw: Buffer.alloc(500, 1) }))),
    truncatedForEver: await DnsTestServer.start(() => ({ truncated: true })),
    hangsUp: await DnsTestServer.start(({ via }) => (via === 'udp' ? { truncated: true } : 'hang_up')),
    pointers: await DnsTestServer.start(({ id, via }) =>
      via === 'udp'
        ? { truncated: true }
        : { raw: Buffer.concat([uint16(id), Buffer.from('8400ffffffff0000', 'hex'), endless]) },
    ),
  };
  await targets.refused.stop();
  const { up, refused, silent, garbage, flood, truncatedForEver, hangsUp, pointers } = targets;
  return {
    checker,
    up: live(up),
    refused: { url: refused.target(NAME), code: 'connection_refused', phase: 'connect' },
    silent: { ...live(silent), code: 'dns_timeout', phase: 'dns' },
    hostile: [
      { ...live(garbage), name: 'sends garbage with the right id', outcome: 'down' },
      { ...live(flood), name: 'sends packets nobody asked for', outcome: 'down' },
      { ...live(truncatedForEver), name: 'truncates over TCP too', outcome: 'down' },
      { ...live(hangsUp), name: 'hangs up instead of the long answer', outcome: 'down' },
      { ...live(pointers), name: 'points in circles', outcome: 'down' },
    ],
    close: async () => {
      const running = Object.values(targets).filter((target) => target !== refused);
      await Promise.all(running.map((target) => target.stop()));
    },
  };
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

describeChecker({
  type: 'DNS',
  open,
  accepted: [
    ['example.com', { resolver: null, name: 'example.com', types: ['A', 'AAAA'] }],
    ['dns://192.0.2.53:5353/example.com?type=MX', { resolver: { host: '192.0.2.53', port: 5353 }, types: ['MX'] }],
  ],
  rejected: ['', 'dns:', '192.0.2.1', 'dns:example.com?type=ANY', 'http://example.com', 'example.com\n'],
});
