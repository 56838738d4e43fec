/** @databases both */
import { ExpiryJob } from '../../../src/alert/expiry/expiry.job';
import { Config } from '../../../src/platform/config/config';
import { parseId } from '../../../src/platform/ids/id';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { ACCEPTED, DeliveryScene } from '../../harness/app/delivery-scene';
import { newAlert, newEndpoint, newMaintenanceWindow, newWebsite } from '../../harness/app/resources';

const DAY_MS = 86_400_000;

interface Told {
  type: string;
  data: { event: { message: string }; endpoint: { id: string }; certificate: { days_left: number } };
}

describe("the notification of a certificate's expiry", () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true });
  });
  afterAll(() => scene.close());
  beforeEach(() => scene.provider.standingResponse(ACCEPTED.webhook));
  afterEach(async () => {
    armFailpoints([]);
    await scene.finish();
    await scene.database.query('DELETE FROM maintenance_window');
    await scene.database.query('DELETE FROM website');
  });

  let paths = 0;

  /** Creates an endpoint with an alert, whose newest check saw a certificate that expires after this many days. */
  async function endingIn(days: number, { endpoint = {}, alert = {} } = {}) {
    const path = `hook-${++paths}`;
    const websiteId = await newWebsite(scene.app.write);
    const id = await newEndpoint(scene.app.write, websiteId, endpoint);
    const config = { url: `${scene.provider.url}/${path}` };
    const alertId = await newAlert(scene.app.write, id, { type: 'webhook', config, ...alert });
    await see(id, days);
    return { id, alertId, path };
  }
  async function see(endpointId: string, days: number): Promise<void> {
    await scene.database.query('UPDATE endpoint_state SET certificate_expires_at = $2 WHERE endpoint_id = $1', [
      parseId('endpoint', endpointId),
      new Date(scene.now().getTime() + days * DAY_MS),
    ]);
  }
  const look = (): Promise<void> => scene.nest.get(ExpiryJob).run();
  async function told(path: string): Promise<number[]> {
    await look();
    await look();
    await scene.deliver();
    return scene
      .received<Told>(path)
      .filter(({ type }) => type === 'alert.expiry')
      .map(({ data }) => data.certificate.days_left);
  }

  it('is sent at 14 days, and again at 7, 3, and 1, once each', async () => {
    const { id, path } = await endingIn(15.5);
    expect(await told(path)).toEqual([]);
    await see(id, 14.5);
    expect(await told(path)).toEqual([14]);
    const ends = new Date(scene.now().getTime() + 14.5 * DAY_MS);
    for (const [days, all] of [
      [8.5, [14]],
      [7.5, [14, 7]],
      [2.5, [14, 7, 2]],
      [0.5, [14, 7, 2, 0]],
      [-0.5, [14, 7, 2, 0]],
    ] as const) {
      await scene.pass(ends.getTime() - days * DAY_MS - scene.now().getTime());
      expect(await told(path)).toEqual(all);
    }
    const [first] = scene.received<Told>(path);
    expect(first?.data).toMatchObject({
      endpoint: { id },
      event: { message: expect.stringMatching(/^The certificate of Checkout expires in 14 days, on \d{4}-/) },
      certificate: { subject: null, issuer: null },
    });
  });

  it('leaves no event, and triggers nothing', async () => {
    const { path } = await endingIn(5.5);
    expect(await told(path)).toEqual([5]);
    expect(await scene.database.query('SELECT id FROM alert_event')).toEqual([]);
    expect(await scene.database.query('SELECT id FROM alert WHERE triggered')).toEqual([]);
  });

  it('is not sent for an endpoint that is paused, has the warning off, or whose alert is disabled or has it off', async () => {
    for (const [endpoint, alert] of [
      [{ enabled: false }, {}],
      [{ tls: { warn_days: null } }, {}],
      [{ tls: { warn_days: 3 } }, {}],
      [{}, { enabled: false }],
    ])
      expect(await told((await endingIn(5.5, { endpoint, alert })).path)).toEqual([]);
  });

  it('is not sent to pagers', async () => {
    const config = { routing_key: 'R'.repeat(32) };
    await endingIn(5.5, { alert: { type: 'pagerduty', config } });
    await look();
    expect(await scene.database.query(`SELECT id FROM notification WHERE kind = 'expiry'`)).toEqual([]);
  });

  it('waits for the end of a maintenance window that mutes', async () => {
    const { path } = await endingIn(5.5);
    const [starts_at, ends_at] = [-60_000, 3_600_000].map((ms) => new Date(scene.now().getTime() + ms).toISOString());
    await newMaintenanceWindow(scene.app.write, { starts_at, ends_at });
    expect(await told(path)).toEqual([]);
    await scene.pass(3_700_000);
    expect(await told(path)).toEqual([5]);
  });

  it('is sent once by an instance that fails before its commit, and by two instances at once', async () => {
    const { path } = await endingIn(5.5);
    armFailpoints(['certificate_expiry.after_enqueue=error:once']);
    await expect(look()).rejects.toThrow();
    await Promise.allSettled([look(), look()]);
    expect(await told(path)).toEqual([5]);
  });

  it('is not sent with TELL_ENDING_CERTIFICATES=off', async () => {
    const { path } = await endingIn(5.5);
    const config = scene.nest.get(Config);
    config.tellEndingCertificates = false;
    try {
      expect(await told(path)).toEqual([]);
    } finally {
      config.tellEndingCertificates = true;
    }
  });

  it('is listed among the deliveries of the alert, without an event', async () => {
    const { alertId, path } = await endingIn(5.5);
    await told(path);
    const { body } = await scene.app.read.get<object[]>(`/alerts/${alertId}/deliveries`);
    expect(body).toMatchObject([{ kind: 'expiry', event_id: null, state: 'delivered' }]);
  });
});
