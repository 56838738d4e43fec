/**
 * @lane slow
 * @databases both
 */
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../packages/testing/service/api';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

/** A key has twice as many tokens at once, and an organization three times as many as a key. */
const RATE = 10;
const [OF_KEY, OF_ORGANIZATION] = [2 * RATE, 6 * RATE];

describe('the rate limits of requests', () => {
  let app: TestApp;
  let endpoint: string;
  let clock: MovingClock;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: RATE });
    clock = MovingClock.frozenIn(app.app);
    endpoint = await newEndpoint(app.write, await newWebsite(app.write));
  });
  beforeEach(() => clock.advance(60_000));
  afterAll(() => app.close());

  async function servedOf(api: Api, path: string, count: number): Promise<number> {
    const statuses: number[] = [];
    for (let n = 0; n < count; n++) statuses.push((await api.get(path)).status);
    return statuses.filter((status) => status === 200).length;
  }
  async function moreKeys(count: number): Promise<Api[]> {
    const keys: Api[] = [];
    for (let n = 0; n < count; n++) {
      const { body } = await app.admin.post<{ key: string }>('/api-keys', { name: `k${n}`, role: 'read' });
      keys.push(new Api(app.url, body.key));
    }
    return keys;
  }

  it('allow twice the rate of one key at once and its rate each second, and do not delay other keys', async () => {
    expect(await servedOf(app.read, '/websites?limit=1', OF_KEY + 5)).toBe(OF_KEY);
    expect(await app.read.get('/websites?limit=1')).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
      headers: { 'retry-after': '1' },
    });
    expect((await app.write.get('/websites?limit=1')).status).toBe(200);
    clock.advance(1000);
    expect(await servedOf(app.read, '/websites?limit=1', RATE + 5)).toBe(RATE);
  });

  it('allow all keys of one organization together the rate of three keys, and do not affect other organizations', async () => {
    const keys = await moreKeys(5);
    clock.advance(60_000);
    let served = 0;
    for (const api of keys) served += await servedOf(api, '/websites?limit=1', OF_KEY);
    expect(served).toBe(OF_ORGANIZATION);
    const other = await app.organization('Other');
    expect((await other.read.get('/websites')).status).toBe(200);
  });

  it('count an expensive read as several requests', async () => {
    expect(await servedOf(app.read, '/overview', OF_KEY)).toBe(OF_KEY / 4);
    clock.advance(60_000);
    expect(await servedOf(app.read, `/endpoints/${endpoint}/latency`, OF_KEY)).toBe(2);
    clock.advance(60_000);
    expect(await servedOf(app.admin, '/audit-log?resource=website', OF_KEY)).toBe(1);
  });

  it('allow the most expensive read with a full bucket, and report when the next is allowed', async () => {
    const path = `/endpoints/${endpoint}/latency?step=600&from=${new Date(Date.now() - 6 * 86_400_000).toISOString()}`;
    expect((await app.read.get(path)).status).toBe(200);
    const refused = await app.read.get(path);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, String(OF_KEY / RATE)]);
    clock.advance(2000);
    expect((await app.read.get(path)).status).toBe(200);
  });
});
