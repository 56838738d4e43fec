/** @lane slow */
import { Agent, request } from 'node:http';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';

/** The number of requests that one address may send at once, and each second. */
const [AT_ONCE, A_SECOND] = [400, 200];
const PROXY = '127.7.0.250';

describe('one address that sends many requests without a key', () => {
  let app: TestApp;
  let clock: MovingClock;
  let addresses = 1;
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });

  beforeAll(async () => {
    app = await startOwnApp({
      role: 'api',
      trustedProxies: [`${PROXY}/32`],
      statusRateLimitPerSecond: 0,
      rateLimitPerSecond: 10,
    });
    clock = MovingClock.frozenIn(app.app);
  });
  afterAll(async () => {
    agent.destroy();
    await app.close();
  });

  const nextAddress = () => `127.7.0.${addresses++}`;
  const visit = (path: string, from: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; retryAfter: string | undefined }>((resolve, reject) => {
      const { hostname, port } = new URL(app.url);
      const sent = request({ hostname, port, path, localAddress: from, agent, headers }, (response) => {
        const { statusCode = 0, headers: got } = response;
        response.resume().once('end', () => resolve({ status: statusCode, retryAfter: got['retry-after'] }));
      });
      sent.once('error', reject).end();
    });
  /** Returns how many of the requests aren't refused with 429. */
  async function served(
    count: number,
    path: string,
    from: string,
    headers: Record<string, string> = {},
  ): Promise<number> {
    let sum = 0;
    let left = count;
    const work = async () => {
      while (left-- > 0) {
        const { status } = await visit(path, from, headers);
        if (status !== 429 && status !== 503) sum++;
        // A busy machine refuses a request before it is counted.
        if (status === 503) left++;
      }
    };
    await Promise.all(Array.from({ length: 20 }, work));
    return sum;
  }

  it.each(['/', '/docs', '/favicon.svg', '/nothing', '/api/v1/websites', '/metrics', '/health/live'])(
    'may request %s 400 times at once, then 200 times a second, and no other address waits for it',
    async (path) => {
      const from = nextAddress();
      expect(await served(AT_ONCE + 10, path, from)).toBe(AT_ONCE);
      expect(await visit(path, from)).toEqual({ status: 429, retryAfter: '1' });
      expect((await visit(path, nextAddress())).status).not.toBe(429);
      clock.advance(1000);
      expect(await served(A_SECOND + 10, path, from)).toBe(A_SECOND);
    },
  );

  it('still learns whether the service is healthy, and a trusted proxy always learns it', async () => {
    const from = nextAddress();
    expect(await served(AT_ONCE + 1, '/nothing', from)).toBe(AT_ONCE);
    expect((await visit('/health/ready', from)).status).toBe(200);
    expect(await served(AT_ONCE + 10, '/health/ready', PROXY)).toBe(AT_ONCE + 10);
    expect(await served(AT_ONCE + 10, '/nothing', PROXY, { 'x-forwarded-for': '203.0.113.7' })).toBe(AT_ONCE);
  });

  it('gets public pages as often as STATUS_RATE_LIMIT_PER_SECOND allows', async () => {
    const from = nextAddress();
    await app.admin.post('/status-pages', { title: 'Status', slug: 'visited', groups: [], enabled: true });
    expect(await served(AT_ONCE + 10, '/status/visited', from)).toBe(AT_ONCE + 10);
  });

  it('does not affect requests with a key from there, which have the same limit per organization on any path', async () => {
    const from = nextAddress();
    const key = { authorization: `Bearer ${app.read.key ?? ''}` };
    await app.read.get('/websites');
    expect(await served(AT_ONCE + 1, '/nothing', from)).toBe(AT_ONCE);
    clock.advance(60_000);
    expect(await served(AT_ONCE + 1, '/nothing', from)).toBe(AT_ONCE);
    expect((await visit('/api/v1/websites', from, key)).status).toBe(200);
    expect(await served(AT_ONCE + 10, '/api/v1/nothing', nextAddress(), key)).toBe(AT_ONCE - 1);
  });
});
