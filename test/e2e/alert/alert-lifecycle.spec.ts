import { AlertEvaluator } from '../../../src/alert/incident/alert-evaluator';
import type { AlertEventView } from '../../../src/alert/event/alert-event.dto';
import type { AlertView } from '../../../src/alert/alert.dto';
import { type SealedConfig, SealedConfigs } from '../../../src/delivery/sealed-config';
import type { Notification } from '../../../src/channel/channel';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { Alerting } from '../../harness/app/alerting';
import { type Api, startApp, type TestApp } from '../../harness/app/app';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

const URL_BEFORE = 'https://hooks.slack.com/services/T000/B000/XXXX';
const URL_AFTER = 'https://hooks.slack.com/services/T111/B111/YYYY';

interface Owed {
  kind: string;
  state: string;
  detail: string | null;
  channel_type: string;
  incident_no: number;
  /** The pinned config, opened; `null` when the alert's own is used. */
  pinned: object | null;
  notice: Notification;
}

async function documented(answers: Promise<{ status: number }>[]): Promise<void> {
  for (const { status } of await Promise.all(answers)) expect([200, 204, 404]).toContain(status);
}

/** The process serves only: nothing is checked or sent behind the test's back. */
describe('an open incident', () => {
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

  /** What an alert owes, with snapshots opened. */
  async function owedBy(alertId: string): Promise<Owed[]> {
    const id = parseId('alert', alertId) ?? '';
    const rows = await sql().query<Owed & { config: SealedConfig | null }>(
      'SELECT * FROM notification WHERE alert_id = $1 ORDER BY seq',
      [id],
    );
    return rows.map((row) => ({ ...row, pinned: row.config && service.app.get(SealedConfigs).open(id, row.config) }));
  }

  /** As if the provider had taken the trigger. */
  async function deliverAll(alertId: string): Promise<void> {
    await sql().query(
      `UPDATE notification SET state = 'delivered', finished_at = now(), attempts = 1
       WHERE alert_id = $1 AND state = 'pending'`,
      [parseId('alert', alertId)],
    );
  }

  /** An alert on the endpoint whose incident is open and told. */
  async function openIncident(fields: object = {}): Promise<string> {
    const alertId = await newAlert(api, endpointId, { failure_threshold: 1, success_threshold: 2, ...fields });
    await alerting.play(endpointId, 'F');
    expect(await triggeredFlag(alertId)).toBe(true);
    await deliverAll(alertId);
    return alertId;
  }

  describe('is resolved as disabled, through its config, when', () => {
    const ways: [string, (ids: { alert: string; endpoint: string; website: string }) => Promise<{ status: number }>][] =
      [
        ['its alert is switched off', ({ alert }) => api.put(`/alerts/${alert}`, { enabled: false })],
        ['its endpoint is switched off', ({ endpoint }) => api.put(`/endpoints/${endpoint}`, { enabled: false })],
        ['its website is switched off', ({ website }) => api.put(`/websites/${website}`, { enabled: false })],
      ];

    it.each(ways)('%s', async (_, stop) => {
      const alert = await openIncident();
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
      const [first, second] = await owedBy(alert);
      expect(second).toMatchObject({ kind: 'resolved', state: 'pending', pinned: null });
      expect(second?.notice).toMatchObject({
        reason: 'disabled',
        incidentKey: first?.notice.incidentKey,
        triggerId: triggered?.id,
      });
    });
  });

  describe('is resolved as deleted, through a snapshot of its config, when', () => {
    const ways: [string, (ids: { alert: string; endpoint: string; website: string }) => Promise<{ status: number }>][] =
      [
        ['its alert is deleted', ({ alert }) => api.delete(`/alerts/${alert}`)],
        ['its endpoint is deleted', ({ endpoint }) => api.delete(`/endpoints/${endpoint}`)],
        ['its website is deleted', ({ website }) => api.delete(`/websites/${website}`)],
      ];

    it.each(ways)('%s', async (_, stop) => {
      const alert = await openIncident();
      expect((await stop({ alert, endpoint: endpointId, website: websiteId })).status).toBe(204);
      const [, resolved] = await owedBy(alert);
      expect(resolved).toMatchObject({ kind: 'resolved', state: 'pending', pinned: { webhook_url: URL_BEFORE } });
      expect(resolved?.notice).toMatchObject({ reason: 'deleted', endpoint: { name: 'Checkout' } });
    });

    it('and its past events stay with their endpoint, but not without their website', async () => {
      const alert = await openIncident();
      await api.delete(`/alerts/${alert}`);
      expect(await story(alert)).toEqual(['triggered threshold', 'resolved deleted']);
      await api.delete(`/endpoints/${endpointId}`);
      expect(await story(alert)).toHaveLength(2);
      await api.delete(`/websites/${websiteId}`);
      expect(await story(alert)).toEqual([]);
    });
  });

  it('is resolved once, whichever of alert, endpoint and website is stopped first', async () => {
    const alert = await openIncident();
    await api.put(`/alerts/${alert}`, { enabled: false });
    await api.put(`/endpoints/${endpointId}`, { enabled: false });
    await api.put(`/websites/${websiteId}`, { enabled: false });
    expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled']);
  });

  it('owes no message when resolves are not to be sent', async () => {
    const alert = await openIncident({ send_on_resolved: false });
    await api.put(`/alerts/${alert}`, { enabled: false });
    expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled']);
    expect((await owedBy(alert)).map(({ kind }) => kind)).toEqual(['triggered']);
  });

  describe('whose trigger has not left yet tells nobody when', () => {
    const ways: [string, string, (ids: { alert: string; endpoint: string; website: string }) => Promise<unknown>][] = [
      ['its alert is switched off', 'disabled', ({ alert }) => api.put(`/alerts/${alert}`, { enabled: false })],
      ['its alert is deleted', 'deleted', ({ alert }) => api.delete(`/alerts/${alert}`)],
      [
        'its endpoint is switched off',
        'disabled',
        ({ endpoint }) => api.put(`/endpoints/${endpoint}`, { enabled: false }),
      ],
      ['its endpoint is deleted', 'deleted', ({ endpoint }) => api.delete(`/endpoints/${endpoint}`)],
      ['its website is deleted', 'deleted', ({ website }) => api.delete(`/websites/${website}`)],
    ];

    it.each(ways)('%s', async (_, detail, stop) => {
      const alert = await newAlert(api, endpointId, { failure_threshold: 1 });
      await alerting.play(endpointId, 'F');
      await stop({ alert, endpoint: endpointId, website: websiteId });
      const [trigger] = await owedBy(alert);
      expect(trigger).toMatchObject({ kind: 'triggered', state: 'superseded', detail });
    });
  });

  describe('that is over, but whose resolve has not left yet, tells it where the trigger was told when', () => {
    const ways: [string, (alert: string, endpoint: string) => Promise<unknown>][] = [
      ['the config changes', (alert) => api.put(`/alerts/${alert}`, { config: { webhook_url: URL_AFTER } })],
      ['the alert is deleted', (alert) => api.delete(`/alerts/${alert}`)],
      ['the endpoint is deleted', (_, endpoint) => api.delete(`/endpoints/${endpoint}`)],
    ];

    it.each(ways)('%s', async (_, change) => {
      const alert = await openIncident();
      await alerting.play(endpointId, 'SS');
      expect((await owedBy(alert)).at(-1)).toMatchObject({ kind: 'resolved', state: 'pending', pinned: null });
      await change(alert, endpointId);
      const owed = await owedBy(alert);
      expect(owed).toHaveLength(2);
      expect(owed[1]).toMatchObject({ kind: 'resolved', state: 'pending', pinned: { webhook_url: URL_BEFORE } });
    });
  });

  it('opens anew with the first failing result after its alert is switched on again, not before', async () => {
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

  describe('whose alert gets another config', () => {
    it('is resolved through the old one, and told anew through the new one by the next failing result', async () => {
      const alert = await openIncident();
      const answer = await api.put<AlertView>(`/alerts/${alert}`, { config: { webhook_url: URL_AFTER } });
      expect(answer.body).toMatchObject({ triggered: false, config: { webhook_url: URL_AFTER } });
      await alerting.play(endpointId, 'F');
      expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled', 'triggered threshold']);
      const [, resolved, again] = await owedBy(alert);
      expect(resolved).toMatchObject({ kind: 'resolved', incident_no: 1, pinned: { webhook_url: URL_BEFORE } });
      expect(again).toMatchObject({ kind: 'triggered', incident_no: 2, pinned: null });
    });

    it('stays as it is when the next results are good', async () => {
      const alert = await openIncident();
      await api.put(`/alerts/${alert}`, { config: { webhook_url: URL_AFTER } });
      await alerting.play(endpointId, 'SSS');
      expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled']);
    });

    it('goes through the old channel when the type changes', async () => {
      const alert = await openIncident();
      await api.put(`/alerts/${alert}`, { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      await alerting.play(endpointId, 'F');
      expect((await owedBy(alert)).map(({ kind, channel_type }) => `${kind} ${channel_type}`)).toEqual([
        'triggered slack',
        'resolved slack',
        'triggered pagerduty',
      ]);
      expect((await eventsOf(alert)).map(({ alert_type }) => alert_type)).toEqual(['slack', 'slack', 'pagerduty']);
    });

    it('stays open when the config is the same', async () => {
      const alert = await openIncident();
      const { body } = await api.get<AlertView>(`/alerts/${alert}`);
      await api.put(`/alerts/${alert}`, { type: body.type, config: body.config, description: 'new words' });
      expect(await triggeredFlag(alert)).toBe(true);
      expect(await story(alert)).toEqual(['triggered threshold']);
    });

    it('stays open when its trigger surely has not arrived, and goes out through the new one', async () => {
      const alert = await newAlert(api, endpointId, { failure_threshold: 1 });
      await alerting.play(endpointId, 'F');
      await api.put(`/alerts/${alert}`, { type: 'pagerduty', config: { routing_key: 'R'.repeat(32) } });
      expect(await triggeredFlag(alert)).toBe(true);
      expect(await story(alert)).toEqual(['triggered threshold']);
      expect(await owedBy(alert)).toMatchObject([
        { kind: 'triggered', state: 'pending', channel_type: 'pagerduty', pinned: null },
      ]);
    });

    it('is resolved through the old one also when it is switched off at the same time', async () => {
      const alert = await openIncident();
      await api.put(`/alerts/${alert}`, { enabled: false, config: { webhook_url: URL_AFTER } });
      expect(await story(alert)).toEqual(['triggered threshold', 'resolved disabled']);
      expect((await owedBy(alert)).at(-1)).toMatchObject({ kind: 'resolved', pinned: { webhook_url: URL_BEFORE } });
    });
  });

  it('keeps its flag, count and event when thresholds change under it', async () => {
    const alert = await openIncident();
    await api.put(`/alerts/${alert}`, { failure_threshold: 50, success_threshold: 1 });
    expect(await triggeredFlag(alert)).toBe(true);
    await alerting.play(endpointId, 'FS');
    expect(await story(alert)).toEqual(['triggered threshold', 'resolved threshold']);
  });

  it('is opened by a check and closed by a client at the same moment without losing either', async () => {
    for (let round = 0; round < 10; round++) {
      const alert = await newAlert(api, endpointId, { failure_threshold: 1, success_threshold: 1 });
      await Promise.all([
        alerting.play(endpointId, 'F'),
        api.put(`/alerts/${alert}`, { enabled: false }),
        alerting.play(endpointId, 'F'),
      ]);
      const told = await story(alert);
      expect([[], ['triggered threshold', 'resolved disabled']]).toContainEqual(told);
      expect(await triggeredFlag(alert)).toBe(false);
      await api.delete(`/alerts/${alert}`);
    }
  });

  it('survives many hands at once: every answer is a documented one, and the story of each alert alternates', async () => {
    const endpoints = [endpointId, await newEndpoint(api, websiteId), await newEndpoint(api, websiteId)];
    const alerts: string[] = [];
    for (const endpoint of [...endpoints, ...endpoints]) {
      alerts.push(await newAlert(api, endpoint, { failure_threshold: 1, success_threshold: 1 }));
    }
    const checks = (results: string) => Promise.all(endpoints.map((endpoint) => alerting.play(endpoint, results)));
    for (let round = 0; round < 4; round++) {
      await Promise.all([
        checks('FSFFS'),
        documented(alerts.map((alert) => api.put(`/alerts/${alert}`, { enabled: round % 2 === 1 }))),
        documented(alerts.map((alert) => api.put(`/alerts/${alert}`, { config: { webhook_url: URL_AFTER + round } }))),
        documented(endpoints.map((endpoint) => api.put(`/endpoints/${endpoint}`, { enabled: round % 2 === 0 }))),
        documented([api.put(`/websites/${websiteId}`, { enabled: round % 2 === 1 })]),
        checks('FFSSF'),
      ]);
    }
    await documented([api.delete(`/alerts/${alerts[0]}`), api.delete(`/endpoints/${endpoints[1]}`)]);
    for (const alert of alerts) {
      const types = (await eventsOf(alert)).map(({ type }) => type);
      expect(types).toEqual(types.map((_, index) => (index % 2 === 0 ? 'triggered' : 'resolved')));
      const { status, body } = await api.get<AlertView>(`/alerts/${alert}`);
      expect(types.length % 2 === 1).toBe(status === 200 && body.triggered);
    }
  });

  it('is known to be near before it opens', async () => {
    await newAlert(api, endpointId, { failure_threshold: 2 });
    const id = parseId('endpoint', endpointId) ?? '';
    const near = () => service.app.get(AlertEvaluator).nearTrigger(sql(), [id]);
    expect(await near()).toEqual(new Set());
    await alerting.play(endpointId, 'F');
    expect(await near()).toEqual(new Set([id]));
  });
});
