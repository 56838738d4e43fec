/**
 * @lane slow
 * @databases both
 */
import type { Socket } from 'node:net';
import { HttpTarget, rawResponse, sent } from '../../../packages/testing/servers/http-target';
import { closedPort, silence, slam } from '../../../packages/testing/servers/tcp-target';
import { builtClient, type Client, type ClientOptions, collected } from './built-client';

type Step = (socket: Socket) => void;

const { UptimeClient, UptimeProblem, UptimeNoResponse, UptimeUnexpectedResponse } = builtClient();

const JSON_TYPE = { 'Content-Type': 'application/json' };
const website = { id: 'ws_1', name: 'Shop' };
const ok: Step = (socket) => socket.write(rawResponse(200, JSON.stringify(website), JSON_TYPE));
const refused = (status: number, code: string, headers: Record<string, string> = {}): Step => {
  const problem = {
    type: `urn:uptime:problem:${code}`,
    title: 'No',
    status,
    detail: 'Not now',
    code,
    request_id: 'r1',
  };
  const type = { 'Content-Type': 'application/problem+json; charset=utf-8' };
  return (socket) => socket.write(rawResponse(status, JSON.stringify(problem), { ...type, ...headers }));
};
/** Announces more bytes than it sends, and resets the connection. */
const cutInBody: Step = (socket) => {
  socket.write(rawResponse(200, '{"id":"ws_1",', { ...JSON_TYPE, 'Content-Length': '1000' }), () => slam(socket));
};

const CREATE = { body: { name: 'Shop', url: 'https://shop.example.com' } };
const ONE = { path: { id: 'ws_1' } };

