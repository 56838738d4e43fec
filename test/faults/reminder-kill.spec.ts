import { ReminderJob } from '../../src/alert/reminder/reminder.job';
import { DeliveryLoop } from '../../src/delivery/send/delivery-loop';
import { Config } from '../../src/platform/config/config';
import type { FailpointName } from '../../src/platform/observability/failpoints';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { ACCEPTED, DeliveryScene } from '../harness/app/delivery-scene';
import { checkSettled } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, ServiceProcess } from '../harness/processes/service-process';

/** The point at which a process is killed, by period, and how many reminders exist then. */
const KILLED: Readonly<Record<number, { at: FailpointName; sent: number }>> = {
  2: { at: 'reminder.after_lock', sent: 1 },
  4: { at: 'reminder.after_enqueue', sent: 3 },
  6: { at: 'reminder.before_commit', sent: 5 },
  8: { at: 'reminder.after_commit', sent: 8 },
};
const PERIODS = 10;

interface Told {
  type: string;
  data: { event: { ordinal?: number; incident_key: string } };
}

const suite = findPostgres() === null ? describe.skip : describe;

/**
 * Three instances in this process run the job at the same time. Sometimes another process gets ahead of them and is
 * killed at a failpoint. Instead of waiting for a period, the reminder is made due in the database.
 */
suite('three instances, others killed with -9 at every point of a reminder (needs PostgreSQL)', () => {
  let cluster: PostgresCluster;
  let scene: DeliveryScene;
  let others: TestApp[];

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    // Their own timers do nothing. Only the test runs the job.
    const role = 'api' as const;
    scene = await DeliveryScene.start({ databaseUrl: cluster.url, role });
    others = [
      await startOwnApp({ databaseUrl: cluster.url, role }),
      await startOwnApp({ databaseUrl: cluster.url, role }),
    ];
  }, 180_000);
  afterAll(async () => {
    for (const { app } of others) await app.close();
    await scene.close();
    await cluster.remove();
  }, 60_000);

  const instances = () => [scene.nest, ...others.map(({ app }) => app)];
  const becomeDue = () => scene.database.query(`UPDATE alert SET remind_at = now() - interval '1 second'`);
  const reminders = async () => (await scene.database.query(`SELECT FROM notification WHERE kind = 'reminder'`)).length;

  /** Makes the leases of a killed process due, and sends until nothing is pending. */
  async function deliver(): Promise<void> {
    await scene.database.query(
      `UPDATE notification SET lease_until = now() - interval '1 second' WHERE lease_token IS NOT NULL`,
    );
    await scene.database.query(
      `UPDATE notification_destination SET due_at = now() - interval '1 second' WHERE due_at IS NOT NULL`,
    );
    scene.nest.get(Config).role = 'all';
    await eventually('no delivery is pending', async () => {
      await scene.nest.get(DeliveryLoop).drain();
      return (await scene.database.query(`SELECT FROM notification WHERE state = 'pending'`)).length === 0;
    });
    scene.nest.get(Config).role = 'api';
  }

  it(`send exactly ${PERIODS} reminders in ${PERIODS} periods`, async () => {
    scene.provider.standingResponse(ACCEPTED.webhook);
    const alert = await scene.alert('webhook', { remind_every: 3600 });
    await scene.report('F', alert);
    await deliver();
    for (let period = 1; period <= PERIODS; period++) {
      await becomeDue();
      const killed = KILLED[period];
      if (killed) {
        await ServiceProcess.launch(cluster.url, { ROLE: 'worker', FAILPOINTS: `${killed.at}=kill` }).killed();
        expect(await reminders()).toBe(killed.sent);
      }
      await eventually('it is sent', async () => {
        // PostgreSQL may need a moment to notice that the killed process has exited.
        await Promise.all(instances().map((app) => app.get(ReminderJob).run()));
        return (await reminders()) === period;
      });
      await Promise.all(instances().map((app) => app.get(ReminderJob).run()));
      expect(await reminders()).toBe(period);
      await deliver();
    }
    const [trigger, ...told] = scene.received<Told>();
    expect(told.map(({ type, data }) => [type, data.event.ordinal])).toEqual(
      Array.from({ length: PERIODS }, (_, index) => ['alert.reminder', index + 1]),
    );
    expect(new Set(told.map(({ data }) => data.event.incident_key))).toEqual(
      new Set([trigger?.data.event.incident_key]),
    );
    expect(new Set(scene.provider.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(PERIODS + 1);
    await checkSettled(scene.database);
  }, 420_000);

  it('share many reminders that are due at once, each sent by one of them', async () => {
    const before = await reminders();
    const alerts = await scene.crowd(500, 'webhook', 'many');
    await scene.report('F', ...alerts);
    scene.provider.standingResponse(ACCEPTED.webhook);
    const uuids = alerts.map(({ uuid }) => uuid);
    await scene.database.query(
      `UPDATE notification SET state = 'delivered', finished_at = now() WHERE state = 'pending'`,
    );
    await scene.database.query(
      `UPDATE alert SET remind_every_seconds = 300, remind_at = now() - interval '1 second' WHERE id = ANY ($1::uuid[])`,
      [uuids],
    );
    await Promise.all(instances().map((app) => app.get(ReminderJob).run()));
    await Promise.all(instances().map((app) => app.get(ReminderJob).run()));
    expect((await reminders()) - before).toBe(500);
    const [counted] = await scene.database.query<{ alerts: number }>(
      `SELECT count(DISTINCT alert_id)::int AS alerts FROM notification WHERE kind = 'reminder' AND alert_id = ANY ($1::uuid[])`,
      [uuids],
    );
    expect(counted?.alerts).toBe(500);
  }, 120_000);
});
