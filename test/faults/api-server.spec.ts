import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';

/** Both ends of a connection are descriptors of this process, and the rest of the process needs some. */
const fileLimit = (): number => {
  const limit = spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout.trim();
  return limit === 'unlimited' ? 1_000_000 : Number(limit);
};
const IDLE = Math.min(10_000, Math.floor((fileLimit() - 600) / 2));
const hasSlowHttpTest = spawnSync('slowhttptest', ['-h']).error === undefined;

/** A raw client and everything it received before its socket was closed. */
class Client {
  heard = '';
  closed = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => (this.heard += text));
    socket.on('error', () => {});
    socket.on('close', () => (this.closed = true));
  }

  static async to(url: string, first = ''): Promise<Client> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const client = new Client(socket);
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    if (first !== '') socket.write(first);
    return client;
  }
}

describe('the API’s server against slow, greedy and idle clients', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', keepAliveSeconds: 5 });
  }, 60_000);
  afterAll(() => app.close());

  const isServed = async () => (await app.read.get('/websites')).status === 200;
  const open = (count: number, first: string) =>
    Promise.all(Array.from({ length: count }, () => Client.to(app.url, first)));
  /** Checks that other requests are served while these connections stay open. */
  async function untilClosed(clients: readonly Client[], limitMs: number): Promise<void> {
    await eventually(
      'the connections are closed',
      async () => {
        expect(await isServed()).toBe(true);
        return clients.every(({ closed }) => closed);
      },
      limitMs,
    );
  }

  it('ends requests whose headers or body do not arrive in time with 408, while it serves other clients', async () => {
    const head = 'POST /api/v1/websites HTTP/1.1\r\nHost: a\r\n';
    const slowHeaders = await open(200, head);
    // Without a key, the response is 401 at once, without reading the body. The number of open requests per
    // organization is limited.
    const slowBodies: Client[] = [];
    for (let n = 0; n < 10; n++) {
      const { write } = await app.organization(`Slow ${n}`);
      const named = `${head}Authorization: Bearer ${write.key}\r\nContent-Type: application/json\r\n`;
      slowBodies.push(...(await open(10, `${named}Content-Length: 1000\r\n\r\n{`)));
    }
    const dribble = setInterval(() => {
      for (const { socket } of slowHeaders) socket.write('X: y\r\n');
      for (const { socket } of slowBodies) socket.write(' ');
    }, 1000);
    try {
      await untilClosed(slowHeaders, 60_000);
      expect(slowBodies.filter(({ closed }) => closed)).toEqual([]);
      await untilClosed(slowBodies, 90_000);
    } finally {
      clearInterval(dribble);
    }
    for (const { heard } of [...slowHeaders, ...slowBodies]) {
      expect(heard).toMatch(/^HTTP\/1\.1 408 /);
      expect(heard).toContain('application/problem+json');
      expect(heard).toContain('"code":"request_timeout"');
    }
  }, 180_000);

  it('answers 431 to too many headers, and keeps serving', async () => {
    const flood = await open(
      50,
      `GET /api/v1/websites HTTP/1.1\r\nHost: a\r\n${`X-${'y'.repeat(20)}: z\r\n`.repeat(2000)}\r\n`,
    );
    await untilClosed(flood, 30_000);
    for (const { heard } of flood) {
      expect(heard).toMatch(/^HTTP\/1\.1 431 /);
      expect(heard).toContain('"code":"headers_too_large"');
    }
  }, 60_000);

  it(`serves requests next to ${IDLE} idle connections, and closes those`, async () => {
    const idle: Client[] = [];
    // Both ends are in this process. With more at once, its event loop would lag so much that requests are shed.
    while (idle.length < IDLE) idle.push(...(await open(Math.min(100, IDLE - idle.length), '')));
    expect(await isServed()).toBe(true);
    expect((await app.write.post('/websites', { name: 'Shop', url: 'https://a.example' })).status).toBe(201);
    await untilClosed(idle, 90_000);
  }, 180_000);

  it('destroys half-closed connections whose client never closes its side', async () => {
    const server = app.app.getHttpServer();
    const held = () =>
      new Promise<number>((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      });
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: 50 }, () =>
      connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {}),
    );
    try {
      await eventually('all are connected', async () => (await held()) >= clients.length);
      await eventually('the server holds none of them', async () => (await held()) === 0, 90_000);
    } finally {
      for (const client of clients) client.destroy();
    }
  }, 120_000);

  it('closes connections that stay idle after their request', async () => {
    const clients = await open(100, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('every request has its response', () =>
      clients.every(({ heard }) => heard.startsWith('HTTP/1.1 200 ')),
    );
    await untilClosed(clients, 60_000);
  }, 90_000);

  it('reads no request after a malformed one on the same connection', async () => {
    const smuggled = 'GET /api/v1/websites HTTP/1.1\r\nHost: a\r\n\r\n';
    const both = `POST /api/v1/websites HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`;
    const client = await Client.to(app.url, both);
    await untilClosed([client], 30_000);
    expect(client.heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
  }, 60_000);

  const slow = hasSlowHttpTest ? it.each : it.skip.each;
  slow([
    ['slow headers', ['-H']],
    ['slow bodies', ['-B']],
  ])(
    'stays up under slowhttptest with %s (skipped if it is not installed)',
    async (_, mode) => {
      const args = ['-c', '500', '-r', '250', '-i', '2', '-l', '8', '-p', '3', '-u', `${app.url}/api/v1/websites`];
      const attack = spawn('slowhttptest', [...mode, ...args], { stdio: 'ignore' });
      let served = 0;
      try {
        while (attack.exitCode === null && attack.signalCode === null) {
          expect(await isServed()).toBe(true);
          served++;
        }
      } finally {
        attack.kill();
      }
      expect(served).toBeGreaterThan(3);
    },
    90_000,
  );
});
