import { setTimeout as delay } from 'node:timers/promises';
import { FaultBench } from '../harness/processes/fault-bench';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { IsolatedNetwork, noIsolatedNetwork } from '../harness/machine/isolated-network';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres } from '../harness/database/postgres-cluster';
import { type ServiceProcess, watch } from '../harness/processes/service-process';

/** How long the monitor is without its network. `OFFLINE_SECONDS=300` is the full length. */
const OFFLINE_MS = Number(process.env['OFFLINE_SECONDS'] ?? 10) * 1000;
const ENDPOINTS = 12;

const obstacle = findPostgres() === null ? 'needs PostgreSQL’s programs' : noIsolatedNetwork;
const suite = obstacle === null ? describe : describe.skip;
const why = obstacle === null ? '' : ` (skipped: ${obstacle})`;

suite(`the monitor loses its whole network while its targets are healthy${why}`, () => {
  let network: IsolatedNetwork;
  let bench: FaultBench;
  let world: SwitchableServer;
  let service: ServiceProcess;

  beforeAll(async () => {
    bench = await FaultBench.open();
    [network, world] = [bench.keep(await IsolatedNetwork.start()), bench.keep(await SwitchableServer.start())];
    const port = Number(new URL(world.url).port);
    for (const place of [80, 7001, 7002, 7003]) await network.serve('10.77.0.2', place, port);
    service = await bench.start(
      {
        ...network.env,
        CONFIRM_FAILURES: 'on',
        CONNECTIVITY_TARGETS: '10.77.0.2:7001,10.77.0.2:7002,10.77.0.2:7003',
      },
      {
        entry: network.entry(),
        url: await network.serviceUrl(),
        databaseUrl: await network.databaseUrl(bench.cluster.url),
      },
    );
    const settings = { endpoint: { interval: 1, timeout: 2 } };
    await watch(service.api, ENDPOINTS, 'http://10.77.0.2', 'http://10.77.0.2/hook', settings);
    await allAre('up');
  }, 180_000);
  afterAll(() => bench.close(), 60_000);

  const allAre = (status: 'up' | 'unknown', limitMs = 60_000) =>
    eventually(
      `every endpoint is ${status}`,
      async () => {
        const { body } = await service.api.get<{ status: string }[]>('/overview');
        return body.length === ENDPOINTS && body.every((endpoint) => endpoint.status === status);
      },
      limitMs,
    );
  const unknowns = () => bench.witness.count('SELECT FROM check_result WHERE outcome & 3 = 2');
  const linesOf = (text: string) => service.log.split(text).length - 1;
  const metric = async (name: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };

  it.each<[string, () => void, () => void]>([
    ['its interface is taken down', () => network.disconnect(), () => network.connect()],
    ['every packet is lost behind its interface', () => network.ignore(), () => network.hear()],
  ])(
    `when %s for ${OFFLINE_MS / 1000} s, endpoints are unknown, no alert is sent, and the return is noticed at once`,
    async (_, disconnect, reconnect) => {
      const unknownBefore = await unknowns();
      const [lost, returned] = [linesOf('The monitor has no network'), linesOf('The network is back')];
      disconnect();
      const until = performance.now() + OFFLINE_MS;
      await allAre('unknown');
      await delay(Math.max(0, until - performance.now()));
      expect(await metric('uptime_blind_seconds')).toBeGreaterThan(0);
      const ready = await (await fetch(`${service.url}/health/ready`)).text();
      expect(ready).toContain('no network');

      const recorded = (await unknowns()) - unknownBefore;
      expect(recorded).toBeGreaterThanOrEqual(ENDPOINTS);
      reconnect();
      const back = performance.now();
      await allAre('up', 30_000);
      process.stderr.write(
        `F38: ${recorded} results unknown, all up ${Math.round(performance.now() - back)} ms after the return\n`,
      );
      await eventually('the log reports the return', () => linesOf('The network is back') > returned, 30_000);
      expect(linesOf('The network is back')).toBe(returned + 1);
      expect(linesOf('The monitor has no network')).toBe(lost + 1);
      expect(await metric('uptime_blind_seconds')).toBe(0);

      expect(await bench.witness.count('SELECT FROM check_result WHERE outcome & 3 = 0')).toBe(0);
      expect(await bench.witness.count('SELECT FROM alert_event')).toBe(0);
      expect(world.seen.filter(({ path }) => path.startsWith('/hook'))).toEqual([]);
      await checkEngine(bench.witness);
    },
    180_000,
  );
});
