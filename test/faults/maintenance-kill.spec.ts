import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, watch } from '../harness/processes/service-process';
import { SwitchableServer } from '../harness/servers/switchable-server';

const suite = findPostgres() === null ? describe.skip : describe;

suite('kill -9 at the start and end of a maintenance window (skipped without PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let api: ServiceProcess;
  let window: string;

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    witness = DatabaseWitness.on(cluster.url);
    [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
    api = await ServiceProcess.start(cluster.url, { ROLE: 'api' });
    await watch(api.api, 3, target.url, hook.url, { endpoint: { interval: 3600 } });
  }, 180_000);
  afterAll(async () => {
    await api.kill();
    await witness.close();
    await Promise.all([target.close(), hook.close()]);
    await cluster.remove();
  }, 60_000);
  beforeEach(async () => {
    await witness.query('DELETE FROM maintenance_occurrence');
    await witness.query('DELETE FROM stream_event');
    // Each endpoint is down and due in an hour. After the window, it is due 25 s after the end, when the worker has
    // exited.
    await witness.query('UPDATE endpoint_state SET status = 0, last_checked_at = now()');
    await witness.query(
      `UPDATE endpoint_schedule SET next_check_at = now() + interval '1 hour', busy_until = NULL, phase_ms = 25000`,
    );
    const [starts_at, ends_at] = [-1000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const body = { name: 'Move', scope: { all: true }, starts_at, ends_at };
    window = (await api.api.post<{ id: string }>('/maintenance-windows', body)).body.id;
  });

  const told = async () =>
    (
      await witness.query<{ state: string }>(
        `SELECT payload ->> 'state' AS state FROM stream_event WHERE kind = 'maintenance' ORDER BY xid, seq`,
      )
    ).map(({ state }) => state);
  const late = () =>
    witness.count(`SELECT FROM endpoint_schedule WHERE active AND next_check_at > now() + interval '31 s'`);
  const killedAt = async (point: string): Promise<void> => {
    const worker = ServiceProcess.launch(cluster.url, { ROLE: 'worker', FAILPOINTS: `maintenance.${point}=kill` });
    await eventually('it is killed', () => worker.hasEnded, 60_000);
  };
  const survived = async (isDone: () => Promise<boolean>): Promise<void> => {
    const worker = await ServiceProcess.start(cluster.url, { ROLE: 'worker' });
    await eventually('the next one does it', isDone, 60_000);
    await worker.kill();
  };

  it.each([
    ['before_begun', 0],
    ['after_begun', 1],
  ])(
    'the start is sent once when the only worker is killed %s',
    async (point, before) => {
      await killedAt(point);
      expect(await told()).toHaveLength(before);
      await survived(async () => (await told()).length > 0);
      expect(await told()).toEqual(['started']);
    },
    120_000,
  );

  it.each(['before_over', 'after_over'])(
    'an endpoint that is down is due soon after the end, which is sent once, when the only worker is killed %s',
    async (point) => {
      await api.api.post(`/maintenance-windows/${window}/end`);
      await killedAt(point);
      expect([await told(), await late()]).toEqual([[], 3]);
      await survived(async () => (await told()).length > 0);
      expect([await told(), await late()]).toEqual([['ended'], 0]);
    },
    120_000,
  );
});
