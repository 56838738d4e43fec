/**
 * @lane slow
 * @databases both
 */
import { checkInvariants } from '../../harness/app/invariants';
import { consistencyByHand } from '../../harness/app/consistency-by-hand';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { collectQueriesOfChanges } from '../../harness/app/query-counter';
import { parseId } from '../../../src/platform/ids/id';

/** More than the 32 that an organization may have in flight. */
const ALERTS = 60;
const STEP_MS = 2000;
/** Longer than any pause of a circuit breaker: an hour, with a jitter of a fifth. */
const CALM_MS = 80 * 60_000;

describe('a contact that many alerts use', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true });
  });
  afterAll(() => scene.close());
  beforeEach(() => scene.provider.standingResponse(ACCEPTED.webhook));
  afterEach(async () => {
    await checkInvariants(scene.database, scene.now());
    expect(await (await consistencyByHand(scene.nest)).run()).toEqual([]);
    await scene.finish();
    await scene.database.query('DELETE FROM contact');
  });

  const configOf = (path: string, token = 'first') => ({
    url: `${scene.provider.url}/${path}`,
    headers: [{ key: 'X-Token', value: token }],
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  });

  async function contact(path: string): Promise<string> {
    const body = { name: 'Operations', type: 'webhook', config: configOf(path) };
    const created = await scene.app.write.post<{ id: string }>('/contacts', body);
    if (created.status !== 201) throw new Error(created.text);
    return created.body.id;
  }

  async function alertsOf(contactId: string, count: number): Promise<SceneAlert[]> {
    const alerts = await scene.crowd(count, 'webhook', 'first');
    await scene.database.query(
      `UPDATE alert a SET config = NULL, contact_id = c.id, destination = c.destination FROM contact c
       WHERE c.id = $1 AND a.id = ANY ($2::uuid[])`,
      [parseId('contact', contactId), alerts.map(({ uuid }) => uuid)],
    );
    return alerts;
  }

  const put = async (id: string, body: object): Promise<void> => {
    const { status, text } = await scene.app.write.put(`/contacts/${id}`, body);
    if (status !== 200) throw new Error(text);
  };
  /** Returns the number of statements of one change about alerts, their episodes, and deliveries. */
  async function statementsOf(work: () => Promise<void>): Promise<number> {
    const all = collectQueriesOfChanges(scene.database.dataSource);
    await work();
    const found = all.filter((sql) => /\b(alert|alert_event|notification|acknowledgement)\b/.test(sql));
    all.length = 0;
    return found.length;
  }
  /**
   * Returns everything that has arrived since the last call: how often each `path token kind` came, and for how many
   * alerts.
   */
  function arrived(): Record<string, [messages: number, alerts: number]> {
    const seen = new Map<string, string[]>();
    for (const { path, headers, body } of scene.provider.requests.splice(0)) {
      const { type, data } = JSON.parse(body) as { type: string; data: { alert: { id: string } } };
      const what = `${path.slice(1)} ${headers['x-token']} ${type.replace('alert.', '')}`;
      seen.set(what, [...(seen.get(what) ?? []), data.alert.id]);
    }
    return Object.fromEntries([...seen].map(([what, ids]) => [what, [ids.length, new Set(ids).size]]));
  }
  const failing = async (alerts: readonly SceneAlert[]): Promise<void> => {
    await scene.report('F', ...alerts);
    await scene.pass(20_000, STEP_MS);
  };

  it(`sends the next message of each of ${ALERTS} alerts to the new sink after one PUT`, async () => {
    const [one, many] = [await contact('lone'), await contact('old')];
    await alertsOf(one, 1);
    const alerts = await alertsOf(many, ALERTS);
    const few = await statementsOf(() => put(one, { config: configOf('lone-2') }));
    const count = await statementsOf(() => put(many, { config: configOf('new') }));
    expect([count, few <= 10]).toEqual([few, true]);
    await failing(alerts);
    expect(arrived()).toEqual({ 'new first triggered': [ALERTS, ALERTS] });
  });

  it(`sends no message when the token of ${ALERTS} open episodes is rotated, and ends them with the new token`, async () => {
    const id = await contact('old');
    const alerts = await alertsOf(id, ALERTS);
    await failing(alerts);
    arrived();
    expect(await statementsOf(() => put(id, { config: configOf('old', 'second') }))).toBeLessThanOrEqual(10);
    await failing(alerts);
    expect(arrived()).toEqual({});
    await scene.report('S', ...alerts);
    await scene.pass(20_000, STEP_MS);
    expect(arrived()).toEqual({ 'old second resolved': [ALERTS, ALERTS] });
  });

  it.each([
    ['one PUT', (id: string) => put(id, { config: configOf('new', 'second') })],
    [
      'a contact that replaces it',
      async (id: string) => {
        const other = await contact('new');
        await put(other, { config: configOf('new', 'second') });
        expect((await scene.app.write.delete(`/contacts/${id}?replace_with=${other}`)).status).toBe(204);
      },
    ],
  ])(
    `ends ${ALERTS} open episodes at their old destination after %s, and starts them again with the next failed check`,
    async (_, change) => {
      const id = await contact('old');
      const alerts = await alertsOf(id, ALERTS);
      await failing(alerts);
      expect(arrived()).toEqual({ 'old first triggered': [ALERTS, ALERTS] });
      await change(id);
      await scene.pass(20_000, STEP_MS);
      expect(arrived()).toEqual({ 'old first resolved': [ALERTS, ALERTS] });
      await failing(alerts);
      expect(arrived()).toEqual({ 'new second triggered': [ALERTS, ALERTS] });
    },
  );

  it('needs at most eleven statements while all of it happens at once', async () => {
    const id = await contact('old');
    const [told, refused] = [await alertsOf(id, 20), await alertsOf(id, 20)];
    await failing(told);
    scene.provider.standingResponse({ status: 410 });
    await failing(refused);
    scene.provider.standingResponse(ACCEPTED.webhook);
    arrived();
    const count = await statementsOf(() => put(id, { type: 'webhook', config: configOf('new', 'second') }));
    expect(count).toBeLessThanOrEqual(11);
    // The old destination's circuit breaker may be open. Its messages wait for the next probe of the breaker.
    await scene.pass(CALM_MS, 60_000);
    expect(arrived()).toEqual({ 'old first resolved': [20, 20], 'new second triggered': [20, 20] });
  });
});
