/** @lane timed */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Controller, Get, Module } from '@nestjs/common';
import { Access } from '../../../src/platform/access/caller';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { eventually } from '../../../packages/testing/eventually';
import { resultOf, startManualProbe } from '../../harness/app/manual-probe';

let finish: (() => void)[] = [];

/** Responds when the test triggers it. */
const untilTold = (): Promise<object> => new Promise((resolve) => finish.push(() => resolve({})));

@Controller('api/v1')
class SlowController {
  @Get('slow')
  @Access('read')
  slow(): Promise<object> {
    return untilTold();
  }

  @Get('slow-for-all')
  @Access('public')
  slowForAll(): Promise<object> {
    return untilTold();
  }
}

@Module({ controllers: [SlowController] })
class SlowModule {}

const OVERLOADED = { status: 503, code: 'temporarily_unavailable' };
/**
 * A fifth of them (two) is for one organization. Half (five) is for clients without a key, with one place per
 * address.
 */
const MAX_OPEN = 10;

describe('an overloaded API', () => {
  let app: TestApp;
  let others: Api[];

  beforeAll(async () => {
    app = await startOwnApp(
      { maxConcurrentRequests: MAX_OPEN },
      { extensions: [{ name: 'test', modules: [SlowModule] }] },
    );
    others = await Promise.all([1, 2, 3, 4, 5].map(async (n) => (await app.organization(`Other ${n}`)).read));
  });
  afterEach(async () => {
    await finishAll();
    await eventually('nothing is open', async () => (await value('uptime_requests_in_flight')) === 0);
  });
  afterAll(() => app.close());

  /** Another loopback address is another client. */
  const visit = (path: string, from: string) =>
    new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(app.url);
      const sent = request({ hostname, port, path, localAddress: from, agent: false }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject).end();
    });
  const connectFrom = (localAddress: string): Socket =>
    connect({ port: Number(new URL(app.url).port), host: '127.0.0.1', localAddress }).on('error', () => {});
  const statusOf = async (path: string) => (await fetch(`${app.url}${path}`)).status;
  async function value(metric: string): Promise<number> {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${metric} `));
    return Number(line?.split(' ')[1] ?? 0);
  }
  const shed = (reason: string) => value(`uptime_requests_shed_total{reason="${reason}"}`);
  const opened = (count: number) => eventually(`${count} open requests`, () => finish.length === count);
  /** One after the other, because they all count for one address until their keys are known. */
  async function openAll(): Promise<Promise<{ status: number }>[]> {
    const open: Promise<{ status: number }>[] = [];
    for (const api of [...others, ...others]) {
      open.push(api.get('/slow'));
      await opened(open.length);
    }
    return open;
  }
  const finishAll = async (open: readonly Promise<{ status: number }>[] = []) => {
    for (const one of finish.splice(0)) one();
    return (await Promise.all(open)).map(({ status }) => status);
  };

  it('refuses requests above its limit with 503 and Retry-After, stays live, and serves again', async () => {
    const before = await shed('requests');
    const slow = await openAll();
    const refused = await app.read.get<{ code: string }>('/websites');
    expect(refused.body).toMatchObject(OVERLOADED);
    expect(refused.headers['retry-after']).toBe('2');
    expect(await Promise.all(['/health/live', '/health/ready', '/metrics'].map(statusOf))).toEqual([200, 200, 200]);
    expect(await shed('requests')).toBe(before + 1);
    expect(await finishAll(slow)).toEqual(Array(MAX_OPEN).fill(200));
    await eventually('a response', async () => (await app.read.get('/websites')).status === 200);
  });

  it.each(['/', '/status/some-page', '/auth/session', '/docs', '/api/v1/stream', '/api/v1/openapi.json'])(
    'also refuses %s above its limit',
    async (path) => {
      const slow = await openAll();
      expect(await statusOf(path)).toBe(503);
      await finishAll(slow);
    },
  );

  it('gives one organization a fifth of its open requests, and serves the others', async () => {
    const [greedy] = others;
    const before = await shed('organization');
    const slow = [greedy?.get('/slow'), greedy?.get('/slow')];
    await opened(2);
    const refused = await greedy?.get<{ code: string }>('/websites');
    expect([refused?.status, refused?.body.code, refused?.headers['retry-after']]).toEqual([429, 'rate_limited', '1']);
    expect(await shed('organization')).toBe(before + 1);
    expect((await app.read.get('/websites')).status).toBe(200);
    await finishAll();
    expect((await Promise.all(slow)).map((response) => response?.status)).toEqual([200, 200]);
    await eventually('a response', async () => (await greedy?.get('/websites'))?.status === 200);
  });

  it('accepts a few results of a probe whose organization has used up its share, and no more', async () => {
    const probe = await startManualProbe(app, 'fra');
    const row = resultOf({
      endpoint_id: 'ep_00000000000000000000000000',
      revision: 1,
      slot: Date.now(),
      checked_at: Date.now(),
    });
    const slow = [app.read.get('/slow'), app.read.get('/slow')];
    await opened(2);
    expect((await probe.send([row])).status).toBe(200);
    expect((await probe.send(Array(60).fill(row))).status).toBe(429);
    expect(await value('uptime_requests_in_flight')).toBe(2);
    await finishAll();
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await probe.send(Array(60).fill(row))).status).toBe(200);
  });

  it('gives unknown clients half of its requests, and one address a tenth of these, and serves known clients', async () => {
    const before = [await shed('address'), await shed('strangers')];
    const slow = [1, 2, 3, 4, 5].map((n) => visit('/api/v1/slow-for-all', `127.8.0.${n}`));
    await opened(5);
    expect(await visit('/api/v1/slow-for-all', '127.8.0.1')).toBe(503);
    expect(await visit('/auth/session', '127.8.0.6')).toBe(503);
    expect(await shed('strangers')).toBe((before[1] ?? 0) + 2);
    expect((await app.read.get('/websites')).status).toBe(200);
    const ready = await fetch(`${app.url}/health/ready`);
    const { details } = (await ready.json()) as { details: Record<string, object> };
    expect([ready.status, details['requests']]).toEqual([
      200,
      {
        ok: true,
        detail: expect.stringMatching(/^shedding load: \d+ requests without a known key, session or ping URL/),
      },
    ]);
    await finishAll();
    expect(await Promise.all(slow)).toEqual(Array(5).fill(200));
    const alone = visit('/api/v1/slow-for-all', '127.8.0.1');
    await opened(1);
    expect(await visit('/api/v1/slow-for-all', '127.8.0.1')).toBe(503);
    expect(await shed('address')).toBe((before[0] ?? 0) + 1);
    await finishAll();
    expect(await alone).toBe(200);
  });

  it('keeps no place for an unknown client that sends a body, nor for one that does not read its response', async () => {
    const slow = Array.from({ length: 30 }, (_, n) => connectFrom(`127.8.1.${n % 3}`));
    const half =
      'POST /auth/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{';
    for (const socket of slow) socket.write(half);
    await eventually('all of them are waited for', async () => (await value('uptime_bodies_awaited')) > 0);
    const deaf = Array.from({ length: 30 }, (_, n) => connectFrom(`127.8.2.${n % 3}`));
    for (const socket of deaf) socket.pause().write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(9));
    await eventually('none of them holds a place', async () => (await value('uptime_strangers_in_flight')) === 0);
    expect(await visit('/auth/session', '127.8.3.1')).toBe(204);
    expect((await app.read.get('/websites')).status).toBe(200);
    for (const socket of [...slow, ...deaf]) socket.destroy();
  });

  it('waits five seconds for a body without a key, and no longer', async () => {
    const socket = connectFrom('127.8.4.1');
    const began = performance.now();
    socket.write('POST /ack/none HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1.1 408 [\s\S]*"code":"request_timeout"/);
    expect(performance.now() - began).toBeGreaterThan(4900);
    await eventually('its connection is closed', () => socket.closed);
  });

  it('does not count requests whose client has disconnected', async () => {
    const leaving = new AbortController();
    const slow = fetch(`${app.url}/api/v1/slow-for-all`, { signal: leaving.signal }).catch(
      (error: Error) => error.name,
    );
    await opened(1);
    leaving.abort();
    expect(await slow).toBe('AbortError');
    await eventually('a response', async () => (await statusOf('/auth/session')) === 204);
  });

  it('does not count open streams', async () => {
    const leaving = new AbortController();
    const headers = { Authorization: `Bearer ${app.read.key ?? ''}` };
    const streams = await Promise.all(
      [1, 2, 3].map(() => fetch(`${app.url}/api/v1/stream`, { headers, signal: leaving.signal })),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await app.read.get('/websites')).status).toBe(200);
    leaving.abort();
  });

  it('refuses requests while its event loop is repeatedly late, and serves again afterwards', async () => {
    const turns = new AbortController();
    const block = () => {
      const until = performance.now() + 700;
      while (performance.now() < until);
      if (!turns.signal.aborted) setTimeout(block, 1);
    };
    block();
    try {
      await eventually(
        'a refusal',
        async () => {
          const { status, body } = await app.read.get<{ code: string }>('/websites');
          return status === 503 && body.code === OVERLOADED.code;
        },
        60_000,
      );
    } finally {
      turns.abort();
    }
    await eventually('a response', async () => (await app.read.get('/websites')).status === 200);
    expect(await shed('event_loop')).toBeGreaterThan(0);
  }, 120_000);
});
