import { AcknowledgementJob } from '../../src/alert/acknowledgement/acknowledgement.job';
import { DeliveryLoop } from '../../src/delivery/send/delivery-loop';
import type { IncidentDetailView } from '../../src/incident/incident.dto';
import { Config } from '../../src/platform/config/config';
import { Database, WorkerDatabase } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import type { FailpointName } from '../../src/platform/observability/failpoints';
import { eventually } from '../../packages/testing/eventually';
import { FakeProvider } from '../../packages/testing/servers/fake-provider';
import { Api } from '../../packages/testing/service/api';
import { Alerting, type Result } from '../harness/app/alerting';
import { ACCEPTED } from '../harness/app/delivery-scene';
import { IncidentTables } from '../harness/app/incident-tables';
import { checkSettled } from '../harness/app/invariants';
import { newAlert, newEndpoint, newWebsite } from '../harness/app/resources';
import { KILL_DATABASES, type KillScene } from '../harness/processes/kill-scene';
import { SwitchableServer } from '../harness/servers/switchable-server';

/**
 * The findings of the killed process: all are down, the others are down as well, these while acknowledged, or all are
 * up.
 */
type Act = 'opens' | 'is joined' | 'holds' | 'ends';

const RECORDER: readonly [act: Act, point: FailpointName][] = [
  ['opens', 'incident.saved'],
  ['opens', 'incident.locked'],
  ['is joined', 'incident.members_saved'],
  ['is joined', 'recorder.before_commit'],
  ['holds', 'incident.flags_saved'],
  ['holds', 'recorder.before_commit'],
  ['ends', 'incident.members_left'],
  ['ends', 'recorder.before_commit'],
  ['opens', 'outbox.before_claim'],
  ['ends', 'outbox.before_claim'],
];

/** The maximum number of times that a fold arrives. */
const FOLD: readonly [point: FailpointName, most: number][] = [
  ['outbox.after_claim', 1],
  ['outbox.before_claim', 1],
  ['outbox.after_request_written', 2],
  ['outbox.after_send', 2],
  ['outbox.after_ack', 1],
  ['outbox.before_send', 1],
];

/** Whether the acknowledgement is committed. */
const ACKNOWLEDGEMENT: readonly [point: FailpointName, isTaken: boolean][] = [
  ['acknowledgement.step', true],
  ['acknowledgement.before_commit', false],
  ['acknowledgement.step_before_commit', true],
];

const REGROUPING: readonly FailpointName[] = [
  'regrouping.members_moved',
  'regrouping.before_commit',
  'regrouping.committed',
];

const ADDRESS = '127.0.0.1';
const TOMORROW = `now() + interval '1 day'`;
/**
 * Starts take longest on the embedded database, so it plays one point of each scene. `KILL_POINTS=all` also plays all
 * points there.
 */
const PLAYS_ALL = process.env['KILL_POINTS'] === 'all';
/** The time for several starts of a process on a busy machine. */
const LIMIT_MS = 300_000;

