/**
 * @lane slow
 * @databases both
 */
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { eventually } from '../../../packages/testing/eventually';

// Several tests wait for checks that run once a second.
jest.setTimeout(90_000);

interface Event {
  id: string;
  type: 'triggered' | 'resolved';
  alert_id: string;
  failure_count: number;
  success_count: number;
  reason: string;
}

/** The timeout leaves room for a busy machine. No check here should reach it. */
const FAST = { type: 'HTTP', interval: 1, timeout: 10 };

describe('monitoring', () => {
  let app: TestApp;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let websiteId: string;

  beforeAll(async () => {
    [app, target, hook] = await Promise.all([
      startOwnApp({}, { durable: true }),
      SwitchableServer.start(),
      SwitchableServer.start(),
    ]);
    websiteId = (await app.write.post<{ id: string }>('/websites', { name: 'Shop', url: 'https://shop.example.com' }))
      .body.id;
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([target.close(), hook.close()]);
  });
  beforeEach(() => {
    target.status = 200;
  });

  const endpoint = async (settings: object): Promise<string> =>
    (
      await app.write.post<{ id: string }>(`/websites/${websiteId}/endpoints`, {
        ...FAST,
        name: 'Checkout',
        ...settings,
      })
    ).body.id;
  const alert = async (endpointId: string, settings: object = {}): Promise<string> =>
    (
      await app.write.post<{ id: string }>('/alerts', {
        endpoint_id: endpointId,
        type: 'webhook',
        config: { url: `${hook.url}/${endpointId}` },
        ...settings,
      })
    ).body.id;
  const statusOf = async (id: string) => (await app.read.get<{ status: string }>(`/endpoints/${id}`)).body.status;
  const eventsOf = async (alertId: string) => (await app.read.get<Event[]>(`/alerts/events?alert_id=${alertId}`)).body;
  const hooksOf = (endpointId: string) =>
    hook.seen.filter(({ path }) => path === `/${endpointId}`).map(({ body }) => JSON.parse(body) as { type: string });
  const checksOf = async (id: string) =>
    (await app.read.get<{ outcome: string }[]>(`/endpoints/${id}/checks?limit=1000`)).body;

  it('checks a new endpoint at once and then every interval, with its method, headers and body', async () => {
    const id = await endpoint({
      url: `${target.url}/order`,
      method: 'POST',
      headers: [{ key: 'X-Probe', value: 'yes' }],
      body: 'ping',
    });
    await eventually('three requests', () => target.seen.filter(({ path }) => path === '/order').length >= 3);
    const [first] = target.seen.filter(({ path }) => path === '/order');
    expect(first).toMatchObject({
      method: 'POST',
      body: 'ping',
      headers: expect.objectContaining({ 'x-probe': 'yes' }),
    });
    await eventually('up', async () => (await statusOf(id)) === 'up');
    const [check] = (await app.read.get<object[]>(`/endpoints/${id}/checks`)).body;
    expect(check).toMatchObject({
      id: expect.stringMatching(/^ck_/),
      endpoint_id: id,
      outcome: 'up',
      status_code: 200,
      address: '127.0.0.1',
      error: null,
      attempts: 1,
      phases: {
        dns_ms: null,
        connect_ms: expect.any(Number),
        tls_ms: null,
        first_byte_ms: expect.any(Number),
        transfer_ms: expect.any(Number),
      },
    });
    const website = (await app.read.get<{ last_checked_at: string }>(`/websites/${websiteId}`)).body;
    expect(website.last_checked_at).not.toBeNull();
    await app.write.delete(`/endpoints/${id}`);
  });

  it('triggers an alert after exactly failure_threshold failures and resolves it after exactly success_threshold successes, with one signed webhook each', async () => {
    const id = await endpoint({ url: `${target.url}/flaky` });
    await eventually('up', async () => (await statusOf(id)) === 'up');
    const alertId = await alert(id, { failure_threshold: 3, success_threshold: 2 });
    target.status = 503;
    await eventually('the trigger', () => hooksOf(id).length === 1);
    const checks = await checksOf(id);
    const failures = checks.filter(({ outcome }) => outcome === 'down').length;
    expect(failures).toBeGreaterThanOrEqual(3);
    expect(await eventsOf(alertId)).toEqual([
      expect.objectContaining({ type: 'triggered', failure_count: 3, reason: 'threshold' }),
    ]);
    expect((await app.read.get(`/alerts/${alertId}`)).body).toMatchObject({ triggered: true });
    target.status = 200;
    await eventually('the resolve', () => hooksOf(id).length === 2);
    expect((await eventsOf(alertId)).map(({ type, success_count }) => [type, success_count])).toEqual([
      ['resolved', 2],
      ['triggered', 0],
    ]);
    expect((await app.read.get(`/alerts/${alertId}`)).body).toMatchObject({ triggered: false });
    expect(hooksOf(id).map(({ type }) => type)).toEqual(['alert.triggered', 'alert.resolved']);
    for (const { headers } of hook.seen.filter(({ path }) => path === `/${id}`)) {
      expect(headers).toMatchObject({
        'webhook-id': expect.stringMatching(/^ev_/),
        'webhook-timestamp': expect.stringMatching(/^\d+$/),
        'webhook-signature': expect.stringMatching(/^v1,/),
      });
    }
    await app.write.delete(`/endpoints/${id}`);
  });

  it('records the resolve but sends no webhook with send_on_resolved=false', async () => {
    const id = await endpoint({ url: `${target.url}/silent` });
    const alertId = await alert(id, { failure_threshold: 1, success_threshold: 1, send_on_resolved: false });
    target.status = 500;
    await eventually('the trigger', () => hooksOf(id).length === 1);
    target.status = 200;
    await eventually('the resolve', async () => (await eventsOf(alertId)).length === 2);
    await eventually(
      'two more checks',
      async () => (await checksOf(id)).filter(({ outcome }) => outcome === 'up').length >= 3,
    );
    expect(hooksOf(id)).toHaveLength(1);
    await app.write.delete(`/endpoints/${id}`);
  });

  it('counts a streak of failures across a restart in the middle of it', async () => {
    const id = await endpoint({ url: `${target.url}/restart` });
    const alertId = await alert(id, { failure_threshold: 4, success_threshold: 1 });
    target.status = 500;
    await eventually(
      'two failures',
      async () => (await checksOf(id)).filter(({ outcome }) => outcome === 'down').length >= 2,
    );
    await app.stop();
    await app.restart();
    await eventually('the trigger', () => hooksOf(id).length === 1);
    expect(await eventsOf(alertId)).toEqual([expect.objectContaining({ type: 'triggered', failure_count: 4 })]);
    await app.write.delete(`/endpoints/${id}`);
  });

  it('runs a check on demand, records it and responds with it', async () => {
    const id = await endpoint({ url: `${target.url}/demand`, interval: 86_400 });
    await eventually('the first check', async () => (await checksOf(id)).length === 1);
    target.status = 404;
    const response = await app.write.post<{ id: string; outcome: string; error: { code: string; phase: string } }>(
      `/endpoints/${id}/checks`,
    );
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ outcome: 'down', status_code: 404, error: { code: 'status_unexpected' } });
    expect((await checksOf(id))[0]).toEqual(response.body);
    expect(await statusOf(id)).toBe('down');
    await app.write.delete(`/endpoints/${id}`);
  });

  it('refuses a check on demand of a paused endpoint, and to read keys', async () => {
    const id = await endpoint({ url: `${target.url}/paused`, enabled: false });
    expect((await app.write.post<{ code: string }>(`/endpoints/${id}/checks`)).body.code).toBe('conflict');
    expect((await app.read.post(`/endpoints/${id}/checks`)).status).toBe(403);
    expect(target.seen.some(({ path }) => path === '/paused')).toBe(false);
    await app.write.delete(`/endpoints/${id}`);
  });

  it('checks a TCP endpoint and follows a change of its url', async () => {
    const id = await endpoint({ type: 'TCP', url: target.url.replace('http://', 'tcp://') });
    await eventually('up', async () => (await statusOf(id)) === 'up');
    await app.write.put(`/endpoints/${id}`, { url: 'tcp://127.0.0.1:1' });
    await eventually('down', async () => (await statusOf(id)) === 'down');
    expect(
      (await app.read.get<{ error: { code: string } }[]>(`/endpoints/${id}/checks?limit=1`)).body[0]?.error.code,
    ).toBe('connection_refused');
    await app.write.delete(`/endpoints/${id}`);
  });

  it('stops checks when the website is disabled or deleted, and resolves the open episode', async () => {
    const site = (await app.write.post<{ id: string }>('/websites', { name: 'Second', url: 'https://b.example' })).body
      .id;
    const { body } = await app.write.post<{ id: string }>(`/websites/${site}/endpoints`, {
      ...FAST,
      name: 'Second',
      url: `${target.url}/second`,
    });
    const alertId = await alert(body.id, { failure_threshold: 1 });
    target.status = 500;
    await eventually('the trigger', () => hooksOf(body.id).length === 1);
    await app.write.put(`/websites/${site}`, { enabled: false });
    await eventually('the resolve', () => hooksOf(body.id).length === 2);
    expect((await eventsOf(alertId))[0]).toMatchObject({ type: 'resolved', reason: 'disabled' });
    expect(await statusOf(body.id)).toBe('paused');
    await app.write.put(`/websites/${site}`, { enabled: true });
    await eventually('a second trigger', () => hooksOf(body.id).length === 3);
    await app.write.delete(`/websites/${site}`);
    await eventually('the pending resolve of a deleted website', () => hooksOf(body.id).length === 4);
    expect(await eventsOf(alertId)).toEqual([]);
  });
});
