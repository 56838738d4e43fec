/** @databases both */
import { ACCEPTED, type Delivery, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { eventually } from '../../../packages/testing/eventually';

interface ProblemBody {
  code: string;
}

describe('deliveries', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true });
  });
  afterAll(() => scene.close());
  afterEach(() => scene.finish());

  const notifiedAlert = async (type: 'webhook' | 'slack' = 'webhook'): Promise<SceneAlert> => {
    const alert = await scene.alert(type);
    scene.provider.expect(ACCEPTED[type]);
    await scene.report('F', alert);
    await scene.deliver();
    return alert;
  };

  it('sends deliveries at once, without waiting for a tick, and lists them newest first', async () => {
    const alert = await scene.alert('webhook');
    scene.provider.expect(ACCEPTED.webhook, ACCEPTED.webhook);
    await scene.report('F', alert);
    await eventually('the trigger arrives', () => scene.provider.requests.length === 1);
    await scene.deliver();
    await scene.report('S', alert);
    await eventually('the resolve arrives', () => scene.provider.requests.length === 2);
    await scene.deliver();

    const deliveries = await scene.deliveries(alert);
    expect(deliveries).toEqual(
      ['resolved', 'triggered'].map((kind) => ({
        id: expect.stringMatching(/^dl_[0-9a-hjkmnp-tv-z]{26}$/),
        alert_id: alert.id,
        contact_id: null,
        contact: null,
        endpoint_id: expect.stringMatching(/^ep_/),
        endpoint_name: 'Checkout API',
        event_id: expect.stringMatching(/^ev_/),
        kind,
        ordinal: null,
        channel_type: 'webhook',
        state: 'delivered',
        detail: null,
        attempts: 1,
        last_attempt_at: expect.stringMatching(/Z$/),
        next_attempt_at: null,
        response_status: 204,
        error: null,
        created_at: expect.stringMatching(/Z$/),
      })),
    );
    const keys = scene.provider.requests.map(({ headers }) => headers['webhook-id']);
    expect(keys).toEqual([...deliveries].reverse().map(({ event_id }) => event_id));
    expect(scene.received<{ type: string }>().map(({ type }) => type)).toEqual(['alert.triggered', 'alert.resolved']);
  });

  it('pages deliveries, and reads one by its id', async () => {
    const alert = await notifiedAlert();
    scene.provider.expect(ACCEPTED.webhook);
    await scene.report('S', alert);
    await scene.deliver();
    const first = await scene.app.read.get<Delivery[]>(`/alerts/${alert.id}/deliveries?limit=1`);
    const second = await scene.app.read.get<Delivery[]>(
      `/alerts/${alert.id}/deliveries?limit=1&cursor=${first.headers['x-next-cursor']}`,
    );
    expect([...first.body, ...second.body].map(({ kind }) => kind)).toEqual(['resolved', 'triggered']);
    expect(second.headers['x-next-cursor']).toBeUndefined();
    const [delivery] = first.body;
    expect((await scene.app.read.get<Delivery>(`/deliveries/${delivery?.id}`)).body).toEqual(delivery);
    const other = await notifiedAlert();
    const foreign = await scene.app.read.get<ProblemBody>(
      `/alerts/${other.id}/deliveries?cursor=${first.headers['x-next-cursor']}`,
    );
    expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid_cursor']);
  });

  it('lists the deliveries of all alerts of an endpoint together, newest first and page by page', async () => {
    const alert = await scene.alert('webhook');
    const config = { url: `${scene.provider.url}/webhook` };
    const second = { endpoint_id: alert.endpointId, type: 'webhook', failure_threshold: 1, config };
    const { body: other } = await scene.app.write.post<{ id: string }>('/alerts', second);
    scene.provider.expect(ACCEPTED.webhook, ACCEPTED.webhook);
    await scene.report('F', alert);
    await scene.deliver();
    const path = `/endpoints/${alert.endpointId}/deliveries`;
    const { body: deliveries } = await scene.app.read.get<Delivery[]>(path);
    expect(deliveries.map(({ alert_id }) => alert_id).sort()).toEqual([alert.id, other.id].sort());
    const newer = await scene.app.read.get<Delivery[]>(`${path}?limit=1`);
    const older = await scene.app.read.get<Delivery[]>(`${path}?limit=1&cursor=${newer.headers['x-next-cursor']}`);
    expect([...newer.body, ...older.body]).toEqual(deliveries);
    expect(older.headers['x-next-cursor']).toBeUndefined();
  });

  it.each(['0', '1001', 'x', '-1', '1.5'])('refuses a list of deliveries with limit=%s', async (limit) => {
    const alert = await scene.alert('webhook');
    const response = await scene.app.read.get<ProblemBody>(`/alerts/${alert.id}/deliveries?limit=${limit}`);
    expect([response.status, response.body.code]).toEqual([400, 'invalid_query']);
  });

  it('answers the same 404 for deliveries of another organization and for unknown ids', async () => {
    const alert = await notifiedAlert();
    const [delivery] = await scene.deliveries(alert);
    const other = await scene.app.organization('Other');
    const responses = await Promise.all([
      other.read.get(`/alerts/${alert.id}/deliveries`),
      other.read.get(`/endpoints/${alert.endpointId}/deliveries`),
      other.read.get(`/deliveries/${delivery?.id}`),
      other.write.post(`/deliveries/${delivery?.id}/redeliver`),
      other.write.post(`/alerts/${alert.id}/test`),
      scene.app.read.get('/alerts/al_nonsense/deliveries'),
      scene.app.read.get('/deliveries/dl_01jd3k6q7be5y9x4v2m8n0r1st'),
      scene.app.write.post('/deliveries/dl_01jd3k6q7be5y9x4v2m8n0r1st/redeliver'),
      scene.app.write.post('/alerts/al_01jd3k6q7be5y9x4v2m8n0r1st/test'),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 404));
    expect(new Set(responses.map(({ text }) => text.replace(/[0-9a-f-]{36}/g, 'id'))).size).toBe(1);
  });

  it('refuses redeliveries and tests with a read key', async () => {
    const alert = await notifiedAlert();
    const [delivery] = await scene.deliveries(alert);
    const responses = await Promise.all([
      scene.app.read.post(`/deliveries/${delivery?.id}/redeliver`),
      scene.app.read.post(`/alerts/${alert.id}/test`),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([403, 403]);
  });

  describe('POST /deliveries/:id/redeliver', () => {
    it('redelivers a notification unchanged, marked as a repeat, and answers 201 with its Location', async () => {
      const alert = await notifiedAlert('slack');
      const [delivery] = await scene.deliveries(alert);
      scene.provider.expect(ACCEPTED.slack);
      const response = await scene.app.write.post<Delivery>(`/deliveries/${delivery?.id}/redeliver`);
      expect(response.status).toBe(201);
      expect(response.headers['location']).toBe(`/api/v1/deliveries/${delivery?.id}`);
      expect(response.body).toMatchObject({ id: delivery?.id, state: 'pending', attempts: 0, kind: 'triggered' });
      await scene.deliver();
      const [first, second] = scene.received<{ text: string }>('slack');
      expect(second?.text).toBe(`Repeat: ${first?.text}`);
      expect((await scene.deliveries(alert))[0]).toMatchObject({ state: 'delivered', detail: 'redelivered' });
    });

    it('redelivers a trigger although the outage is over', async () => {
      const alert = await notifiedAlert();
      scene.provider.expect(ACCEPTED.webhook, ACCEPTED.webhook);
      await scene.report('S', alert);
      await scene.deliver();
      const trigger = (await scene.deliveries(alert)).find(({ kind }) => kind === 'triggered');
      await scene.app.write.post(`/deliveries/${trigger?.id}/redeliver`);
      await scene.deliver();
      expect(scene.received<{ type: string }>().map(({ type }) => type)).toEqual([
        'alert.triggered',
        'alert.resolved',
        'alert.triggered',
      ]);
      const keys = scene.provider.requests.map(({ headers }) => headers['webhook-id']);
      expect(keys[2]).toBe(keys[0]);
    });

    it('redelivers through the current config of the alert', async () => {
      const alert = await notifiedAlert();
      scene.provider.expect(ACCEPTED.webhook, ACCEPTED.webhook);
      await scene.app.write.put(`/alerts/${alert.id}`, { config: { url: `${scene.provider.url}/moved` } });
      await scene.deliver();
      const trigger = (await scene.deliveries(alert)).find(({ kind }) => kind === 'triggered');
      await scene.app.write.post(`/deliveries/${trigger?.id}/redeliver`);
      await scene.deliver();
      expect(scene.provider.requests.map(({ path }) => path)).toEqual(['/webhook', '/webhook', '/moved']);
    });

    it('answers 409 to a redelivery while it is pending, of a test, and when the alert is deleted', async () => {
      const alert = await scene.alert('webhook');
      scene.provider.expect({ status: 500 });
      await scene.report('F', alert);
      await scene.deliver();
      const [pending] = await scene.deliveries(alert);
      expect(pending).toMatchObject({ state: 'pending', next_attempt_at: expect.stringMatching(/Z$/) });
      scene.provider.expect(ACCEPTED.webhook);
      const test = await scene.app.write.post<Delivery>(`/alerts/${alert.id}/test`);
      const responses = [
        await scene.app.write.post<ProblemBody>(`/deliveries/${pending?.id}/redeliver`),
        await scene.app.write.post<ProblemBody>(`/deliveries/${test.body.id}/redeliver`),
      ];
      await scene.app.write.delete(`/alerts/${alert.id}`);
      await scene.pass(10_000);
      responses.push(await scene.app.write.post<ProblemBody>(`/deliveries/${pending?.id}/redeliver`));
      expect(responses.map(({ status, body }) => [status, body.code])).toEqual(responses.map(() => [409, 'conflict']));
    });
  });

  describe('POST /alerts/:id/test', () => {
    it('sends a test at once and responds with its outcome', async () => {
      const alert = await scene.alert('webhook');
      scene.provider.expect(ACCEPTED.webhook);
      const response = await scene.app.write.post<Delivery>(`/alerts/${alert.id}/test`);
      expect(response.status).toBe(201);
      expect(response.headers['location']).toBe(`/api/v1/deliveries/${response.body.id}`);
      expect(response.body).toMatchObject({
        kind: 'test',
        event_id: null,
        state: 'delivered',
        attempts: 1,
        response_status: 204,
        next_attempt_at: null,
      });
      expect(scene.received()).toEqual([expect.objectContaining({ type: 'alert.test' })]);
      expect(scene.provider.requests[0]?.headers['webhook-id']).toBe(response.body.id);
    });

    it.each<[number, string]>([
      [500, 'not_retried'],
      [404, 'not_retried'],
      [410, 'rejected'],
    ])('does not retry a test that fails with status %i', async (status, detail) => {
      const alert = await scene.alert('webhook');
      scene.provider.expect({ status });
      const { body } = await scene.app.write.post<Delivery>(`/alerts/${alert.id}/test`);
      expect(body).toMatchObject({ state: 'failed', detail, response_status: status });
      expect(body.error).toContain(String(status));
      await scene.pass(120_000, 60_000);
    });

    it('changes neither flag nor events of the alert with a test', async () => {
      const alert = await scene.alert('webhook', { enabled: false });
      scene.provider.expect(ACCEPTED.webhook);
      await scene.app.write.post(`/alerts/${alert.id}/test`);
      expect((await scene.app.read.get(`/alerts/events?alert_id=${alert.id}`)).body).toEqual([]);
      expect((await scene.app.read.get<{ triggered: boolean }>(`/alerts/${alert.id}`)).body.triggered).toBe(false);
    });

    it('allows ten tests a minute per alert', async () => {
      const alert = await scene.alert('webhook');
      scene.provider.standingResponse(ACCEPTED.webhook);
      const statuses: number[] = [];
      for (let i = 0; i < 11; i++) statuses.push((await scene.app.write.post(`/alerts/${alert.id}/test`)).status);
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 429]);
    });
  });

  it('leaves no snapshot of a config and no lease behind', async () => {
    const alert = await notifiedAlert();
    scene.provider.expect(ACCEPTED.webhook);
    await scene.app.write.delete(`/alerts/${alert.id}`);
    await scene.deliver();
    const rows = await scene.rows(alert);
    expect(rows.map(({ kind, state, config, lease_token }) => [kind, state, config, lease_token])).toEqual([
      ['triggered', 'delivered', null, null],
      ['resolved', 'delivered', null, null],
    ]);
  });

  it('counts deliveries in the metrics by channel and outcome', async () => {
    await notifiedAlert();
    const metrics = await (await fetch(`${scene.app.url}/metrics`)).text();
    expect(metrics).toMatch(/uptime_delivery_attempts_total\{channel="webhook",class="delivered"\} \d/);
    expect(metrics).toMatch(/uptime_deliveries_finished_total\{channel="webhook",state="delivered",detail=""\} \d/);
    expect(metrics).toMatch(/uptime_delivery_oldest_pending_seconds \d/);
  });
});
