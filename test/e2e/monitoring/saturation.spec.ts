/** @lane timed */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../src/testing/service/api';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { eventually } from '../../../src/testing/eventually';
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
    responsive = await SwitchableServer.start();
  });
  beforeEach(() => {
    ending = false;
    hung = 0;
  });
  afterEach(async () => {
    // The drain must not wait for the time limit of the checks that still run.
    ending = true;
    for (const socket of sockets) socket.destroy();
    await app.close();
  });
  afterAll(async () => {
    silent.close();
    await responsive.close();
  });

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

  async function gauges(): Promise<{ running: number; waiting: number }> {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    return { running: value('uptime_checks_in_flight'), waiting: value('uptime_slots_waiting') };
  }

  it('reports at /metrics one running check and one waiting slot when there is room for one check', async () => {
    app = await startOwnApp({ maxConcurrentChecks: 1 });
    const site = await newWebsite(app.write);
    for (let count = 0; count < 2; count++) await add(app.write, site, slow(), 60, 30);
    await eventually('one running and one waiting', async () => {
      const { running, waiting } = await gauges();
      return running === 1 && waiting === 1;
    });
  });

  it('checks the endpoint of another organization before the backlog of the one that takes all the room', async () => {
    app = await startOwnApp({ maxConcurrentChecks: 4, egressPrivate: 'allow' });
    const small = await app.organization('Small');
    const [crowd, few] = [await newWebsite(app.write), await newWebsite(small.write)];
    await Promise.all(Array.from({ length: 60 }, () => add(app.write, crowd, slow(), 1, 1)));
    await eventually('no room left for this organization', async () => (await gauges()).waiting >= 2);
    await add(small.write, few, `${responsive.url}/small`, 1, 1);
    const before = hung;
    await eventually('the check of the other organization', () => responsive.seen.length > 0, 60_000);
    // First come, first served would run the fifty that were due before it. When the machine stalls, a failing check runs
    // twice.
    expect(hung - before).toBeLessThanOrEqual(40);
  }, 120_000);

  it('checks every slot of an organization while another one has more slow endpoints than there is room for', async () => {
    app = await startOwnApp({ maxConcurrentChecks: 20, egressPrivate: 'allow' });
    const slowOnes = await app.organization('Slow');
    const [quick, tarpit] = [await newWebsite(app.write), await newWebsite(slowOnes.write)];
    await Promise.all(Array.from({ length: 50 }, () => add(slowOnes.write, tarpit, slow(), 1, 60)));
    await eventually('all that the slow one may have is taken', async () => {
      const { running, waiting } = await gauges();
      return running >= 10 && waiting >= 10;
    });
    const paths = Array.from({ length: 10 }, (_, index) => `/quick/${index}`);
    for (const path of paths) await add(app.write, quick, `${responsive.url}${path}`, 1, 10);
    const checksOf = (path: string) => responsive.seen.filter((request) => request.path === path).length;
    await eventually('ten checks of each', () => paths.every((path) => checksOf(path) >= 10), 40_000);
    // Those that were added first have had a slot or two more; one that is passed over falls behind without end.
    expect(Math.max(...paths.map(checksOf)) - Math.min(...paths.map(checksOf))).toBeLessThanOrEqual(4);
    expect((await gauges()).running).toBeLessThanOrEqual(15);
  }, 120_000);

  it('gives the only organization all the room', async () => {
    app = await startOwnApp({ maxConcurrentChecks: 4 });
    const site = await newWebsite(app.write);
    for (let count = 0; count < 6; count++) await add(app.write, site, slow(), 60, 30);
    await eventually('four running and two waiting', async () => {
      const { running, waiting } = await gauges();
      return running === 4 && waiting === 2;
    });
  });
});
