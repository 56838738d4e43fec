import { DeliveryLoop } from '../../src/delivery/send/delivery-loop';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../harness/app/delivery-scene';
import { checkSettled } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';

const ALERTS = 20;
/** `CONTACT_ROUNDS=100` is the full run. */
const ROUNDS = Number(process.env['CONTACT_ROUNDS'] ?? 12);

const suite = findPostgres() === null ? describe.skip : describe;

suite('two instances, one of which changes a contact while the other sends (needs PostgreSQL)', () => {
  let cluster: PostgresCluster;
  let scene: DeliveryScene;
  let other: TestApp;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    scene = await DeliveryScene.start({ databaseUrl: cluster.url });
    other = await startOwnApp({ databaseUrl: cluster.url });
  }, 120_000);
  afterAll(async () => {
    await other.app.close();
    await scene.close();
    await cluster.remove();
  }, 60_000);

  const configOf = (path: string, token: string) => ({
    url: `${scene.provider.url}/${path}`,
    headers: [{ key: 'X-Token', value: token }],
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  });
  async function put(contact: string, path: string, token: string): Promise<void> {
    const { status, text } = await scene.app.write.put(`/contacts/${contact}`, { config: configOf(path, token) });
    if (status !== 200) throw new Error(text);
  }

  it('send each event of an episode once, and its resolve to the destination of its trigger', async () => {
    scene.provider.standingResponse(ACCEPTED.webhook);
    const body = { name: 'Operations', type: 'webhook', config: configOf('sink-0', 'token-0') };
    const { id: contact } = (await scene.app.write.post<{ id: string }>('/contacts', body)).body;
    const alerts: SceneAlert[] = [];
    for (let n = 0; n < ALERTS; n++)
      alerts.push(await scene.alert('webhook', { type: undefined, config: undefined, contact_id: contact }));
    for (let round = 1; round <= ROUNDS; round++) {
      // Every second change only rotates the token.
      const sink = `sink-${Math.floor(round / 2)}`;
      await Promise.all([
        scene.report(round % 3 === 0 ? 'S' : 'F', ...alerts),
        put(contact, sink, `token-${round}`),
        other.app.get(DeliveryLoop).drain(),
        scene.deliver(),
      ]);
    }
    await scene.report('S', ...alerts);
    await eventually(
      'no delivery is pending',
      async () => {
        await Promise.all([scene.deliver(), other.app.get(DeliveryLoop).drain()]);
        return (await scene.database.query(`SELECT 1 FROM notification WHERE state = 'pending'`)).length === 0;
      },
      60_000,
    );
    await checkSettled(scene.database);

    const episodes = new Map<string, string[]>();
    for (const { path, body: sent } of scene.provider.requests) {
      const { type, data } = JSON.parse(sent) as { type: string; data: { event: { incident_key: string } } };
      episodes.set(data.event.incident_key, [...(episodes.get(data.event.incident_key) ?? []), `${type} ${path}`]);
    }
    const wrong = [...episodes].filter(([, [begin = '', end = '', ...more]]) => {
      const [first, where] = begin.split(' ');
      return first !== 'alert.triggered' || end !== `alert.resolved ${where}` || more.length > 0;
    });
    expect(wrong).toEqual([]);
    const [{ count } = { count: 0 }] = await scene.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM alert_event WHERE type = 'triggered'`,
    );
    expect(episodes.size).toBe(count);
    expect(count).toBeGreaterThan(ALERTS);
    scene.provider.verify();
  }, 240_000);
});
