import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { loadConfig } from '../../../src/platform/config/config';
import { EgressPolicy, type EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { OutboundHttp } from '../../../src/platform/net/http/outbound-http';
import { type DnsScript, DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { always, rawResponse, HttpTarget } from '../../../packages/testing/servers/http-target';
import { dialerWith, egressWithout } from '../../../packages/testing/checker/network';
import { runCheck } from '../../../packages/testing/checker/describe-checker';

const policy = new EgressPolicy(loadConfig({}));
/** An organization other than the Default organization. It may reach nothing on this machine or its network. */
const stranger = policy.forOrganization({ id: null, isDefault: false });

const closers: (() => unknown)[] = [];
let target: HttpTarget;

const serve = async (script: DnsScript) => {
  const server = await DnsTestServer.start(script);
  closers.push(() => server.stop());
  return server;
};
const checkerWith = (server?: DnsTestServer) =>
  new HttpChecker(new HttpCheck(dialerWith(server ? { servers: [server.address] } : {})));
const pointsTo =
  (a: string[], aaaa: string[] = []): DnsScript =>
  ({ name, type }) => ({
    answers: (type === 'AAAA' ? aaaa : a).map((data) => ({ type: type === 'AAAA' ? 'AAAA' : 'A', name, ttl: 0, data })),
  });

beforeAll(async () => {
  target = await HttpTarget.listen(always(rawResponse(200)));
});
afterAll(() => target.close());
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  expect(target.seen).toEqual([]);
});

describe('A foreign organization cannot have the monitor connect to its own machine', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '①②⑦.⓪.⓪.①',
    'localhost',
    'LOCALHOST.',
    'x.localhost',
    '[::ffff:127.0.0.1]',
    '[::1]',
    '0.0.0.0',
    '[::]',
    '%6c%6fcalhost',
  ])('blocks a check of http://%s', async (host) => {
    const result = await runCheck(checkerWith(), target.url('/', host), { egress: stranger });
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' } });
  });

  it.each<[string, string[], string[]]>([
    ['its address', ['127.0.0.1'], []],
    ['its IPv6 address', [], ['::1']],
    ['its mapped address', [], ['::ffff:127.0.0.1']],
    ['its NAT64 address', [], ['64:ff9b::7f00:1']],
    ['its 6to4 address', [], ['2002:7f00:1::']],
    ['a public address and its own', ['93.184.216.34', '127.0.0.1'], []],
    ['a public IPv6 address and its own IPv4 address', ['127.0.0.1'], ['2606:4700::1']],
    [
      'a thousand public addresses and its own',
      [...Array.from({ length: 60 }, (_, i) => `93.184.216.${i}`), '127.0.0.1'],
      [],
    ],
  ])('blocks a check of a name that resolves to %s', async (_what, a, aaaa) => {
    const server = await serve(pointsTo(a, aaaa));
    const result = await runCheck(checkerWith(server), target.url('/', 'innocent.example'), { egress: stranger });
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' } });
  });

  it('blocks a check of a name that is an alias of a metadata service', async () => {
    const server = await serve(({ name, type }) => ({
      answers: [
        { type: 'CNAME', name, ttl: 0, data: 'metadata.google.internal' },
        ...(type === 'A'
          ? [{ type: 'A' as const, name: 'metadata.google.internal', ttl: 0, data: '169.254.169.254' }]
          : []),
      ],
    }));
    const result = await runCheck(checkerWith(server), 'http://innocent.example/', { egress: stranger });
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' } });
  });

  it('connects to the address that it judged, although the name resolves to another one by then', async () => {
    const asked: string[] = [];
    let turn = 0;
    const server = await serve((question) => {
      if (question.type === 'A') asked.push(question.name);
      const first = question.type === 'A' && turn++ === 0;
      return pointsTo([first ? '127.0.0.5' : '127.0.0.1'])(question);
    });
    // Replaces a public address. Only 127.0.0.1 is forbidden, and 127.0.0.5 has no listener.
    const result = await runCheck(checkerWith(server), target.url('/', 'rebinding.example'), {
      egress: egressWithout('127.0.0.1'),
    });
    expect(result).toMatchObject({ outcome: 'down', address: '127.0.0.5', error: { code: 'connection_refused' } });
    expect(asked).toHaveLength(1);
  });
});

