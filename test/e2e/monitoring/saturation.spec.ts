import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Api, startApp, type TestApp } from '../../harness/app/app';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { eventually } from '../../harness/app/poll';
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
    app = await startApp({ maxConcurrentChecks: 1 });
    const site = await newWebsite(app.write);
    for (let count = 0; count < 2; count++) await add(app.write, site, slow(), 60, 30);
    await eventually('one running and one waiting', async () => {
      const { running, waiting } = await gauges();
      return running === 1 && waiting === 1;
    });
  });

  it('checks the endpoint of another organization before the backlog of the one that takes all the room', async () => {
    app = await startApp({ maxConcurrentChecks: 4, egressPrivate: 'allow' });
    const small = await app.organization('Small');
    const [crowd, few] = [await newWebsite(app.write), await newWebsite(small.write)];
    await Promise.all(Array.from({ length: 60 }, () => add(app.write, crowd, slow(), 1, 1)));
    await eventually('no room left', async () => (await gauges()).waiting === 4);
    await add(small.write, few, `${responsive.url}/small`, 1, 1);
    const before = hung;
    await eventually('the check of the other organization', () => responsive.seen.length > 0, 60_000);
    // First come, first served would run the fifty that were due before it. When the machine stalls, a failing check runs
    // twice.
    expect(hung - before).toBeLessThanOrEqual(40);
  }, 120_000);
});
