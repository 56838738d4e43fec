/** @lane slow @databases both */
import type { ProviderDouble, ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { fakeDiscord } from '../../../packages/testing/providers/discord';
import { fakeEmail } from '../../../packages/testing/providers/email';
import { fakeOpsgenie } from '../../../packages/testing/providers/opsgenie';
import { fakePagerDuty } from '../../../packages/testing/providers/pagerduty';
import { fakeSlack } from '../../../packages/testing/providers/slack';
import { fakeTeams } from '../../../packages/testing/providers/teams';
import { fakeTelegram } from '../../../packages/testing/providers/telegram';
import { fakeTwilio } from '../../../packages/testing/providers/twilio';
import { webhookSink } from '../../../packages/testing/providers/webhook-sink';
import { Config } from '../../../src/platform/config/config';
import { formatId } from '../../../src/platform/ids/id';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { newContact } from '../../harness/app/resources';

/** Longer than any wait for the next attempt, including the next SMS. */
const NEXT_ATTEMPT_MS = 20 * 60_000;

interface Body {
  data: { contact?: { id: string; name: string } };
}

describe('the request of a delivery attempt', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({ publicUrl: 'https://uptime.example.com' }, { timeStands: true, apart: true });
  });
  afterAll(() => scene.close());
  afterEach(async () => {
    goOn();
    await scene.finish();
    await putZone('UTC');
    for (const table of ['contact', 'incident_sequence']) await scene.database.query(`DELETE FROM ${table}`);
  });

  /** Sends nothing until `goOn`. Otherwise every commit wakes the loop. */
  const stopSending = () => (scene.nest.get(Config).role = 'api');
  const goOn = () => (scene.nest.get(Config).role = 'all');
  async function attempt(): Promise<void> {
    goOn();
    await scene.pass(NEXT_ATTEMPT_MS);
    stopSending();
  }
  async function put(path: string, body: object): Promise<void> {
    const { status, text } = await scene.app.write.put(path, body);
    if (status !== 200) throw new Error(text);
  }
  async function putZone(timezone: string): Promise<void> {
    const { status, text } = await scene.app.admin.put('/organization', { timezone });
    if (status !== 200) throw new Error(text);
  }
  const alertThrough = (contactId: string): Promise<SceneAlert> =>
    scene.alert('webhook', { type: undefined, config: undefined, contact_id: contactId });

  async function incidentOf({ uuid }: SceneAlert): Promise<string> {
    const [event] = await scene.database.query<{ id: string }>(
      'SELECT incident_id AS id FROM alert_event WHERE alert_id = $1',
      [uuid],
    );
    return formatId('incident', event?.id ?? '');
  }

  /** Makes all changes that users may make between two attempts without changing the URL. */
  async function changesOf(alert: SceneAlert, contactId: string, type: string, config: object) {
    const { write } = scene.app;
    const path = `/alerts/${alert.id}`;
    const other = await newContact(write, { name: 'Of the others', type, config });
    return [
      () => put(`/contacts/${contactId}`, { name: 'Night shift' }),
      () => put(`/websites/${alert.websiteId}`, { name: 'Store' }),
      () => put(`/endpoints/${alert.endpointId}`, { name: 'Payment', url: 'https://store.example/payment' }),
      () => put(path, { description: 'Call Ada.', success_threshold: 2, failure_threshold: 2 }),
      () => putZone('Asia/Tokyo'),
      () => scene.report('F', alert),
      async () => {
        const joined = await scene.alert('webhook', {}, 'another');
        scene.provider.standingResponse(ACCEPTED.webhook);
        await scene.report('F', joined);
        const merged = { incident_ids: [await incidentOf(alert)] };
        const { status, text } = await write.post(`/incidents/${await incidentOf(joined)}/merge`, merged);
        if (status !== 200) throw new Error(text);
      },
      async () => {
        const { status, text } = await write.delete(`/contacts/${contactId}?replace_with=${other}`);
        if (status !== 204) throw new Error(text);
      },
      () => put(path, { contact_id: null, type, config }),
      () => put(path, { contact_id: other }),
    ];
  }

  it.each<[string, () => Promise<ProviderDouble>, (provider: ProviderDouble) => void]>([
    ['webhook', () => webhookSink({ now: () => scene.now() }), (provider) => provider.drop()],
    ['pagerduty', fakePagerDuty, (provider) => provider.drop()],
    ['opsgenie', fakeOpsgenie, (provider) => provider.drop()],
    // Without a key, the message mentions that it may be a repeat.
    ['slack', fakeSlack, (provider) => provider.fail(503)],
    ['discord', fakeDiscord, (provider) => provider.fail(503)],
    ['teams', fakeTeams, (provider) => provider.fail(503)],
    ['telegram', fakeTelegram, (provider) => provider.fail(503)],
    ['twilio', fakeTwilio, (provider) => provider.fail(429)],
    ['email', fakeEmail, (provider) => provider.fail(450)],
  ])('through %s is the same each time, even if the alert was changed in between', async (type, open, fail) => {
    const provider = await open();
    try {
      const config = provider.config();
      const contactId = await newContact(scene.app.write, { name: 'Operations', type, config });
      const alert = await alertThrough(contactId);
      const changes = await changesOf(alert, contactId, type, config);
      stopSending();
      await scene.report('F', alert);
      for (const change of [() => Promise.resolve(), ...changes]) {
        await change();
        fail(provider);
        await attempt();
      }
      const sent = provider.messages().map(textOf);
      expect(sent).toHaveLength(changes.length + 1);
      expect([...new Set(sent)]).toEqual([sent[0]]);
      provider.verify();
    } finally {
      await provider.stop();
    }
  });

  it('through a webhook with its own body is the same each time, even if the body was changed in between', async () => {
    const configOf = (body: object) => ({ url: `${scene.provider.url}/own`, body });
    const contactId = await newContact(scene.app.write, {
      name: 'Operations',
      type: 'webhook',
      config: configOf({ first: '{{title}}' }),
    });
    const alert = await alertThrough(contactId);
    scene.provider.expect('reset', 'reset', ACCEPTED.webhook, ACCEPTED.webhook);
    stopSending();
    await scene.report('F', alert);
    await attempt();
    await put(`/contacts/${contactId}`, { config: configOf({ second: '{{title}}' }) });
    await attempt();
    await put(`/contacts/${contactId}`, { config: configOf({ third: '{{title}}' }) });
    await attempt();
    await scene.report('S', alert);
    await attempt();
    expect(scene.received<object>('own')).toEqual([
      { first: expect.stringMatching(/ is down$/) as string },
      { first: expect.stringMatching(/ is down$/) as string },
      { first: expect.stringMatching(/ is down$/) as string },
      { third: expect.stringMatching(/ is back up$/) as string },
    ]);
  });

  it('uses a corrected body after the receiver refused the first one', async () => {
    const configOf = (body: object) => ({ url: `${scene.provider.url}/own`, body });
    const contactId = await newContact(scene.app.write, {
      name: 'Operations',
      type: 'webhook',
      config: configOf({ wrong: '{{title}}' }),
    });
    const alert = await alertThrough(contactId);
    scene.provider.expect({ status: 400 }, ACCEPTED.webhook);
    stopSending();
    await scene.report('F', alert);
    await attempt();
    await put(`/contacts/${contactId}`, { config: configOf({ right: '{{title}}' }) });
    await attempt();
    expect(scene.received<object>('own').map((body) => Object.keys(body))).toEqual([['wrong'], ['right']]);
  });

  const contactAt = (path: string, name: string): Promise<string> =>
    newContact(scene.app.write, { name, type: 'webhook', config: { url: `${scene.provider.url}/${path}` } });
  const named = (path: string) => scene.received<Body>(path).map(({ data }) => data.contact?.name);

  it('names the contact of its first attempt, no matter where a retry or a redelivery goes', async () => {
    const [first, second, third] = [await contactAt('a', 'A'), await contactAt('b', 'B'), await contactAt('c', 'C')];
    const alert = await alertThrough(first);
    scene.provider.expect({ status: 500 }, ...Array.from({ length: 4 }, () => ACCEPTED.webhook));
    stopSending();
    await scene.report('F', alert);
    await attempt();
    await put(`/alerts/${alert.id}`, { contact_id: second });
    await attempt();
    await put(`/alerts/${alert.id}`, { contact_id: third });
    const trigger = (await scene.deliveries(alert)).find(({ kind }) => kind === 'triggered');
    const { status } = await scene.app.write.post(`/deliveries/${trigger?.id}/redeliver`, {});
    expect(status).toBe(201);
    await attempt();
    await attempt();
    await scene.app.write.post(`/alerts/${alert.id}/test`, {});
    // The second message through B is the resolve, which follows the trigger. The one through C is the test.
    expect([named('a'), named('b'), named('c')]).toEqual([['A'], ['A', 'B'], ['A', 'C']]);
  });
});

const textOf = ({ text, headers }: ReceivedMessage): string =>
  `${headers['webhook-id'] ?? headers['message-id'] ?? ''} ${text}`;
