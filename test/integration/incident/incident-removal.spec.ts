import { OrganizationPurge } from '../../../src/identity/organization/organization-events';
import { IncidentAdoption } from '../../../src/incident/incident-adoption';
import { INCIDENT_RETENTION, removeMembers, removeSomeIncidents } from '../../../src/incident/incident-retention';
import { Config } from '../../../src/platform/config/config';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { firstUuidAt } from '../../../src/platform/ids/id';
import { BackgroundJobs } from '../../../src/platform/jobs/background-job';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { Metrics } from '../../../src/platform/observability/metrics';
import { Clock } from '../../../src/platform/time/clock';
import { DAY_MS } from '../../../src/platform/time/time-units';
import { WebsitePurge } from '../../../src/website/website-events';
import { Alerting } from '../../harness/app/alerting';
import { IncidentTables } from '../../harness/app/incident-tables';
import { checkInvariants } from '../../harness/app/invariants';

const RULE = { failureThreshold: 1, successThreshold: 1 };

describe('incidents that an older version or a removal touches', () => {
  let alerting: Alerting;
  let tables: IncidentTables;
  let orgId: string;

  beforeAll(async () => {
    alerting = await Alerting.start();
    tables = new IncidentTables(alerting.database);
  });
  beforeEach(async () => {
    orgId = await alerting.organization();
  });
  afterEach(() => checkInvariants(alerting.database));
  afterAll(() => alerting.close());

  const endpoints = (count: number) => alerting.endpoints(orgId, count, RULE);
  const report = (ids: readonly string[], result: 'F' | 'S') =>
    alerting.check(ids.map((endpointId) => ({ endpointId, result })));
  const adopt = () => alerting.nest.get(IncidentAdoption).run();
  const within = (work: Parameters<WorkerDatabase['transaction']>[0]) =>
    alerting.nest.get(WorkerDatabase).transaction(work);
  const idOf = async (): Promise<string> => (await tables.incidents(orgId))[0]?.id ?? '';
  const stored = async (table: string) =>
    (await alerting.database.query(`SELECT FROM ${table} WHERE org_id = $1`, [orgId])).length;

  it('a trigger of an older version has its incident a minute later, once', async () => {
    const [one = '', two = ''] = await endpoints(2);
    await report([one, two], 'F');
    for (const table of ['incident', 'incident_sequence'])
      await alerting.database.query(`DELETE FROM ${table} WHERE org_id = $1`, [orgId]);
    await adopt();
    await adopt();
    const found = await tables.incidents(orgId);
    expect(found).toMatchObject([
      { number: 1, cause: 'single', severity: 'down', openerErrorCode: 'connection_refused', openCount: 1 },
      { number: 2, cause: 'single', openCount: 1 },
    ]);
    expect(new Set(found.map(({ openerName }) => openerName))).toEqual(new Set(['Endpoint 0', 'Endpoint 1']));
    await report([one, two], 'S');
    expect(await tables.incidents(orgId)).toMatchObject([{ openCount: 0 }, { openCount: 0 }]);
  });

  it('a resolve of an older version leaves its incident a minute later', async () => {
    const [one = '', two = ''] = await endpoints(2);
    await report([one, two], 'F');
    await alerting.database.query(
      'UPDATE alert SET triggered = false, trigger_event_id = NULL WHERE endpoint_id = $1',
      [one],
    );
    await adopt();
    expect(await tables.openMembers(orgId)).toEqual([two]);
    // Its event isn't written. The rest of the check must not notice that.
    await alerting.database.query('DELETE FROM alert WHERE endpoint_id = $1', [one]);
  });

  it('those that have ended are deleted after their time with their updates, open ones and those that ended later stay', async () => {
    const [old = '', open = ''] = await endpoints(2);
    await report([old], 'F');
    const id = await idOf();
    await alerting.database.query(
      `INSERT INTO incident_update (id, incident_id, org_id, at, text) VALUES (gen_random_uuid(), $1, $2, now(), 'Said')`,
      [id, orgId],
    );
    await report([old], 'S');
    const agedId = firstUuidAt(new Date(Date.now() - 3000 * DAY_MS));
    await within(async (tx) => {
      await tx.query('ALTER TABLE incident_member DROP CONSTRAINT incident_member_incident_id_fkey');
      await tx.query('ALTER TABLE incident_update DROP CONSTRAINT incident_update_incident_id_fkey');
      await tx.query('ALTER TABLE incident_outage DROP CONSTRAINT incident_outage_incident_id_fkey');
      await tx.query(`UPDATE incident SET id = $2, ended_at = now() - interval '2999 days' WHERE id = $1`, [
        id,
        agedId,
      ]);
      for (const table of ['incident_member', 'incident_update', 'incident_outage']) {
        await tx.query(`UPDATE ${table} SET incident_id = $2 WHERE incident_id = $1`, [id, agedId]);
        await tx.query(`ALTER TABLE ${table} ADD FOREIGN KEY (incident_id) REFERENCES incident ON DELETE CASCADE`);
      }
    });
    await report([open], 'F');
    const [config, clock] = [alerting.nest.get(Config), new Clock()];
    const job = new RetentionJob(
      alerting.nest.get(WorkerDatabase),
      config,
      clock,
      new BackgroundJobs(config, clock, new Metrics()),
    );
    await job.run(INCIDENT_RETENTION);
    expect(await tables.incidents(orgId)).toMatchObject([{ number: 2, endedAt: null }]);
    expect([await stored('incident_member'), await stored('incident_update')]).toEqual([1, 0]);
  });

  it('a deleted website takes its members along, and incidents that have no other members', async () => {
    const [mine = '', shared = ''] = await endpoints(2);
    await report([mine, shared], 'F');
    const [alone = ''] = await endpoints(1);
    await alerting.database.query(`UPDATE incident SET joined_at = joined_at - interval '1 hour' WHERE org_id = $1`, [
      orgId,
    ]);
    await report([alone], 'F');
    const websiteOf = async (id: string) =>
      (await alerting.database.query<{ id: string }>('SELECT website_id AS id FROM endpoint WHERE id = $1', [id]))[0]
        ?.id ?? '';
    for (const endpointId of [mine, alone]) {
      const websiteId = await websiteOf(endpointId);
      await tables.stop(alerting, orgId, [endpointId], 'deleted');
      await alerting.database.query('DELETE FROM endpoint WHERE id = $1', [endpointId]);
      await within((tx) => removeMembers(tx, new WebsitePurge(orgId, websiteId)));
    }
    expect(await tables.incidents(orgId)).toMatchObject([{ number: 1, endpointCount: 1, openCount: 1, endedAt: null }]);
    expect(await tables.openMembers(orgId)).toEqual([shared]);
  });

  it('an endpoint that moved to another website stays when the first website is deleted', async () => {
    const [one = ''] = await endpoints(1);
    await report([one], 'F');
    const [member] = await alerting.database.query<{ id: string }>(
      'SELECT website_id AS id FROM incident_member WHERE org_id = $1',
      [orgId],
    );
    await within((tx) => removeMembers(tx, new WebsitePurge(orgId, member?.id ?? '')));
    expect(await tables.openMembers(orgId)).toEqual([one]);
  });

  it('a deleted organization leaves no incidents', async () => {
    const [one = ''] = await endpoints(1);
    await report([one], 'F');
    await tables.stop(alerting, orgId, [one], 'deleted');
    const step = new OrganizationPurge(orgId);
    await within((tx) => removeSomeIncidents(tx, step));
    expect(step.hasMore).toBe(false);
    for (const table of ['incident', 'incident_member', 'incident_update', 'incident_sequence'])
      expect([table, await stored(table)]).toEqual([table, 0]);
  });

  describe('in the live stream', () => {
    const told = async () =>
      (
        await alerting.database.query<{ payload: { change: string; open_count: number } }>(
          `SELECT payload FROM stream_event WHERE org_id = $1 AND kind = 'incident' ORDER BY xid, seq`,
          [orgId],
        )
      ).map(({ payload }) => `${payload.change} ${payload.open_count}`);

    it('are sent once for a transaction, with their state at its end', async () => {
      const [one = '', two = '', three = ''] = await endpoints(3);
      await report([one, two], 'F');
      await report([three], 'F');
      await alerting.check([
        { endpointId: one, result: 'S' },
        { endpointId: two, result: 'S' },
      ]);
      await alerting.check([
        { endpointId: one, result: 'F' },
        { endpointId: three, result: 'S' },
      ]);
      await report([one], 'S');
      await report([one], 'F');
      await alerting.database.query(`UPDATE incident SET ack_at = now() WHERE org_id = $1`, [orgId]);
      await alerting.database.query(`UPDATE incident SET title = 'Checkout' WHERE org_id = $1`, [orgId]);
      expect(await told()).toEqual([
        'opened 2',
        'joined 3',
        'updated 1',
        'joined 1',
        'ended 0',
        'reopened 1',
        'acknowledged 1',
        'updated 1',
      ]);
    });

    it('one that opens and ends within a transaction is sent as ended', async () => {
      const [endpointId = ''] = await endpoints(1);
      await alerting.check((['F', 'S'] as const).map((result) => ({ endpointId, result })));
      expect(await told()).toEqual(['ended 0']);
    });
  });
});
