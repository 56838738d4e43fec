/** @lane timed */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { eventually } from '../../../packages/testing/eventually';
import { newWebsite } from '../../harness/app/resources';

describe('a service with room for a few checks at a time', () => {
  let app: TestApp;
  let silent: Server;
  let responsive: SwitchableServer;
  let hung = 0;
  let ending = false;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    silent = createServer((socket) => {
      hung++;
      socket.on('error', () => {});
      if (ending) socket.destroy();
      else sockets.add(socket);
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    [responsive, app] = await Promise.all([
      SwitchableServer.start(),
      startOwnApp({ maxConcurrentChecks: 20, egressPrivate: 'allow' }),
    ]);
  });
  beforeEach(() => {
    ending = false;
    hung = 0;
    responsive.seen.splice(0);
  });
  afterAll(async () => {
    await Promise.all([app.close(), responsive.close()]);
    silent.close();
  });

  /** Stops the checks of an organization, and does not wait for checks that hang. */
  async function end(service: TestApp, ...organizations: Pick<TestApp, 'write'>[]): Promise<void> {
    for (const { write } of organizations)
      for (const { id } of (await write.get<{ id: string }[]>('/websites')).body) await write.delete(`/websites/${id}`);
    ending = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await eventually('no check is running', async () => (await gauges(service)).running === 0);
  }

  const slow = () => `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;

  async function add(api: Api, websiteId: string, url: string, interval: number, timeout: number): Promise<void> {
    const made = await api.post(`/websites/${websiteId}/endpoints`, {
      name: 'E',
      type: 'HTTP',
      url,
      interval,
      timeout,
    });
    expect(made.status).toBe(201);
  }

  async function gauges({ url }: TestApp): Promise<{ running: number; waiting: number }> {
    const text = await (await fetch(`${url}/metrics`)).text();
    const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    return { running: value('uptime_checks_in_flight'), waiting: value('uptime_slots_waiting') };
  }

  it('checks the endpoint of another organization before the backlog of the one that uses all slots', async () => {
    const [large, small] = [await app.organization('Large'), await app.organization('Small')];
    const [crowd, few] = [await newWebsite(large.write), await newWebsite(small.write)];
    await Promise.all(Array.from({ length: 60 }, () => add(large.write, crowd, slow(), 1, 1)));
    await eventually('no room left for this organization', async () => (await gauges(app)).waiting >= 10);
    await add(small.write, few, `${responsive.url}/small`, 1, 1);
    const before = hung;
    await eventually('the check of the other organization', () => responsive.seen.length > 0, 60_000);
    // In order of arrival, the fifty earlier checks would run first. If the machine stalls, a failing check runs
    // twice.
    expect(hung - before).toBeLessThanOrEqual(40);
    await end(app, large, small);
  }, 120_000);

  it('checks every slot of an organization while another one has more slow endpoints than there is room for', async () => {
    const [quickOnes, slowOnes] = [await app.organization('Quick'), await app.organization('Slow')];
    const [quick, tarpit] = [await newWebsite(quickOnes.write), await newWebsite(slowOnes.write)];
    await Promise.all(Array.from({ length: 50 }, () => add(slowOnes.write, tarpit, slow(), 1, 60)));
    await eventually('all that the slow one may have is taken', async () => {
      const { running, waiting } = await gauges(app);
      return running >= 10 && waiting >= 10;
    });
    const paths = Array.from({ length: 10 }, (_, index) => `/quick/${index}`);
    for (const path of paths) await add(quickOnes.write, quick, `${responsive.url}${path}`, 1, 10);
    const checksOf = (path: string) => responsive.seen.filter((request) => request.path === path).length;
    await eventually('ten checks of each', () => paths.every((path) => checksOf(path) >= 10), 40_000);
    // Endpoints that were added first have had one or two more slots. One that is skipped falls behind without limit.
    expect(Math.max(...paths.map(checksOf)) - Math.min(...paths.map(checksOf))).toBeLessThanOrEqual(4);
    expect((await gauges(app)).running).toBeLessThanOrEqual(15);
    await end(app, quickOnes, slowOnes);
  }, 120_000);

  it('gives the only organization all slots, and reports at /metrics what is running and what waits', async () => {
    const alone = await startOwnApp({ maxConcurrentChecks: 4 });
    const site = await newWebsite(alone.write);
    for (let count = 0; count < 6; count++) await add(alone.write, site, slow(), 60, 30);
    await eventually('four running and two waiting', async () => {
      const { running, waiting } = await gauges(alone);
      return running === 4 && waiting === 2;
    });
    await end(alone, alone);
    await alone.close();
  });
});
