/**
 * @lane slow
 * @databases both
 */
import type { AlertEventView } from '../../../src/alert/event/alert-event.dto';
import type { CheckView } from '../../../src/history/read/check.dto';
import type { UptimeView } from '../../../src/history/read/uptime.dto';
import { TrustedRoots } from '../../../src/platform/net/dial/trusted-roots';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { eventually } from '../../../packages/testing/eventually';
import { newWebsite } from '../../harness/app/resources';
import { HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { type ResponseMode, SwitchableServer } from '../../harness/servers/switchable-server';
import { TlsAuthority } from '../../harness/servers/tls-authority';

// Windows of seconds over targets that are checked every second.
jest.setTimeout(120_000);

const SECOND = 1000;
const HOUR = 3600 * SECOND;

interface Watched {
  id: string;
  alert: string;
  /** The first segment of the path at the target, and the whole path at the receiver. */
  key: string;
}

describe('a maintenance window over a target that breaks', () => {
  let app: TestApp;
  let target: SwitchableServer;
  let sink: SwitchableServer;
  let website: string;
  let made = 0;

  beforeAll(async () => {
    [app, target, sink] = await Promise.all([startOwnApp(), SwitchableServer.start(), SwitchableServer.start()]);
    website = await newWebsite(app.write);
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([target.close(), sink.close()]);
  });

  const created = async (path: string, body: object): Promise<string> => {
    const response = await app.write.post<{ id: string }>(path, body);
    if (response.status !== 201) throw new Error(`not created: ${response.status} ${response.text}`);
    return response.body.id;
  };

  /**
   * Creates an endpoint that is checked every second. Two failures in a row trigger its alert, and one success
   * resolves it.
   */
  async function watch(mode: ResponseMode, fields: object = {}, websiteId = website): Promise<Watched> {
    const key = `k${++made}`;
    target.switch(key, mode);
    const id = await created(`/websites/${websiteId}/endpoints`, {
      name: key,
      type: 'HTTP',
      url: `${target.url}/${key}`,
      interval: 1,
      timeout: 10,
      ...fields,
    });
    const config = { url: `${sink.url}/${key}` };
    const rule = { failure_threshold: 2, success_threshold: 1 };
    return { id, key, alert: await created('/alerts', { endpoint_id: id, type: 'webhook', config, ...rule }) };
  }
  const window = (scope: object, lengthMs: number, fields: object = {}) =>
    created('/maintenance-windows', {
      name: 'Upgrade',
      scope,
      starts_at: new Date(Date.now() - SECOND).toISOString(),
      ends_at: new Date(Date.now() + lengthMs).toISOString(),
      ...fields,
    });
  const over = ({ id }: Watched, lengthMs: number, fields: object = {}) =>
    window({ endpoint_ids: [id] }, lengthMs, fields);
  /** Newest first. */
  const checksOf = async ({ id }: Watched) =>
    (await app.read.get<CheckView[]>(`/endpoints/${id}/checks?limit=1000`)).body;
  /** Oldest first. */
  const eventsOf = async ({ alert }: Watched) =>
    (await app.read.get<AlertEventView[]>(`/alerts/events?alert_id=${alert}`)).body.toReversed();
  const story = async (watched: Watched) => (await eventsOf(watched)).map(({ type }) => type);
  const told = ({ key }: Watched) =>
    sink.seen.filter(({ path }) => path === `/${key}`).map(({ body }) => (JSON.parse(body) as { type: string }).type);
  const checks = (watched: Watched, what: string, count: number, is: (check: CheckView) => boolean) =>
    eventually(what, async () => (await checksOf(watched)).filter(is).length >= count, 60_000);
  const failures = (watched: Watched, count: number, planned: boolean) =>
    checks(watched, `${count} failures, planned: ${planned}`, count, (check) => {
      return check.outcome === 'down' && check.planned === planned;
    });
  const uptimeOf = async ({ id }: Watched) => {
    const from = new Date(Date.now() - HOUR).toISOString();
    return (await app.read.get<UptimeView>(`/endpoints/${id}/uptime?from=${from}`)).body;
  };
  const isTold = (watched: Watched, ...types: string[]) =>
    eventually(`the sink is told ${types.join(', ')}`, () => told(watched).join() === types.join(), 60_000);
  const triggered = (watched: Watched) =>
    eventually('the alert triggers', async () => (await story(watched)).includes('triggered'), 60_000);

  it('sends nothing inside it: checks are down and planned, the uptime of the hour is unchanged (acceptance 2)', async () => {
    const watched = await watch('ok');
    await checks(watched, 'two good checks', 2, ({ outcome }) => outcome === 'up');
    const before = await uptimeOf(watched);
    await over(watched, HOUR);
    target.switch(watched.key, 'error');
    await failures(watched, 5, true);

    const after = await uptimeOf(watched);
    const list = await checksOf(watched);
    expect(list.filter(({ outcome, planned }) => outcome === 'down' && !planned)).toEqual([]);
    expect([before.uptime, after.uptime, after.failures, after.outage_count]).toEqual([1, 1, 0, 0]);
    expect(after.planned).toBeGreaterThanOrEqual(5);
    expect(after.planned_seconds).toBeGreaterThan(0);
    expect(after.outages.map(({ planned }) => planned)).toEqual([true]);
    expect([await story(watched), told(watched)]).toEqual([[], []]);
  });

  it('sends one trigger if the target is still broken at its end, for an episode that starts not before the end (acceptance 3)', async () => {
    const watched = await watch('ok');
    const id = await over(watched, HOUR);
    target.switch(watched.key, 'error');
    await failures(watched, 2, true);
    const soon = new Date(Date.now() + 2 * SECOND).toISOString();
    expect((await app.write.put(`/maintenance-windows/${id}`, { ends_at: soon })).status).toBe(200);
    await triggered(watched);
    await isTold(watched, 'alert.triggered');
    await failures(watched, 5, false);

    const ended = (await app.read.get<{ ends_at: string; status: string }>(`/maintenance-windows/${id}`)).body;
    const [event] = await eventsOf(watched);
    expect(ended.status).toBe('ended');
    expect(Date.parse(event?.started_at ?? '')).toBeGreaterThanOrEqual(Date.parse(ended.ends_at));
    expect([await story(watched), told(watched)]).toEqual([['triggered'], ['alert.triggered']]);
  });

  it('has endpoints that are down at its end checked at once, regardless of their interval (acceptance 3)', async () => {
    const rare = await watch('error', { interval: 3600 });
    const id = await over(rare, HOUR);
    await app.write.post(`/endpoints/${rare.id}/checks`);
    await failures(rare, 1, true);
    const known = (await checksOf(rare)).length;
    expect((await app.write.post(`/maintenance-windows/${id}/end`)).status).toBe(200);
    await checks(rare, 'a check after the end', 1, ({ planned }) => !planned);
    await triggered(rare);

    expect((await checksOf(rare)).length).toBeGreaterThan(known);
    expect(await story(rare)).toEqual(['triggered']);
  });

  it('lets a pager close: broken before, recovered inside, resolved inside (acceptance 4; Uptime Kuma never sent this recovery)', async () => {
    const watched = await watch('error');
    await isTold(watched, 'alert.triggered');
    await over(watched, HOUR);
    await failures(watched, 1, true);
    target.switch(watched.key, 'ok');
    await isTold(watched, 'alert.triggered', 'alert.resolved');

    expect(await story(watched)).toEqual(['triggered', 'resolved']);
    const [newest] = await checksOf(watched);
    expect([newest?.outcome, newest?.planned]).toEqual(['up', true]);
  });

  it('does not trigger again for what was broken before it and still is after it (acceptance 4; Uptime Kuma #2846)', async () => {
    const watched = await watch('error');
    await isTold(watched, 'alert.triggered');
    const before = (await checksOf(watched)).length;
    const id = await over(watched, HOUR);
    await failures(watched, 2, true);
    await app.write.post(`/maintenance-windows/${id}/end`);
    await eventually(
      'three failures after it',
      async () => {
        const [first, second, third] = await checksOf(watched);
        return [first, second, third].every((check) => check?.outcome === 'down' && !check.planned);
      },
      60_000,
    );

    expect((await checksOf(watched)).length).toBeGreaterThan(before + 4);
    expect([await story(watched), told(watched)]).toEqual([['triggered'], ['alert.triggered']]);
    target.switch(watched.key, 'ok');
    await isTold(watched, 'alert.triggered', 'alert.resolved');
  });

  it('covers an endpoint that is created inside it (Uptime Kuma #4856)', async () => {
    const shop = await newWebsite(app.write, 'Made later');
    await window({ website_ids: [shop] }, HOUR);
    const watched = await watch('error', {}, shop);
    await failures(watched, 3, true);

    expect((await checksOf(watched)).every(({ planned }) => planned)).toBe(true);
    expect([await story(watched), told(watched)]).toEqual([[], []]);
  });

  it('covers an endpoint that gets its tag inside it, from the next result on', async () => {
    const watched = await watch('ok');
    await checks(watched, 'a check', 1, ({ planned }) => !planned);
    await window({ tags: ['late-tag'] }, HOUR);
    expect((await app.write.put(`/endpoints/${watched.id}`, { tags: ['late-tag'] })).status).toBe(200);
    await checks(watched, 'a planned check', 1, ({ planned }) => planned);
  });

  it('counts in the uptime and sends nothing if it only mutes', async () => {
    const watched = await watch('ok');
    await checks(watched, 'a good check', 1, ({ outcome }) => outcome === 'up');
    await over(watched, HOUR, { exclude_from_uptime: false });
    target.switch(watched.key, 'error');
    await failures(watched, 4, false);

    const uptime = await uptimeOf(watched);
    expect([uptime.planned, uptime.planned_seconds, uptime.outages.map(({ planned }) => planned)]).toEqual([
      0,
      0,
      [false],
    ]);
    expect(uptime.uptime).toBeLessThan(1);
    expect([await story(watched), told(watched)]).toEqual([[], []]);
  });

  it('sends messages and does not change the uptime if it does not mute', async () => {
    const watched = await watch('ok');
    await checks(watched, 'a good check', 1, ({ outcome }) => outcome === 'up');
    await over(watched, HOUR, { mute: false });
    target.switch(watched.key, 'error');
    await isTold(watched, 'alert.triggered');

    const uptime = await uptimeOf(watched);
    expect([uptime.uptime, uptime.outages.map(({ planned }) => planned)]).toEqual([1, [true]]);
  });

  it('is announced on the status page, whose uptime stays unchanged', async () => {
    const shop = await newWebsite(app.write, 'Announced');
    const watched = await watch('ok', {}, shop);
    await checks(watched, 'a good check', 1, ({ outcome }) => outcome === 'up');
    await window({ website_ids: [shop] }, HOUR, { name: 'New machines', description: 'Nothing is lost.' });
    target.switch(watched.key, 'error');
    await failures(watched, 2, true);
    await app.write.put(`/websites/${shop}/status-page`, { enabled: true, slug: 'announced' });

    const page = (await (await fetch(`${app.url}/status/announced.json`)).json()) as object;
    expect(page).toMatchObject({
      status: 'down',
      maintenance: [{ name: 'New machines', description: 'Nothing is lost.', active: true, endpoints: [watched.key] }],
      endpoints: [{ status: 'down', maintenance: { name: 'New machines' }, uptime_90d: 1 }],
      outages: [],
    });
    expect(await (await fetch(`${app.url}/status/announced.svg`)).text()).toContain('status: maintenance');
  });

  it('is announced for seven days if it recurs each day', async () => {
    const shop = await newWebsite(app.write, 'Daily');
    await watch('ok', { enabled: false }, shop);
    const recurring = { name: 'Patches', cron: '30 2 * * *', timezone: 'UTC', duration: 3600 };
    await created('/maintenance-windows', { scope: { website_ids: [shop] }, ...recurring });
    await app.write.put(`/websites/${shop}/status-page`, { enabled: true, slug: 'daily' });

    const page = (await (await fetch(`${app.url}/status/daily.json`)).json()) as { maintenance: { active: boolean }[] };
    expect(page.maintenance.filter(({ active }) => !active)).toHaveLength(7);
  });
});

describe('a certificate that has ten days left', () => {
  it('is a warning: up, degraded, uptime 1, one event for alerts on warnings; a status 500 still triggers (acceptance 7; Gatus #1619)', async () => {
    const authority = await TlsAuthority.create();
    let status = 200;
    const target = await HttpTarget.listen(
      (_, socket) => socket.end(rawResponse(status, 'ok', { Connection: 'close' })),
      {
        tls: await authority.issue({ untilDays: 10 }),
      },
    );
    const [app, sink] = await Promise.all([startOwnApp(), SwitchableServer.start()]);
    try {
      Object.assign(app.app.get(TrustedRoots), { context: new TrustedRoots([authority.rootPem]).context });
      const website = await newWebsite(app.write);
      const endpoint = await app.write.post<{ id: string }>(`/websites/${website}/endpoints`, {
        name: 'Shop',
        type: 'HTTPS',
        url: target.url(),
        interval: 1,
        timeout: 10,
        assertions: [
          { source: 'certificate_days', comparison: 'greater_than', target: '14', severity: 'warning' },
          { source: 'status_code', comparison: 'equals', target: '200' },
        ],
      });
      expect(endpoint.status).toBe(201);
      const { id } = endpoint.body;
      const alertOn = async (condition: string) => {
        const alert = await app.write.post<{ id: string }>('/alerts', {
          endpoint_id: id,
          type: 'webhook',
          config: { url: `${sink.url}/${condition}` },
          condition,
          failure_threshold: 2,
          success_threshold: 1,
        });
        return alert.body.id;
      };
      const [down, degraded] = [await alertOn('down'), await alertOn('degraded')];
      const eventsOf = async (alert: string) =>
        (await app.read.get<AlertEventView[]>(`/alerts/events?alert_id=${alert}`)).body
          .toReversed()
          .map(({ type, condition }) => `${type} ${condition}`);
      const checks = async () => (await app.read.get<CheckView[]>(`/endpoints/${id}/checks?limit=1000`)).body;
      const told = (path: string) => sink.seen.filter((request) => request.path === `/${path}`).length;

      await eventually('the alert on degraded tells', () => told('degraded') === 1, 60_000);
      await eventually('three more checks', async () => (await checks()).length >= 5, 60_000);
      const view = (await app.read.get<{ status: string; degraded: boolean }>(`/endpoints/${id}`)).body;
      const uptime = (await app.read.get<UptimeView>(`/endpoints/${id}/uptime`)).body;
      const [newest] = await checks();
      expect([view.status, view.degraded, uptime.uptime, uptime.outages]).toEqual(['up', true, 1, []]);
      expect(uptime.degraded).toBeGreaterThanOrEqual(5);
      expect(newest).toMatchObject({ outcome: 'up', degraded: true, error: null });
      expect(newest?.warning?.message).toContain('certificate_days');
      expect([await eventsOf(degraded), await eventsOf(down)]).toEqual([['triggered degraded'], []]);

      status = 500;
      await eventually('the alert on down tells', () => told('down') === 1, 60_000);
      expect([await eventsOf(degraded), await eventsOf(down)]).toEqual([['triggered degraded'], ['triggered down']]);

      status = 200;
      await eventually('the alert on down tells of the end', () => told('down') === 2, 60_000);
      expect([await eventsOf(degraded), await eventsOf(down)]).toEqual([
        ['triggered degraded'],
        ['triggered down', 'resolved down'],
      ]);
    } finally {
      await app.close();
      await Promise.all([target.close(), sink.close()]);
    }
  });
});
