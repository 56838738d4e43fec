/** @databases both */
import { ConsistencyJob } from '../../../src/alert/consistency/consistency.job';
import { WatchdogPing } from '../../../src/platform/observability/watchdog-ping';
import { DAY_MS } from '../../../src/platform/time/time-units';
import { DELIVERY_RETENTION } from '../../../src/delivery/delivery-retention';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { consistencyByHand } from '../../harness/app/consistency-by-hand';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { checkInvariants } from '../../harness/app/invariants';
import { firstUuidAt } from '../../../src/platform/ids/id';
import { eventually } from '../../../packages/testing/eventually';

describe('the consistency job', () => {
  let scene: DeliveryScene;
  let heartbeat: SwitchableServer;
  let alert: SceneAlert;
  let consistency: ConsistencyJob;

  beforeAll(async () => {
    heartbeat = await SwitchableServer.start();
    scene = await DeliveryScene.start({ heartbeatUrl: `${heartbeat.url}/beat` }, { timeStands: true });
    consistency = await consistencyByHand(scene.nest);
  });
  afterAll(async () => {
    await scene.close();
    await heartbeat.close();
  });
  beforeEach(async () => {
    heartbeat.seen.splice(0);
    alert = await scene.alert('webhook');
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.report('F', alert);
    await scene.deliver();
  });
  afterEach(async () => {
    await scene.finish();
  });

  const kinds = async () => (await consistency.run()).map(({ kind }) => kind);
  const sql = (statement: string) => scene.database.query(statement, [alert.uuid]);
  const metric = async (line: RegExp) => line.exec(await (await fetch(`${scene.app.url}/metrics`)).text())?.[0];

  it('finds nothing wrong after triggers, resolves, changes and deletions, and sends the heartbeat', async () => {
    await scene.report('S', alert);
    await scene.report('F', alert);
    await scene.app.write.put(`/alerts/${alert.id}`, { config: { url: `${scene.provider.url}/new` } });
    await scene.report('F', alert);
    await scene.app.write.put(`/alerts/${alert.id}`, { enabled: false });
    await scene.app.write.delete(`/alerts/${alert.id}`);
    await scene.deliver();
    await consistency.tick();
    expect(heartbeat.seen.map(({ path }) => path)).toEqual(['/beat']);
    expect(await metric(/uptime_audit_passed_timestamp_seconds \d{10}/)).toBeDefined();
    await checkInvariants(scene.database, scene.now());
  });

  it.each<[string, string, string]>([
    ['a flag without an event', 'UPDATE alert SET triggered = false WHERE id = $1', 'flag_without_event'],
    ['a missing event', 'DELETE FROM alert_event WHERE alert_id = $1', 'flag_without_event'],
    ['a missing delivery', 'DELETE FROM notification WHERE alert_id = $1', 'event_without_message'],
    ['events that do not alternate', 'UPDATE alert_event SET incident_no = 5 WHERE alert_id = $1', 'not_alternating'],
    [
      'a delivery in an impossible state',
      `UPDATE notification SET finished_at = NULL WHERE alert_id = $1`,
      'message_inconsistent',
    ],
  ])('finds %s, publishes it in metrics and health, and sends no heartbeat', async (_, tampering, kind) => {
    await sql(tampering);
    await consistency.tick();
    expect(await kinds()).toContain(kind);
    expect(heartbeat.seen).toEqual([]);
    expect(await metric(new RegExp(`uptime_audit_findings\\{kind="${kind}"\\} [1-9]`))).toBeDefined();
    const ready = await fetch(`${scene.app.url}/health/ready`);
    expect(((await ready.json()) as { details: { audit: { detail: string } } }).details.audit.detail).toContain(kind);
    await expect(checkInvariants(scene.database)).rejects.toThrow(kind);
  });

  it('makes a pending delivery due whose destination has no due time', async () => {
    scene.provider.requests.splice(0);
    scene.provider.standingResponse({ status: 500 });
    await scene.report('S', alert);
    await scene.deliver();
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.database.query('UPDATE notification_destination SET due_at = NULL');
    await scene.pass(60_000);
    expect(await scene.states(alert)).toEqual(['triggered delivered', 'resolved pending']);
    expect(await kinds()).toEqual([]);
    await scene.deliver();
    expect(await scene.states(alert)).toEqual(['triggered delivered', 'resolved delivered']);
  });

  it('sends no heartbeat while it is withheld for another reason', async () => {
    let isOffline = true;
    scene.nest.get(WatchdogPing).holdWhile('the monitor has no network', () => isOffline);
    await consistency.tick();
    expect(heartbeat.seen).toEqual([]);
    isOffline = false;
    await consistency.tick();
    expect(heartbeat.seen).toHaveLength(1);
  });

  it('keeps checking and sending heartbeats after the receiver answered 500', async () => {
    heartbeat.status = 500;
    await consistency.tick();
    heartbeat.status = 200;
    await consistency.tick();
    expect(heartbeat.seen).toHaveLength(2);
  });

  it('removes old deliveries, snapshots of configs and idle destinations', async () => {
    scene.provider.requests.splice(0);
    scene.provider.standingResponse({ status: 410 });
    await scene.app.write.delete(`/alerts/${alert.id}`);
    await scene.deliver();
    const [delivered, failed] = await scene.rows(alert);
    expect([delivered?.state, failed?.state, failed?.config]).toEqual(['delivered', 'failed', expect.anything()]);
    const retention = scene.nest.get(RetentionJob);
    const age = (milliseconds: number) =>
      scene.database.query(`UPDATE notification SET finished_at = now() - $1 * interval '1 millisecond'`, [
        milliseconds,
      ]);
    await retention.run(DELIVERY_RETENTION);
    expect((await scene.rows(alert))[1]?.config).not.toBeNull();
    await age(DAY_MS + 1000);
    await scene.database.query(
      `UPDATE notification_destination SET tokens_at = now() - interval '25 hours', blocked_until = NULL`,
    );
    await retention.run(DELIVERY_RETENTION);
    expect((await scene.rows(alert))[1]?.config).toBeNull();
    expect(await scene.database.query('SELECT 1 FROM notification_destination')).toEqual([]);
    await age(91 * DAY_MS);
    const oldest = Date.now() - 92 * DAY_MS;
    for (const [index, { id }] of (await scene.rows(alert)).entries())
      await scene.database.query('UPDATE notification SET id = $2 WHERE id = $1', [
        id,
        firstUuidAt(new Date(oldest + index)),
      ]);
    await retention.run(DELIVERY_RETENTION);
    expect(await scene.rows(alert)).toEqual([]);
  });

  it('removes no delivery because the clock of one process is a year ahead', async () => {
    scene.provider.standingResponse(ACCEPTED.webhook);
    const kept = await scene.alert('webhook');
    await scene.report('F', kept);
    await scene.deliver();
    scene.clock.advance(365 * DAY_MS);
    await scene.nest.get(RetentionJob).run(DELIVERY_RETENTION);
    expect(await scene.states(kept)).toEqual(['triggered delivered']);
  });
});

describe('the consistency job without HEARTBEAT_URL', () => {
  it('sends no request without a heartbeat URL', async () => {
    const scene = await DeliveryScene.start();
    try {
      await scene.nest.get(ConsistencyJob).tick();
      expect(scene.provider.requests).toEqual([]);
    } finally {
      await scene.close();
    }
  });
});

describe('an instance that only serves requests', () => {
  it('enqueues deliveries with ROLE=api, but sends only tests', async () => {
    const scene = await DeliveryScene.start({ role: 'api' });
    try {
      const alert = await scene.alert('webhook');
      await scene.report('F', alert);
      await scene.deliver();
      expect(await scene.states(alert)).toEqual(['triggered pending']);
      scene.provider.expect(ACCEPTED.webhook);
      expect((await scene.app.write.post(`/alerts/${alert.id}/test`)).status).toBe(201);
      await eventually('the test arrives', () => scene.provider.requests.length === 1);
    } finally {
      await scene.close();
    }
  });
});
