import type { ContactView } from '../../../src/contact/contact.dto';
import { DELIVERY_RETENTION } from '../../../src/delivery/delivery-retention';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { parseId } from '../../../src/platform/ids/id';
import { alertThrough } from '../../harness/app/contact-alerts';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

const MINUTE_MS = 60_000;

describe('the message status of a contact', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true });
  });
  afterAll(() => scene.close());
  afterEach(async () => {
    await scene.finish();
    await scene.database.query('DELETE FROM contact');
  });

  /** The time by the database's clock, which deliveries use. */
  const now = (): string => scene.nest.get(DatabaseClock).now().toISOString();
  const contactAt = (path: string, fields: object = {}): Promise<string> =>
    newContact(scene.app.write, { type: 'webhook', config: { url: `${scene.provider.url}/${path}` }, ...fields });
  const view = async (id: string): Promise<ContactView> =>
    (await scene.app.read.get<ContactView>(`/contacts/${id}`)).body;

  /** Creates an alert through the contact on a separate endpoint, which is never checked. */
  async function alertOf(contactId: string): Promise<SceneAlert> {
    const { write } = scene.app;
    const websiteId = await newWebsite(write);
    const endpointId = await newEndpoint(write, websiteId, { enabled: false });
    const id = await alertThrough(scene.database, endpointId, contactId);
    const [uuid, endpointUuid] = [parseId('alert', id) ?? '', parseId('endpoint', endpointId) ?? ''];
    return { id, uuid, endpointId, endpointUuid, websiteId };
  }

  it('counts its alerts, and no alerts of another contact', async () => {
    const [used, unused] = [await contactAt('used'), await contactAt('unused')];
    for (let n = 0; n < 3; n++) await alertOf(used);
    const { body } = await scene.app.read.get<ContactView[]>('/contacts');
    expect(body.map(({ id, alert_count }) => [id, alert_count])).toEqual([
      [used, 3],
      [unused, 0],
    ]);
  });

  it('shows the newest message and its delivery state', async () => {
    const contact = await contactAt('ops');
    const alert = await alertOf(contact);
    await scene.report('F', alert);
    const enqueuedAt = now();
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.deliver();
    expect(await view(contact)).toMatchObject({
      last_delivery: { state: 'delivered', at: enqueuedAt, error: null },
      failing_since: null,
    });
    scene.provider.standingResponse({ status: 500 });
    scene.clock.advance(MINUTE_MS);
    await scene.report('S', alert);
    await scene.deliver();
    expect((await view(contact)).last_delivery).toEqual({
      state: 'pending',
      at: now(),
      error: expect.stringContaining('500'),
    });
  });

  it('is named with its current name by its messages, deliveries, and events', async () => {
    const id = await contactAt('ops', { name: 'On call' });
    const alert = await alertOf(id);
    await scene.report('F', alert);
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.deliver();
    const [sent] = scene.provider.requests.slice(-1).map(({ body }) => JSON.parse(body) as { data: object });
    expect(sent?.data).toMatchObject({ contact: { id, name: 'On call' }, alert: { id: alert.id } });
    await scene.app.write.put(`/contacts/${id}`, { name: 'Night shift' });
    for (const path of [`/alerts/events?alert_id=${alert.id}`, `/alerts/${alert.id}/deliveries`]) {
      expect((await scene.app.read.get<object[]>(path)).body).toMatchObject([{ contact: { id, name: 'Night shift' } }]);
    }
  });

  it('is failing from the first failed attempt after a delivered one until the next delivered one', async () => {
    const contact = await contactAt('flaky');
    const alert = await alertOf(contact);
    scene.provider.standingResponse({ status: 503 });
    await scene.report('F', alert);
    await scene.deliver();
    const since = now();
    expect((await view(contact)).failing_since).toBe(since);
    await scene.pass(5 * MINUTE_MS, 5000);
    expect(scene.provider.requests.length).toBeGreaterThan(2);
    expect((await view(contact)).failing_since).toBe(since);
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.pass(30 * MINUTE_MS, MINUTE_MS);
    expect(await view(contact)).toMatchObject({ failing_since: null, last_delivery: { state: 'delivered' } });
    scene.provider.standingResponse({ status: 503 });
    await scene.report('S', alert);
    await scene.deliver();
    expect((await view(contact)).failing_since).toBe(now());
  });

  it('counts a refused message as failed', async () => {
    const contact = await contactAt('gone');
    const alert = await alertOf(contact);
    scene.provider.standingResponse({ status: 410 });
    await scene.report('F', alert);
    await scene.deliver();
    const { failing_since, last_delivery } = await view(contact);
    expect([failing_since, last_delivery?.state]).toEqual([now(), 'failed']);
  });

  it('is failing together with other contacts at the same destination, also if it is new', async () => {
    const contact = await contactAt('shared');
    scene.provider.standingResponse({ status: 503 });
    await scene.report('F', await alertOf(contact));
    await scene.deliver();
    const since = now();
    scene.clock.advance(MINUTE_MS);
    const { body } = await scene.app.write.post<ContactView>('/contacts', {
      name: 'Twin',
      type: 'webhook',
      config: { url: `${scene.provider.url}/shared` },
    });
    expect(body).toMatchObject({ failing_since: since, alert_count: 0, last_delivery: null });
    expect(await view(body.id)).toMatchObject({ failing_since: since });
  });

  it('does not count the test of an alert as its last delivery, but counts it for whether messages arrive', async () => {
    const contact = await contactAt('tested');
    const alert = await alertOf(contact);
    scene.provider.standingResponse({ status: 503 });
    await scene.report('F', alert);
    await scene.deliver();
    scene.provider.standingResponse(ACCEPTED.webhook);
    expect((await scene.app.write.post(`/alerts/${alert.id}/test`)).status).toBe(201);
    expect(await view(contact)).toMatchObject({ failing_since: null, last_delivery: { state: 'pending' } });
    scene.provider.standingResponse(ACCEPTED.webhook);
    await scene.pass(30 * MINUTE_MS, MINUTE_MS);
  });

  it('is shown as failing for as long as it fails, although idle destinations are forgotten', async () => {
    const [contact, other] = [await contactAt('idle'), await contactAt('deleted')];
    scene.provider.standingResponse({ status: 410 });
    const alerts = [await alertOf(contact), await alertOf(other)];
    await scene.report('F', ...alerts);
    await scene.deliver();
    const since = now();
    await scene.app.write.delete(`/websites/${alerts[1]?.websiteId}`);
    expect((await scene.app.write.delete(`/contacts/${other}`)).status).toBe(204);
    await scene.deliver();
    // The job uses the database's clock, which no test can move.
    await scene.database.query(`UPDATE notification_destination SET tokens_at = now() - interval '2 days'`);
    await scene.nest.get(RetentionJob).run(DELIVERY_RETENTION);
    expect((await view(contact)).failing_since).toBe(since);
    const kept = await scene.database.query('SELECT FROM notification_destination');
    expect(kept).toHaveLength(1);
    // Deliveries that failed within a day are sent again at once with the new config.
    scene.provider.standingResponse(ACCEPTED.webhook);
    expect(
      (await scene.app.write.put(`/contacts/${contact}`, { config: { url: `${scene.provider.url}/new` } })).status,
    ).toBe(200);
    expect((await view(contact)).failing_since).toBeNull();
  });
});
