import { WorkerDatabase } from '../../../src/platform/database/database';
import { IncidentChanged } from '../../../src/incident/incident-events';
import { endedDowntimeMs } from '../../../src/incident/incident-row';
import { TransactionEvents } from '../../../src/platform/events/transaction-events';
import { Alerting, type Reported } from '../../harness/app/alerting';
import { collectQueries } from '../../harness/app/query-counter';
import { IncidentTables } from '../../harness/app/incident-tables';

const RULE = { failureThreshold: 1, successThreshold: 1 };
const MINUTE = 60_000;

describe('incidents in the transaction of their alerts', () => {
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
  afterEach(() => tables.expectConsistent());
  afterAll(() => alerting.close());

  const endpoints = (count: number, rule = RULE) => alerting.endpoints(orgId, count, rule);
  const report = (ids: readonly string[], result: Reported['result']) =>
    alerting.check(ids.map((endpointId) => ({ endpointId, result })));
  const incidents = () => tables.incidents(orgId);
  const say = (status: string, isPublic = false) =>
    alerting.database.query(
      `UPDATE incident SET status = $2, public_at = CASE WHEN $3 THEN now() END WHERE org_id = $1 AND ended_at IS NULL`,
      [orgId, status, isPublic],
    );
  const age = (ms: number) =>
    alerting.database.query(
      `WITH outages AS (
         UPDATE incident_outage o SET started_at = o.started_at - $2 * interval '1 ms', ended_at = o.ended_at - $2 * interval '1 ms'
           FROM incident i WHERE i.id = o.incident_id AND i.org_id = $1)
       UPDATE incident SET started_at = started_at - $2 * interval '1 ms', opened_at = opened_at - $2 * interval '1 ms',
         joined_at = joined_at - $2 * interval '1 ms', ended_at = ended_at - $2 * interval '1 ms',
         last_started_at = last_started_at - $2 * interval '1 ms' WHERE org_id = $1`,
      [orgId, ms],
    );
  const outages = () =>
    alerting.database.query<{ id: string; seconds: number | null; code: string }>(
      `SELECT endpoint_id AS id, error_code AS code, round(extract(epoch FROM o.ended_at - o.started_at))::int AS seconds
         FROM incident_outage o JOIN incident i ON i.id = o.incident_id AND i.org_id = $1 ORDER BY o.started_at`,
      [orgId],
    );
  const eventsOf = async () =>
    alerting.database.query<{ type: string; incident_id: string | null; endpoint_id: string }>(
      'SELECT type, incident_id, endpoint_id FROM alert_event WHERE org_id = $1 ORDER BY id',
      [orgId],
    );

  it('one endpoint opens one with its name and error, and ends it when it is up', async () => {
    const [id = ''] = await endpoints(1);
    await report([id], 'F');
    const [incident] = await incidents();
    expect(incident).toMatchObject({
      number: 1,
      kind: 'detected',
      severity: 'down',
      cause: 'single',
      causeValue: null,
      openerName: 'Endpoint 0',
      openerErrorCode: 'connection_refused',
      openerAddress: '192.0.2.1',
      endpointCount: 1,
      openCount: 1,
      endedAt: null,
      status: null,
    });
    const [event] = await eventsOf();
    expect(event?.incident_id).toBe(incident?.id);
    await report([id], 'S');
    expect(await incidents()).toMatchObject([
      { endpointCount: 1, openCount: 0, endedAt: expect.any(Date), reopened: 0 },
    ]);
    expect((await eventsOf()).map((one) => [one.type, one.incident_id])).toEqual([
      ['triggered', incident?.id],
      ['resolved', incident?.id],
    ]);
    const deliveries = await alerting.database.query<{ incident_id: string }>(
      'SELECT DISTINCT incident_id FROM notification WHERE org_id = $1',
      [orgId],
    );
    expect(deliveries).toEqual([{ incident_id: incident?.id }]);
    expect(await tables.updates(orgId)).toEqual([]);
  });

  it('40 endpoints at one address are one; with 39 of 40 up it names the remaining one, and ends with the last', async () => {
    const ids = await endpoints(40);
    await report(ids.slice(0, 20), 'F');
    await report(ids.slice(20), 'F');
    expect(await incidents()).toMatchObject([
      { number: 1, cause: 'address', causeValue: '192.0.2.1', endpointCount: 40, openCount: 40, endedAt: null },
    ]);
    await report(ids.slice(1), 'S');
    expect(await incidents()).toMatchObject([{ endpointCount: 40, openCount: 1, endedAt: null }]);
    expect(await tables.openMembers(orgId)).toEqual([ids[0]]);
    await report(ids.slice(0, 1), 'S');
    expect(await incidents()).toMatchObject([{ openCount: 0, endedAt: expect.any(Date) }]);
    const [incident] = await incidents();
    expect(new Set((await eventsOf()).map((event) => event.incident_id))).toEqual(new Set([incident?.id]));
  });

  it('takes no statement if nothing triggers, four for any number of triggers, two for resolves', async () => {
    const few = await endpoints(1);
    const many = await endpoints(30);
    const queries = collectQueries(alerting.nest.get(WorkerDatabase).dataSource);
    const during = async (work: () => Promise<unknown>): Promise<number> => {
      const before = queries.length;
      await work();
      return queries
        .slice(before)
        .filter(([sql]) => /\bincident(_sequence|_member|_update)?\b/.test(sql) && !/AS held|AS "held"/.test(sql))
        .length;
    };
    expect(await during(() => report(many, 'S'))).toBe(0);
    expect(await during(() => report(few, 'F'))).toBe(4);
    expect(await during(() => report(few, 'F'))).toBe(0);
    expect(await during(() => report(many, 'F'))).toBe(4);
    expect(await during(() => report(many, 'S'))).toBe(2);
    expect(await during(() => report([...few, ...many], 'S'))).toBe(2);
    expect(
      await during(() =>
        alerting.check(many.map((endpointId, i) => ({ endpointId, result: i % 2 === 0 ? 'F' : 'S' }))),
      ),
    ).toBe(4);
    expect(
      await during(() =>
        alerting.check(many.map((endpointId, i) => ({ endpointId, result: i % 2 === 0 ? 'S' : 'F' }))),
      ),
    ).toBe(5);
  });

  it('an endpoint with several alerts is one member until the last of them resolves', async () => {
    const id = await alerting.endpoint(orgId);
    await alerting.alert(orgId, id, RULE);
    await alerting.alert(orgId, id, { failureThreshold: 2, successThreshold: 2 });
    await alerting.play(id, 'FF');
    await alerting.play(id, 'S');
    expect(await incidents()).toMatchObject([{ endpointCount: 1, openCount: 1, endedAt: null }]);
    await alerting.play(id, 'S');
    expect(await incidents()).toMatchObject([{ openCount: 0, endedAt: expect.any(Date) }]);
    expect(new Set((await eventsOf()).map((event) => event.incident_id)).size).toBe(1);
  });

  it('a batch in which an endpoint fails and recovers opens one and ends it', async () => {
    const [endpointId = ''] = await endpoints(1);
    await alerting.check((['F', 'S', 'F', 'S'] as const).map((result) => ({ endpointId, result })));
    expect(await incidents()).toMatchObject([
      { endpointCount: 1, openCount: 0, endedAt: expect.any(Date), reopened: 0 },
    ]);
  });

  it('a new group for each flap (OneUptime #2284): 20 flaps are one incident', async () => {
    const [id = ''] = await endpoints(1);
    await alerting.play(id, 'FS'.repeat(20));
    expect(await incidents()).toMatchObject([{ number: 1, endpointCount: 1, openCount: 0, reopened: 19 }]);
  });

  it('keeps each outage of an endpoint that goes down again, and the time between them is not downtime', async () => {
    const [id = ''] = await endpoints(1);
    await alerting.play(id, 'F');
    await age(5 * MINUTE);
    await alerting.play(id, 'S');
    await age(3 * MINUTE);
    await alerting.play(id, 'F');
    expect(await outages()).toMatchObject([
      { id, code: 'connection_refused', seconds: expect.closeTo(300, -1) },
      { id, seconds: null },
    ]);
    const [open] = await incidents();
    expect(open).toMatchObject({ outageCount: 2, earlierDowntimeMs: expect.closeTo(300_000, -4), endedAt: null });
    const sinceMs = Date.now() - (open?.lastStartedAt?.getTime() ?? 0);
    expect(sinceMs).toBeLessThan(MINUTE);
    await age(2 * MINUTE);
    await alerting.play(id, 'S');
    const [over] = await incidents();
    expect(over && endedDowntimeMs(over)).toBeCloseTo(420_000, -4);
    expect(over && (over.endedAt?.getTime() ?? 0) - over.startedAt.getTime()).toBeCloseTo(600_000, -4);
  });

  it('keeps the outage of an endpoint that goes down again while others are still down', async () => {
    const [one = '', two = ''] = await endpoints(2);
    await report([one, two], 'F');
    await age(2 * MINUTE);
    await report([one], 'S');
    await age(2 * MINUTE);
    await report([one], 'F');
    expect((await outages()).filter(({ id }) => id === one)).toMatchObject([
      { seconds: expect.closeTo(120, -1) },
      { seconds: null },
    ]);
    expect(await incidents()).toMatchObject([{ outageCount: 1, earlierDowntimeMs: 0 }]);
  });

  it('down again after 14 minutes is the same incident, and after 16 minutes another one', async () => {
    const [id = ''] = await endpoints(1);
    await alerting.play(id, 'FS');
    await age(14 * MINUTE);
    await alerting.play(id, 'FS');
    expect(await incidents()).toMatchObject([{ number: 1, reopened: 1 }]);
    await age(16 * MINUTE);
    await alerting.play(id, 'F');
    expect(await incidents()).toMatchObject([
      { number: 1, reopened: 1, openCount: 0 },
      { number: 2, reopened: 0, openCount: 1 },
    ]);
  });

  it('one member’s recovery closes all (Grafana #42683, OnCall #542): the member leaves alone and returns to the same incident', async () => {
    const [one = '', two = ''] = await endpoints(2);
    await report([one, two], 'F');
    await report([one], 'S');
    expect(await incidents()).toMatchObject([{ endpointCount: 2, openCount: 1, endedAt: null }]);
    await age(10 * MINUTE);
    await report([one], 'F');
    expect(await incidents()).toMatchObject([{ endpointCount: 2, openCount: 2, reopened: 0 }]);
  });

  it('ends automatically with one update if it had updates, and with none otherwise; the update is public if the incident is', async () => {
    const [id = ''] = await endpoints(1);
    await alerting.play(id, 'F');
    await say('identified', true);
    await alerting.play(id, 'S');
    expect(await tables.updates(orgId)).toMatchObject([
      { status: 'resolved', automatic: true, public: true, text: '' },
    ]);
    expect(await incidents()).toMatchObject([{ status: 'resolved' }]);
    await alerting.play(id, 'F');
    expect(await incidents()).toMatchObject([{ status: 'investigating', endedAt: null, reopened: 1 }]);
    await alerting.play(id, 'S');
    expect((await tables.updates(orgId)).map(({ status }) => status)).toEqual([
      'resolved',
      'investigating',
      'resolved',
    ]);
  });

  it('resolved twice, manually and automatically (Kener #370): nothing is added if a person resolved it', async () => {
    const [id = ''] = await endpoints(1);
    await alerting.play(id, 'F');
    await say('resolved');
    await alerting.play(id, 'S');
    expect(await tables.updates(orgId)).toEqual([]);
  });

  it('the endpoint of a probe joins no incident, and no endpoint joins its incident', async () => {
    const [probe = '', other = '', third = ''] = await endpoints(3);
    await alerting.database.query(`UPDATE endpoint SET type = 'PROBE' WHERE id = $1`, [probe]);
    await alerting.database.query(
      'UPDATE endpoint SET website_id = (SELECT website_id FROM endpoint WHERE id = $2) WHERE id = $1',
      [third, probe],
    );
    for (const id of [probe, other]) await report([id], 'F');
    await alerting.database.query('UPDATE incident SET opener_address = NULL WHERE org_id = $1', [orgId]);
    await report([third], 'F');
    expect((await incidents()).map(({ openerName, endpointCount }) => [openerName, endpointCount])).toEqual([
      ['Endpoint 0', 1],
      ['Endpoint 1', 1],
      ['Endpoint 2', 1],
    ]);
  });

  it('an endpoint that depends on a member joins for this reason, and its cause names the parent', async () => {
    const [parent = '', child = ''] = await endpoints(2);
    await alerting.database.query('INSERT INTO endpoint_dependency VALUES ($1, $2)', [child, parent]);
    await report([parent], 'F');
    await alerting.check([{ endpointId: child, result: 'F' }], 'refused');
    expect(await incidents()).toMatchObject([
      { cause: 'dependency', causeValue: parent, causeName: 'Endpoint 0', endpointCount: 2 },
    ]);
  });

  it('a parent and its child in one batch are one incident for this reason as well', async () => {
    const [parent = '', child = ''] = await endpoints(2);
    await alerting.database.query('INSERT INTO endpoint_dependency VALUES ($1, $2)', [child, parent]);
    await report([child, parent], 'F');
    expect(await incidents()).toMatchObject([{ cause: 'dependency', causeValue: parent, endpointCount: 2 }]);
  });

  it('endpoints of two organizations in one batch are two, each with number 1', async () => {
    const [mine = ''] = await endpoints(1);
    const first = orgId;
    orgId = await alerting.organization();
    const [theirs = ''] = await endpoints(1);
    await report([mine, theirs], 'F');
    expect([await tables.incidents(first), await incidents()]).toMatchObject([[{ number: 1 }], [{ number: 1 }]]);
  });

  it('a degraded endpoint opens its own incident, which is down when the endpoint is', async () => {
    const [down = '', other = ''] = await endpoints(2);
    await alerting.alert(orgId, other, { ...RULE, condition: 'degraded' });
    await report([down], 'F');
    await report([other], 'D');
    expect(await incidents()).toMatchObject([{ severity: 'down' }, { severity: 'degraded' }]);
    await report([other], 'F');
    expect(await incidents()).toMatchObject([{ openCount: 1 }, { severity: 'down', openCount: 1, endpointCount: 1 }]);
  });

  it('a disabled or deleted endpoint leaves in any state', async () => {
    const [one = '', two = ''] = await endpoints(2);
    await report([one, two], 'F');
    const stop = (endpointIds: string[], reason: 'disabled' | 'deleted') =>
      tables.stop(alerting, orgId, endpointIds, reason);
    await stop([one], 'disabled');
    expect(await incidents()).toMatchObject([{ openCount: 1, endedAt: null }]);
    await stop([two], 'deleted');
    expect(await incidents()).toMatchObject([{ openCount: 0, endedAt: expect.any(Date) }]);
  });

  it('raises each change once per incident and transaction', async () => {
    const [one = '', two = ''] = await endpoints(2);
    const seen: string[] = [];
    alerting.nest.get(TransactionEvents).on(IncidentChanged, async ({ incident, change }) => {
      if (incident.orgId === orgId) seen.push(`${change} ${incident.openCount}`);
      await Promise.resolve();
    });
    await report([one], 'F');
    await report([two], 'F');
    await report([one], 'S');
    await alerting.check([
      { endpointId: one, result: 'F' },
      { endpointId: two, result: 'S' },
    ]);
    await report([one], 'S');
    await report([one], 'F');
    expect(seen).toEqual(['opened 1', 'joined 2', 'updated 1', 'joined 1', 'ended 0', 'reopened 1']);
  });

  describe('acknowledged incidents', () => {
    const takeInHand = (until: Date | null = null) =>
      alerting.database.query(
        `UPDATE incident SET ack_by = 'On call', ack_at = now(), ack_note = 'On it', ack_until = $2
          WHERE org_id = $1 AND ended_at IS NULL`,
        [orgId, until],
      );
    const acknowledged = () =>
      alerting.database.query<{ endpoint_id: string; by_name: string; note: string; incident_id: string }>(
        'SELECT endpoint_id, by_name, note, incident_id FROM acknowledgement WHERE org_id = $1 ORDER BY endpoint_id',
        [orgId],
      );

    it('suppress an endpoint that joins at the address: it is an acknowledged member without event and message, and leaves when it is up', async () => {
      const [one = '', two = ''] = await endpoints(2);
      await report([one], 'F');
      await takeInHand();
      await report([two], 'F');
      await report([two], 'F');
      const [incident] = await incidents();
      expect(incident).toMatchObject({ endpointCount: 2, openCount: 2, cause: 'address' });
      expect(await acknowledged()).toEqual([
        { endpoint_id: two, by_name: 'On call', note: 'On it', incident_id: incident?.id },
      ]);
      expect((await eventsOf()).map((event) => event.endpoint_id)).toEqual([one]);
      await report([two], 'S');
      expect(await incidents()).toMatchObject([{ openCount: 1, endedAt: null }]);
      expect(await acknowledged()).toEqual([]);
      await report([one], 'S');
      expect(await incidents()).toMatchObject([{ openCount: 0, ackAt: null, endedAt: expect.any(Date) }]);
      expect(await eventsOf()).toHaveLength(2);
    });

    it('notify for a suppressed endpoint with its next failure when the acknowledgement is removed', async () => {
      const [one = '', two = ''] = await endpoints(2);
      await report([one], 'F');
      await takeInHand();
      await report([two], 'F');
      await alerting.database.query('DELETE FROM acknowledgement WHERE org_id = $1', [orgId]);
      await alerting.database.query('UPDATE incident SET ack_at = NULL WHERE org_id = $1', [orgId]);
      await report([two], 'F');
      expect((await eventsOf()).map((event) => event.endpoint_id)).toEqual([one, two]);
      expect(await tables.held(orgId)).toEqual([]);
      expect(await incidents()).toMatchObject([{ endpointCount: 2, openCount: 2 }]);
    });

    it('notify for an endpoint that joins by its website only, and for one that joins after the time', async () => {
      const [one = '', two = '', three = ''] = await endpoints(3);
      await report([one], 'F');
      await takeInHand(new Date(Date.now() - MINUTE));
      await report([two], 'F');
      await takeInHand();
      await alerting.database.query(
        'UPDATE incident SET opener_address = NULL, opener_website_id = (SELECT website_id FROM endpoint WHERE id = $2) WHERE org_id = $1',
        [orgId, three],
      );
      await report([three], 'F');
      expect((await eventsOf()).map((event) => event.endpoint_id)).toEqual([one, two, three]);
      expect(await incidents()).toMatchObject([{ endpointCount: 3 }]);
    });

    it('release a suppressed endpoint when it is disabled', async () => {
      const [one = '', two = ''] = await endpoints(2);
      await report([one], 'F');
      await takeInHand();
      await report([two], 'F');
      await tables.stop(alerting, orgId, [two], 'disabled');
      expect(await incidents()).toMatchObject([{ openCount: 1, endedAt: null }]);
      expect(await acknowledged()).toEqual([]);
    });

    it('do not suppress an endpoint that recovers in the same batch', async () => {
      const [one = '', endpointId = ''] = await endpoints(2);
      await report([one], 'F');
      await takeInHand();
      await alerting.check((['F', 'S'] as const).map((result) => ({ endpointId, result })));
      expect(await acknowledged()).toEqual([]);
      expect(await incidents()).toMatchObject([{ endpointCount: 2, openCount: 1 }]);
    });
  });
});
