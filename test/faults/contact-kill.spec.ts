import { Config } from '../../src/platform/config/config';
import { Database } from '../../src/platform/database/database';
import type { FailpointName } from '../../src/platform/observability/failpoints';
import { parseId } from '../../src/platform/ids/id';
import { DeliveryLoop } from '../../src/delivery/send/delivery-loop';
import { Alerting, type Result } from '../harness/app/alerting';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { Api } from '../../packages/testing/service/api';
import { checkSettled } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, ServiceProcess } from '../harness/processes/service-process';
import { FakeProvider } from '../../packages/testing/servers/fake-provider';

const suite = findPostgres() === null ? describe.skip : describe;

/** The states of an alert's messages when its contact changes. */
const ALERTS = ['told', 'waiting', 'in flight', 'over'] as const;
type Name = (typeof ALERTS)[number];

interface Way {
  path: string;
  token: string;
}
const OLD: Way = { path: 'old', token: 'first' };

/**
 * The process that changes a contact (the victim) is killed. Another one (the survivor, in this process) checks and
 * sends nothing until then. It makes the change again if it did not happen, and sends everything that is due.
 */
suite('kill -9 at every point of a contact change (needs PostgreSQL)', () => {
  let cluster: PostgresCluster;
  let survivor: TestApp;
  let sink: FakeProvider;
  let victim: ServiceProcess | null = null;
  let contact: string;
  let endpoints: Record<Name, string>;
  let names: ReadonlyMap<string, Name>;

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    sink = await FakeProvider.start();
    sink.standingResponse({ status: 204 });
    survivor = await startOwnApp({ databaseUrl: cluster.url });
  }, 180_000);
  afterAll(async () => {
    await survivor.close();
    await sink.stop();
    await cluster.remove();
  }, 60_000);

  const sql = <Row>(statement: string) => survivor.app.get(Database).query<Row>(statement);
  const send = (isOn: boolean) => (survivor.app.get(Config).role = isOn ? 'all' : 'api');
  const configOf = ({ path, token }: Way) => ({
    url: `${sink.url}/${path}`,
    headers: [{ key: 'X-Token', value: token }],
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  });
  async function created(path: string, body: object): Promise<string> {
    const response = await survivor.write.post<{ id: string }>(path, body);
    if (response.status !== 201) throw new Error(response.text);
    return response.body.id;
  }
  const newContact = (way: Way) => created('/contacts', { name: 'Operations', type: 'webhook', config: configOf(way) });
  const report = (result: Result, of: readonly Name[]) =>
    Alerting.of(survivor.app).check(
      of.map((name) => ({ endpointId: parseId('endpoint', endpoints[name]) ?? '', result })),
    );
  const drained = () =>
    eventually('no delivery is pending', async () => {
      await survivor.app.get(DeliveryLoop).drain();
      return (await sql(`SELECT 1 FROM notification WHERE state = 'pending'`)).length === 0;
    });

  afterEach(() => victim?.kill());
  beforeEach(async () => {
    send(false);
    for (const table of ['notification', 'notification_destination', 'alert_event', 'alert', 'incident', 'contact'])
      await sql(`DELETE FROM ${table}`);
    contact = await newContact(OLD);
    const website = await newWebsite(survivor.write);
    const made = await Promise.all(
      ALERTS.map(async (name) => {
        const endpoint = await newEndpoint(survivor.write, website, { name, enabled: false });
        const rule = { endpoint_id: endpoint, failure_threshold: 1, success_threshold: 1 };
        return { name, endpoint, alert: await created('/alerts', { ...rule, contact_id: contact }) };
      }),
    );
    endpoints = Object.fromEntries(made.map(({ name, endpoint }) => [name, endpoint])) as Record<Name, string>;
    names = new Map(made.map(({ name, alert }) => [alert, name]));
    await report('F', ['told', 'over']);
    send(true);
    await drained();
    send(false);
    await report('S', ['over']);
    await report('F', ['waiting', 'in flight']);
    await sql(
      `UPDATE notification SET lease_token = gen_random_uuid(), lease_until = now() + interval '1 minute', attempts = 1
       WHERE notice #>> '{endpoint,name}' = 'in flight'`,
    );
    sink.requests.splice(0);
  }, 60_000);

  /** Returns everything that the change writes. */
  const stored = async () => [
    await sql('SELECT * FROM contact ORDER BY id'),
    await sql('SELECT * FROM alert ORDER BY id'),
    await sql('SELECT * FROM alert_event ORDER BY id'),
    await sql('SELECT * FROM notification ORDER BY seq'),
    await sql('SELECT * FROM notification_destination ORDER BY destination'),
    await sql(`SELECT * FROM audit_log WHERE resource = 'contact' ORDER BY id`),
  ];

  /**
   * Returns `path token kind: alerts` of everything that arrived since the last call. Fails if a message arrived
   * twice.
   */
  function arrived(): Record<string, Name[]> {
    const requests = sink.requests.splice(0);
    const ids = requests.map(
      ({ headers, body }) => `${headers['webhook-id']} ${(JSON.parse(body) as { type: string }).type}`,
    );
    expect(new Set(ids).size).toBe(ids.length);
    const seen: Record<string, Name[]> = {};
    for (const { path, headers, body } of requests) {
      const { type, data } = JSON.parse(body) as { type: string; data: { alert: { id: string } } };
      const name = names.get(data.alert.id);
      if (name) (seen[`${path.slice(1)} ${headers['x-token']} ${type.replace('alert.', '')}`] ??= []).push(name);
    }
    for (const list of Object.values(seen)) list.sort();
    return seen;
  }

  type Change = (by: Api, replacement: string) => Promise<{ status: number; text: string }>;
  const put =
    (way: Way): Change =>
    (by) =>
      by.put(`/contacts/${contact}`, { config: configOf(way) });
  const ELSEWHERE = {
    first: {
      'old first resolved': ['in flight', 'over', 'told'],
      'old first triggered': ['in flight'],
      'new second triggered': ['waiting'],
    },
    next: { 'new second triggered': ['in flight', 'over', 'told'] },
  };
  const ways: [string, Change, { first: object; next: object }][] = [
    ['PUT of another destination', put({ path: 'new', token: 'second' }), ELSEWHERE],
    ['DELETE with a replacement', (by, other) => by.delete(`/contacts/${contact}?replace_with=${other}`), ELSEWHERE],
    [
      'PUT of another token',
      put({ path: 'old', token: 'second' }),
      {
        first: { 'old second resolved': ['over'], 'old second triggered': ['in flight', 'waiting'] },
        next: { 'old second triggered': ['over'] },
      },
    ],
  ];
  const points: FailpointName[] = [
    'contact.alerts_locked',
    'contact.deliveries_rerouted',
    'contact.alerts_saved',
    'contact.episodes_closed',
    'contact.committed',
  ];

  describe.each(ways)('%s', (_, change, { first, next }) => {
    it.each(points)(
      'killed at %s: nothing is lost, nothing comes twice, each resolve goes to the destination of its trigger',
      async (point) => {
        const replacement = await newContact({ path: 'new', token: 'second' });
        const before = await stored();
        victim = await ServiceProcess.start(cluster.url, { ROLE: 'api', FAILPOINTS: `${point}=kill` });
        await expect(change(new Api(victim.url, survivor.write.key), replacement)).rejects.toThrow();
        await victim.killed();
        const isCommitted = point === 'contact.committed';
        // PostgreSQL may need a moment to roll back the transaction of the killed process.
        await survivor.app.get(Database).transaction((tx) => tx.query('LOCK TABLE contact IN SHARE MODE'));
        const after = await stored();
        expect(JSON.stringify(after) === JSON.stringify(before)).toBe(!isCommitted);
        if (!isCommitted) expect([200, 204]).toContain((await change(survivor.write, replacement)).status);
        await sql(`UPDATE notification SET lease_until = now() - interval '1 second' WHERE lease_token IS NOT NULL`);
        await sql(`UPDATE notification_destination SET due_at = now() WHERE due_at IS NOT NULL`);
        send(true);
        await drained();
        expect(arrived()).toEqual(first);
        await report('F', ALERTS);
        await drained();
        expect(arrived()).toEqual(next);
        await checkSettled(survivor.app.get(Database));
      },
      90_000,
    );
  });
});
