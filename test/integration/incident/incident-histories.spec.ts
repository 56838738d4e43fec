/**
 * @lane slow
 * @databases both
 */
import fc from 'fast-check';
import { AcknowledgementJob } from '../../../src/alert/acknowledgement/acknowledgement.job';
import { EndpointsStopped } from '../../../src/endpoint/endpoint-events';
import { IncidentAdoption } from '../../../src/incident/incident-adoption';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { TransactionEvents } from '../../../src/platform/events/transaction-events';
import { formatId } from '../../../src/platform/ids/id';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { Alerting } from '../../harness/app/alerting';
import { startApp, type TestApp } from '../../harness/app/app';
import { IncidentTables } from '../../harness/app/incident-tables';
import { checkInvariants } from '../../harness/app/invariants';

/** `INCIDENT_HISTORIES=1000` is the full run. */
const HISTORIES = Number(process.env['INCIDENT_HISTORIES'] ?? 25);
const ENDPOINTS = 6;
jest.setTimeout(60_000 + HISTORIES * 5_000);

type Step =
  | { kind: 'batch'; results: ('F' | 'S' | 'D' | '?')[] }
  | { kind: 'stop'; endpoint: number }
  | { kind: 'inHand' | 'inHandByHalf' | 'notInHand' | 'notInHandByHalf'; incident: number }
  | { kind: 'finished' }
  | { kind: 'later'; minutes: number }
  | { kind: 'forgotten'; endpoint: number }
  | { kind: 'split'; incident: number; endpoint: number }
  | { kind: 'merge'; into: number; from: number };

const index = fc.nat({ max: ENDPOINTS - 1 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('batch' as const),
        results: fc.array(fc.constantFrom('F', 'S', 'D', '?'), { minLength: ENDPOINTS, maxLength: ENDPOINTS }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), endpoint: index }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('inHand', 'inHandByHalf', 'notInHand', 'notInHandByHalf'),
        incident: fc.nat({ max: 5 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('finished' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('later' as const), minutes: fc.constantFrom(4, 6, 14, 16, 61) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('forgotten' as const), endpoint: index }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('split' as const), incident: fc.nat({ max: 5 }), endpoint: index }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('merge' as const), into: fc.nat({ max: 5 }), from: fc.nat({ max: 5 }) }),
    },
  ),
  { minLength: 4, maxLength: 16 },
);

describe(`${HISTORIES} random histories of incidents`, () => {
  let app: TestApp;
  let alerting: Alerting;
  let tables: IncidentTables;
  let orgId: string;
  let ids: string[];

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    alerting = Alerting.of(app.app);
    tables = new IncidentTables(alerting.database);
    orgId = app.orgId;
  });
  afterAll(() => app.close());

  /** Simulates that the process died before the first endpoint. The job finishes the acknowledgement. */
  const halve = (isHalf: boolean): void => armFailpoints(isHalf ? ['acknowledgement.step=error:once'] : []);

  /** A parent and its child, one with two alerts, one on degraded. */
  const begin = async (): Promise<void> => {
    for (const table of ['incident', 'incident_sequence', 'website', 'acknowledgement'])
      await alerting.database.query(`DELETE FROM ${table} WHERE org_id = $1`, [orgId]);
    // Nothing is sent here. Pending deliveries of earlier histories would be overdue after some minutes.
    await alerting.database.query(
      `UPDATE notification SET state = 'superseded', detail = 'deleted', config = NULL, finished_at = now() WHERE org_id = $1 AND state = 'pending'`,
      [orgId],
    );
    ids = [];
    for (let i = 0; i < ENDPOINTS; i++) {
      const id = await alerting.endpoint(orgId, `Endpoint ${i}`);
      await alerting.alert(orgId, id, {
        failureThreshold: 1,
        successThreshold: 1,
        condition: i === 1 ? 'degraded' : 'down',
      });
      if (i === 0) await alerting.alert(orgId, id, { failureThreshold: 2, successThreshold: 2 });
      ids.push(id);
    }
    await alerting.database.query('INSERT INTO endpoint_dependency VALUES ($1, $2)', [ids[5], ids[4]]);
  };

  const take = async (step: Step): Promise<void> => {
    const shown = (await tables.incidents(orgId)).map(({ id }) => formatId('incident', id));
    const idOf = (place: number) => shown[place] ?? formatId('incident', ids[0] ?? '');
    switch (step.kind) {
      case 'batch':
        await alerting.check(step.results.map((result, i) => ({ endpointId: ids[i] ?? '', result })));
        return;
      case 'stop':
        await tables.stop(alerting, orgId, [ids[step.endpoint] ?? ''], 'disabled');
        return;
      case 'inHand':
      case 'inHandByHalf':
        halve(step.kind === 'inHandByHalf');
        await app.write.put(`/incidents/${idOf(step.incident)}/acknowledgement`, {});
        return halve(false);
      case 'notInHand':
      case 'notInHandByHalf':
        halve(step.kind === 'notInHandByHalf');
        await app.write.delete(`/incidents/${idOf(step.incident)}/acknowledgement`);
        return halve(false);
      case 'finished':
        await app.app.get(AcknowledgementJob).run();
        return;
      case 'later':
        for (const column of ['started_at', 'opened_at', 'joined_at', 'ended_at'])
          await alerting.database.query(
            `UPDATE incident SET ${column} = ${column} - make_interval(mins => $2) WHERE org_id = $1`,
            [orgId, step.minutes],
          );
        return;
      case 'forgotten':
        // Simulates that an older version had triggered it.
        await alerting.database.query(
          `WITH gone AS (DELETE FROM incident_member WHERE endpoint_id = $1 AND ended_at IS NULL AND NOT held RETURNING incident_id)
           UPDATE incident SET open_count = open_count - 1, endpoint_count = endpoint_count - 1,
             ended_at = CASE WHEN open_count = 1 THEN now() END WHERE id IN (SELECT incident_id FROM gone)`,
          [ids[step.endpoint]],
        );
        await alerting.nest.get(IncidentAdoption).run();
        return;
      case 'split':
        await app.write.post(`/incidents/${idOf(step.incident)}/split`, {
          endpoint_ids: [formatId('endpoint', ids[step.endpoint] ?? '')],
        });
        return;
      case 'merge':
        await app.write.post(`/incidents/${idOf(step.into)}/merge`, {
          incident_ids: [idOf(step.from)],
        });
        return;
    }
  };

  it('each endpoint with a triggered alert is in one open incident, counts match the members, numbers have no gaps', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await begin();
        for (const step of history) {
          await take(step);
          await tables.expectConsistent();
        }
        await checkInvariants(alerting.database);
        // At the end, everything is up and nothing is acknowledged.
        for (let i = 0; i < 2; i++) await alerting.check(ids.map((endpointId) => ({ endpointId, result: 'S' })));
        await app.app.get(AcknowledgementJob).run();
        await tables.expectConsistent();
        expect(await alerting.database.query('SELECT FROM acknowledgement WHERE org_id = $1', [orgId])).toEqual([]);
        expect((await tables.incidents(orgId)).filter(({ endedAt }) => endedAt === null)).toEqual([]);
        await stopAll();
      }),
      { numRuns: HISTORIES },
    );
  });

  const stopAll = (): Promise<void> =>
    alerting.nest
      .get(WorkerDatabase)
      .transaction((tx) => alerting.nest.get(TransactionEvents).emit(new EndpointsStopped(orgId, ids, 'deleted'), tx));
});
