import { Controller, Get, Module } from '@nestjs/common';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Access } from '../../../src/platform/access/caller';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { eventually } from '../../../packages/testing/eventually';

let finish: (() => void)[] = [];

@Controller('api/v1/slow')
class SlowController {
  /** Responds when the test triggers it. */
  @Get()
  @Access('public')
  slow(): Promise<object> {
    return new Promise((resolve) => finish.push(() => resolve({})));
  }
}

@Module({ controllers: [SlowController] })
class SlowModule {}

const PER_ADDRESS = 10;
/** Differs from the address of the test's own requests. */
const CLIENT = '127.0.0.9';
const PROXY = '127.0.0.8';
const SLOW = 'GET /api/v1/slow HTTP/1.1\r\nHost: a\r\n\r\n';

describe('connections from one address', () => {
  let app: TestApp;
  const clients: Socket[] = [];

  beforeAll(async () => {
    app = await startOwnApp(
      { role: 'api', maxConnectionsPerAddress: PER_ADDRESS, trustedProxies: [`${PROXY}/32`] },
      { extensions: [{ name: 'test', modules: [SlowModule] }] },
    );
  });
  afterEach(() => {
    for (const one of finish.splice(0)) one();
    for (const client of clients.splice(0)) client.destroy();
  });
  afterAll(() => app.close());

  async function open(first = '', localAddress = CLIENT): Promise<Socket> {
    const client = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1', localAddress });
    client.on('error', () => {});
    clients.push(client);
    await once(client, 'connect');
    if (first !== '') client.write(first);
    client.resume();
    return client;
  }
  async function openMany(count: number, first = '', from = CLIENT): Promise<Socket[]> {
    const opened: Socket[] = [];
    for (let n = 0; n < count; n++) opened.push(await open(first, from));
    return opened;
  }
  const closed = (sockets: readonly Socket[]) => sockets.map(({ readyState }) => readyState !== 'open');
  async function closedBecauseOf(reason: string): Promise<number> {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return Number(new RegExp(`^uptime_connections_closed_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  }

  it('are closed beyond the limit, the one that has been idle longest first', async () => {
    // Half of a request head each: half-open requests also count as idle.
    const opened = await openMany(PER_ADDRESS + 3, 'GET / HTTP/1.1\r\n');
    await eventually('three are closed', () => closed(opened).filter(Boolean).length === 3);
    expect(closed(opened)).toEqual([true, true, true, ...Array<boolean>(PER_ADDRESS).fill(false)]);
    expect(await closedBecauseOf('address')).toBeGreaterThanOrEqual(3);
  });

  it('stay open while a request is answered, no matter how many idle ones come', async () => {
    const busy = await open(SLOW);
    await eventually('a request is open', () => finish.length === 1);
    const idle = await openMany(2 * PER_ADDRESS);
    await eventually('the others are closed', () => closed(idle).filter(Boolean).length === PER_ADDRESS + 1);
    const answered = once(busy, 'data');
    for (const one of finish.splice(0)) one();
    expect(String(await answered)).toMatch(/^HTTP\/1.1 200 /);
  });

  it('are refused when all of them are busy, while other addresses are served', async () => {
    const busy = await openMany(PER_ADDRESS, SLOW);
    await eventually('all are busy', () => finish.length === PER_ADDRESS);
    const fresh = await open();
    await eventually('the fresh one is closed', () => fresh.closed);
    expect(closed(busy)).toEqual(Array(PER_ADDRESS).fill(false));
    expect((await app.read.get('/websites')).status).toBe(200);
  });

  it('stay open while idle for longer than the proxies of the manual keep theirs, which is 120 s at most', async () => {
    const idle = await open('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, seconds] = /^keep-alive: timeout=(\d+)\r$/im.exec(String(await once(idle, 'data'))) ?? [];
    expect(Number(seconds)).toBeGreaterThan(120);
  });

  it('may exceed the limit if the address is a trusted proxy’s', async () => {
    const proxied = await openMany(PER_ADDRESS + 3, '', PROXY);
    const strangers = await openMany(PER_ADDRESS + 1);
    await eventually('one of the others is closed', () => closed(strangers).includes(true));
    expect(closed(proxied)).toEqual(Array(PER_ADDRESS + 3).fill(false));
  });
});
