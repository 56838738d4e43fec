/** @databases both */
import { DestinationBackfill } from '../../../src/alert/consistency/destination-backfill';
import { ChannelRegistry } from '../../../src/channel/channel.registry';
import { destinationOfAlert } from '../../../src/delivery/destination';
import { Outbox } from '../../../src/delivery/outbox';
import { ownerOf, SealedConfigs } from '../../../src/delivery/config/sealed-config';
import { Config } from '../../../src/platform/config/config';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { SecretBox } from '../../../src/platform/secrets/secret-box';
import { SecretRotation } from '../../../src/platform/secrets/secret-rotation';
import { Alerting, type Result } from '../../harness/app/alerting';
import { consistencyByHand } from '../../harness/app/consistency-by-hand';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';

const UNREADABLE = '{"sealed": "v1:lost:AAAA"}';
const ONCE = { failureThreshold: 1, successThreshold: 1 };

describe('alert.destination, of alerts that an older version saved', () => {
  let alerting: Alerting;
  let orgId: string;
  let endpointId: string;

  beforeAll(async () => {
    alerting = await Alerting.start();
    orgId = await alerting.organization();
    endpointId = await alerting.endpoint(orgId);
  });
  afterAll(() => alerting.close());

  /** As an older version writes them: without a destination. */
  const oldAlert = () => alerting.alert(orgId, endpointId, ONCE);
  const stored = async (alertId: string): Promise<{ destination: string | null; updated_at: Date }> => {
    const [row] = await alerting.database.query<{ destination: string | null; updated_at: Date }>(
      'SELECT destination, updated_at FROM alert WHERE id = $1',
      [alertId],
    );
    if (!row) throw new Error('the alert is gone');
    return row;
  };
  const destinationOf = async (alertId: string) => (await stored(alertId)).destination;

  it('fills in the destination of 450 alerts from several instances at once and changes nothing else', async () => {
    const first = await oldAlert();
    const before = await stored(first);
    for (let i = 0; i < 450; i++) await oldAlert();
    await Promise.all([alerting.backfill.run(), instance(alerting).run(), instance(alerting).run()]);
    await alerting.backfill.run();
    const filled = await alerting.database.query<{ destination: string | null; count: number }>(
      'SELECT destination, count(*)::int AS count FROM alert WHERE org_id = $1 GROUP BY 1',
      [orgId],
    );
    expect(filled).toEqual([{ destination: expect.stringMatching(/^slack:/), count: 451 }]);
    expect((await stored(first)).updated_at).toEqual(before.updated_at);
    const statements = jest.spyOn(alerting.nest.get(WorkerDatabase), 'query');
    await alerting.backfill.run();
    expect(statements).toHaveBeenCalledTimes(1);
    statements.mockRestore();
  });

  it('leaves the destination empty where the config cannot be read, and fills in those of other alerts', async () => {
    const [lost, other] = [await oldAlert(), await oldAlert()];
    await alerting.database.query('UPDATE alert SET config = $2 WHERE id = $1', [lost, UNREADABLE]);
    await alerting.backfill.run();
    expect(await destinationOf(lost)).toBeNull();
    expect(await destinationOf(other)).toMatch(/^slack:/);
  });

  it('does not fill in the destination of a config that a client replaces at the same time', async () => {
    const id = await oldAlert();
    const configs = alerting.nest.get(SealedConfigs);
    const replaced = configs.seal(ownerOf(id, null), { webhook_url: 'https://hooks.slack.test/services/other' });
    let replacing: Promise<unknown> = Promise.resolve();
    const open = jest.spyOn(configs, 'open').mockImplementationOnce((owner, config) => {
      replacing = alerting.database.query('UPDATE alert SET config = $2, updated_at = now() WHERE id = $1', [
        id,
        replaced,
      ]);
      return SealedConfigs.prototype.open.call(configs, owner, config);
    });
    await alerting.backfill.run();
    open.mockRestore();
    await replacing;
    await alerting.backfill.run();
    const expected = alerting.nest
      .get(ChannelRegistry)
      .destination('slack', { webhook_url: 'https://hooks.slack.test/services/other' });
    expect(await destinationOf(id)).toBe(expected);
  });

  it('decrypts no config in the transactions that record transitions, with and without a destination', async () => {
    const other = await alerting.endpoint(orgId);
    const [known, unknown] = [await alerting.alert(orgId, other, ONCE), await alerting.alert(orgId, other, ONCE)];
    await alerting.backfill.run();
    await alerting.database.query('UPDATE alert SET destination = NULL WHERE id = $1', [unknown]);
    const open = jest.spyOn(SecretBox.prototype, 'open');
    await alerting.check(['F', 'S', 'F'].map((result) => ({ endpointId: other, result: result as Result })));
    for (const id of [known, unknown]) {
      await alerting.database.transaction((tx) => alerting.lifecycle.deleting(tx, id));
      expect((await alerting.events(id)).map(({ type }) => type)).toEqual([
        'triggered',
        'resolved',
        'triggered',
        'resolved',
      ]);
    }
    expect(open).not.toHaveBeenCalled();
    open.mockRestore();
  });

  it('empties the destination when an older version changes the config, and keeps it when secrets are rotated', async () => {
    const id = await oldAlert();
    await alerting.backfill.run();
    const known = await destinationOf(id);
    expect(known).toMatch(/^slack:/);
    const secrets = Object.assign(new Config(), { secretsKeys: [`new:${Buffer.alloc(32, 1).toString('base64')}`] });
    await alerting.database.query(`DELETE FROM alert WHERE config ->> 'sealed' LIKE 'v1:lost%'`);
    await new SecretRotation(alerting.database, new SecretBox(secrets)).rotate();
    expect(await destinationOf(id)).toBe(known);
    await alerting.database.query(
      `UPDATE alert SET failure_threshold = 9, type = type, config = config, updated_at = now() + interval '1 second'
       WHERE id = $1`,
      [id],
    );
    expect(await destinationOf(id)).toBe(known);
    await alerting.database.query(
      `UPDATE alert SET type = 'discord', config = '{"sealed": "plain:{}"}', updated_at = now() + interval '2 seconds'
       WHERE id = $1`,
      [id],
    );
    expect(await destinationOf(id)).toBeNull();
  });
});

