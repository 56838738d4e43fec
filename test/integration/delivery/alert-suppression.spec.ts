import fc from 'fast-check';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { Alerting, type Reported } from '../../harness/app/alerting';

describe('alerts that are suppressed', () => {
  let alerting: Alerting;
  let orgId: string;

  beforeAll(async () => {
    alerting = await Alerting.start();
    orgId = await alerting.organization();
  });
  afterAll(() => alerting.close());

  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute));
  const typesOf = async (alertId: string) => (await alerting.events(alertId)).map(({ type }) => type);
  const rule = (failureThreshold: number, more: object = {}) => ({ failureThreshold, successThreshold: 1, ...more });
  const isAcknowledged = async (endpointId: string) =>
    (await alerting.database.query('SELECT 1 FROM acknowledgement WHERE endpoint_id = $1', [endpointId])).length === 1;
  const acknowledge = (endpointId: string, until: Date | null = null) =>
    alerting.database.query(
      `INSERT INTO acknowledgement (endpoint_id, org_id, by_name, at, until) VALUES ($1, $2, 'On call', now(), $3)`,
      [endpointId, orgId, until],
    );
  /** The rule of the route: the endpoint is down or has a triggered alert, and isn't acknowledged yet. */
  const mayBeAcknowledged = async (endpointId: string) => {
    const rows = await alerting.database.query(
      `SELECT 1 FROM endpoint_state s
        WHERE s.endpoint_id = $1 AND NOT EXISTS (SELECT FROM acknowledgement k WHERE k.endpoint_id = $1)
          AND (s.status = 0 OR EXISTS (SELECT FROM alert a WHERE a.endpoint_id = $1 AND a.triggered))`,
      [endpointId],
    );
    return rows.length === 1;
  };
  /** Adds the endpoint to the schedule, by default as an enabled one. */
  const schedule = (endpointId: string, active = true) =>
    alerting.database.query(
      `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, active, revision, phase_ms, next_check_at)
       VALUES ($1, $2, 60, 10, $3, 1, 0, now())`,
      [endpointId, orgId, active],
    );
  const dependOn = (endpointId: string, parentId: string) =>
    alerting.database.query('INSERT INTO endpoint_dependency VALUES ($1, $2)', [endpointId, parentId]);

  it('are released for endpoints that depend on a recovered endpoint: the batch names only recovered endpoints with dependents', async () => {
    const [parent, child, other] = [
      await alerting.endpoint(orgId),
      await alerting.endpoint(orgId),
      await alerting.endpoint(orgId),
    ];
    await dependOn(child, parent);
    const named = async (result: 'F' | 'S') => {
      const updates = await alerting.check([parent, child, other].map((endpointId) => ({ endpointId, result })));
      return alerting.nest.get(WorkerDatabase).transaction((tx) => alerting.evaluator.evaluate(tx, updates));
    };
    expect([await named('F'), await named('S'), await named('S')]).toEqual([[], [parent], []]);
  });

  it('acknowledged between two alerts of growing thresholds, the second triggers nothing and the first sends the recovery', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const [first, second] = [
      await alerting.alert(orgId, endpointId, rule(1)),
      await alerting.alert(orgId, endpointId, rule(3)),
    ];
    await alerting.play(endpointId, 'F');
    await acknowledge(endpointId);
    await alerting.play(endpointId, 'FFFF');
    expect([await typesOf(first), await typesOf(second)]).toEqual([['triggered'], []]);
    expect(await isAcknowledged(endpointId)).toBe(true);
    await alerting.play(endpointId, 'S');
    expect([await typesOf(first), await typesOf(second)]).toEqual([['triggered', 'resolved'], []]);
    expect(await isAcknowledged(endpointId)).toBe(false);
    await alerting.play(endpointId, 'FFF');
    expect((await typesOf(second)).length).toBe(1);
  });

  it('an acknowledgement remains after successes that do not resolve yet', async () => {
    const endpointId = await alerting.endpoint(orgId);
    await alerting.alert(orgId, endpointId, { failureThreshold: 1, successThreshold: 3 });
    await alerting.play(endpointId, 'F');
    await acknowledge(endpointId);
    await alerting.play(endpointId, 'SS');
    expect(await isAcknowledged(endpointId)).toBe(true);
    await alerting.play(endpointId, 'S');
    expect(await isAcknowledged(endpointId)).toBe(false);
  });

  it('an acknowledgement that ends within a batch does not suppress later results in the batch', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule(2));
    await alerting.play(endpointId, 'F');
    await acknowledge(endpointId);
    await alerting.check(['F', 'S', 'F', 'F'].map((result) => ({ endpointId, result }) as Reported));
    expect(await typesOf(alertId)).toEqual(['triggered']);
    expect(await isAcknowledged(endpointId)).toBe(false);
  });

  it('an acknowledgement past its time suppresses nothing', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule(2));
    await acknowledge(endpointId, at(2));
    await alerting.check([{ endpointId, result: 'F' }], undefined, at(0));
    await alerting.check([{ endpointId, result: 'F' }], undefined, at(1));
    expect(await typesOf(alertId)).toEqual([]);
    await alerting.check([{ endpointId, result: 'F' }], undefined, at(2));
    expect(await typesOf(alertId)).toEqual(['triggered']);
  });

  it('an alert on degraded keeps the acknowledgement until its warning ends', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule(1, { condition: 'degraded' }));
    await alerting.play(endpointId, 'F');
    await acknowledge(endpointId);
    await alerting.play(endpointId, 'DD');
    expect(await isAcknowledged(endpointId)).toBe(true);
    await alerting.play(endpointId, 'S');
    expect([await typesOf(alertId), await isAcknowledged(endpointId)]).toEqual([['triggered', 'resolved'], false]);
  });

  it('a child is suppressed while an active parent is down, in any order within a batch, and triggers with the next failure after it', async () => {
    const [child, parent] = [await alerting.endpoint(orgId), await alerting.endpoint(orgId)];
    await schedule(parent);
    await dependOn(child, parent);
    const alertId = await alerting.alert(orgId, child, rule(1));
    await alerting.check([
      { endpointId: child, result: 'F' },
      { endpointId: parent, result: 'F' },
    ]);
    await alerting.play(child, 'FF');
    expect(await typesOf(alertId)).toEqual([]);
    await alerting.play(parent, 'S');
    await alerting.play(child, 'F');
    expect(await typesOf(alertId)).toEqual(['triggered']);
    await alerting.play(parent, 'F');
    await alerting.play(child, 'S');
    expect(await typesOf(alertId)).toEqual(['triggered', 'resolved']);
  });

  it('a paused parent and a degraded parent do not suppress a child', async () => {
    const [child, paused, degraded] = [
      await alerting.endpoint(orgId),
      await alerting.endpoint(orgId),
      await alerting.endpoint(orgId),
    ];
    await schedule(paused, false);
    await schedule(degraded);
    await dependOn(child, paused);
    await dependOn(child, degraded);
    const alertId = await alerting.alert(orgId, child, rule(1));
    await alerting.play(paused, 'F');
    await alerting.play(degraded, 'D');
    await alerting.play(child, 'F');
    expect(await typesOf(alertId)).toEqual(['triggered']);
  });

  it('an episode starts with the first failure after the mute, and nothing is sent during it', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule(2));
    for (const minute of [0, 1, 2])
      await alerting.check([{ endpointId, result: 'F', muted: true }], undefined, at(minute));
    expect(await typesOf(alertId)).toEqual([]);
    await alerting.check([{ endpointId, result: 'F' }], undefined, at(3));
    expect(await alerting.events(alertId)).toMatchObject([{ type: 'triggered', failure_count: 4, started_at: at(3) }]);
  });

  it("an episode on degraded starts with the first warning, counts warnings and failures, and contains the warning's text", async () => {
    const endpointId = await alerting.endpoint(orgId);
    const [onDown, onDegraded] = [
      await alerting.alert(orgId, endpointId, rule(1)),
      await alerting.alert(orgId, endpointId, rule(2, { condition: 'degraded' })),
    ];
    for (const [minute, result] of (['D', 'D', 'F', 'S'] as const).entries())
      await alerting.check([{ endpointId, result }], undefined, at(minute));
    expect(await alerting.events(onDegraded)).toMatchObject([
      {
        type: 'triggered',
        condition: 'degraded',
        message: 'Checkout API is degraded: the certificate expires in 10 days (2 checks in a row)',
        error_code: 'assertion_failed',
        failure_count: 2,
        started_at: at(0),
      },
      { type: 'resolved', condition: 'degraded', message: 'Checkout API is no longer degraded after 3 min' },
    ]);
    expect(await alerting.events(onDown)).toMatchObject([
      { type: 'triggered', condition: 'down', started_at: at(2) },
      { type: 'resolved', condition: 'down' },
    ]);
  });

  it('one more failure after warnings is near the trigger of an alert on degraded, and not of one on down', async () => {
    const [warned, other] = [await alerting.endpoint(orgId), await alerting.endpoint(orgId)];
    await alerting.alert(orgId, warned, rule(2, { condition: 'degraded' }));
    await alerting.alert(orgId, other, rule(2));
    await alerting.play(warned, 'D');
    await alerting.play(other, 'D');
    expect(await alerting.nearTrigger(warned, other)).toEqual(new Set([warned]));
    expect(await alerting.evaluator.alertsAffected(alerting.database, [], [], [warned, other])).toEqual(
      new Map([[warned, 1]]),
    );
  });

  it('while all endpoints are up, no query reads acknowledgements and parents', async () => {
    const endpointId = await alerting.endpoint(orgId);
    await alerting.alert(orgId, endpointId, rule(3));
    await alerting.play(endpointId, 'SF');
    const [update] = await alerting.check([{ endpointId, result: 'F' }]);
    if (!update) throw new Error('there is no update');
    const seen: string[] = [];
    await alerting.database.transaction((tx) => {
      const query = <Row>(sql: string, parameters?: readonly unknown[]) => {
        seen.push(sql);
        return tx.query<Row>(sql, parameters);
      };
      return alerting.evaluator.evaluate({ ...tx, query }, [update]);
    });
    expect(seen.filter((sql) => sql.includes('acknowledgement'))).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  it('in any history, nothing triggers inside a mute and every open episode resolves', async () => {
    const results = fc.array(
      fc.record({
        result: fc.constantFrom<Reported['result']>('F', 'S', 'D', '?'),
        muted: fc.boolean(),
        acknowledge: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
      }),
      { minLength: 1, maxLength: 25 },
    );
    const rules = fc.array(
      fc.record({
        failureThreshold: fc.integer({ min: 1, max: 3 }),
        successThreshold: fc.integer({ min: 1, max: 3 }),
        condition: fc.constantFrom('down' as const, 'degraded' as const),
      }),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(results, rules, async (history, alerts) => {
        const endpointId = await alerting.endpoint(orgId);
        const ids: string[] = [];
        for (const alert of alerts) ids.push(await alerting.alert(orgId, endpointId, alert));
        const open = async () => {
          const all = await Promise.all(ids.map((id) => typesOf(id)));
          return all.map((types) => types.filter((type) => type === 'triggered').length);
        };
        for (const { acknowledge: isGiven, ...reported } of history) {
          if (isGiven && (await mayBeAcknowledged(endpointId))) await acknowledge(endpointId);
          const isSuppressed = reported.muted || (await isAcknowledged(endpointId));
          const before = await open();
          await alerting.check([{ endpointId, ...reported }]);
          if (isSuppressed) expect(await open()).toEqual(before);
        }
        await alerting.play(endpointId, 'SSS');
        expect(await isAcknowledged(endpointId)).toBe(false);
        for (const id of ids) {
          const types = await typesOf(id);
          expect(types).toEqual(types.map((_, index) => (index % 2 === 0 ? 'triggered' : 'resolved')));
          expect(types.length % 2).toBe(0);
        }
      }),
      { numRuns: 20 },
    );
  });
});
