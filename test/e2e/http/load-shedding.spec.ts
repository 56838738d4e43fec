import { Controller, Get, Module } from '@nestjs/common';
import { Access } from '../../../src/platform/access/caller';
import { startApp, type TestApp } from '../../harness/app/app';
import { eventually } from '../../harness/app/poll';

let finish: (() => void)[] = [];

@Controller('api/v1/slow')
class SlowController {
  /** Responds when the test says so. */
  @Get()
  @Access('public')
  slow(): Promise<object> {
    return new Promise((resolve) => finish.push(() => resolve({})));
  }
}

@Module({ controllers: [SlowController] })
class SlowModule {}

const OVERLOADED = { status: 503, code: 'temporarily_unavailable' };

describe('an overloaded API', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ maxConcurrentRequests: 3 }, { modules: [SlowModule] });
  });
  afterAll(() => app.close());

  const health = async () => (await fetch(`${app.url}/health/live`)).status;
  const shed = async (reason: string) => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return Number(new RegExp(`^uptime_requests_shed_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  };

  it('refuses requests above its limit with 503 and Retry-After, stays live, and serves again', async () => {
    const slow = [1, 2, 3].map(() => fetch(`${app.url}/api/v1/slow`));
    await eventually('three open requests', () => finish.length === 3);
    const refused = await app.read.get<{ code: string }>('/websites');
    expect(refused.body).toMatchObject(OVERLOADED);
    expect(refused.headers['retry-after']).toBe('2');
    expect(await health()).toBe(200);
    expect(await shed('requests')).toBe(1);
    for (const one of finish) one();
    finish = [];
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await eventually('a response', async () => (await app.read.get('/websites')).status === 200);
  });

  it('does not count requests whose client has disconnected', async () => {
    const leaving = new AbortController();
    const slow = [1, 2, 3].map(() =>
      fetch(`${app.url}/api/v1/slow`, { signal: leaving.signal }).catch((error: Error) => error.name),
    );
    await eventually('three open requests', () => finish.length === 3);
    leaving.abort();
    expect(await Promise.all(slow)).toEqual(['AbortError', 'AbortError', 'AbortError']);
    await eventually('a response', async () => (await app.read.get('/websites')).status === 200);
    for (const one of finish) one();
    finish = [];
  });

  it('refuses requests while its event loop is late again and again, and serves again afterwards', async () => {
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
