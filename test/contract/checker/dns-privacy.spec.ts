import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from 'dns-packet';
import { DnsChecker } from '../../../src/checker/dns/dns.checker';
import { SystemResolvers } from '../../../src/checker/dns/system-resolvers';
import { loadConfig } from '../../../src/platform/config/config';
import { EgressPolicy, type EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { dialerWith } from '../../../packages/testing/checker/network';
import { type DnsScript, DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { closedPort } from '../../../packages/testing/servers/tcp-target';
import { runCheck } from '../../../packages/testing/checker/describe-checker';

const NAME = 'www.example.net';
const ruleOf = (isDefault: boolean, env: Record<string, string> = {}): EgressRule =>
  new EgressPolicy(loadConfig(env)).forOrganization({ id: null, isDefault });
const [owner, stranger] = [ruleOf(true), ruleOf(false)];
const guest = ruleOf(false, { EGRESS_ALLOW: '10.8.0.0/16' });

const directory = mkdtempSync(join(tmpdir(), 'resolv-'));
const resolvConf = join(directory, 'resolv.conf');
writeFileSync(resolvConf, 'search corp.example.com\n');
const servers: DnsTestServer[] = [];

/** Returns a check that uses the machine's resolver, which follows the script. */
async function bench(script: DnsScript) {
  const server = await DnsTestServer.start(script);
  servers.push(server);
  const checker = new DnsChecker(dialerWith(), new SystemResolvers(() => [server.address], resolvConf));
  const ask = (url: string, egress: EgressRule = stranger) => runCheck(checker, url, { egress });
  return { server, ask };
}

const a = (data: string, name = NAME): Answer => ({ type: 'A', name, ttl: 60, data });
const alias = (data: string): Answer => ({ type: 'CNAME', name: NAME, ttl: 60, data });

afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));
afterAll(() => rmSync(directory, { recursive: true }));

describe("An organization that may not enter the operator's network, through the operator's resolver,", () => {
  it.each([
    'redis',
    'dns:_http._tcp.db.prod.internal?type=SRV',
    'dns:redis.default.svc.cluster.local',
    'dns:1.0.0.10.in-addr.arpa?type=PTR',
    'dns:db.corp.example.com?type=TXT',
  ])('does not send a query for %s', async (url) => {
    const { server, ask } = await bench(() => ({ answers: [] }));
    expect(await ask(url)).toMatchObject({
      outcome: 'unknown',
      error: { code: 'target_blocked', phase: 'dns' },
      address: null,
      records: null,
    });
    expect(server.asked).toEqual([]);
  });

  it('sees the public addresses of a name and not the private ones', async () => {
    const { ask } = await bench(() => ({ answers: [a('10.0.0.7'), a('93.184.216.34')] }));
    expect(await ask(`dns:${NAME}`)).toMatchObject({ outcome: 'up', records: ['A 93.184.216.34'] });
  });

  it('gets an error that it may not see the addresses if all are private', async () => {
    const { ask } = await bench(() => ({ answers: [a('10.0.0.7')] }));
    const result = await ask(`dns:${NAME}`);
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' }, records: [] });
    expect(JSON.stringify(result)).not.toContain('10.0.0.7');
  });

  it.each<[string, DnsScript]>([
    ['what exists there', () => ({ answers: [alias('db.prod.internal'), a('93.184.216.34', 'db.prod.internal')] })],
    ['that nothing exists there', () => ({ rcode: 3, answers: [alias('db.prod.internal')] })],
    ['what exists under the search list', () => ({ answers: [alias('db.corp.example.com')] })],
  ])('does not learn through its own alias into an internal zone %s', async (_, script) => {
    const { ask } = await bench(script);
    const result = await ask(`dns:${NAME}`);
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' }, records: [] });
    expect(JSON.stringify(result)).not.toMatch(/db\./);
  });

  it('does not see the names of internal servers', async () => {
    const answers: Answer[] = [
      { type: 'NS', name: NAME, ttl: 60, data: 'ns1.corp.example.com' },
      { type: 'NS', name: NAME, ttl: 60, data: 'ns.example.net' },
    ];
    const { ask } = await bench(() => ({ answers }));
    expect((await ask(`dns:${NAME}?type=NS`)).records).toEqual(['NS ns.example.net']);
  });

  it.each<[string, DnsScript]>([
    ['answers', () => ({ answers: [a('93.184.216.34')] })],
    ['refuses', () => ({ rcode: 5 })],
    ['fails', () => ({ rcode: 2 })],
  ])('does not learn the address of the resolver when it %s', async (_, script) => {
    const { ask, server } = await bench(script);
    expect(JSON.stringify(await ask(`dns:${NAME}`))).not.toContain(server.host);
  });

  it('does not learn the address of the resolver when nothing listens there', async () => {
    const deaf = await closedPort();
    const resolvers = new SystemResolvers(() => [`127.0.0.1:${deaf}`], resolvConf);
    const result = await runCheck(new DnsChecker(dialerWith(), resolvers), `dns:${NAME}`, { egress: stranger });
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'dns_failure' }, address: null });
    expect(JSON.stringify(result)).not.toContain('127.0.0.1');
  });
});

describe("An organization that may enter the operator's network", () => {
  it('sees private addresses and the resolver', async () => {
    const { ask, server } = await bench(() => ({ answers: [a('10.0.0.7')] }));
    expect(await ask(`dns:${NAME}`, owner)).toMatchObject({ records: ['A 10.0.0.7'], address: server.host });
  });

  it('sees internal names', async () => {
    const { ask } = await bench(({ name }) => ({ answers: [a('10.0.0.7', name)] }));
    expect(await ask('dns:db.prod.internal', owner)).toMatchObject({ outcome: 'up', records: ['A 10.0.0.7'] });
  });

  it('sees only the permitted part of the addresses of an internal name', async () => {
    const { ask } = await bench(({ name }) => ({ answers: [a('10.0.0.7', name), a('10.8.0.7', name)] }));
    expect(await ask('dns:db.prod.internal', guest)).toMatchObject({ outcome: 'up', records: ['A 10.8.0.7'] });
  });
});
