import { Agent, request } from 'node:http';
import { findPostgres } from '../harness/database/postgres-cluster';
import { freePort } from '../harness/machine/free-port';
import { FaultBench } from '../harness/processes/fault-bench';
import { hasProxy, type ProxyName, ReverseProxy, skippedWithout } from '../harness/processes/reverse-proxy';
import { eventually } from '../../packages/testing/eventually';

const suite = findPostgres() === null ? describe.skip : describe;
const CLIENTS = 4;
/** The pause between two requests of a client, which leaves the machine time for its restarts. */
const PAUSE_MS = 15;
/** How often instances are restarted behind a proxy. */
const PROXIES: [name: ProxyName, restarts: number][] = [
  ['nginx', 4],
  ['haproxy', 4],
  ['caddy', 2],
];

suite('two instances that are restarted one after another (skipped without PostgreSQL’s programs)', () => {
  let bench: FaultBench;
  let ports: number[];
  const start = (place: number, env: Readonly<Record<string, string>>) =>
    bench.start({ ROLE: 'api', PORT: String(ports[place]), ...env });

  beforeAll(async () => {
    bench = await FaultBench.open();
  }, 180_000);
  afterAll(() => bench.close(), 60_000);

  it('continue serving for DRAIN_SECONDS while they are not ready, and refuse nothing until their port is closed', async () => {
    ports = [await freePort()];
    const service = await start(0, { DRAIN_SECONDS: '2' });
    const began = performance.now();
    service.signal('SIGTERM');
    await eventually('it is not ready', async () => (await service.readiness()) === 503);
    const seen: string[] = [];
    while (!seen.at(-1)?.startsWith('E'))
      seen.push(await once(`${service.url}/api/v1/websites`, 'GET', service.api.key, new Agent()));
    expect(performance.now() - began).toBeGreaterThanOrEqual(2000);
    // The kernel resets connections that a closing listener had not accepted yet.
    expect(new Set(seen.filter((each) => !each.startsWith('E')))).toEqual(new Set(['200 close']));
    expect(await service.ended()).toBe(0);
    expect(performance.now() - began).toBeLessThan(25_000);
  }, 60_000);

  describe.each(PROXIES)('fail no request', (name, restarts) => {
    (hasProxy(name) ? it : it.skip)(
      `behind ${name} in ${restarts} restarts${skippedWithout(name)}`,
      async () => {
        const env = { DRAIN_SECONDS: '5', TRUSTED_PROXIES: '127.0.0.1/32' };
        ports = [await freePort(), await freePort()];
        const services = [await start(0, env), await start(1, env)];
        const urls = services.map(({ url }) => url);
        const proxy = await ReverseProxy.start(name, urls);
        const traffic = new Traffic(proxy.url, services[0]?.api.key ?? '');
        for (let n = 0; n < restarts; n++) {
          const place = n % 2;
          await eventually('both serve', () => traffic.serving.size === 2, 30_000);
          services[place]?.signal('SIGTERM');
          expect(await services[place]?.ended()).toBe(0);
          services[place] = await start(place, env);
          traffic.serving.clear();
        }
        await eventually('both serve again', () => traffic.serving.size === 2, 30_000);
        await traffic.stop();
        await proxy.stop();
        expect(traffic.failures).toEqual([]);
        expect(traffic.count).toBeGreaterThan(50 * restarts);
      },
      240_000,
    );
  });
});

/** Clients that read and create over keep-alive connections. */
class Traffic {
  readonly failures: string[] = [];
  /** The start times of the processes that have responded. */
  readonly serving = new Set<string>();
  count = 0;
  private isOver = false;
  private readonly clients: Promise<void>[];

  constructor(url: string, key: string) {
    this.clients = Array.from({ length: CLIENTS }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let n = 0; !this.isOver; n++) {
        const isRead = n % 2 === 0;
        const result = await once(
          `${url}/api/v1/${isRead ? 'system' : 'websites'}`,
          isRead ? 'GET' : 'POST',
          key,
          agent,
        );
        this.count++;
        // A correct response of a busy machine.
        const isOverload = result.includes('"temporarily_unavailable"');
        if (!/^20[01]/.test(result) && !isOverload) this.failures.push(`${isRead ? 'GET' : 'POST'}: ${result}`);
        const [, startedAt] = /"started_at":"([^"]+)"/.exec(result) ?? [];
        if (startedAt !== undefined) this.serving.add(startedAt);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      agent.destroy();
    });
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }
}

/** Returns the status, whether the connection stays open, and the state of the system, or the code of the error. */
const once = (url: string, method: 'GET' | 'POST', key: string | null, agent: Agent): Promise<string> =>
  new Promise((resolve) => {
    const body = method === 'POST' ? JSON.stringify({ name: 'Shop', url: 'https://shop.example.com' }) : '';
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === '' ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
    };
    const sent = request(url, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        const shown = url.endsWith('/system') || (response.statusCode ?? 0) >= 400 ? ` ${text}` : '';
        resolve(`${response.statusCode} ${response.headers.connection}${shown}`);
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end(body);
  });
