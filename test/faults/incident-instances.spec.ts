import type { INestApplicationContext } from '@nestjs/common';
import { ConsistencyJob } from '../../src/alert/consistency/consistency.job';
import type { IncidentDetailView } from '../../src/incident/incident.dto';
import { IncidentRecorder } from '../../src/incident/incident-recorder';
import { firstUuidAt, formatId } from '../../src/platform/ids/id';
import { DAY_MS } from '../../src/platform/time/time-units';
import { eventually } from '../../packages/testing/eventually';
import { Alerting, type Result } from '../harness/app/alerting';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../harness/app/delivery-scene';
import { IncidentTables } from '../harness/app/incident-tables';
import { checkSettled } from '../harness/app/invariants';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { plainDatabase } from '../harness/database/database';
import { FIRST_RELEASE } from '../harness/database/first-release';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { DatabaseWitness } from '../harness/processes/service-process';

const suite = findPostgres() === null ? describe.skip : describe;

suite('incidents with another instance and another version (needs PostgreSQL)', () => {
  let cluster: PostgresCluster;
  let scene: DeliveryScene;
  let other: TestApp;
  let tables: IncidentTables;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    scene = await DeliveryScene.start({ databaseUrl: cluster.url });
    other = await startOwnApp({ databaseUrl: cluster.url, role: 'api' });
    tables = new IncidentTables(scene.database);
  }, 180_000);
  afterAll(async () => {
    await other.close();
    await scene.close();
    await cluster.remove();
  }, 60_000);

  it('with an instance that does not know incidents, each event is sent once, and a minute later each endpoint is a member or has left', async () => {
    // The previous version did only this: it wrote flags, events, and deliveries.
    other.app.get(IncidentRecorder).record = async (_tx, _triggers, _leaving, saveFlags) => {
      await saveFlags(new Map());
      return new Map();
    };
    const report = (app: INestApplicationContext, result: Result, alerts: readonly SceneAlert[]) =>
      Alerting.of(app).check(alerts.map(({ endpointUuid }) => ({ endpointId: endpointUuid, result })));
    const delivered = (count: number) =>
      eventually('all are told', async () => {
        await scene.deliver();
        return scene.received('beside').length >= count;
      });
    const aMinuteLater = () => scene.nest.get(ConsistencyJob).run();
    scene.provider.standingResponse(ACCEPTED.pagerduty);
    const alerts = await scene.crowd(20, 'pagerduty', 'beside');
    const [theirs, ours] = [alerts.slice(0, 10), alerts.slice(10)];

    await Promise.all([report(other.app, 'F', theirs), report(scene.nest, 'F', ours)]);
    await delivered(20);
    expect(await aMinuteLater()).toEqual([]);
    const opened = await tables.openMembers(scene.app.orgId);
    expect(new Set(opened)).toEqual(new Set(alerts.map(({ endpointUuid }) => endpointUuid)));
    // Each recovery is seen by the instance that did not see the failure.
    await Promise.all([report(other.app, 'S', ours), report(scene.nest, 'S', theirs)]);
    expect(await aMinuteLater()).toEqual([]);
    expect(await tables.openMembers(scene.app.orgId)).toEqual([]);

    await delivered(40);
    const told = scene.received<{ event_action: string; dedup_key: string }>('beside');
    for (const action of ['trigger', 'resolve']) {
      const keys = told.flatMap((one) => (one.event_action === action ? one.dedup_key : []));
      expect([keys.length, new Set(keys).size]).toEqual([20, 20]);
    }
    await checkSettled(scene.database);
    await tables.expectConsistent();
  });

  it('an alert that is open when 0.1.0 is upgraded has an incident a minute later, and its end is sent once', async () => {
    const database = await plainDatabase(cluster.url);
    const witness = DatabaseWitness.on(database.url);
    await witness.query(FIRST_RELEASE);
    await witness.query('UPDATE endpoint SET enabled = true');
    await witness.query('UPDATE endpoint_schedule SET active = true');
    await witness.query('UPDATE endpoint_state SET status = 0, consecutive_failures = 3, consecutive_successes = 0');
    const event = firstUuidAt(new Date(Date.now() - DAY_MS));
    await witness.query(
      `INSERT INTO alert_event (id, org_id, type, alert_id, alert_type, incident_no, endpoint_id, endpoint_name, website_id, website_name,
                                reason, message, error_code, error_message, failure_count, success_count, started_at, created_at)
       SELECT $1, a.org_id, 'triggered', a.id, a.type, 1, e.id, e.name, w.id, w.name, 'threshold', 'is down', 'connection_refused',
              'connection refused', 3, 0, now() - interval '1 day', now() - interval '1 day'
         FROM alert a JOIN endpoint e ON e.id = a.endpoint_id JOIN website w ON w.id = e.website_id WHERE a.contact_id IS NOT NULL`,
      [event],
    );
    await witness.query(
      `UPDATE alert SET triggered = true, incident_no = 1, incident_started_at = now() - interval '1 day', trigger_event_id = $1
        WHERE contact_id IS NOT NULL`,
      [event],
    );
    const upgraded = await startOwnApp({ databaseUrl: database.url, role: 'api' });
    expect(await upgraded.app.get(ConsistencyJob).run()).toEqual([]);
    const open = await upgraded.read.get<IncidentDetailView[]>('/incidents?state=open');
    expect(open.body).toMatchObject([{ number: 1, summary: 'Home page is down: connection refused', open_count: 1 }]);
    const [endpoint] = await witness.query<{ id: string }>('SELECT id FROM endpoint');
    await Alerting.of(upgraded.app).play(endpoint?.id ?? '', 'SS');
    expect(await upgraded.app.get(ConsistencyJob).run()).toEqual([]);
    const incident = open.body[0]?.id ?? '';
    expect((await upgraded.read.get<IncidentDetailView>(`/incidents/${incident}`)).body.state).toBe('ended');
    const events = await witness.query<{ type: string; incident_id: string | null }>(
      'SELECT type, incident_id FROM alert_event ORDER BY created_at',
    );
    expect(events.map((one) => [one.type, one.incident_id && formatId('incident', one.incident_id)])).toEqual([
      ['triggered', null],
      ['resolved', incident],
    ]);
    expect(await witness.count(`SELECT FROM notification WHERE kind = 'resolved'`)).toBe(1);
    await witness.close();
    await upgraded.close();
    await database.drop();
  }, 60_000);

  it('a public update is on the page at once at its instance, and 16 s later at the other one', async () => {
    const website = await newWebsite(scene.app.write);
    await newEndpoint(scene.app.write, website, { enabled: false });
    await scene.app.write.put(`/websites/${website}/status-page`, { enabled: true, slug: 'shop' });
    const texts = async ({ url }: TestApp) => {
      const page = await fetch(`${url}/status/shop.json`);
      const { incidents } = (await page.json()) as { incidents: { updates: { text: string }[] }[] };
      return incidents.flatMap(({ updates }) => updates.map(({ text }) => text));
    };
    const made = { title: 'Payments are slow', scope: { all: true }, public: true, text: 'First.' };
    const { id } = (await scene.app.write.post<{ id: string }>('/incidents', made)).body;
    expect([await texts(scene.app), await texts(other)]).toEqual([['First.'], ['First.']]);
    await scene.app.write.post(`/incidents/${id}/updates`, { text: 'Second.', public: true });
    expect(await texts(scene.app)).toEqual(['Second.', 'First.']);
    await other.advance('16 s');
    expect(await texts(other)).toEqual(['Second.', 'First.']);
  });
});