describe('A redirect cannot bypass the egress policy', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://0x7f000001:PORT/',
    'http://localhost:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    '//127.0.0.1:PORT/',
    'http://innocent.example:PORT/',
  ])('blocks a redirect to %s', async (location) => {
    const public_ = await HttpTarget.listen(
      always(rawResponse(302, '', { Location: location.replace('PORT', String(target.tcp.port)) })),
      { host: '127.0.0.2' },
    );
    closers.push(() => public_.close());
    const server = await serve(pointsTo(['127.0.0.1']));
    const result = await runCheck(checkerWith(server), public_.url(), {
      egress: egressWithout('127.0.0.1', '::ffff:7f00:1'),
    });
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' } });
    expect(result.redirects).toHaveLength(1);
  });
});

describe('A notification cannot bypass the egress policy', () => {
  it.each(['127.0.0.1', '0x7f.1', 'localhost', '[::1]', 'innocent.example', 'metadata.google.internal'])(
    'blocks a notification to %s',
    async (host) => {
      const server = await serve(pointsTo(['127.0.0.1'], ['::1']));
      const outbound = new OutboundHttp(dialerWith({ servers: [server.address] }));
      const sending = outbound.request({
        method: 'POST',
        url: target.url('/hook', host),
        headers: {},
        body: '{}',
        egress: stranger,
        timeoutMs: 5000,
      });
      await expect(sending).rejects.toMatchObject({ code: 'blocked', requestWritten: false });
    },
  );
});

describe("A refusal reveals nothing of the operator's network to a foreign organization", () => {
  it('hides the private address that a name leads to', async () => {
    const server = await serve(pointsTo(['10.20.30.40']));
    const result = await runCheck(checkerWith(server), 'http://innocent.example/', { egress: stranger });
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' }, address: null });
    expect(JSON.stringify(result)).not.toContain('10.20.30.40');
  });

  it.each(['redis', 'db.prod.internal', 'nas.local', 'redis.default.svc.cluster.local'])(
    'does not look up the internal name %s, so its existence stays hidden',
    async (host) => {
      const server = await serve(() => ({ rcode: 3 }));
      const asked: string[] = [];
      const systemLookup = (name: string) => Promise.resolve([String(asked.push(name))]);
      const dialer = dialerWith({ servers: [server.address], systemLookup });
      const result = await runCheck(new HttpChecker(new HttpCheck(dialer)), `http://${host}/`, { egress: stranger });
      expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked', phase: 'dns' } });
      expect([...server.asked, ...asked]).toEqual([]);
    },
  );

  it('hides whether a name exists under the search list', async () => {
    const server = await serve(() => ({ rcode: 3 }));
    const directory = mkdtempSync(join(tmpdir(), 'resolv-'));
    closers.push(() => rmSync(directory, { recursive: true }));
    const resolvConf = join(directory, 'resolv.conf');
    writeFileSync(resolvConf, 'search default.svc.cluster.local\noptions ndots:5\n');
    const systemLookup = () => Promise.resolve(['10.96.0.1']);
    const dialer = dialerWith({ servers: [server.address], systemLookup, resolvConf });
    const check = (egress: EgressRule) =>
      runCheck(new HttpChecker(new HttpCheck(dialer)), 'http://redis.default/', { egress, timeoutMs: 500 });
    expect(await check(stranger)).toMatchObject({ outcome: 'down', error: { code: 'dns_not_found' }, address: null });
  });

  it('shows the address to the operator', async () => {
    const server = await serve(pointsTo(['169.254.1.1']));
    const owner = policy.forOrganization({ id: null, isDefault: true });
    const result = await runCheck(checkerWith(server), 'http://innocent.example/', { egress: owner });
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' }, address: '169.254.1.1' });
  });
});