describe.each(KILL_DATABASES)('kill -9 at every line of an incident, on %s', (name, start) => {
  const played = <T>(points: readonly T[]): readonly T[] =>
    name === 'PostgreSQL' || PLAYS_ALL ? points : points.slice(0, 1);
  let scene: KillScene;
  let target: SwitchableServer;
  let pager: FakeProvider;
  let chat: FakeProvider;
  let orgId: string;
  let key: string | null;
  let endpoints: string[];

  beforeAll(async () => {
    [target, pager, chat] = await Promise.all([SwitchableServer.start(), FakeProvider.start(), FakeProvider.start()]);
    pager.standingResponse(ACCEPTED.pagerduty);
    chat.standingResponse(ACCEPTED.slack);
    scene = await start();
  }, 180_000);
  afterAll(async () => {
    await scene.remove();
    await Promise.all([target.close(), pager.stop(), chat.stop()]);
  }, 60_000);
  afterEach(async () => {
    await scene.end();
    for (const provider of [pager, chat]) provider.requests.splice(0);
  });

  const query = async <Row>(sql: string, parameters: unknown[] = [orgId]): Promise<Row[]> =>
    (await scene.survivor()).app.get(Database).query<Row>(sql, parameters);
  const tables = async () => new IncidentTables((await scene.survivor()).app.get(Database));
  const api = async () => new Api((await scene.survivor()).url, key);
  const uuidOf = (id: string) => parseId('endpoint', id) ?? '';

  /**
   * Creates three endpoints of two websites behind one port, each with an alert to the chat, and optionally one to a
   * pager.
   */
  async function begin({ paged }: { paged: boolean }): Promise<void> {
    const organization = await (await scene.survivor()).organization('Killed');
    orgId = organization.orgId;
    key = organization.write.key;
    const { write } = organization;
    const websites = [await newWebsite(write, 'Shop'), await newWebsite(write, 'Blog')];
    endpoints = [];
    for (let n = 0; n < 3; n++) {
      const fields = { name: `Endpoint ${n}`, type: 'HTTP', url: `${target.url}/${n}`, interval: 86_400 };
      const id = await newEndpoint(write, websites[n % 2] ?? '', fields);
      const rule = { failure_threshold: 1, success_threshold: 1 };
      await newAlert(write, id, { ...rule, config: { webhook_url: `${chat.url}/chat` } });
      const config = { routing_key: 'a'.repeat(32), api_url: pager.url };
      if (paged) await newAlert(write, id, { ...rule, type: 'pagerduty', config });
      endpoints.push(id);
    }
    await plan(TOMORROW);
  }

  async function report(result: Result, ids: readonly string[] = endpoints, address = ADDRESS): Promise<void> {
    const batch = ids.map((id) => ({ endpointId: uuidOf(id), result, address }));
    await Alerting.of((await scene.survivor()).app).check(batch);
  }

  /** Moves time past leases, rates, and the wait for combined messages. Sends until nothing is pending. */
  async function deliver(): Promise<void> {
    const { app } = await scene.survivor();
    const config = app.get(Config);
    config.role = 'all';
    await eventually('no delivery is pending', async () => {
      await query(`UPDATE notification SET created_at = created_at - interval '2 minutes', last_attempt_at = last_attempt_at - interval '2 minutes',
                     lease_until = lease_until - interval '2 minutes', next_attempt_at = least(next_attempt_at, now()) WHERE org_id = $1`);
      await query(
        `UPDATE notification_destination SET due_at = now(), blocked_until = NULL, tokens_at = tokens_at - interval '2 minutes',
                digest_at = digest_at - interval '2 minutes' WHERE org_id = $1 AND due_at IS NOT NULL`,
      );
      await app.get(DeliveryLoop).drain();
      return (await query(`SELECT FROM notification WHERE org_id = $1 AND state = 'pending'`)).length === 0;
    });
    config.role = 'api';
  }

  /**
   * Returns a digest of the organization's incidents, alerts, and deliveries, once the database has noticed the end
   * of the process.
   */
  async function stored(): Promise<unknown[]> {
    const { app } = await scene.survivor();
    await app
      .get(WorkerDatabase)
      .transaction((tx) => tx.query('LOCK TABLE incident_sequence, endpoint_state IN SHARE MODE'), { lockMs: 20_000 });
    const found: unknown[] = [];
    for (const table of [
      'incident',
      'incident_member',
      'incident_update',
      'incident_sequence',
      'acknowledgement',
      'alert',
      'alert_event',
      'notification',
    ])
      found.push(
        table,
        await query(
          `SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM ${table} t WHERE org_id = $1`,
        ),
      );
    return found;
  }

  const incident = async (place = 0): Promise<IncidentDetailView> => {
    const list = await (await api()).get<IncidentDetailView[]>('/incidents?state=open');
    return (await (await api()).get<IncidentDetailView>(`/incidents/${list.body[place]?.id}`)).body;
  };
  const said = (provider: FakeProvider) =>
    provider.requests.map(({ body }) => JSON.parse(body) as Record<string, string>);
  const keysOf = (action: string) =>
    said(pager).flatMap((one) => (one['event_action'] === action ? one['dedup_key'] : []));
  const texts = () => said(chat).map(({ text }) => text ?? '');

  /**
   * Makes all due and clears claims, because the next process would otherwise repeat checks that a killed process had
   * started.
   */
  const plan = (at: string, ids: readonly string[] | null = null) =>
    query(
      `UPDATE endpoint_schedule SET next_check_at = ${at}, claimed_slot = NULL, claimed_by = NULL, busy_until = NULL
        WHERE endpoint_id = ANY ($1::uuid[]) OR $1 IS NULL`,
      [ids],
    );

  /** Starts a process that checks these endpoints and is killed at this point. */
  async function killedChecking(ids: readonly string[], point: FailpointName): Promise<void> {
    await plan('now()', ids.map(uuidOf));
    await (await scene.launch('worker', `${point}=kill`)).killed();
    await plan(TOMORROW);
  }

  /**
   * Nothing is open, each trigger and resolve was sent, each key that was opened at the pager is closed, and no
   * number is missing.
   */
  async function expectWhole(): Promise<void> {
    await report('S');
    await deliver();
    await checkSettled((await scene.survivor()).app.get(Database));
    await (await tables()).expectConsistent();
    for (const one of await (await tables()).incidents(orgId)) expect(one).toMatchObject({ openCount: 0, ackAt: null });
    const [opened, closed] = [keysOf('trigger'), keysOf('resolve')];
    expect(new Set(opened)).toEqual(new Set(closed));
    expect(await query(`SELECT FROM notification WHERE org_id = $1 AND state <> 'delivered'`)).toEqual([]);
    expect(await query('SELECT FROM acknowledgement WHERE org_id = $1')).toEqual([]);
  }

  const before: Readonly<Record<Act, () => Promise<readonly string[]>>> = {
    opens: () => Promise.resolve(endpoints),
    'is joined': async () => {
      await report('F', endpoints.slice(0, 1));
      return endpoints.slice(1);
    },
    holds: async () => {
      await report('F', endpoints.slice(0, 1));
      await (await api()).put(`/incidents/${(await incident()).id}/acknowledgement`, { note: 'on it' });
      return endpoints.slice(1);
    },
    ends: async () => {
      await report('F');
      await (await api()).post(`/incidents/${(await incident()).id}/updates`, { text: 'Power.', status: 'identified' });
      return endpoints;
    },
  };

  it.each(played(RECORDER))(
    'one that %s when the recorder is killed at %s: all of it or nothing, and the next recorder sends each event once',
    async (act, point) => {
      await begin({ paged: true });
      const ids = await before[act]();
      await deliver();
      const was = await stored();
      if (act === 'ends') await target.open();
      else await target.close();
      await killedChecking(ids, point);
      expect(JSON.stringify(await stored()) === JSON.stringify(was)).toBe(point !== 'outbox.before_claim');
      await report(act === 'ends' ? 'S' : 'F', ids);
      await deliver();
      const [one, ...more] = await (await tables()).incidents(orgId);
      expect([one, more]).toMatchObject([{ endpointCount: 3, openCount: act === 'ends' ? 0 : 3, reopened: 0 }, []]);
      expect(keysOf('trigger')).toHaveLength(act === 'holds' ? 1 : 3);
      expect(await (await tables()).held(orgId)).toHaveLength(act === 'holds' ? 2 : 0);
      await expectWhole();
      expect(keysOf('resolve')).toHaveLength(act === 'holds' ? 1 : 3);
      const updates = await (await tables()).updates(orgId);
      expect(updates.map(({ status }) => status)).toEqual(act === 'ends' ? ['identified', 'resolved'] : []);
    },
    LIMIT_MS,
  );

  it.each(played(FOLD))(
    'a message for several endpoints whose process is killed at %s comes as the same one, at most %i times, and no end before it',
    async (point, most) => {
      await begin({ paged: false });
      for (const [result, text] of [
        ['F', /^(Repeat: )?3 endpoints at 127\.0\.0\.1 are down: connection refused \(incident #1\)$/],
        ['S', /^(Repeat: )?Incident #1 is over: 3 endpoints, /],
      ] as const) {
        await report(result);
        await (await scene.launch('worker', `${point}=kill`)).killed();
        if (most === 2) await eventually('it has arrived', () => chat.requests.length > 0);
        const arrived = chat.requests.length;
        await deliver();
        expect(texts().filter((one) => !text.test(one))).toEqual([]);
        expect(texts()).toHaveLength(most);
        if (arrived === 1 && most === 2)
          expect(texts().map((one) => one.startsWith('Repeat: '))).toEqual([false, true]);
        chat.requests.splice(0);
      }
      expect(
        await query<object>(
          'SELECT kind, state, detail, count(*)::int FROM notification WHERE org_id = $1 GROUP BY 1, 2, 3 ORDER BY 1',
        ),
      ).toEqual(['resolved', 'triggered'].map((kind) => ({ kind, state: 'delivered', detail: 'digest', count: 3 })));
      await expectWhole();
    },
    LIMIT_MS,
  );

  it.each(played(ACKNOWLEDGEMENT))(
    'an acknowledgement that is killed at %s, and its removal: the job finishes what was started, and suppresses endpoints that have joined since',
    async (point, isTaken) => {
      await begin({ paged: true });
      const [late = '', ...first] = endpoints;
      await report('F', first);
      await deliver();
      const notes = async () =>
        (await query<{ note: string }>('SELECT note FROM acknowledgement WHERE org_id = $1')).map(({ note }) => note);
      const path = `/incidents/${(await incident()).id}/acknowledgement`;
      const was = await stored();
      const taking = await scene.launch('api', `${point}=kill`);
      await expect(new Api(taking.url, key).put(path, { note: 'on it' })).rejects.toThrow();
      await taking.killed();
      expect(JSON.stringify(await stored()) === JSON.stringify(was)).toBe(!isTaken);
      expect([(await incident()).acknowledgement?.note, await notes()]).toEqual([isTaken ? 'on it' : undefined, []]);
      if (!isTaken) expect((await (await api()).put(path, { note: 'on it' })).status).toBe(200);
      await report('F', [late]);
      await (await scene.survivor()).app.get(AcknowledgementJob).run();
      expect(await notes()).toEqual(['on it', 'on it', 'on it']);
      await deliver();
      expect([new Set(keysOf('acknowledge')).size, keysOf('acknowledge').length, keysOf('trigger').length]).toEqual([
        2, 2, 2,
      ]);

      const back = await scene.launch('api', `${point}=kill`);
      await expect(new Api(back.url, key).delete(path)).rejects.toThrow();
      await back.killed();
      expect([(await incident()).acknowledgement?.note, (await notes()).length]).toEqual([
        isTaken ? undefined : 'on it',
        3,
      ]);
      if (!isTaken) expect((await (await api()).delete(path)).status).toBe(204);
      await (await scene.survivor()).app.get(AcknowledgementJob).run();
      expect(await notes()).toEqual([]);
      await report('F');
      await deliver();
      expect(keysOf('trigger')).toHaveLength(3);
      await expectWhole();
    },
    LIMIT_MS,
  );

  it.each(played(REGROUPING))(
    'a merge and a split that are killed at %s: all of it or nothing, and acknowledged endpoints stay acknowledged',
    async (point) => {
      await begin({ paged: true });
      const [one = '', apart = '', two = ''] = endpoints;
      await report('F', [one, two]);
      await report('F', [apart], '192.0.2.9');
      await deliver();
      // Newest first.
      const [{ id: other }, { id }] = [await incident(0), await incident(1)];
      await (await api()).put(`/incidents/${id}/acknowledgement`, { note: 'on it' });
      await deliver();
      const isDone = point === 'regrouping.committed';
      const acts: readonly [path: string, body: object, status: number, open: number[]][] = [
        [`/incidents/${id}/merge`, { incident_ids: [other] }, 200, [3]],
        [`/incidents/${id}/split`, { endpoint_ids: [two] }, 201, [1, 2]],
      ];
      for (const [path, body, status, open] of acts) {
        const was = await stored();
        const victim = await scene.launch('api', `${point}=kill`);
        await expect(new Api(victim.url, key).post(path, body)).rejects.toThrow();
        await victim.killed();
        expect(JSON.stringify(await stored()) === JSON.stringify(was)).toBe(!isDone);
        if (!isDone) expect((await (await api()).post(path, body)).status).toBe(status);
        await (await tables()).expectConsistent();
        const left = (await (await tables()).incidents(orgId)).filter(({ endedAt }) => endedAt === null);
        expect(left.map(({ openCount }) => openCount).sort((a, b) => a - b)).toEqual(open);
        expect(left.every(({ ackNote }) => ackNote === 'on it')).toBe(true);
      }
      expect(await query('SELECT FROM acknowledgement WHERE org_id = $1')).toHaveLength(2);
      await expectWhole();
    },
    LIMIT_MS,
  );
});
