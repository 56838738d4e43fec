import fc from 'fast-check';
import { nextTransition } from '../../../src/alert/episode/alert-transition';
import type { LocationSeen } from '../../../src/endpoint/streak-update';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { collectQueries } from '../../harness/app/query-counter';
import { Alerting, type Result } from '../../harness/app/alerting';

describe('alert evaluation', () => {
  let alerting: Alerting;
  let orgId: string;

  beforeAll(async () => {
    alerting = await Alerting.start();
    orgId = await alerting.organization();
  });
  afterAll(() => alerting.close());

  const rule = { failureThreshold: 3, successThreshold: 2 };
  const flagOf = async (alertId: string) => (await alerting.alerts(orgId)).find(({ id }) => id === alertId);

  it('writes flag, event and delivery together when the failure threshold is reached', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule);
    await alerting.play(endpointId, 'FF');
    expect(await alerting.events(alertId)).toEqual([]);
    expect(await flagOf(alertId)).toMatchObject({ triggered: false, incident_no: 0 });

    await alerting.play(endpointId, 'F');
    const [event] = await alerting.events(alertId);
    expect(event).toMatchObject({
      type: 'triggered',
      reason: 'threshold',
      incident_no: 1,
      alert_type: 'slack',
      endpoint_name: 'Checkout API',
      website_name: 'Shop',
      message: 'Checkout API is down: connection refused (3 checks in a row)',
      error_code: 'connection_refused',
      error_message: 'connection refused',
      failure_count: 3,
      success_count: 0,
      duration_seconds: null,
    });
    expect(await flagOf(alertId)).toMatchObject({
      triggered: true,
      incident_no: 1,
      trigger_event_id: event?.id,
      incident_started_at: event?.started_at,
    });
    expect(await alerting.deliveries(alertId)).toMatchObject([
      { event_id: event?.id, kind: 'triggered', incident_no: 1, state: 'pending' },
    ]);
  });

  it('resolves the open episode and names its trigger', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule);
    const began = Date.now();
    await alerting.playEvery(20, endpointId, 'FFFFSFSS');
    const tookSeconds = (Date.now() - began) / 1000;
    const [triggered, resolved, ...more] = await alerting.events(alertId);
    expect(more).toEqual([]);
    expect(resolved).toMatchObject({
      type: 'resolved',
      reason: 'threshold',
      incident_no: 1,
      error_code: null,
      error_message: null,
      failure_count: 0,
      success_count: 2,
      started_at: triggered?.started_at,
    });
    // Until the first success. The wait for the second one isn't part of the outage.
    expect(resolved?.duration_seconds).toBeGreaterThanOrEqual(120);
    expect(resolved?.duration_seconds).toBeLessThanOrEqual(121 + tookSeconds);
    expect(resolved?.message).toContain('Checkout API is back up');
    expect(await flagOf(alertId)).toMatchObject({ triggered: false, incident_no: 1, trigger_event_id: null });
    const [first, second] = await alerting.deliveries(alertId);
    expect(second?.notification.incidentKey).toBe(first?.notification.incidentKey);
    expect(second?.notification.triggerId).toBe(first?.notification.id);
  });

  it('keeps the result of each of several locations, by their names, in event and message', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, { failureThreshold: 1, successThreshold: 1 });
    const [fra, office] = await alerting.database.query<{ number: number }>(
      `INSERT INTO probe (id, org_id, key, name, created_at, updated_at)
       VALUES (gen_random_uuid(), $1, 'fra', 'Frankfurt', now(), now()), (gen_random_uuid(), $1, 'office', 'Office', now(), now())
       RETURNING number`,
      [orgId],
    );
    const error = { code: 'connection_refused' as const, message: 'connection refused' };
    const seen = (isDown: boolean): LocationSeen[] => [
      { number: fra?.number ?? 0, outcome: isDown ? 'down' : 'up', isLost: false, error: isDown ? error : null },
      { number: 0, outcome: 'up', isLost: false, error: null },
      { number: office?.number ?? 0, outcome: 'up', isLost: true, error: null },
    ];
    await alerting.check([{ endpointId, result: 'F', locations: seen(true) }]);
    await alerting.check([{ endpointId, result: 'S', locations: seen(false) }]);
    const [triggered, resolved] = await alerting.events(alertId);
    const silent = { code: 'monitor_offline', message: 'No result has been received from this location.' };
    expect(triggered?.locations).toEqual([
      { location: 'fra', outcome: 'down', error },
      { location: 'local', outcome: 'up', error: null },
      { location: 'office', outcome: 'unknown', error: silent },
    ]);
    expect(triggered?.message).toBe(
      'Checkout API is down: connection refused (1 check in a row) from 1 of 3 locations: fra; no result from office',
    );
    expect(resolved?.locations?.map(({ outcome }) => outcome)).toEqual(['up', 'up', 'unknown']);
    const [message] = await alerting.deliveries(alertId);
    expect(message?.notification.locations).toEqual(triggered?.locations);
  });

  it('reads no locations for an endpoint that has one, and keeps none', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, { failureThreshold: 1, successThreshold: 1 });
    const statements = collectQueries(alerting.nest.get(WorkerDatabase).dataSource);
    await alerting.play(endpointId, 'F');
    expect(statements.filter(([sql]) => /\bprobe\b|endpoint_location/.test(sql))).toEqual([]);
    expect((await alerting.events(alertId)).map(({ locations }) => locations)).toEqual([null]);
    expect((await alerting.deliveries(alertId))[0]?.notification).not.toHaveProperty('locations');
  });

  it('records a resolve without a delivery if resolves are not to be sent', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, { ...rule, sendOnResolved: false });
    await alerting.play(endpointId, 'FFFSS');
    expect((await alerting.events(alertId)).map(({ type }) => type)).toEqual(['triggered', 'resolved']);
    expect((await alerting.deliveries(alertId)).map(({ kind }) => kind)).toEqual(['triggered']);
  });

  it('evaluates a batch in which one endpoint fails and recovers like single checks', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, { failureThreshold: 1, successThreshold: 1 });
    await alerting.check(['F', 'S', 'F', 'S', 'F'].map((result) => ({ endpointId, result: result as Result })));
    expect((await alerting.events(alertId)).map((event) => [event.type, event.incident_no])).toEqual([
      ['triggered', 1],
      ['resolved', 1],
      ['triggered', 2],
      ['resolved', 2],
      ['triggered', 3],
    ]);
    expect(await flagOf(alertId)).toMatchObject({ triggered: true, incident_no: 3 });
  });

  it('records event and delivery when the config cannot be decrypted', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, { failureThreshold: 1, successThreshold: 1 });
    await alerting.database.query(`UPDATE alert SET config = '{"sealed": "v1:lost:AAAA"}' WHERE id = $1`, [alertId]);
    await alerting.play(endpointId, 'F');
    expect(await alerting.events(alertId)).toHaveLength(1);
    expect(await alerting.deliveries(alertId)).toHaveLength(1);
  });

  it('leaves no flag, event or delivery behind when the transaction of the check rolls back', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, { failureThreshold: 1, successThreshold: 1 });
    const failing = alerting.database.transaction(async (tx) => {
      await alerting.evaluator.evaluate(tx, [
        {
          orgId,
          endpointId,
          outcome: 'down',
          consecutiveFailures: 1,
          consecutiveSuccesses: 0,
          degraded: false,
          consecutiveBad: 1,
          consecutiveGood: 0,
          failingSince: new Date(),
          badSince: new Date(),
          upSince: null,
          goodSince: null,
          muted: false,
          checkedAt: new Date(),
          durationMs: 1,
          statusCode: null,
          address: null,
          error: { code: 'connection_refused', message: 'connection refused' },
          warning: null,
        },
      ]);
      throw new Error('the commit never came');
    });
    await expect(failing).rejects.toThrow('the commit never came');
    expect(await alerting.events(alertId)).toEqual([]);
    expect(await alerting.deliveries(alertId)).toEqual([]);
    expect(await flagOf(alertId)).toMatchObject({ triggered: false, incident_no: 0 });
  });

  it('evaluates alerts with one statement while everything is up', async () => {
    const endpointIds = await Promise.all(['a', 'b', 'c'].map((name) => alerting.endpoint(orgId, name)));
    for (const endpointId of endpointIds) await alerting.alert(orgId, endpointId, rule);
    const statements = await alerting.database.transaction(async (tx) => {
      const statements: string[] = [];
      const counting = {
        ...tx,
        query: <Row>(sql: string, parameters?: readonly unknown[]) => {
          statements.push(sql);
          return tx.query<Row>(sql, parameters);
        },
      };
      await alerting.evaluator.evaluate(
        counting,
        endpointIds.map((endpointId) => ({
          orgId,
          endpointId,
          outcome: 'up' as const,
          consecutiveFailures: 0,
          consecutiveSuccesses: 9,
          degraded: false,
          consecutiveBad: 0,
          consecutiveGood: 9,
          failingSince: null,
          badSince: null,
          upSince: null,
          goodSince: null,
          muted: false,
          checkedAt: new Date(),
          durationMs: 1,
          statusCode: 200,
          address: null,
          error: null,
          warning: null,
        })),
      );
      return statements;
    });
    expect(statements).toHaveLength(1);
  });

  it('reports endpoints where one more failure would trigger', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const quiet = await alerting.endpoint(orgId);
    await alerting.alert(orgId, endpointId, rule);
    const near = () => alerting.nearTrigger(endpointId, quiet);
    await alerting.play(endpointId, 'F');
    expect(await near()).toEqual(new Set());
    await alerting.play(endpointId, 'F');
    expect(await near()).toEqual(new Set([endpointId]));
    await alerting.play(endpointId, 'F');
    expect(await near()).toEqual(new Set());
    expect(await alerting.evaluator.nearTrigger(alerting.database, [])).toEqual(new Map());
  });

  it('agrees with the pure fold on a real database, for any results in any batches', async () => {
    const batches = fc.array(
      fc.array(fc.record({ endpoint: fc.nat(1), result: fc.constantFrom<Result>('F', 'S', '?') }), {
        minLength: 1,
        maxLength: 8,
      }),
      { minLength: 1, maxLength: 10 },
    );
    const rules = fc.array(
      fc.record({
        endpoint: fc.nat(1),
        failureThreshold: fc.integer({ min: 1, max: 3 }),
        successThreshold: fc.integer({ min: 1, max: 3 }),
        sendOnResolved: fc.boolean(),
        after: fc.constantFrom(0, 0, 60, 90, 180),
      }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(batches, rules, async (history, alerts) => {
        const endpointIds = [await alerting.endpoint(orgId), await alerting.endpoint(orgId)];
        const idOf = (endpoint: number) => endpointIds[endpoint] ?? '';
        const alertIds: string[] = [];
        for (const alert of alerts) alertIds.push(await alerting.alert(orgId, idOf(alert.endpoint), alert));
        for (const [minute, batch] of history.entries()) {
          const reported = batch.map(({ endpoint, result }) => ({ endpointId: idOf(endpoint), result }));
          await alerting.check(reported, undefined, at(minute));
        }
        for (const [index, alert] of alerts.entries()) {
          const timed = history.flatMap((batch, minute) => batch.map((one) => ({ ...one, checkedAt: at(minute) })));
          const expected = expectedTransitions(
            alert,
            timed.filter(({ endpoint }) => endpoint === alert.endpoint),
          );
          const alertId = alertIds[index] ?? '';
          expect((await alerting.events(alertId)).map(({ type }) => type)).toEqual(expected);
          expect((await alerting.deliveries(alertId)).map(({ kind }) => kind)).toEqual(
            expected.filter((type) => type === 'triggered' || alert.sendOnResolved),
          );
          expect(await flagOf(alertId)).toMatchObject({
            triggered: expected.at(-1) === 'triggered',
            incident_no: expected.filter((type) => type === 'triggered').length,
          });
        }
      }),
      { numRuns: 15 },
    );
  });
});

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 12, minute));

function expectedTransitions(
  { after, ...thresholds }: { failureThreshold: number; successThreshold: number; after: number },
  results: readonly { result: Result; checkedAt: Date }[],
): string[] {
  const rule = { ...thresholds, afterSeconds: after, condition: 'down' as const, enabled: true, triggered: false };
  let failingSince: Date | null = null;
  const streak = { consecutiveFailures: 0, consecutiveSuccesses: 0, consecutiveBad: 0, consecutiveGood: 0 };
  const seen: string[] = [];
  for (const { result, checkedAt } of results) {
    if (result === '?') continue;
    failingSince = result === 'F' ? (failingSince ?? checkedAt) : null;
    streak.consecutiveFailures = result === 'F' ? streak.consecutiveFailures + 1 : 0;
    streak.consecutiveSuccesses = result === 'S' ? streak.consecutiveSuccesses + 1 : 0;
    const transition = nextTransition(rule, {
      ...streak,
      outcome: result === 'F' ? 'down' : 'up',
      degraded: false,
      failingSince,
      badSince: failingSince,
      checkedAt,
      muted: false,
    });
    if (transition === null) continue;
    rule.triggered = transition === 'trigger';
    seen.push(rule.triggered ? 'triggered' : 'resolved');
  }
  return seen;
}
