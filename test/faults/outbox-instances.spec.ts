import { DeliveryLoop } from '../../src/delivery/send/delivery-loop';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { ACCEPTED, DeliveryScene, type SceneType } from '../harness/app/delivery-scene';
import { checkSettled } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';

/** The number of events in the storm. `STORM_EVENTS=10000` is the full run. */
const EVENTS = Number(process.env['STORM_EVENTS'] ?? 360);
const TYPES: SceneType[] = ['slack', 'pagerduty', 'webhook'];

const suite = findPostgres() === null ? describe.skip : describe;

suite('several instances on one database (needs PostgreSQL)', () => {
  let cluster: PostgresCluster;
  let scene: DeliveryScene;
  let others: TestApp[];

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    scene = await DeliveryScene.start({ databaseUrl: cluster.url });
    others = [await startOwnApp({ databaseUrl: cluster.url }), await startOwnApp({ databaseUrl: cluster.url })];
  }, 120_000);
  afterAll(async () => {
    for (const { app } of others) await app.close();
    await scene.close();
    await cluster.remove();
  }, 60_000);
  afterEach(() => scene.finish());

  const all = () => [scene.nest, ...others.map(({ app }) => app)].map((app) => app.get(DeliveryLoop));

  it('deliver each notification exactly once between three instances', async () => {
    const alerts = await Promise.all(Array.from({ length: 40 }, (_, i) => scene.alert('webhook', {}, `hook-${i}`)));
    scene.provider.standingResponse(ACCEPTED.webhook);
    for (const result of ['F', 'S', 'F'] as const) {
      await scene.report(result, ...alerts);
      await Promise.all(all().map((service) => service.drain()));
    }
    await eventually(
      'no delivery is pending',
      async () => (await scene.countStates(alerts))['triggered pending'] === undefined,
    );
    await checkSettled(scene.database);
    expect(await scene.countStates(alerts)).toEqual({ 'triggered delivered': 80, 'resolved delivered': 40 });
    const keys = scene.provider.requests.map(({ headers }) => headers['webhook-id']);
    expect(keys).toHaveLength(120);
    expect(new Set(keys).size).toBe(120);
    for (const { id } of alerts) {
      const types = scene
        .received<{ type: string; data: { alert: { id: string } } }>()
        .filter(({ data }) => data.alert.id === id)
        .map(({ type }) => type);
      expect(types).toEqual(['alert.triggered', 'alert.resolved', 'alert.triggered']);
    }
  });

  it('share one rate limit per destination between instances', async () => {
    const alerts = await scene.crowd(60, 'slack', 'shared');
    scene.provider.standingResponse(ACCEPTED.slack);
    const began = performance.now();
    for (let i = 0; i < alerts.length; i += 10) {
      await scene.report('F', ...alerts.slice(i, i + 10));
      await Promise.all(all().map((service) => service.drain()));
    }
    // Five at once, another one every ten seconds, and a digest every minute.
    const seconds = (performance.now() - began) / 1000;
    expect(scene.provider.requests.length).toBeLessThanOrEqual(6 + Math.floor(seconds / 10) + Math.floor(seconds / 60));
  });

  it(
    `${EVENTS} failures within a minute: at most ten chat notifications, each webhook once, pagers at their rate`,
    async () => {
      const crowds = await Promise.all(
        TYPES.map((type) => scene.crowd(Math.round(EVENTS / TYPES.length), type, `storm-${type}`)),
      );
      for (const type of TYPES) scene.provider.standingResponseAt(`/storm-${type}`, ACCEPTED[type]);
      const startedAt = performance.now();
      for (const crowd of crowds) {
        for (let i = 0; i < crowd.length; i += 500) await scene.report('F', ...crowd.slice(i, i + 500));
      }
      const recordedMs = performance.now() - startedAt;
      expect(recordedMs).toBeLessThan(60_000);
      const [events] = await scene.database.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM alert_event WHERE alert_id = ANY ($1::uuid[])',
        [crowds.flat().map(({ uuid }) => uuid)],
      );
      expect(events?.count).toBe(crowds.flat().length);

      const latencies: number[] = [];
      const minuteEnds = startedAt + 60_000;
      const chatAt = () => scene.received('storm-slack').length;
      let chatInMinute = 0;
      await eventually(
        'the webhook has received everything',
        async () => {
          const requestedAt = performance.now();
          await scene.app.read.get('/alerts?limit=50');
          latencies.push(performance.now() - requestedAt);
          if (performance.now() < minuteEnds) chatInMinute = chatAt();
          return (await scene.countStates(crowds[2] ?? []))['triggered pending'] === undefined;
        },
        Math.max(120_000, EVENTS * 400),
      );
      expect(chatInMinute).toBeLessThanOrEqual(10);
      const burst = Math.min(60, crowds[1]?.length ?? 0);
      await eventually(
        'the pager has received its burst',
        () => scene.received('storm-pagerduty').length >= burst,
        60_000,
      );
      const keys = {
        pagerduty: scene.received<{ dedup_key: string }>('storm-pagerduty').map(({ dedup_key }) => dedup_key),
        webhook: scene.provider.requests
          .filter(({ path }) => path === '/storm-webhook')
          .map(({ headers }) => headers['webhook-id'] ?? ''),
      };
      for (const sent of Object.values(keys)) expect(new Set(sent).size).toBe(sent.length);
      expect(keys.webhook).toHaveLength(crowds[2]?.length ?? 0);
      const seconds = (performance.now() - startedAt) / 1000;
      expect(keys.pagerduty.length).toBeLessThanOrEqual(60 + 2 * seconds + 5);
      const p95 = latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.95)] ?? 0;
      process.stderr.write(
        `storm of ${EVENTS}: recorded in ${Math.round(recordedMs)} ms, chat notifications in the first minute ${chatInMinute}, ` +
          `webhook done after ${Math.round(seconds)} s, pager notifications ${keys.pagerduty.length}, API p95 ${Math.round(p95)} ms\n`,
      );
      expect(p95).toBeLessThan(5000);
    },
    Math.max(180_000, EVENTS * 500),
  );
});
