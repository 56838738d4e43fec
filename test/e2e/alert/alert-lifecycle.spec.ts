/** @databases both */
import type { AlertEventView } from '../../../src/alert/event/alert-event.dto';
import type { AlertView } from '../../../src/alert/alert.dto';
import { ownerOf, type SealedConfig, SealedConfigs } from '../../../src/delivery/config/sealed-config';
import type { Notification } from '../../../src/channel/notification';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { Alerting } from '../../harness/app/alerting';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

const URL_BEFORE = 'https://hooks.slack.com/services/T000/B000/XXXX';
const URL_AFTER = 'https://hooks.slack.com/services/T111/B111/YYYY';

interface StoredDelivery {
  kind: string;
  state: string;
  detail: string | null;
  channel_type: string;
  incident_no: number;
  /** The pinned config, decrypted. `null` means that the alert's own config is used. */
  pinned: object | null;
  notification: Notification;
}

/** Sends each request again until it isn't refused for long row locks, as on a busy machine. */
async function documented(requests: (() => Promise<{ status: number }>)[]): Promise<void> {
  const sent = requests.map(async (send) => {
    let status = 503;
    while (status === 503) ({ status } = await send());
    expect([200, 204, 404]).toContain(status);
  });
  await Promise.all(sent);
}

/** The process only serves the API, so nothing is checked or sent in the background. */
describe('an open episode', () => {
  let service: TestApp;
  let api: Api;
  let alerting: Alerting;
  let websiteId: string;
  let endpointId: string;

  beforeAll(async () => {
    service = await startApp({ role: 'api' });
    api = service.write;
    alerting = Alerting.of(service.app);
  });
  afterAll(() => service.close());

  beforeEach(async () => {
    websiteId = await newWebsite(api);
    endpointId = await newEndpoint(api, websiteId);
  });

  const sql = () => service.app.get(Database);
  const eventsOf = async (alertId: string) =>
    (await api.get<AlertEventView[]>(`/alerts/events?alert_id=${alertId}`)).body.toReversed();
  const story = async (alertId: string) => (await eventsOf(alertId)).map(({ type, reason }) => `${type} ${reason}`);
  const triggeredFlag = async (alertId: string) => (await api.get<AlertView>(`/alerts/${alertId}`)).body.triggered;

  /** Returns the deliveries of an alert, with decrypted snapshots of configs. */
  async function deliveriesOf(alertId: string): Promise<StoredDelivery[]> {
    const id = parseId('alert', alertId) ?? '';
    const rows = await sql().query<StoredDelivery & { config: SealedConfig | null }>(
      'SELECT *, notice AS notification FROM notification WHERE alert_id = $1 ORDER BY seq',
      [id],
    );
    return rows.map((row) => ({
      ...row,
      pinned: row.config && service.app.get(SealedConfigs).open(ownerOf(id, null), row.config),
    }));
  }

  /** Marks the trigger as delivered. */
  async function deliverAll(alertId: string): Promise<void> {
    await sql().query(
      `UPDATE notification SET state = 'delivered', finished_at = now(), attempts = 1
       WHERE alert_id = $1 AND state = 'pending'`,
      [parseId('alert', alertId)],
    );
  }

  /** Creates an alert with an open episode on the endpoint and a delivered trigger. */
  async function openEpisode(fields: object = {}): Promise<string> {
    const alertId = await newAlert(api, endpointId, { failure_threshold: 1, success_threshold: 2, ...fields });
    await alerting.play(endpointId, 'F');
    expect(await triggeredFlag(alertId)).toBe(true);
    await deliverAll(alertId);
    return alertId;
  }

  describe('an episode whose alert, endpoint, or website is disabled', () => {
    const ways: [string, (ids: { alert: string; endpoint: string; website: string }) => Promise<{ status: number }>][] =
      [
        ['its alert is disabled', ({ alert }) => api.put(`/alerts/${alert}`, { enabled: false })],
        ['its endpoint is disabled', ({ endpoint }) => api.put(`/endpoints/${endpoint}`, { enabled: false })],
        ['its website is disabled', ({ website }) => api.put(`/websites/${website}`, { enabled: false })],
      ];

    it.each(ways)('resolves an open episode as disabled, through the current config, when %s', async (_, stop) => {
      const alert = await openEpisode();
      expect((await stop({ alert, endpoint: endpointId, website: websiteId })).status).toBe(200);
      expect(await triggeredFlag(alert)).toBe(false);
      const [triggered, resolved] = await eventsOf(alert);
      expect(resolved).toMatchObject({
        type: 'resolved',
        reason: 'disabled',
        error: null,
        failure_count: 1,
        success_count: 0,
        started_at: triggered?.started_at,
        duration_seconds: expect.any(Number),
      });
      const [first, second] = await deliveriesOf(alert);
      expect(second).toMatchObject({ kind: 'resolved', state: 'pending', pinned: null });
      expect(second?.notification).toMatchObject({
        reason: 'disabled',
        incidentKey: first?.notification.incidentKey,
        triggerId: triggered?.id,
      });
    });
  });

  describe('an episode whose alert, endpoint, or website is deleted', () => {
    const ways: [string, (ids: { alert: string; endpoint: string; website: string }) => Promise<{ status: number }>][] =
      [
        ['its alert is deleted', ({ alert }) => api.delete(`/alerts/${alert}`)],
        ['its endpoint is deleted', ({ endpoint }) => api.delete(`/endpoints/${endpoint}`)],
        ['its website is deleted', ({ website }) => api.delete(`/websites/${website}`)],
      ];

    it.each(ways)('resolves an open episode as deleted, through a snapshot of the config, when %s', async (_, stop) => {
      const alert = await openEpisode();
      expect((await stop({ alert, endpoint: endpointId, website: websiteId })).status).toBe(204);
      const [, resolved] = await deliveriesOf(alert);
      expect(resolved).toMatchObject({ kind: 'resolved', state: 'pending', pinned: { webhook_url: URL_BEFORE } });
      expect(resolved?.notification).toMatchObject({ reason: 'deleted', endpoint: { name: 'Checkout' } });
    });

    it('keeps events of a deleted alert until their website is deleted', async () => {
      const alert = await openEpisode();
      await api.delete(`/alerts/${alert}`);
      expect(await story(alert)).toEqual(['triggered threshold', 'resolved deleted']);
      await api.delete(`/endpoints/${endpointId}`);
      expect(await story(alert)).toHaveLength(2);
      await api.delete(`/websites/${websiteId}`);
      expect(await story(alert)).toEqual([]);
    });
  });

  it('resolves an episode once when alert, endpoint and website are disabled one after the other', async () => {
    const alert = await openEpisode();
    await api.put(`/alerts/${alert}`, { enabled: false });
    await api.put(`/endpoints/${endpointId}`, { enabled: false });
    await api.put(`/websites/${websiteId}`, { enabled: false });
    expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled']);
  });

  it('records a resolve without a delivery when send_on_resolved is false', async () => {
    const alert = await openEpisode({ send_on_resolved: false });
    await api.put(`/alerts/${alert}`, { enabled: false });
    expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled']);
    expect((await deliveriesOf(alert)).map(({ kind }) => kind)).toEqual(['triggered']);
  });

  describe('an episode whose trigger is still pending', () => {
    const ways: [string, string, (ids: { alert: string; endpoint: string; website: string }) => Promise<unknown>][] = [
      ['its alert is disabled', 'disabled', ({ alert }) => api.put(`/alerts/${alert}`, { enabled: false })],
      ['its alert is deleted', 'deleted', ({ alert }) => api.delete(`/alerts/${alert}`)],
      ['its endpoint is disabled', 'disabled', ({ endpoint }) => api.put(`/endpoints/${endpoint}`, { enabled: false })],
      ['its endpoint is deleted', 'deleted', ({ endpoint }) => api.delete(`/endpoints/${endpoint}`)],
      ['its website is deleted', 'deleted', ({ website }) => api.delete(`/websites/${website}`)],
    ];

    it.each(ways)('drops a pending trigger when %s', async (_, detail, stop) => {
      const alert = await newAlert(api, endpointId, { failure_threshold: 1 });
      await alerting.play(endpointId, 'F');
      await stop({ alert, endpoint: endpointId, website: websiteId });
      const [trigger] = await deliveriesOf(alert);
      expect(trigger).toMatchObject({ kind: 'triggered', state: 'superseded', detail });
    });
  });

  describe('an episode that is resolved, with its resolve still pending', () => {
    const ways: [string, (alert: string, endpoint: string) => Promise<unknown>][] = [
      ['the config changes', (alert) => api.put(`/alerts/${alert}`, { config: { webhook_url: URL_AFTER } })],
      ['the alert is deleted', (alert) => api.delete(`/alerts/${alert}`)],
      ['the endpoint is deleted', (_, endpoint) => api.delete(`/endpoints/${endpoint}`)],
    ];

    it.each(ways)('sends a pending resolve through the config of its trigger when %s', async (_, change) => {
      const alert = await openEpisode();
      await alerting.play(endpointId, 'SS');
      expect((await deliveriesOf(alert)).at(-1)).toMatchObject({ kind: 'resolved', state: 'pending', pinned: null });
      await change(alert, endpointId);
      const deliveries = await deliveriesOf(alert);
      expect(deliveries).toHaveLength(2);
      expect(deliveries[1]).toMatchObject({ kind: 'resolved', state: 'pending', pinned: { webhook_url: URL_BEFORE } });
    });
  });

  it('opens a new episode with the first failing result after the alert is enabled again, not before', async () => {
    const id = await newAlert(api, endpointId, { failure_threshold: 2 });
    await alerting.play(endpointId, 'FF');
    await api.put(`/alerts/${id}`, { enabled: false });
    await alerting.play(endpointId, 'F');
    await api.put(`/alerts/${id}`, { enabled: true });
    expect(await triggeredFlag(id)).toBe(false);
    await alerting.play(endpointId, '?');
    expect(await triggeredFlag(id)).toBe(false);
    await alerting.play(endpointId, 'F');
    expect(await story(id)).toEqual(['triggered threshold', 'resolved disabled', 'triggered threshold']);
  });

  describe('an episode whose alert gets another config', () => {
    it('resolves an episode through the old config, and triggers through the new one with the next failing result', async () => {
      const alert = await openEpisode();
      const response = await api.put<AlertView>(`/alerts/${alert}`, { config: { webhook_url: URL_AFTER } });
      expect(response.body).toMatchObject({ triggered: false, config: { webhook_url: URL_AFTER } });
      await alerting.play(endpointId, 'F');
      expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled', 'triggered threshold']);
      const [, resolved, again] = await deliveriesOf(alert);
      expect(resolved).toMatchObject({ kind: 'resolved', incident_no: 1, pinned: { webhook_url: URL_BEFORE } });
      expect(again).toMatchObject({ kind: 'triggered', incident_no: 2, pinned: null });
    });

    it('opens no new episode after a config change if the next results are successful', async () => {
      const alert = await openEpisode();
      await api.put(`/alerts/${alert}`, { config: { webhook_url: URL_AFTER } });
      await alerting.play(endpointId, 'SSS');
      expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled']);
    });

    it('resolves an episode through the old channel when the type changes', async () => {
      const alert = await openEpisode();
      await api.put(`/alerts/${alert}`, { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      await alerting.play(endpointId, 'F');
      expect((await deliveriesOf(alert)).map(({ kind, channel_type }) => `${kind} ${channel_type}`)).toEqual([
        'triggered slack',
        'resolved slack',
        'triggered pagerduty',
      ]);
      expect((await eventsOf(alert)).map(({ alert_type }) => alert_type)).toEqual(['slack', 'slack', 'pagerduty']);
    });

    it('keeps an episode open when the same config is sent again', async () => {
      const alert = await openEpisode();
      const { body } = await api.get<AlertView>(`/alerts/${alert}`);
      await api.put(`/alerts/${alert}`, { type: body.type, config: body.config, description: 'new words' });
      expect(await triggeredFlag(alert)).toBe(true);
      expect(await story(alert)).toEqual(['triggered threshold']);
    });

    it('keeps an episode open if its trigger was certainly not delivered, and sends it through the new config', async () => {
      const alert = await newAlert(api, endpointId, { failure_threshold: 1 });
      await alerting.play(endpointId, 'F');
      await api.put(`/alerts/${alert}`, { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      expect(await triggeredFlag(alert)).toBe(true);
      expect(await story(alert)).toEqual(['triggered threshold']);
      expect(await deliveriesOf(alert)).toMatchObject([
        { kind: 'triggered', state: 'pending', channel_type: 'pagerduty', pinned: null },
      ]);
    });

    it('resolves an episode through the old config when the alert gets a new one and is disabled at the same time', async () => {
      const alert = await openEpisode();
      await api.put(`/alerts/${alert}`, { enabled: false, config: { webhook_url: URL_AFTER } });
      expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled']);
      expect((await deliveriesOf(alert)).at(-1)).toMatchObject({
        kind: 'resolved',
        pinned: { webhook_url: URL_BEFORE },
      });
    });
  });

  it('keeps an episode open when the thresholds of its alert change', async () => {
    const alert = await openEpisode();
    await api.put(`/alerts/${alert}`, { failure_threshold: 50, success_threshold: 1 });
    expect(await triggeredFlag(alert)).toBe(true);
    await alerting.play(endpointId, 'FS');
    expect(await story(alert)).toEqual(['triggered threshold', 'resolved threshold']);
  });

  it('records an episode that a check opens while a client disables the alert, and its end', async () => {
    for (let round = 0; round < 10; round++) {
      const alert = await newAlert(api, endpointId, { failure_threshold: 1, success_threshold: 1 });
      await Promise.all([
        alerting.play(endpointId, 'F'),
        api.put(`/alerts/${alert}`, { enabled: false }),
        alerting.play(endpointId, 'F'),
      ]);
      const seen = await story(alert);
      expect([[], ['triggered threshold', 'resolved disabled']]).toContainEqual(seen);
      expect(await triggeredFlag(alert)).toBe(false);
      await api.delete(`/alerts/${alert}`);
    }
  });

  it('keeps events alternating while many clients and checks change the same alerts at once', async () => {
    const endpoints = [endpointId, await newEndpoint(api, websiteId), await newEndpoint(api, websiteId)];
    const alerts: string[] = [];
    for (const endpoint of [...endpoints, ...endpoints]) {
      alerts.push(await newAlert(api, endpoint, { failure_threshold: 1, success_threshold: 1 }));
    }
    const checks = (results: string) => Promise.all(endpoints.map((endpoint) => alerting.play(endpoint, results)));
    for (let round = 0; round < 3; round++) {
      await Promise.all([
        checks('FSFFS'),
        documented(alerts.map((alert) => () => api.put(`/alerts/${alert}`, { enabled: round % 2 === 1 }))),
        documented(
          alerts.map((alert) => () => api.put(`/alerts/${alert}`, { config: { webhook_url: URL_AFTER + round } })),
        ),
        documented(endpoints.map((endpoint) => () => api.put(`/endpoints/${endpoint}`, { enabled: round % 2 === 0 }))),
        documented([() => api.put(`/websites/${websiteId}`, { enabled: round % 2 === 1 })]),
        checks('FFSSF'),
      ]);
    }
    await documented([() => api.delete(`/alerts/${alerts[0]}`), () => api.delete(`/endpoints/${endpoints[1]}`)]);
    for (const alert of alerts) {
      const types = (await eventsOf(alert)).map(({ type }) => type);
      expect(types).toEqual(types.map((_, index) => (index % 2 === 0 ? 'triggered' : 'resolved')));
      const { status, body } = await api.get<AlertView>(`/alerts/${alert}`);
      expect(types.length % 2 === 1).toBe(status === 200 && body.triggered);
    }
  });

  it('reports the endpoint as near its trigger one failure before', async () => {
    await newAlert(api, endpointId, { failure_threshold: 2 });
    const id = parseId('endpoint', endpointId) ?? '';
    const near = () => alerting.nearTrigger(id);
    expect(await near()).toEqual(new Set());
    await alerting.play(endpointId, 'F');
    expect(await near()).toEqual(new Set([id]));
  });
});