describe('the typed client, when something fails', () => {
  const open: HttpTarget[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((target) => target.close()));
  });

  /** Starts a server that responds with one step after the other and then hangs. Returns a client for it. */
  async function scripted(
    steps: Step[],
    options: Partial<ClientOptions> = {},
  ): Promise<{ target: HttpTarget; client: Client }> {
    const target = await HttpTarget.listen((_, socket) => (steps.shift() ?? silence)(socket));
    open.push(target);
    return { target, client: new UptimeClient({ baseUrl: target.url(''), apiKey: 'secret', ...options }) };
  }

  it.each<[string, Step]>([
    ['429 with a Retry-After in seconds', refused(429, 'rate_limited', { 'Retry-After': '1' })],
    [
      '503 with a Retry-After as a date that has passed',
      refused(503, 'shutting_down', { 'Retry-After': new Date(0).toUTCString() }),
    ],
    ['503 without Retry-After', refused(503, 'storage_unavailable')],
    ["a proxy's 502", (socket) => socket.write(rawResponse(502, '<title>Bad gateway</title>'))],
    ['a reset connection', slam],
    ['a connection that breaks within the body', cutInBody],
  ])('repeats a GET after %s', async (_, failure) => {
    const { target, client } = await scripted([failure, ok]);
    await expect(client.getWebsite(ONE)).resolves.toEqual(website);
    expect(target.seen).toHaveLength(2);
  });

  it('waits for the time in Retry-After', async () => {
    const arrivals: number[] = [];
    const at =
      (step: Step): Step =>
      (socket) => {
        arrivals.push(performance.now());
        step(socket);
      };
    const { client } = await scripted([at(refused(429, 'rate_limited', { 'Retry-After': '1' })), at(ok)]);
    await client.getWebsite(ONE);
    const [first = 0, second = 0] = arrivals;
    // Only a lower bound. Timers may fire a millisecond early.
    expect(second - first).toBeGreaterThan(990);
  });

  it('does not wait if the next try would come after its deadline', async () => {
    const { target, client } = await scripted([refused(429, 'rate_limited', { 'Retry-After': '3600' })]);
    await expect(client.getWebsite(ONE)).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 3600 });
    expect(target.seen).toHaveLength(1);
  });

  it.each<[string, Step, object]>([
    ['500', refused(500, 'internal_error'), { code: 'internal_error' }],
    ['404', refused(404, 'not_found'), { code: 'not_found' }],
  ])('does not repeat a GET after %s', async (_, failure, error) => {
    const { target, client } = await scripted([failure, ok]);
    await expect(client.getWebsite(ONE)).rejects.toMatchObject(error);
    expect(target.seen).toHaveLength(1);
  });

  it('gives up after the last retry, with the last response as the error', async () => {
    const again = refused(503, 'shutting_down', { 'Retry-After': '0' });
    const { target, client } = await scripted([again, again, again, ok], { retries: 2 });
    await expect(client.getWebsite(ONE)).rejects.toMatchObject({ code: 'shutting_down', status: 503 });
    expect(target.seen).toHaveLength(3);
  });

  it('repeats a POST that honors an Idempotency-Key, with one key for all tries and another for each call', async () => {
    const { target, client } = await scripted([slam, ok, ok]);
    await client.createWebsite(CREATE);
    await client.createWebsite(CREATE);
    const [first, again, other] = target.seen.map((request) => sent(request, 'Idempotency-Key'));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('waits for its own first try when that still runs', async () => {
    const { target, client } = await scripted([refused(409, 'idempotency_key_in_use', { 'Retry-After': '0' }), ok]);
    await expect(client.createWebsite(CREATE)).resolves.toEqual(website);
    expect(target.seen).toHaveLength(2);
  });

  it('takes the Idempotency-Key of the caller', async () => {
    const { target, client } = await scripted([ok]);
    await client.createWebsite({ ...CREATE, headers: { 'Idempotency-Key': 'mine' } });
    expect(sent(target.seen[0], 'Idempotency-Key')).toBe('mine');
  });

  it.each<[string, Step, new () => Error]>([
    ['a reset connection', slam, UptimeNoResponse],
    ['503', refused(503, 'shutting_down', { 'Retry-After': '0' }), UptimeProblem],
  ])('neither repeats a POST without a key after %s nor gives it one', async (_, failure, kind) => {
    const { target, client } = await scripted([failure, ok]);
    await expect(client.runCheck(ONE)).rejects.toBeInstanceOf(kind);
    expect(target.seen.map((request) => sent(request, 'Idempotency-Key'))).toEqual([undefined]);
  });

  it('reports that nothing listens at the address', async () => {
    const port = await closedPort();
    const client = new UptimeClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 });
    await expect(client.getWebsite(ONE)).rejects.toThrow(
      `GET http://127.0.0.1:${port}/api/v1/websites/ws_1 got no response: connect ECONNREFUSED 127.0.0.1:${port}`,
    );
  });

  it('ends a call that takes longer than its deadline', async () => {
    const { client } = await scripted([], { timeoutMs: 100 });
    const call = client.getWebsite(ONE);
    await expect(call).rejects.toBeInstanceOf(UptimeNoResponse);
    await expect(call).rejects.toThrow(/took longer than 100 ms/);
  });

  it('ends with its signal, at once and with its reason: while it waits for a response, and between two tries', async () => {
    for (const steps of [[], [refused(429, 'rate_limited', { 'Retry-After': '30' })]]) {
      const { target, client } = await scripted([...steps]);
      const controller = new AbortController();
      const call = client.getWebsite(ONE, { signal: controller.signal });
      const reason = new Error('enough');
      setTimeout(() => controller.abort(reason), 50);
      await expect(call).rejects.toBe(reason);
      expect(target.seen.length).toBeLessThan(2);
    }
  });

  it('reports that the response is a page of another server', async () => {
    const page: Step = (socket) =>
      socket.write(
        rawResponse(404, '<html><title>Sign in to the Wi-Fi</title></html>', { 'Content-Type': 'text/html' }),
      );
    const { client } = await scripted([page]);
    const call = client.getWebsite(ONE);
    await expect(call).rejects.toBeInstanceOf(UptimeUnexpectedResponse);
    await expect(call).rejects.toThrow(/a 404 response that is not from the service: Sign in to the Wi-Fi/);
  });

  it.each<[string, string, Record<string, string>]>([
    ['a sign-in page', '<h1>Sign in</h1>', { 'Content-Type': 'text/html' }],
    ['a text without a type', 'hello', {}],
    ['truncated JSON', '{"a":', JSON_TYPE],
  ])('does not accept the successful response of another server: %s', async (_, text, headers) => {
    const { client } = await scripted([(socket) => socket.write(rawResponse(200, text, headers))]);
    const call = client.listWebsites();
    await expect(call).rejects.toBeInstanceOf(UptimeUnexpectedResponse);
    await expect(call).rejects.toThrow(/got a 200 response that is not from the service/);
  });

  it.each(['', '.', '..'])('sends nothing for an id that would change the path: %j', async (id) => {
    const { target, client } = await scripted([ok]);
    const words = `path.id must not be ${JSON.stringify(id)}`;
    await expect(client.getWebsite({ path: { id } })).rejects.toThrow(words);
    await expect(client.getWebsite.withResponse({ path: { id } })).rejects.toThrow(words);
    expect(target.seen).toEqual([]);
  });

  it('follows no redirect: the key stays with its host', async () => {
    const { target: elsewhere } = await scripted([ok]);
    const redirect: Step = (socket) => socket.write(rawResponse(307, '', { Location: elsewhere.url('/') }));
    const { target, client } = await scripted([redirect]);
    await expect(client.getWebsite(ONE)).rejects.toThrow(/redirects are not followed/);
    expect(sent(target.seen[0], 'Authorization')).toBe('Bearer secret');
    expect(elsewhere.seen).toEqual([]);
  });

  it('requests the next page from its own host, even if the header names another one', async () => {
    const { target: elsewhere } = await scripted([ok]);
    const first: Step = (socket) => {
      const link = { Link: `<${elsewhere.url('/api/v1/websites?cursor=next')}>; rel="next"`, ...JSON_TYPE };
      socket.write(rawResponse(200, JSON.stringify([website]), link));
    };
    const last: Step = (socket) => socket.write(rawResponse(200, '[]', JSON_TYPE));
    const { target, client } = await scripted([first, last]);
    expect(await collected(client.listWebsites.all())).toEqual([website]);
    expect(target.seen.map(({ path }) => path)).toEqual(['/api/v1/websites', '/api/v1/websites?cursor=next']);
    expect(elsewhere.seen).toEqual([]);
  });

  it('sends the headers of the client and of the call, each name once, and nothing about its generator', async () => {
    const { target, client } = await scripted([ok], { headers: { 'X-Team': 'shop', Accept: 'text/plain' } });
    await client.getWebsite(ONE, { headers: { accept: 'application/json', 'x-team': 'checkout' } });
    const headers = target.seen[0]?.headers ?? [];
    const values = (name: string) => headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
    expect(values('accept')).toEqual(['application/json']);
    expect(values('x-team')).toEqual(['checkout']);
    expect(values('x-redocly-client')).toEqual([]);
  });
});
