import { ConsistencyJob } from '../../../src/alert/consistency/consistency.job';
import { Heartbeat } from '../../../src/platform/observability/heartbeat';
import { DeliveryRetentionJob } from '../../../src/delivery/delivery-retention.job';
import { consistencyByHand } from '../../harness/app/consistency-by-hand';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { checkInvariants } from '../../harness/app/invariants';
import { eventually } from '../../harness/app/poll';

const DAY = 86_400_000;

describe('the audit', () => {
  let scene: DeliveryScene;
  let heartbeat: SwitchableServer;
  let alert: SceneAlert;
  let auditor: ConsistencyJob;

  beforeAll(async () => {
    heartbeat = await SwitchableServer.start();
    scene = await DeliveryScene.start({ heartbeatUrl: `${heartbeat.url}/beat` }, { timeStands: true });
    auditor = await consistencyByHand(scene.nest);
  });
  afterAll(async () => {
    await scene.close();
    await heartbeat.close();
  });
  beforeEach(async () => {
    heartbeat.seen.splice(0);
    alert = await scene.alert('webhook');
    scene.provider.standingAnswer(ACCEPTED.webhook);
    await scene.report('F', alert);
    await scene.deliver();
  });
  afterEach(async () => {
    await scene.finish();
  });

  const kinds = async () => (await auditor.run()).map(({ kind }) => kind);
  const sql = (statement: string) => scene.database.query(statement, [alert.uuid]);
  const metric = async (line: RegExp) => line.exec(await (await fetch(`${scene.app.url}/metrics`)).text())?.[0];

  it('passes over triggers, resolves, changes and deletions, and sends the heartbeat', async () => {
    await scene.report('S', alert);
    await scene.report('F', alert);
    await scene.app.write.put(`/alerts/${alert.id}`, { config: { url: `${scene.provider.url}/new` } });
    await scene.report('F', alert);
    await scene.app.write.put(`/alerts/${alert.id}`, { enabled: false });
    await scene.app.write.delete(`/alerts/${alert.id}`);
    await scene.deliver();
    await auditor.tick();
    expect(heartbeat.seen.map(({ path }) => path)).toEqual(['/beat']);
    expect(await metric(/uptime_audit_passed_timestamp_seconds \d{10}/)).toBeDefined();
    await checkInvariants(scene.database, scene.now());
  });

  it.each<[string, string, string]>([
    ['a flag that nobody recorded', 'UPDATE alert SET triggered = false WHERE id = $1', 'flag_without_event'],
    ['a missing event', 'DELETE FROM alert_event WHERE alert_id = $1', 'flag_without_event'],
    ['a missing message', 'DELETE FROM notification WHERE alert_id = $1', 'event_without_message'],
    ['events that do not alternate', 'UPDATE alert_event SET incident_no = 5 WHERE alert_id = $1', 'not_alternating'],
    [
      'a message in an impossible state',
      `UPDATE notification SET finished_at = NULL WHERE alert_id = $1`,
      'message_inconsistent',
    ],
  ])('finds %s, says so everywhere, and holds the heartbeat', async (_, tampering, kind) => {
    await sql(tampering);
    await auditor.tick();
    expect(await kinds()).toContain(kind);
    expect(heartbeat.seen).toEqual([]);
    expect(await metric(new RegExp(`uptime_audit_findings\\{kind="${kind}"\\} [1-9]`))).toBeDefined();
    const ready = await fetch(`${scene.app.url}/health/ready`);
    expect(((await ready.json()) as { details: { audit: { detail: string } } }).details.audit.detail).toContain(kind);
    await expect(checkInvariants(scene.database)).rejects.toThrow(kind);
  });

  it('takes up a message that no loop would look at', async () => {
    scene.provider.requests.splice(0);
    scene.provider.standingAnswer({ status: 500 });
    await scene.report('S', alert);
    await scene.deliver();
    scene.provider.standingAnswer(ACCEPTED.webhook);
    await scene.database.query('UPDATE notification_destination SET due_at = NULL');
    await scene.pass(60_000);
    expect(await scene.states(alert)).toEqual(['triggered delivered', 'resolved pending']);
    expect(await kinds()).toEqual([]);
    await scene.deliver();
    expect(await scene.states(alert)).toEqual(['triggered delivered', 'resolved delivered']);
  });

  it('sends no heartbeat while something else forbids it', async () => {
    let blind = true;
    scene.nest.get(Heartbeat).holdWhile('the monitor has no network', () => blind);
    await auditor.tick();
    expect(heartbeat.seen).toEqual([]);
    blind = false;
    await auditor.tick();
    expect(heartbeat.seen).toHaveLength(1);
  });

  it('keeps running when the heartbeat’s receiver does not', async () => {
    heartbeat.status = 500;
    await auditor.tick();
    heartbeat.status = 200;
    await auditor.tick();
    expect(heartbeat.seen).toHaveLength(2);
  });

  it('old messages, snapshots of configs and idle destinations go', async () => {
    scene.provider.requests.splice(0);
    scene.provider.standingAnswer({ status: 410 });
    await scene.app.write.delete(`/alerts/${alert.id}`);
    await scene.deliver();
    const [told, failed] = await scene.rows(alert);
    expect([told?.state, failed?.state, failed?.config]).toEqual(['delivered', 'failed', expect.anything()]);
    const retention = scene.nest.get(DeliveryRetentionJob);
    await retention.run();
    expect((await scene.rows(alert))[1]?.config).not.toBeNull();
    scene.clock.advance(DAY + 1000);
    await retention.run();
    expect((await scene.rows(alert))[1]?.config).toBeNull();
    expect(await scene.database.query('SELECT 1 FROM notification_destination')).toEqual([]);
    scene.clock.advance(91 * DAY);
    await retention.run();
    expect(await scene.rows(alert)).toEqual([]);
  });
});

describe('without a heartbeat URL', () => {
  it('nothing is requested', async () => {
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
  it('owes and wakes, but delivers nothing itself', async () => {
    const scene = await DeliveryScene.start({ role: 'api' });
    try {
      const alert = await scene.alert('webhook');
      await scene.report('F', alert);
      await scene.deliver();
      expect(await scene.states(alert)).toEqual(['triggered pending']);
      scene.provider.expect(ACCEPTED.webhook);
      expect((await scene.app.write.post(`/alerts/${alert.id}/test`)).status).toBe(201);
      await eventually('the test message arrives', () => scene.provider.requests.length === 1);
    } finally {
      await scene.close();
    }
  });
});
