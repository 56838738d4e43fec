/** @databases both */
import type { ContactView } from '../../../src/contact/contact.dto';
import { FailingContactsJob } from '../../../src/contact/failing-contacts.job';
import type { DeliveryView } from '../../../src/delivery/delivery.dto';
import { Config } from '../../../src/platform/config/config';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { formatId, parseId } from '../../../src/platform/ids/id';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { alertThrough } from '../../harness/app/contact-alerts';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

const MINUTE_MS = 60_000;
const DAYS = 8;

describe('a contact that has been failing for days', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { timeStands: true, apart: true });
  });
  afterAll(() => scene.close());
  beforeEach(() => scene.provider.standingResponse(ACCEPTED.webhook));
  afterEach(async () => {
    armFailpoints([]);
    await scene.finish();
    await scene.database.query('DELETE FROM contact');
  });

  let paths = 0;
  const hook = (path = `hook-${++paths}`) => ({ type: 'webhook', config: { url: `${scene.provider.url}/${path}` } });
  const contact = (fields: object = {}): Promise<string> => newContact(scene.app.write, { ...hook(), ...fields });
  const defaultContact = (fields: object = {}): Promise<string> => contact({ default: true, ...fields });
  const look = (): Promise<void> => scene.nest.get(FailingContactsJob).run();
  const view = async (id: string): Promise<ContactView> =>
    (await scene.app.read.get<ContactView>(`/contacts/${id}`)).body;

  async function alertOf(contactId: string): Promise<SceneAlert> {
    const { write } = scene.app;
    const websiteId = await newWebsite(write);
    const endpointId = await newEndpoint(write, websiteId, { enabled: false });
    const id = await alertThrough(scene.database, endpointId, contactId);
    const [uuid, endpointUuid] = [parseId('alert', id) ?? '', parseId('endpoint', endpointId) ?? ''];
    return { id, uuid, endpointId, endpointUuid, websiteId };
  }

  /**
   * Creates a contact whose receiver has refused three attempts within minutes, and makes the failure this many days
   * older.
   */
  async function failingFor(
    days: number,
    fields: object = {},
  ): Promise<{ id: string; path: string; alert: SceneAlert }> {
    const path = `failing-${++paths}`;
    scene.provider.standingResponseAt(`/${path}`, { status: 500 });
    const id = await contact({ ...hook(path), name: `Fails ${paths}` });
    const alert = await alertOf(id);
    if (Object.keys(fields).length > 0) await scene.app.write.put(`/contacts/${id}`, fields);
    await scene.report('F', alert);
    await scene.pass(2 * MINUTE_MS, 20_000);
    await scene.database.query(
      `UPDATE notification_destination SET failing_since = failing_since - $1 * interval '1 day'
       WHERE destination = (SELECT destination FROM contact WHERE id = $2)`,
      [days, parseId('contact', id)],
    );
    return { id, path, alert };
  }

  const told = async (): Promise<{ about: string; through: string; state: string }[]> => {
    const rows = await scene.database.query<{ about: string; through: string; state: string }>(
      `SELECT notice #>> '{contact,id}' AS about, contact_id AS through, state FROM notification
       WHERE kind = 'contact_failing' ORDER BY seq`,
    );
    return rows.map(({ through, ...row }) => ({ ...row, through: formatId('contact', through) }));
  };
  const heard = () =>
    scene
      .received<{ type: string; data: { contact: object; alert?: object } }>('hook')
      .filter(({ type }) => type === 'contact.failing');

  it('is reported to the other default contacts once, with the information they need to act', async () => {
    const { id } = await failingFor(DAYS);
    const [one, other] = [await defaultContact(), await defaultContact()];
    await contact();
    await look();
    await look();
    await scene.deliver();
    expect(await told()).toEqual([
      { about: id, through: one, state: 'delivered' },
      { about: id, through: other, state: 'delivered' },
    ]);
    expect(heard()).toHaveLength(2);
    const { name, failing_since } = await view(id);
    expect(heard()[0]).toMatchObject({
      data: {
        event: {
          type: 'contact_failing',
          message: expect.stringMatching(`^Messages to contact ${name} have been failing for 8 d`),
        },
        contact: { id, name, type: 'webhook', failing_since, error: expect.stringContaining('500') },
      },
    });
  });

  it('reports its own failure, and is found among all contacts', async () => {
    const { id } = await failingFor(DAYS);
    const works = await contact();
    expect([(await view(id)).failing, (await view(works)).failing]).toEqual([true, false]);
    const list = async (query: string) => {
      const { body, headers } = await scene.app.read.get<ContactView[]>(`/contacts?${query}`);
      return [body.map((one) => one.id), headers['x-total-count']];
    };
    expect(await list('failing=true')).toEqual([[id], '1']);
    expect(await list('failing=false&limit=1')).toEqual([[works], '1']);
  });

  it('is not yet reported after six days', async () => {
    await failingFor(6);
    await defaultContact();
    await look();
    expect(await told()).toEqual([]);
  });

  it('is not reported without an attempt for a day', async () => {
    const { id } = await failingFor(DAYS);
    await defaultContact();
    await scene.database.query(
      `UPDATE notification_destination SET last_failed_at = last_failed_at - interval '25 hours'`,
    );
    await look();
    expect([await told(), (await view(id)).failing]).toEqual([[], false]);
  });

  it('is reported again when the failure ended and another one lasts as long', async () => {
    const { id, path, alert } = await failingFor(DAYS);
    const other = await defaultContact();
    await look();
    scene.provider.standingResponseAt(`/${path}`, ACCEPTED.webhook);
    await scene.pass(10 * MINUTE_MS, MINUTE_MS);
    expect(await view(id)).toMatchObject({ failing: false, failing_since: null });
    scene.provider.standingResponseAt(`/${path}`, { status: 500 });
    await scene.report('S', alert);
    await scene.pass(2 * MINUTE_MS, 20_000);
    await look();
    expect(await told()).toHaveLength(1);
    await scene.database.query(
      `UPDATE notification_destination SET failing_since = failing_since - interval '9 days' WHERE failing_since IS NOT NULL`,
    );
    await look();
    expect((await told()).map(({ through }) => through)).toEqual([other, other]);
  });

  it('is only shown if it is the only default contact or the others fail as well', async () => {
    const [one, other] = [await failingFor(DAYS, { default: true }), await failingFor(DAYS, { default: true })];
    await look();
    expect(await told()).toEqual([]);
    expect([(await view(one.id)).failing, (await view(other.id)).failing]).toEqual([true, true]);
  });

  it('opens no incident at a pager', async () => {
    await failingFor(DAYS);
    const config = { routing_key: 'a'.repeat(32), api_url: `${scene.provider.url}/pager` };
    await defaultContact({ type: 'pagerduty', config });
    await look();
    expect(await told()).toEqual([]);
  });

  it('is not reported through a contact of another organization', async () => {
    await failingFor(DAYS);
    const { write } = await scene.app.organization('Other');
    await newContact(write, { default: true });
    await look();
    expect(await told()).toEqual([]);
  });

  it('is reported by one of two simultaneous runs', async () => {
    await failingFor(DAYS);
    await defaultContact();
    await Promise.all([look(), look(), look()]);
    expect(await told()).toHaveLength(1);
  });

  it('is reported by the next run if one fails between the message and its mark', async () => {
    await failingFor(DAYS);
    await defaultContact();
    armFailpoints(['failing_contacts.after_enqueue=error:once']);
    await expect(look()).rejects.toThrow('failpoint');
    expect(await told()).toEqual([]);
    await look();
    expect(await told()).toHaveLength(1);
  });

  it('is one message of a digest if many others wait', async () => {
    const { id } = await failingFor(DAYS);
    const config = { webhook_url: `${scene.provider.url}/chat` };
    scene.provider.standingResponseAt('/chat', ACCEPTED.slack);
    const chat = await contact({ type: 'slack', config });
    const alerts: SceneAlert[] = [];
    for (let n = 0; n < 6; n++) alerts.push(await alertOf(chat));
    await scene.app.write.put(`/contacts/${chat}`, { default: true });
    // A message was just sent, so later ones wait for a minute and are combined.
    await scene.database.query(
      `INSERT INTO notification_destination (org_id, destination, channel_type, tokens, tokens_at, digest_at)
       SELECT org_id, destination, type, 0, $2, $2 FROM contact WHERE id = $1`,
      [parseId('contact', chat), scene.nest.get(DatabaseClock).now()],
    );
    await scene.report('F', ...alerts);
    await look();
    await scene.pass(MINUTE_MS);
    const digest = scene
      .received<{ text: string }>('chat')
      .find(({ text }) => text === '3 alerts triggered, 1 contact failing');
    expect(JSON.stringify(digest)).toContain(`FAILING ${(await view(id)).name}: has accepted no messages for 8 d`);
    expect(await told()).toMatchObject([{ state: 'delivered' }]);
  });

  it('is a delivery without an alert, which is listed if it was given up and can be sent again', async () => {
    const { id } = await failingFor(DAYS);
    scene.provider.standingResponseAt('/gone', { status: 410 });
    const gone = await defaultContact(hook('gone'));
    await look();
    await scene.deliver();
    const failed = async () => (await scene.app.read.get<DeliveryView[]>('/deliveries?state=failed')).body;
    const [delivery] = await failed();
    expect(delivery).toMatchObject({
      kind: 'contact_failing',
      alert_id: null,
      contact_id: id,
      event_id: null,
      endpoint_id: null,
      endpoint_name: null,
      state: 'failed',
      detail: 'rejected',
    });
    scene.provider.standingResponseAt('/gone', ACCEPTED.webhook);
    expect((await scene.app.write.post(`/deliveries/${delivery?.id}/redeliver`)).status).toBe(201);
    await scene.deliver();
    expect(await failed()).toEqual([]);
    expect(await told()).toEqual([{ about: id, through: gone, state: 'delivered' }]);
  });

  it('is not reported through a contact that was deleted in the meantime', async () => {
    await failingFor(DAYS);
    const deleted = await defaultContact();
    const config = scene.nest.get(Config);
    // Sends nothing before the contact is deleted.
    config.role = 'api';
    try {
      await look();
      expect((await scene.app.write.delete(`/contacts/${deleted}`)).status).toBe(204);
    } finally {
      config.role = 'all';
    }
    await scene.deliver();
    expect(await told()).toMatchObject([{ state: 'superseded' }]);
    expect(heard()).toEqual([]);
  });

  it('is not reported with TELL_FAILING_CONTACTS=off', async () => {
    const { id } = await failingFor(DAYS);
    await defaultContact();
    const config = scene.nest.get(Config);
    config.tellFailingContacts = false;
    try {
      await look();
    } finally {
      config.tellFailingContacts = true;
    }
    expect([await told(), (await view(id)).failing]).toEqual([[], true]);
  });
});