/** The backfill of another instance on the same database. */
const instance = ({ nest }: Alerting): DestinationBackfill =>
  new DestinationBackfill(
    nest.get(Config),
    nest.get(WorkerDatabase),
    nest.get(ChannelRegistry),
    nest.get(SealedConfigs),
    nest.get(Outbox),
  );

describe('alert.destination', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { durable: true, timeStands: true });
  });
  afterAll(() => scene.close());
  afterEach(() => scene.finish());

  const destinationOf = async ({ uuid }: SceneAlert): Promise<string | null> => {
    const [row] = await scene.database.query<{ destination: string | null }>(
      'SELECT destination FROM alert WHERE id = $1',
      [uuid],
    );
    return row?.destination ?? null;
  };
  const forget = ({ uuid }: SceneAlert) =>
    scene.database.query('UPDATE alert SET destination = NULL WHERE id = $1', [uuid]);
  const destinationsOfRows = async ({ uuid }: SceneAlert): Promise<string[]> => {
    const rows = await scene.database.query<{ destination: string }>(
      'SELECT destination FROM notification WHERE alert_id = $1 ORDER BY seq',
      [uuid],
    );
    return rows.map(({ destination }) => destination);
  };
  const keyOf = (alert: SceneAlert) => destinationOfAlert({ id: alert.uuid, destination: null });

  it('writes the destination whenever an alert gets a type or config, and shows whom it reaches instead of it', async () => {
    const registry = scene.nest.get(ChannelRegistry);
    const alert = await scene.alert('slack', {}, 'before');
    expect(await destinationOf(alert)).toBe(
      registry.destination('slack', { webhook_url: `${scene.provider.url}/before` }),
    );
    scene.clock.advance(1000);
    await scene.app.write.put(`/alerts/${alert.id}`, { failure_threshold: 7 });
    expect(await destinationOf(alert)).toBe(
      registry.destination('slack', { webhook_url: `${scene.provider.url}/before` }),
    );
    scene.clock.advance(1000);
    const config = { webhook_url: `${scene.provider.url}/after` };
    const { body } = await scene.app.write.put<object>(`/alerts/${alert.id}`, { config });
    expect(await destinationOf(alert)).toBe(registry.destination('slack', config));
    scene.clock.advance(1000);
    const pager = { routing_key: 'c'.repeat(32), api_url: scene.provider.url };
    await scene.app.write.put(`/alerts/${alert.id}`, { type: 'pagerduty', config: pager });
    expect(await destinationOf(alert)).toBe(registry.destination('pagerduty', pager));
    // What is stored is a hash of it; people are shown whom it reaches.
    expect(body).toMatchObject({ destination: new URL(scene.provider.url).host });
  });

  it('records event and delivery of an alert whose config cannot be read, and fails that delivery alone', async () => {
    const alert = await scene.alert('webhook', {}, 'unreadable');
    const healthy = await scene.alert('webhook', {}, 'healthy');
    await scene.database.query('UPDATE alert SET config = $2, destination = NULL WHERE id = $1', [
      alert.uuid,
      UNREADABLE,
    ]);
    scene.provider.expect(ACCEPTED.webhook);
    await scene.report('F', alert, healthy);
    await scene.deliver();
    expect(await destinationsOfRows(alert)).toEqual([keyOf(alert)]);
    expect(await scene.states(alert)).toEqual(['triggered failed:unsendable']);
    expect(await scene.states(healthy)).toEqual(['triggered delivered']);
    expect((await scene.app.read.get(`/alerts/events?alert_id=${alert.id}`)).body).toHaveLength(1);
    expect(await (await consistencyByHand(scene.nest)).run()).toEqual([]);
  });

  it('joins pending deliveries with the queue of their destination once the consistency job knows it, in order', async () => {
    const alert = await scene.alert('webhook', {}, 'joined');
    scene.provider.standingResponse({ status: 503 });
    await scene.report('F', alert);
    await scene.deliver();
    const known = (await destinationOf(alert)) ?? '';
    await forget(alert);
    await scene.report('S', alert);
    await scene.report('F', alert);
    expect(await destinationsOfRows(alert)).toEqual([known, keyOf(alert), keyOf(alert)]);
    await (await consistencyByHand(scene.nest)).run();
    expect(await destinationOf(alert)).toBe(known);
    expect(await destinationsOfRows(alert)).toEqual([known, known, known]);
    scene.provider.requests.splice(0);
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.pass(60_000, 5000);
    expect(scene.received<{ type: string }>('joined').map(({ type }) => type)).toEqual([
      'alert.triggered',
      'alert.resolved',
      'alert.triggered',
    ]);
    const keys = scene.provider.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(keys).size).toBe(3);
  });

  it('lets no resolve overtake its trigger while the destination is unknown', async () => {
    const alert = await scene.alert('webhook', {}, 'waits');
    scene.provider.standingResponse({ status: 503 });
    await scene.report('F', alert);
    await scene.deliver();
    await forget(alert);
    await scene.report('S', alert);
    scene.provider.requests.splice(0);
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.pass(60_000, 1000);
    expect(scene.received<{ type: string }>('waits').map(({ type }) => type)).toEqual([
      'alert.triggered',
      'alert.resolved',
    ]);
  });

  it('sends redeliveries and tests of an alert without a destination', async () => {
    const alert = await scene.alert('webhook', {}, 'again');
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.report('F', alert);
    await scene.deliver();
    await forget(alert);
    const [delivery] = await scene.deliveries(alert);
    expect((await scene.app.write.post(`/deliveries/${delivery?.id}/redeliver`)).status).toBe(201);
    await scene.deliver();
    expect((await scene.app.write.post<{ state: string }>(`/alerts/${alert.id}/test`)).body.state).toBe('delivered');
    expect(await scene.states(alert)).toEqual(['triggered delivered:redelivered', 'test delivered']);
  });

  it('fills in destinations at the start', async () => {
    const alert = await scene.alert('slack', {}, 'upgraded');
    const known = await destinationOf(alert);
    await forget(alert);
    await scene.restart();
    expect(await destinationOf(alert)).toBe(known);
  });
});
