import type { AlertEventView } from '../../../src/alert/event/alert-event.dto';
import { formatId, newUuid } from '../../../src/platform/ids/id';
import { Alerting } from '../../harness/app/alerting';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

describe('alert events', () => {
  let service: TestApp;
  let owner: ServiceOrganization;
  let api: Api;
  let alerting: Alerting;
  let websites: string[];
  let endpoints: string[];
  let alerts: string[];
  let all: AlertEventView[];

  beforeAll(async () => {
    service = await startApp({ role: 'api' });
    alerting = Alerting.of(service.app);
    owner = await service.organization('Events');
    api = owner.write;
    websites = [await newWebsite(api, 'First'), await newWebsite(api, 'Second')];
    endpoints = [];
    alerts = [];
    for (const website of [0, 0, 1]) {
      const endpoint = await newEndpoint(api, websites[website] ?? '');
      endpoints.push(endpoint);
      alerts.push(await newAlert(api, endpoint, { failure_threshold: 1, success_threshold: 1 }));
    }
    alerts.push(await newAlert(api, endpoints[0] ?? '', { failure_threshold: 2, success_threshold: 1 }));
    for (const endpoint of endpoints) await alerting.playEvery(20, endpoint, 'FFSFS');
    all = (await api.get<AlertEventView[]>('/alerts/events?limit=1000')).body;
  });
  afterAll(() => service.close());

  it('shows every field of a triggered and a resolved event', async () => {
    const [resolved, triggered] = await found(`alert_id=${alerts[0]}`);
    expect(triggered).toEqual({
      id: expect.stringMatching(/^ev_[0-9a-hjkmnp-tv-z]{26}$/),
      type: 'triggered',
      alert_id: alerts[0],
      alert_type: 'slack',
      condition: 'down',
      endpoint_id: endpoints[0],
      endpoint_name: 'Checkout',
      website_id: websites[0],
      website_name: 'First',
      reason: 'threshold',
      message: 'Checkout is down: connection refused (1 check in a row)',
      error: { code: 'connection_refused', message: 'connection refused' },
      failure_count: 1,
      success_count: 0,
      started_at: expect.stringMatching(/Z$/),
      duration_seconds: null,
      created_at: expect.stringMatching(/Z$/),
      incident_id: expect.stringMatching(/^inc_/),
      locations: null,
      delivery: {
        id: expect.stringMatching(/^dl_/),
        state: expect.stringMatching(/^(pending|failed|delivered|superseded)$/),
        at: expect.stringMatching(/Z$/),
        error: null,
      },
      contact: null,
    });
    expect(resolved).toEqual({
      ...triggered,
      id: expect.not.stringMatching(triggered?.id ?? ''),
      type: 'resolved',
      message: expect.stringContaining('Checkout is back up'),
      error: null,
      failure_count: 0,
      success_count: 1,
      duration_seconds: expect.any(Number),
      created_at: expect.stringMatching(/Z$/),
      delivery: expect.objectContaining({ id: expect.not.stringMatching(triggered?.delivery?.id ?? '') }),
    });
    // 20 s between the checks, plus the time to decide.
    expect(resolved?.duration_seconds).toBeGreaterThanOrEqual(20);
    expect(resolved?.duration_seconds).toBeLessThan(80);
  });

  it('lists alert events newest first', () => {
    expect(all).toHaveLength(14);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const times = all.map(({ created_at }) => Date.parse(created_at));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('lists 50 alert events per page by default', async () => {
    const many = await service.organization('Many');
    const endpoint = await newEndpoint(many.write, await newWebsite(many.write));
    await newAlert(many.write, endpoint, { failure_threshold: 1, success_threshold: 1 });
    await alerting.play(endpoint, 'FS'.repeat(30));
    const response = await many.read.get<AlertEventView[]>('/alerts/events');
    expect(response.body).toHaveLength(50);
    const rest = await many.read.get<AlertEventView[]>(`/alerts/events?cursor=${response.headers['x-next-cursor']}`);
    expect(rest.body).toHaveLength(10);
    expect(rest.headers['x-next-cursor']).toBeUndefined();
  });

  it('pages through alert events while new ones are recorded', async () => {
    const seen: string[] = [];
    let path = '/alerts/events?limit=5';
    for (;;) {
      const response = await api.get<AlertEventView[]>(path);
      expect(response.headers['x-total-count']).toBeUndefined();
      seen.push(...response.body.map(({ id }) => id));
      const next = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(response.headers['link'] ?? '')?.[1];
      if (next === undefined) break;
      await alerting.play(endpoints[2] ?? '', 'FS');
      path = next;
    }
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  it('filters alert events by each parameter and by all together', async () => {
    const oldest = all.at(-1)?.created_at ?? '';
    const newest = all[0]?.created_at ?? '';
    const upToNow = `until=${new Date(Date.parse(newest) + 1).toISOString()}`;
    const those = (keep: (event: AlertEventView) => boolean) => all.filter(keep);
    expect(await found(`${upToNow}&alert_id=${alerts[3]}`)).toEqual(those(({ alert_id }) => alert_id === alerts[3]));
    const incident = all.at(-1)?.incident_id ?? '';
    expect(await found(`${upToNow}&incident_id=${incident}`)).toEqual(those((event) => event.incident_id === incident));
    expect(await found(`${upToNow}&endpoint_id=${endpoints[0]}`)).toEqual(
      those(({ endpoint_id }) => endpoint_id === endpoints[0]),
    );
    expect(await found(`${upToNow}&website_id=${websites[1]}`)).toEqual(
      those(({ website_id }) => website_id === websites[1]),
    );
    expect(await found(`${upToNow}&type=resolved`)).toEqual(those(({ type }) => type === 'resolved'));
    expect(await found(`since=${oldest}&${upToNow}`)).toEqual(all);
    expect(await found(`until=${oldest}`)).toEqual([]);
    expect(await found(`since=${newest}&${upToNow}`)).toEqual(those(({ created_at }) => created_at >= newest));
    expect(
      await found(
        `alert_id=${alerts[0]}&endpoint_id=${endpoints[0]}&website_id=${websites[0]}&type=triggered&since=${oldest}&${upToNow}`,
      ),
    ).toEqual(those(({ alert_id, type }) => alert_id === alerts[0] && type === 'triggered'));
    expect(await found(`alert_id=${formatId('alert', newUuid())}`)).toEqual([]);
  });

  it('keeps the names that website and endpoint had at the time of the event', async () => {
    const website = await newWebsite(api, 'Before');
    const endpoint = await newEndpoint(api, website);
    const alert = await newAlert(api, endpoint, { failure_threshold: 1 });
    await alerting.play(endpoint, 'F');
    await api.put(`/websites/${website}`, { name: 'After' });
    await api.put(`/endpoints/${endpoint}`, { name: 'Renamed' });
    expect(await found(`alert_id=${alert}`)).toMatchObject([{ website_name: 'Before', endpoint_name: 'Checkout' }]);
  });

  it('keeps hostile error texts of an event on one line and within their limits', async () => {
    const endpoint = await newEndpoint(api, websites[0] ?? '', { name: 'x'.repeat(255) });
    const alert = await newAlert(api, endpoint, { failure_threshold: 1 });
    await alerting.play(endpoint, 'F', `bad\0\r\nbanner \ud800 \u202e ${'😀'.repeat(400)}`);
    const [event] = await found(`alert_id=${alert}`);
    expect(event?.error?.message).toMatch(/^bad banner .*…$/u);
    expect(event?.error?.message.length).toBeLessThanOrEqual(300);
    expect(event?.message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=ten',
    'limit=1.5',
    'limit=',
    'limit[a]=1',
    'limit=1&limit=2',
    'alert_id=nonsense',
    'endpoint_id=al_01jd3k6q7be5y9x4v2m8n0r1st',
    'website_id=',
    'type=paused',
    'since=yesterday',
    'until=2026-02-30T00:00:00Z',
    'since=2026-11-20T10:00:00',
    'colour=red',
  ])('refuses GET /alerts/events?%s', async (query) => {
    const response = await api.get<{ code: string }>(`/alerts/events?${query}`);
    expect([response.status, response.body.code]).toEqual([400, 'invalid_query']);
  });

  it('refuses a cursor of alert events that is damaged or of another organization or list', async () => {
    const cursor = (await api.get('/alerts/events?limit=1')).headers['x-next-cursor'] ?? '';
    const foreign = await service.organization('Foreign');
    for (const response of [
      await api.get<{ code: string }>(`/alerts/events?cursor=${cursor}x`),
      await api.get<{ code: string }>('/alerts/events?cursor='),
      await foreign.read.get<{ code: string }>(`/alerts/events?cursor=${cursor}`),
      await api.get<{ code: string }>(`/alerts?cursor=${cursor}`),
    ]) {
      expect([response.status, response.body.code]).toEqual([400, 'invalid_cursor']);
    }
  });

  it('lists only alert events of the caller’s organization, and requires a key', async () => {
    const foreign = await service.organization('Stranger');
    expect((await foreign.admin.get('/alerts/events')).body).toEqual([]);
    expect((await foreign.admin.get(`/alerts/events?alert_id=${alerts[0]}`)).body).toEqual([]);
    expect((await service.anonymous.get('/alerts/events')).status).toBe(401);
    expect((await owner.read.get('/alerts/events')).status).toBe(200);
  });

  async function found(query: string): Promise<AlertEventView[]> {
    const response = await api.get<AlertEventView[]>(`/alerts/events?limit=1000&${query}`);
    expect(response.status).toBe(200);
    return response.body;
  }
});
