import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultBench } from '../harness/processes/fault-bench';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { IsolatedNetwork, noIsolatedNetwork } from '../harness/machine/isolated-network';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres } from '../harness/database/postgres-cluster';
import { type ServiceProcess, watch } from '../harness/processes/service-process';

const obstacle = findPostgres() === null ? 'needs PostgreSQL’s programs' : noIsolatedNetwork;
const suite = obstacle === null ? describe : describe.skip;
const why = obstacle === null ? '' : ` (skipped: ${obstacle})`;

const WORLD = '10.77.0.2';
const WORLD_IPV6 = '[fd77::2]';
/** An address whose packets tests drop. */
const SILENT = '10.77.1.1';
const NAME = 'shop.example.com';

suite(`a part of the network is unavailable${why}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'uptime-resolver-'));
  let network: IsolatedNetwork;
  let bench: FaultBench;
  let world: SwitchableServer;
  let service: ServiceProcess;
  /** Makes hook URLs unique per test, so that late requests of an earlier test arrive elsewhere. */
  let turn = 0;

  beforeAll(async () => {
    bench = await FaultBench.open();
    [network, world] = [bench.keep(await IsolatedNetwork.start()), bench.keep(await SwitchableServer.start())];
    network.addAddress(SILENT);
    const port = Number(new URL(world.url).port);
    for (const place of [80, 7001, 7002, 7003]) await network.serve(WORLD, place, port);
    for (const host of ['fd77::2', SILENT]) await network.serve(host, 80, port);
    await network.serveNames(WORLD, WORLD);
    const resolvConf = join(directory, 'resolv.conf');
    writeFileSync(resolvConf, `nameserver ${WORLD}\n`);
    service = await bench.start(
      {
        ...network.env,
        CONFIRM_FAILURES: 'on',
        CONNECTIVITY_TARGETS: [7001, 7002, 7003].map((place) => `${WORLD}:${place}`).join(','),
      },
      {
        entry: network.entry(resolvConf),
        url: await network.serviceUrl(),
        databaseUrl: await network.databaseUrl(bench.cluster.url),
      },
    );
  }, 180_000);
  afterAll(async () => {
    await bench.close();
    rmSync(directory, { recursive: true });
  }, 60_000);
  beforeEach(() => void turn++);
  afterEach(async () => {
    network.hear();
    network.connect();
    await bench.clear();
  });

  const hookOf = (label: string) => `/hook-${turn}-${label}`;
  /** Creates endpoints at `host` with alerts to the hook of this label. Waits until they are up. */
  async function watchHealthy(host: string, count: number, label: string): Promise<string[]> {
    const settings = { endpoint: { interval: 1, timeout: 2 } };
    const { endpoints } = await watch(
      service.api,
      count,
      `http://${host}`,
      `http://${WORLD}${hookOf(label)}`,
      settings,
    );
    await allAre('up', endpoints);
    return endpoints;
  }
  const allAre = (status: string, endpoints: readonly string[]) =>
    eventually(
      `these endpoints are ${status}`,
      async () => {
        const { body } = await service.api.get<{ id: string; status: string }[]>('/overview');
        return endpoints.every((id) => body.find((each) => each.id === id)?.status === status);
      },
      60_000,
    );
  const received = (label: string) => world.seen.filter(({ path }) => path.startsWith(`${hookOf(label)}/`));
  const failures = () => bench.witness.count('SELECT FROM check_result WHERE outcome & 3 = 0');
  const unknowns = () => bench.witness.count('SELECT FROM check_result WHERE outcome & 3 = 2');

  it.each<[string, string, () => void]>([
    ['DNS server is silent, endpoints with host names', NAME, () => network.ignore('udp dport 53')],
    ['network has no IPv6, endpoints with IPv6 addresses', WORLD_IPV6, () => network.loseIpv6()],
  ])(
    'when the %s are unknown, the others stay up, and no alert is sent',
    async (_, host, breakIt) => {
      const affected = await watchHealthy(host, 6, 'affected');
      const others = await watchHealthy(WORLD, 6, 'other');
      breakIt();
      await allAre('unknown', affected);
      const unknown = await unknowns();
      await eventually(
        'the affected endpoints are checked further',
        async () => (await unknowns()) > unknown + 6,
        60_000,
      );
      await allAre('up', others);
      expect(
        await bench.witness.count(
          `SELECT FROM check_result r JOIN endpoint e ON e.key = r.endpoint_key
         WHERE r.outcome & 3 <> 1 AND e.url NOT LIKE $1`,
          [`%${host}%`],
        ),
      ).toBe(0);
      network.hear();
      network.connect();
      await allAre('up', affected);
      expect(await failures()).toBe(0);
      expect(world.seen.filter(({ path }) => path.startsWith(hookOf('')))).toEqual([]);
      await checkEngine(bench.witness);
    },
    120_000,
  );

  it.each<[string, string, number]>([
    [
      'one target that does not respond, although one of three connectivity targets is unreachable',
      'tcp dport 7001',
      1,
    ],
    ['60% of all endpoints, which stop responding at once', `ip daddr ${SILENT}`, 12],
  ])(
    'alerts for %s',
    async (_, alsoGone, count) => {
      const silent = await watchHealthy(SILENT, count, 'silent');
      const healthy = await watchHealthy(WORLD, 8, 'healthy');
      network.ignore(`ip daddr ${SILENT}`);
      network.ignore(alsoGone);
      const gone = performance.now();
      await eventually(
        'each alert is delivered',
        () => new Set(received('silent').map(({ path }) => path)).size === count,
        60_000,
      );
      process.stderr.write(
        `F40/F41: ${count} notified ${Math.round(performance.now() - gone)} ms after the targets went\n`,
      );
      await allAre('down', silent);
      await allAre('up', healthy);
      expect(received('silent')).toHaveLength(count);
      expect(received('healthy')).toEqual([]);
      expect(await unknowns()).toBe(0);
      expect(service.log).not.toContain('The monitor has no network');
      const [{ delay } = { delay: null }] = await bench.witness.query<{ delay: number | null }>(
        `SELECT max(extract(epoch FROM v.created_at - r.checked_at))::float8 AS delay
           FROM alert_event v JOIN alert a ON a.id = v.alert_id JOIN endpoint e ON e.id = a.endpoint_id
           JOIN LATERAL (SELECT min(checked_at) AS checked_at FROM check_result
                          WHERE endpoint_key = e.key AND outcome & 3 = 0) r ON true`,
      );
      process.stderr.write(`F40/F41: ${delay} s from the check to its event\n`);
      expect(delay).toBeLessThan(40);
      await checkEngine(bench.witness);
    },
    120_000,
  );
});
