/** @databases both */
import { Logger } from '@nestjs/common';
import { MissingDestinations } from '../../../src/alert/consistency/missing-destinations';
import { ChannelRegistry } from '../../../src/channel/channel.registry';
import { destinationOfAlert } from '../../../src/delivery/destination';
import { ownerOf, SealedConfigs } from '../../../src/delivery/config/sealed-config';
import { Config } from '../../../src/platform/config/config';
import { SecretBox } from '../../../src/platform/secrets/secret-box';
import { SecretRotation } from '../../../src/platform/secrets/secret-rotation';
import { Alerting, type Result } from '../../harness/app/alerting';
import { consistencyByHand } from '../../harness/app/consistency-by-hand';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';

const UNREADABLE = '{"sealed": "v1:lost:AAAA"}';
const ONCE = { failureThreshold: 1, successThreshold: 1 };

describe('alert.destination of an alert whose config could not be read when it was written', () => {
  let alerting: Alerting;
  let orgId: string;
  let endpointId: string;

  beforeAll(async () => {
    alerting = await Alerting.start();
    orgId = await alerting.organization();
    endpointId = await alerting.endpoint(orgId);
  });
  afterAll(() => alerting.close());

  /** Creates an alert without a stored destination. */
  const newAlert = () => alerting.alert(orgId, endpointId, ONCE);
  const repair = () => alerting.nest.get(MissingDestinations).write(alerting.database);
  const destinationOf = async (alertId: string): Promise<string | null | undefined> =>
    (
      await alerting.database.query<{ destination: string | null }>('SELECT destination FROM alert WHERE id = $1', [
        alertId,
      ])
    )[0]?.destination;

  it('stays empty while the config cannot be read, and is written when it can be read again', async () => {
    const [lost, other] = [await newAlert(), await newAlert()];
    const [row] = await alerting.database.query<{ config: object }>('SELECT config FROM alert WHERE id = $1', [lost]);
    await alerting.database.query('UPDATE alert SET config = $2 WHERE id = $1', [lost, UNREADABLE]);
    await repair();
    expect([await destinationOf(lost), await destinationOf(other)]).toEqual([null, expect.stringMatching(/^slack:/)]);
    await alerting.database.query('UPDATE alert SET config = $2 WHERE id = $1', [lost, JSON.stringify(row?.config)]);
    await repair();
    expect(await destinationOf(lost)).toMatch(/^slack:/);
  });

  it('is written no matter how many alerts with unreadable configs come first', async () => {
    const readable = await newAlert();
    await alerting.database.query(
      `INSERT INTO alert SELECT (jsonb_populate_record(a, jsonb_build_object(
         'id', '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'config', $2::jsonb))).*
         FROM alert a, generate_series(1, 1001) n WHERE a.id = $1`,
      [readable, UNREADABLE],
    );
    await repair();
    expect(await destinationOf(readable)).toMatch(/^slack:/);
    await alerting.database.query(`DELETE FROM alert WHERE id < '00000001-0000-0000-0000-000000000000'`);
  });

  it('is reported in the log, once per change of the number of unreadable alerts', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const logged = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    const newUnreadable = async () => {
      const id = await newAlert();
      await alerting.database.query('UPDATE alert SET config = $2 WHERE id = $1', [id, UNREADABLE]);
      return id;
    };
    const first = await newUnreadable();
    await repair();
    await repair();
    const second = await newUnreadable();
    await repair();
    await alerting.database.query('DELETE FROM alert WHERE id IN ($1, $2)', [first, second]);
    await repair();
    expect([warned.mock.calls.flat(), logged.mock.calls.flat()]).toEqual([
      [expect.stringContaining('config of 1 alert cannot'), expect.stringContaining('config of 2 alerts cannot')],
      ['the configs of all alerts can be read again'],
    ]);
    jest.restoreAllMocks();
  });

  it('is never from a config which a client replaces at the same time', async () => {
    const id = await newAlert();
    const configs = alerting.nest.get(SealedConfigs);
    const replaced = configs.seal(ownerOf(id, null), { webhook_url: 'https://hooks.slack.test/services/other' });
    let replacing: Promise<unknown> = Promise.resolve();
    const open = jest.spyOn(configs, 'open').mockImplementationOnce((owner, config) => {
      // The other one is unreadable as well, so that the order of writing does not matter.
      replacing = alerting.database.query(
        'UPDATE alert SET config = $2, destination = NULL, updated_at = now() WHERE id = $1',
        [id, replaced],
      );
      return SealedConfigs.prototype.open.call(configs, owner, config);
    });
    await repair();
    open.mockRestore();
    await replacing;
    await repair();
    const expected = alerting.nest
      .get(ChannelRegistry)
      .destination('slack', { webhook_url: 'https://hooks.slack.test/services/other' });
    expect(await destinationOf(id)).toBe(expected);
  });

  it('costs no decryption in the transactions that record transitions, known or not', async () => {
    const other = await alerting.endpoint(orgId);
    const [known, unknown] = [await alerting.alert(orgId, other, ONCE), await alerting.alert(orgId, other, ONCE)];
    await repair();
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

  it('stays when secrets are rotated', async () => {
    const id = await newAlert();
    await repair();
    const known = await destinationOf(id);
    expect(known).toMatch(/^slack:/);
    const secrets = Object.assign(new Config(), { secretsKeys: [`new:${Buffer.alloc(32, 1).toString('base64')}`] });
    await new SecretRotation(alerting.database, new SecretBox(secrets)).rotate();
    expect(await destinationOf(id)).toBe(known);
  });
});

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

  it('stores the destination whenever an alert gets a type or config, and the API shows the receiver instead', async () => {
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
    // A hash of the destination is stored. Users see its host.
    expect(body).toMatchObject({ destination: new URL(scene.provider.url).host });
  });

  it('records event and delivery of an alert whose config cannot be read, and fails only that delivery', async () => {
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
});
