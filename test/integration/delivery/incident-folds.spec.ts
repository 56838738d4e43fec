/**
 * @lane slow
 * @databases both
 */
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';

const SECOND = 1000;

/** Messages to people, pagers, and webhooks about endpoints that go down together, all at one address. */
describe('deliveries of one incident', () => {
  let scene: DeliveryScene;
  let paths = 0;

  beforeAll(async () => {
    scene = await DeliveryScene.start({ publicUrl: 'https://uptime.example.com' }, { timeStands: true });
  });
  afterAll(() => scene.close());
  afterEach(async () => {
    await scene.pass(60 * SECOND);
    await scene.finish();
    for (const table of ['incident', 'endpoint', 'incident_sequence'])
      await scene.database.query(`DELETE FROM ${table}`);
  });

  const crowd = async (count: number, type: 'slack' | 'webhook' | 'pagerduty' = 'slack') => {
    const path = `fold-${++paths}`;
    scene.provider.standingResponse(ACCEPTED[type]);
    return { path, alerts: await scene.crowd(count, type, path) };
  };
  const texts = (path: string) => scene.received<{ text: string }>(path).map(({ text }) => text);
  const report = async (result: 'F' | 'S', ...alerts: SceneAlert[]) => {
    await scene.report(result, ...alerts);
    await scene.deliver();
  };

  it('send a normal message for one endpoint, with a link to it', async () => {
    const { path, alerts } = await crowd(1);
    await report('F', ...alerts);
    await report('S', ...alerts);
    expect(texts(path)).toEqual([
      'Endpoint 1 is down: connection refused (1 check in a row)',
      expect.stringMatching(/^Endpoint 1 is back up/),
    ]);
    expect(JSON.stringify(scene.received(path))).toContain(`/#/endpoints/${alerts[0]?.endpointId}|Details>`);
    expect(await scene.countStates(alerts)).toEqual({ 'triggered delivered': 1, 'resolved delivered': 1 });
  });

  it('send 40 endpoints in three messages: the first at once, the others 30 s later, the end', async () => {
    const { path, alerts } = await crowd(40);
    const [first, ...others] = alerts;
    if (!first) throw new Error('there is none');
    await report('F', first);
    await scene.pass(3 * SECOND);
    await report('F', ...others);
    expect(texts(path)).toHaveLength(1);
    await scene.pass(26 * SECOND, SECOND);
    expect(texts(path)).toHaveLength(1);
    await scene.pass(2 * SECOND, SECOND);
    expect(texts(path)).toEqual([
      'Endpoint 1 is down: connection refused (1 check in a row)',
      '39 more, all at 192.0.2.1: connection refused (incident #1)',
    ]);
    const [, fold] = scene.received(path).map((body) => JSON.stringify(body));
    expect(fold).toMatch(
      /\/ack\/[\w-]{56}\|Acknowledge> · <https:\/\/uptime\.example\.com\/#\/incidents\/inc_\w+\|Details>/,
    );
    await report('S', ...others);
    expect(texts(path)).toHaveLength(2);
    await scene.pass(20 * SECOND, 5 * SECOND);
    await report('S', first);
    expect(texts(path).slice(2)).toEqual([expect.stringMatching(/^Incident #1 is over: 40 endpoints, \d+ s$/)]);
    expect(await scene.countStates(alerts)).toEqual({
      'resolved delivered:digest': 40,
      'triggered delivered': 1,
      'triggered delivered:digest': 39,
    });
  });

  it('send simultaneous failures in one message, and count the combined ones', async () => {
    const { path, alerts } = await crowd(10);
    await report('F', ...alerts);
    expect(texts(path)).toEqual(['10 endpoints at 192.0.2.1 are down: connection refused (incident #1)']);
    const metrics = await (await fetch(`${scene.app.url}/metrics`)).text();
    expect(metrics).toMatch(/^uptime_deliveries_folded_total\{channel="slack"\} \d+$/m);
  });

  it('send each endpoint that joins, after 30 s at the latest (Alertmanager #1587, #2874, GoAlert #4508)', async () => {
    const { path, alerts } = await crowd(24);
    for (const alert of alerts) {
      await report('F', alert);
      await scene.pass(5 * SECOND, SECOND);
    }
    await scene.pass(30 * SECOND, SECOND);
    expect(texts(path).length).toBeLessThanOrEqual(6);
    const [late] = await scene.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM notification WHERE state <> 'delivered' OR finished_at > created_at + interval '31 s'`,
    );
    expect(late?.count).toBe(0);
  });

  it('do not repeat the message for each recovery, and do not report that all is over (Alertmanager #1195, #2768, Grafana #42683)', async () => {
    const { path, alerts } = await crowd(12);
    await report('F', ...alerts);
    for (const alert of alerts.slice(1)) {
      await report('S', alert);
      await scene.pass(5 * SECOND, SECOND);
    }
    await scene.pass(30 * SECOND, SECOND);
    expect(texts(path).slice(1)).toEqual([
      expect.stringMatching(/^\d endpoints are back up, \d still down \(incident #1\)$/),
      expect.stringMatching(/^\d endpoints are back up, 1 still down \(incident #1\)$/),
    ]);
  });

  it('send no resolve without a trigger (Alertmanager #878)', async () => {
    const { path, alerts } = await crowd(4);
    const [first, ...others] = alerts;
    if (!first) throw new Error('there is none');
    await report('F', first);
    await report('F', ...others);
    await report('S', ...alerts);
    const [, end] = scene.received(path).map((body) => JSON.stringify(body));
    expect(texts(path)).toEqual([
      'Endpoint 1 is down: connection refused (1 check in a row)',
      expect.stringMatching(/^Incident #1 is over: 4 endpoints, /),
    ]);
    expect(end).toContain('UP Endpoint 2 (Shop): was down');
  });

  it('combine nothing for pagers and webhooks: each has its own key, and its own resolve (OnCall #542)', async () => {
    const [pager, hook] = [await crowd(40, 'pagerduty'), await crowd(40, 'webhook')];
    scene.provider.standingResponse(ACCEPTED.pagerduty);
    await scene.report('F', ...pager.alerts, ...hook.alerts);
    await scene.deliver();
    // The provider accepts sixty at once, then two a second.
    await scene.pass(30 * SECOND);
    await scene.report('S', ...pager.alerts.slice(1));
    await scene.deliver();
    const paged = scene.received<{ event_action: string; dedup_key: string }>(pager.path);
    const keysOf = (action: string) =>
      paged.filter(({ event_action }) => event_action === action).map((one) => one.dedup_key);
    expect([new Set(keysOf('trigger')).size, keysOf('trigger').length, keysOf('resolve').length]).toEqual([40, 40, 39]);
    const told = scene.received<{ data: { event: { incident_id: string; incident_key: string } } }>(hook.path);
    expect(new Set(told.map(({ data }) => data.event.incident_key)).size).toBe(40);
    const [incident] = new Set(told.map(({ data }) => data.event.incident_id));
    expect(incident).toMatch(/^inc_/);
    expect(JSON.stringify(scene.received(pager.path)[0])).toContain(`"incident_id":"${incident}"`);
  });

  it('wait for deliveries in flight, and resume as the same combined message if the process died', async () => {
    const { path, alerts } = await crowd(5);
    await scene.report('F', ...alerts);
    await scene.database.query(
      `UPDATE notification SET lease_token = gen_random_uuid(), lease_until = $1, attempts = 1, last_attempt_at = $2`,
      [new Date(scene.now().getTime() + 60 * SECOND), scene.now()],
    );
    const late = (await scene.crowd(1, 'slack', path))[0];
    if (!late) throw new Error('there is none');
    await report('F', late);
    await scene.pass(58 * SECOND, 2 * SECOND);
    expect(texts(path)).toEqual([]);
    await scene.pass(4 * SECOND, SECOND);
    expect(texts(path)).toEqual([
      expect.stringMatching(/^Repeat: 6 endpoints at 192\.0\.2\.1 are down: connection refused \(incident #1\)$/),
    ]);
  });
});
