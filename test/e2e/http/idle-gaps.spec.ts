/** @lane slow */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { hasProxy, PROXY_NAMES, ReverseProxy, skippedWithout } from '../../harness/processes/reverse-proxy';

/**
 * With `IDLE_REQUESTS=20000`, sends this many requests in total through proxies with the documented configurations
 * and keep-alive times, with pauses of 5 to 75 seconds. Otherwise sends a few, with all times divided by 25.
 */
const REQUESTS = Number(process.env['IDLE_REQUESTS'] ?? 0);
const IS_LONG = REQUESTS > 0;
const SCALE = IS_LONG ? 1 : 25;
/** The longest documented time that a proxy keeps an idle connection is two minutes. */
const KEEP_ALIVE_SECONDS = IS_LONG ? 125 : 5;
const PAUSE_MS = { least: 5000 / SCALE, most: 75_000 / SCALE };
/**
 * Proxies of each kind, and requests that each sends at once after a pause. The same number of connections is idle in
 * between.
 */
const PROXIES = IS_LONG ? 8 : 1;
const BURST = IS_LONG ? 25 : 10;
const ROUNDS = IS_LONG ? Math.ceil(REQUESTS / (PROXY_NAMES.length * PROXIES * BURST)) : 6;

jest.setTimeout(60_000 + ROUNDS * PAUSE_MS.most);

describe.each(PROXY_NAMES)('requests with pauses between them through %s', (name) => {
  let app: TestApp | null = null;
  const proxies: ReverseProxy[] = [];

  (hasProxy(name) ? it : it.skip)(
    `are all answered: no idle connection is closed during a request${skippedWithout(name)}`,
    async () => {
      const service = await startOwnApp({ role: 'api', keepAliveSeconds: KEEP_ALIVE_SECONDS });
      app = service;
      for (let n = 0; n < PROXIES; n++)
        proxies.push(await ReverseProxy.start(name, [service.url], { change: IS_LONG ? (text) => text : shortly }));
      const statuses = new Map<string, number>();
      await Promise.all(
        proxies.map(async ({ url }) => {
          for (let round = 0; round < ROUNDS; round++) {
            await pause(PAUSE_MS.least + Math.random() * (PAUSE_MS.most - PAUSE_MS.least));
            for (const status of await Promise.all(Array.from({ length: BURST }, () => statusOf(url))))
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        }),
      );
      if (IS_LONG) process.stderr.write(`${name}: ${JSON.stringify(Object.fromEntries(statuses))}\n`);
      expect(Object.fromEntries(statuses)).toEqual({ '404': PROXIES * ROUNDS * BURST });
    },
  );

  afterAll(async () => {
    for (const proxy of proxies) await proxy.stop();
    await app?.close();
  });
});

/** Returns a configuration whose idle connections end after 1/25 of the usual time. */
const shortly = (text: string): string =>
  text
    .replace(/keepalive 32;/, 'keepalive 32;\n  keepalive_timeout 2400ms;')
    .replace('ttl=60', 'ttl=2')
    .replace(/reverse_proxy (\S+)/, 'reverse_proxy $1 {\n    transport http {\n      keepalive 4s\n    }\n  }');

/** Returns the status of a request that no proxy repeats, to a missing URL, or the code of its error. */
const statusOf = (url: string): Promise<string> =>
  new Promise((resolve) => {
    const sent = request(`${url}/api/v1/nothing`, { method: 'POST', agent: new Agent() }, (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end();
  });
