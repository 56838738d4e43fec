/** @lane slow */
import { request } from 'node:http';
import { PingService } from '../../../src/heartbeat/ping.service';
import type { TokenBuckets } from '../../../src/platform/capacity/token-bucket';
import { formatId } from '../../../src/platform/ids/id';
import type { Api } from '../../../packages/testing/service/api';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Reply {
  status: number;
  text: string;
  retryAfter: string | undefined;
}
interface Sent {
  method?: string;
  headers?: Record<string, string>;
  /** Each item is a separate chunk. */
  body?: readonly (string | Buffer)[];
  /** The local address that the request comes from. */
  from?: string;
}
interface Job {
  id: string;
  path: string;
  push: string;
  /** All of its URLs. */
  paths: string[];
}

const UNKNOWN = '/ping/11111111-1111-4111-8111-111111111111';
const MIB = 1024 * 1024;

describe('limits of pings', () => {
  let app: TestApp;
  let clock: MovingClock;
  let jobs = 0;
  beforeAll(async () => {
    app = await startOwnApp({ trustedProxies: ['127.0.0.1/32'] });
    clock = MovingClock.frozenIn(app.app);
  });
  afterAll(() => app.close());
  // Refills the budgets that the previous test has used up.
  beforeEach(() => clock.advance(600_000));

  const make = async (by: Api = app.write, websiteId?: string): Promise<Job> => {
    const website = websiteId ?? (await newWebsite(by));
    const key = `job-${++jobs}`;
    const id = await newEndpoint(by, website, { url: undefined, key, type: 'HEARTBEAT', heartbeat: { every: 3600 } });
    const { heartbeat } = (await by.get<{ heartbeat: { ping_id: string; push_token: string } }>(`/endpoints/${id}`))
      .body;
    const { ping_key } = (await by.get<{ ping_key: string }>(`/websites/${website}`)).body;
    const [path, push] = [`/ping/${heartbeat.ping_id}`, `/api/push/${heartbeat.push_token}`];
    return { id, path, push, paths: [path, push, `/${heartbeat.ping_id}`, `/ping/${ping_key}/${key}`] };
  };
  const ping = (path: string, { method = 'POST', headers = {}, body = [], from = '127.0.0.1' }: Sent = {}) =>
    new Promise<Reply>((resolve, reject) => {
      const sent = request(`${app.url}${path}`, { method, headers, localAddress: from, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] }),
        );
      });
      sent.on('error', reject);
      for (const chunk of body) sent.write(chunk);
      sent.end();
    });
  const statuses = async (path: string, times: number, sent: Sent = {}): Promise<number[]> => {
    const all: number[] = [];
    for (let time = 0; time < times; time++) all.push((await ping(path, sent)).status);
    return all;
  };
  const kept = async ({ id }: Job) =>
    (await app.write.get<{ body: string | null; body_bytes: number; address: string }[]>(`/endpoints/${id}/pings`))
      .body;

  it('allow ten at once and one a second for each heartbeat, and respond with the time to wait', async () => {
    const [job, other] = [await make(), await make()];
    expect(await statuses(job.path, 12)).toEqual([...Array<number>(10).fill(200), 429, 429]);
    expect(await ping(job.path)).toEqual({ status: 429, text: 'too many requests', retryAfter: '1' });
    expect(await statuses(other.path, 3)).toEqual([200, 200, 200]);
    clock.advance(1000);
    expect(await statuses(job.path, 2)).toEqual([200, 429]);
    expect(await ping(job.push)).toEqual({
      status: 429,
      text: '{"ok":false,"msg":"too many requests"}',
      retryAfter: '1',
    });
    expect(await kept(job)).toHaveLength(11);
  });

  it('are shared by all URLs of a heartbeat', async () => {
    const job = await make();
    await ping(job.path);
    clock.advance(600_000);
    const replies = await Promise.all(job.paths.flatMap((path) => Array.from({ length: 20 }, () => ping(path))));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(70);
  });

  it('also apply to the very first pings of a heartbeat', async () => {
    const job = await make();
    const replies = await Promise.all(Array.from({ length: 60 }, () => ping(job.path)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(50);
  });

  it("include the organization's quota of checks per second, for all of its heartbeats together", async () => {
    const { write, orgId } = await app.organization('Limited');
    const quotas = { checks_per_second: 1 };
    expect((await app.operator.put(`/organizations/${formatId('organization', orgId)}`, { quotas })).status).toBe(200);
    const website = await newWebsite(write);
    const [a, b] = [await make(write, website), await make(write, website)];
    expect([...(await statuses(a.path, 6)), ...(await statuses(b.path, 4))]).toEqual(Array(10).fill(200));
    expect(await ping(b.path)).toMatchObject({ status: 429, retryAfter: '1' });
    expect(await ping(a.path)).toMatchObject({ status: 429, retryAfter: '1' });
    expect(await ping((await make()).path)).toMatchObject({ status: 200 });
    clock.advance(1000);
    expect(await statuses(a.path, 2)).toEqual([200, 429]);
  });

  it('allow 16 MiB at once and 64 KiB a second of bodies for an organization: more is counted and not kept', async () => {
    const job = await make();
    const buckets = Reflect.get(app.app.get(PingService), 'bodies') as TokenBuckets;
    buckets.take(app.orgId, 16 * MIB);
    const body = ['x'.repeat(10_000)];
    expect(await statuses(job.path, 1, { body })).toEqual([200]);
    clock.advance(1000);
    expect(await statuses(job.path, 7, { body })).toEqual(Array(7).fill(200));
    const pings = await kept(job);
    expect(pings.map(({ body_bytes }) => body_bytes)).toEqual(Array(8).fill(10_000));
    expect(pings.map((one) => one.body?.length ?? 0).toReversed()).toEqual([0, ...Array<number>(6).fill(10_000), 0]);
  });

  it('apply as for wrong keys to URLs that do not exist, and never to a known job', async () => {
    const job = await make();
    const from = (address: string): Sent => ({ headers: { 'x-forwarded-for': address } });
    expect((await ping(job.path, from('203.0.113.7'))).status).toBe(200);
    let guesses = 0;
    let last: Reply | null = null;
    while (last?.status !== 429 && guesses < 1000) {
      last = await ping(UNKNOWN, from('203.0.113.7'));
      if (last.status !== 429) expect(last).toMatchObject({ status: 404, text: 'not found' });
      guesses++;
    }
    expect(last).toMatchObject({ status: 429, text: 'too many requests', retryAfter: expect.stringMatching(/^\d+$/) });
    expect(guesses).toBeGreaterThan(5);
    expect((await ping(job.path, from('203.0.113.7'))).status).toBe(200);
    expect((await ping(UNKNOWN, from('203.0.113.8'))).status).toBe(404);
  });

  it('and the list of pings use the address from a trusted proxy, and ignore headers of other clients', async () => {
    const job = await make();
    const said = (...addresses: string[]) => ({ headers: { 'x-forwarded-for': addresses.join(', ') } });
    const sent: [Sent, string][] = [
      [{}, '127.0.0.1'],
      [said('203.0.113.7'), '203.0.113.7'],
      [said('198.51.100.1', '203.0.113.7'), '203.0.113.7'],
      [said('198.51.100.1', '203.0.113.7', '127.0.0.1'), '203.0.113.7'],
      [said('2001:db8::7'), '2001:db8::7'],
      [said('unknown'), '127.0.0.1'],
      [{ ...said('203.0.113.7'), from: '127.0.0.2' }, '127.0.0.2'],
    ];
    for (const [each] of sent) expect((await ping(job.path, each)).status).toBe(200);
    expect((await kept(job)).map(({ address }) => address).toReversed()).toEqual(sent.map(([, address]) => address));
  });

  it.each<[string, Sent]>([
    ['in chunks', { body: ['one', 'two', 'three'] }],
    ['of one mebibyte', { body: Array<Buffer>(16).fill(Buffer.alloc(MIB / 16, 0xc3)) }],
    ['of a form', { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: ['--y\r\n\r\nno end'] }],
    ['that is not JSON', { headers: { 'content-type': 'application/json' }, body: ['{"a":'] }],
    ['whose declared compression is wrong', { headers: { 'content-encoding': 'gzip, br' }, body: ['plain'] }],
    [
      'of a charset that does not exist',
      { headers: { 'content-type': 'text/plain; charset=x' }, body: ['\0\u{1f600}'] },
    ],
    ['with a GET', { method: 'GET', headers: { 'content-length': '4' }, body: ['body'] }],
  ])('refuse no body %s', async (_, sent) => {
    const job = await make();
    expect(await ping(job.path, sent)).toEqual({ status: 200, text: 'OK', retryAfter: undefined });
    const bytes = (sent.body ?? []).reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
    expect(await kept(job)).toMatchObject([{ body: expect.any(String), body_bytes: bytes }]);
  });
});
