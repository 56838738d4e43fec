/**
 * @lane slow
 * @databases both
 */
import { Config } from '../../../src/platform/config/config';
import { parseId } from '../../../src/platform/ids/id';
import { consistencyByHand } from '../../harness/app/consistency-by-hand';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { checkInvariants } from '../../harness/app/invariants';

const REFUSED = { status: 410 };
const STEP_MS = 5000;

interface Way {
  path: string;
  token: string;
}

const OLD: Way = { path: 'old', token: 'first' };
const ROTATED: Way = { path: 'old', token: 'second' };
const ELSEWHERE: Way = { path: 'new', token: 'second' };

describe('an alert that notifies through another destination', () => {
  let scene: DeliveryScene;

  beforeAll(async () => {
    scene = await DeliveryScene.start({}, { durable: true, timeStands: true });
  });
  afterAll(() => scene.close());
  afterEach(async () => {
    goOn();
    await checkInvariants(scene.database, scene.now());
    expect(await (await consistencyByHand(scene.nest)).run()).toEqual([]);
    await scene.finish();
    await scene.database.query('DELETE FROM contact');
  });

  /** Sends nothing until `goOn`. Otherwise every commit wakes the loop. */
  const stopSending = () => (scene.nest.get(Config).role = 'api');
  const goOn = () => (scene.nest.get(Config).role = 'all');

  const configOf = ({ path, token }: Way) => ({
    url: `${scene.provider.url}/${path}`,
    headers: [{ key: 'X-Token', value: token }],
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  });
  async function contact(way: Way): Promise<string> {
    const { status, body, text } = await scene.app.write.post<{ id: string }>('/contacts', {
      name: 'Operations',
      type: 'webhook',
      config: configOf(way),
    });
    if (status !== 201) throw new Error(text);
    return body.id;
  }
  const uuidOf = (contactId: string) => parseId('contact', contactId) ?? '';

  /** Marks the trigger as delivered. */
  const markTold = ({ uuid }: SceneAlert) =>
    scene.database.query(
      `UPDATE notification SET state = 'delivered', finished_at = now(), config = NULL
       WHERE alert_id = $1 AND kind = 'triggered' AND state = 'pending'`,
      [uuid],
    );

  const move = (alert: SceneAlert, fields: object): Promise<void> => put(`/alerts/${alert.id}`, fields);
  const detached = (way: Way) => ({ contact_id: null, type: 'webhook', config: configOf(way) });
  const ownAlert = (way: Way = OLD) => scene.alert('webhook', { config: configOf(way) });
  const alertOf = (contactId: string) =>
    scene.alert('webhook', { type: undefined, config: undefined, contact_id: contactId });

  type Change = (to: Way) => Promise<void>;
  /** An alert through `OLD`, and a change after which it uses another route. */
  const changes: [string, () => Promise<{ alert: SceneAlert; change: Change }>][] = [
    [
      'another config of its own',
      async () => {
        const alert = await ownAlert();
        return { alert, change: (to) => put(`/alerts/${alert.id}`, { config: configOf(to) }) };
      },
    ],
    [
      'another config of its contact',
      async () => {
        const id = await contact(OLD);
        return { alert: await alertOf(id), change: (to) => put(`/contacts/${id}`, { config: configOf(to) }) };
      },
    ],
    [
      'a contact that replaces its contact',
      async () => {
        const id = await contact(OLD);
        return {
          alert: await alertOf(id),
          change: async (to) => {
            const { status } = await scene.app.write.delete(`/contacts/${id}?replace_with=${await contact(to)}`);
            expect(status).toBe(204);
          },
        };
      },
    ],
    [
      'another contact',
      async () => {
        const alert = await alertOf(await contact(OLD));
        return { alert, change: async (to) => move(alert, { contact_id: await contact(to) }) };
      },
    ],
    [
      'a contact instead of its own config',
      async () => {
        const alert = await ownAlert();
        return { alert, change: async (to) => move(alert, { contact_id: await contact(to) }) };
      },
    ],
    [
      'its own config instead of a contact',
      async () => {
        const alert = await alertOf(await contact(OLD));
        return { alert, change: (to) => move(alert, detached(to)) };
      },
    ],
  ];

  async function put(path: string, body: object): Promise<void> {
    const { status, text } = await scene.app.write.put(path, body);
    if (status !== 200) throw new Error(text);
  }

  const failing = async (alert: SceneAlert): Promise<void> => {
    await scene.report('F', alert);
    await scene.deliver();
  };
  const told = async (alert: SceneAlert): Promise<void> => {
    scene.provider.expect(ACCEPTED.webhook);
    await failing(alert);
  };

  interface Situation {
    name: string;
    arrange: (alert: SceneAlert) => Promise<void>;
    /** The messages after a change to the same destination, and those after one more failing check. */
    rotated: [string[], string[]];
    elsewhere: [string[], string[]];
  }

  const OPEN: string[] = [];
  const AGAIN = ['new second triggered'];
  const situations: Situation[] = [
    {
      name: 'nothing was told yet',
      arrange: async () => {},
      rotated: [[], ['old second triggered']],
      elsewhere: [[], AGAIN],
    },
    { name: 'its trigger was told', arrange: told, rotated: [[], OPEN], elsewhere: [['old first resolved'], AGAIN] },
    {
      name: 'its trigger waits',
      arrange: async (alert) => {
        stopSending();
        await scene.report('F', alert);
      },
      rotated: [['old second triggered'], OPEN],
      elsewhere: [['new second triggered'], OPEN],
    },
    {
      name: 'its trigger may have arrived',
      arrange: async (alert) => {
        scene.provider.expect('reset');
        await failing(alert);
      },
      rotated: [['old second triggered'], OPEN],
      elsewhere: [['old first triggered', 'old first resolved'], AGAIN],
    },
    {
      name: 'its trigger is being sent',
      arrange: async (alert) => {
        stopSending();
        await scene.report('F', alert);
        await scene.database.query(
          `UPDATE notification SET lease_token = gen_random_uuid(), lease_until = $2, attempts = 1 WHERE alert_id = $1`,
          [alert.uuid, new Date(scene.now().getTime() + 10_000)],
        );
      },
      rotated: [['old second triggered'], OPEN],
      elsewhere: [['old first triggered', 'old first resolved'], AGAIN],
    },
    {
      name: 'its trigger was refused',
      arrange: async (alert) => {
        scene.provider.expect(REFUSED);
        await failing(alert);
      },
      rotated: [['old second triggered'], OPEN],
      elsewhere: [['new second triggered'], OPEN],
    },
    {
      name: 'its resolve waits',
      arrange: async (alert) => {
        await told(alert);
        stopSending();
        await scene.report('S', alert);
      },
      rotated: [['old second resolved'], ['old second triggered']],
      elsewhere: [['old first resolved'], AGAIN],
    },
    {
      name: 'its resolve was refused',
      arrange: async (alert) => {
        await told(alert);
        scene.provider.expect(REFUSED);
        await scene.report('S', alert);
        await scene.deliver();
      },
      rotated: [['old second resolved'], ['old second triggered']],
      elsewhere: [[], AGAIN],
    },
    {
      name: 'its trigger was refused and it is over',
      arrange: async (alert) => {
        scene.provider.expect(REFUSED);
        await failing(alert);
        await scene.report('S', alert);
        await scene.deliver();
      },
      rotated: [['old second triggered', 'old second resolved'], ['old second triggered']],
      elsewhere: [['new second triggered', 'new second resolved'], AGAIN],
    },
  ];

  /** Returns `path token kind` of everything that arrived since the last call. */
  const arrived = (): string[] =>
    scene.provider.requests
      .splice(0)
      .map(({ path, headers, body }) =>
        [path.slice(1), headers['x-token'], (JSON.parse(body) as { type: string }).type.replace('alert.', '')].join(
          ' ',
        ),
      );

  const cases = changes.flatMap(([by, scenario]) =>
    situations.flatMap(({ name, arrange, rotated, elsewhere }) => [
      { by, scenario, name, arrange, to: ROTATED, kind: 'the same destination', expected: rotated },
      { by, scenario, name, arrange, to: ELSEWHERE, kind: 'another destination', expected: elsewhere },
    ]),
  );

  it.each(cases)('$kind, by $by, when $name', async ({ scenario, arrange, to, expected }) => {
    const { alert, change } = await scenario();
    await arrange(alert);
    arrived();
    scene.provider.standingResponse(ACCEPTED.webhook);
    await change(to);
    goOn();
    await scene.pass(120_000, STEP_MS);
    const first = arrived();
    await scene.report('F', alert);
    await scene.pass(20_000, STEP_MS);
    expect([first, arrived()]).toEqual(expected);
  });

  describe('with a contact', () => {
    it('keeps for each message its original config, while the alert moves from a contact to its own config to another contact', async () => {
      const [first, last] = [await contact(OLD), await contact({ path: 'last', token: 'third' })];
      const alert = await alertOf(first);
      const own = { path: 'own', token: 'second' };
      await told(alert);
      stopSending();
      await move(alert, detached(own));
      await scene.report('F', alert);
      await markTold(alert);
      await move(alert, { contact_id: last });
      await scene.report('F', alert);
      await put(`/contacts/${first}`, { config: configOf({ path: 'unused', token: 'fourth' }) });
      arrived();
      goOn();
      scene.provider.standingResponse(ACCEPTED.webhook);
      await scene.pass(20_000, STEP_MS);
      expect(arrived().toSorted()).toEqual(['last third triggered', 'old first resolved', 'own second resolved']);
    });

    it.each([
      ['the same destination', ROTATED, 'old second resolved'],
      ['another destination', ELSEWHERE, 'old first resolved'],
    ])('ends an episode whose trigger was sent when it is disabled and gets %s at once', async (_, to, expected) => {
      const alert = await ownAlert();
      await told(alert);
      arrived();
      scene.provider.standingResponse(ACCEPTED.webhook);
      await put(`/alerts/${alert.id}`, { enabled: false, config: configOf(to) });
      await scene.pass(20_000, STEP_MS);
      expect(arrived()).toEqual([expected]);
    });

    it.each([
      ['the same destination', ROTATED],
      ['another destination', ELSEWHERE],
    ])('cancels a waiting trigger when it is disabled and gets %s at once', async (_, to) => {
      const alert = await ownAlert();
      stopSending();
      await scene.report('F', alert);
      await put(`/alerts/${alert.id}`, { enabled: false, config: configOf(to) });
      goOn();
      await scene.pass(20_000, STEP_MS);
      expect(arrived()).toEqual([]);
    });

    it.each([
      ['goes through the new credential of', ROTATED, ['old second reminder'], 'reminder delivered'],
      [
        'is no longer sent after another destination of',
        ELSEWHERE,
        ['old first resolved'],
        'reminder superseded:resolved_before_sent',
      ],
    ])('has a reminder that %s its contact', async (_, to, expected, state) => {
      const id = await contact(OLD);
      const alert = await alertOf(id);
      await told(alert);
      stopSending();
      await scene.database.query(
        `INSERT INTO notification (id, org_id, alert_id, kind, incident_no, channel_type, destination, contact_id, reminder_of,
           ordinal, notice, next_attempt_at, created_at)
         SELECT gen_random_uuid(), org_id, alert_id, 'reminder', incident_no, channel_type, destination, contact_id, event_id,
           1, notice || '{"kind": "reminder", "ordinal": 1}', created_at, created_at
         FROM notification WHERE alert_id = $1`,
        [alert.uuid],
      );
      await put(`/contacts/${id}`, { config: configOf(to) });
      arrived();
      goOn();
      scene.provider.standingResponse(ACCEPTED.webhook);
      await scene.database.query('UPDATE notification_destination SET due_at = $1', [scene.now()]);
      await scene.pass(20_000, STEP_MS);
      expect(arrived()).toEqual(expected);
      expect(await scene.states(alert)).toContain(state);
    });

    it('sends the resolve of a deleted alert with the new credential of its contact', async () => {
      const id = await contact(OLD);
      const alert = await alertOf(id);
      await told(alert);
      stopSending();
      await scene.app.write.delete(`/alerts/${alert.id}`);
      await put(`/contacts/${id}`, { config: configOf(ROTATED) });
      arrived();
      goOn();
      scene.provider.standingResponse(ACCEPTED.webhook);
      await scene.pass(20_000, STEP_MS);
      expect(arrived()).toEqual(['old second resolved']);
    });

    it('sends the resolve of a deleted alert to the destination of its trigger, after its contact is changed and deleted', async () => {
      const id = await contact(OLD);
      const alert = await alertOf(id);
      await told(alert);
      stopSending();
      await scene.app.write.delete(`/alerts/${alert.id}`);
      await put(`/contacts/${id}`, { config: configOf(ELSEWHERE) });
      expect((await scene.app.write.delete(`/contacts/${id}`)).status).toBe(204);
      arrived();
      goOn();
      scene.provider.standingResponse(ACCEPTED.webhook);
      await scene.pass(20_000, STEP_MS);
      expect(arrived()).toEqual(['old first resolved']);
    });

    it('names the contact whose config cannot be read, and sends once it is saved again', async () => {
      const id = await contact(OLD);
      const alert = await alertOf(id);
      await scene.database.query('UPDATE contact SET config = $2 WHERE id = $1', [
        uuidOf(id),
        '{"sealed": "v1:lost:AAAA"}',
      ]);
      await failing(alert);
      expect(await scene.deliveries(alert)).toMatchObject([
        { state: 'failed', error: expect.stringContaining('the contact "Operations"') as string },
      ]);
      scene.provider.standingResponse(ACCEPTED.webhook);
      await put(`/contacts/${id}`, { config: configOf(ROTATED) });
      await scene.pass(20_000, STEP_MS);
      expect(arrived()).toEqual(['old second triggered']);
    });

    it('lets a new credential send the deliveries that wait for an open circuit breaker at once', async () => {
      const id = await contact(OLD);
      const alert = await alertOf(id);
      scene.provider.standingResponse({ status: 503 });
      await failing(alert);
      await scene.database.query(`UPDATE notification_destination SET failures = 12, blocked_until = $1, due_at = $1`, [
        new Date(scene.now().getTime() + 1_800_000),
      ]);
      arrived();
      scene.provider.standingResponse(ACCEPTED.webhook);
      await put(`/contacts/${id}`, { config: configOf(ROTATED) });
      await scene.deliver();
      expect(arrived()).toEqual(['old second triggered']);
    });

    it('redelivers through the current contact of the alert', async () => {
      const alert = await ownAlert();
      await told(alert);
      const [delivery] = await scene.deliveries(alert);
      const id = await contact(ELSEWHERE);
      await scene.report('S', alert);
      scene.provider.standingResponse(ACCEPTED.webhook);
      await scene.deliver();
      await move(alert, { contact_id: id });
      arrived();
      expect((await scene.app.write.post(`/deliveries/${delivery?.id}/redeliver`)).status).toBe(201);
      await scene.deliver();
      expect(arrived()).toEqual(['new second triggered']);
      const [row] = await scene.database.query('SELECT contact_id FROM notification WHERE alert_id = $1 ORDER BY seq', [
        alert.uuid,
      ]);
      expect(row).toEqual({ contact_id: uuidOf(id) });
    });

    it('changes its updated_at if it shows another destination, not if a credential is replaced', async () => {
      const id = await contact(OLD);
      const alert = await alertOf(id);
      const changedAt = async () =>
        (await scene.database.query('SELECT updated_at FROM alert WHERE id = $1', [alert.uuid]))[0];
      const before = await changedAt();
      scene.clock.advance(1000);
      await put(`/contacts/${id}`, { config: configOf(ROTATED) });
      expect(await changedAt()).toEqual(before);
      scene.clock.advance(1000);
      await put(`/contacts/${id}`, { config: configOf(ELSEWHERE) });
      expect(await changedAt()).not.toEqual(before);
    });

    it('gets type and destination from its contact when the contact gets another type', async () => {
      const id = await contact(OLD);
      const alert = await alertOf(id);
      scene.clock.advance(1000);
      await put(`/contacts/${id}`, { type: 'slack', config: { webhook_url: `${scene.provider.url}/chat` } });
      const [row] = await scene.database.query(
        `SELECT a.type, a.destination = c.destination AS "isTheSame" FROM alert a JOIN contact c ON c.id = a.contact_id
         WHERE a.id = $1`,
        [alert.uuid],
      );
      expect(row).toEqual({ type: 'slack', isTheSame: true });
    });
  });
});
