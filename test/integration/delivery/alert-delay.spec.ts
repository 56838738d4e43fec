/** @databases both */
import { Alerting, type Result } from '../../harness/app/alerting';

describe('an alert with a delay', () => {
  let alerting: Alerting;
  let orgId: string;

  beforeAll(async () => {
    alerting = await Alerting.start();
    orgId = await alerting.organization();
  });
  afterAll(() => alerting.close());

  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12) + minute * 60_000);
  const rule = (after: number, more: object = {}) => ({ failureThreshold: 1, successThreshold: 1, after, ...more });
  const check = (endpointId: string, result: Result, minute: number, muted = false) =>
    alerting.check([{ endpointId, result, muted }], undefined, at(minute));
  const typesOf = async (alertId: string) => (await alerting.events(alertId)).map(({ type }) => type);

  it('triggers with the first failure that is ten minutes old, and its episode started with the first of all', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule(600));
    for (const minute of [0, 5, 9.99]) await check(endpointId, 'F', minute);
    expect(await typesOf(alertId)).toEqual([]);
    await check(endpointId, 'F', 10);
    expect(await alerting.events(alertId)).toMatchObject([
      { type: 'triggered', failure_count: 4, started_at: at(0), created_at: expect.any(Date) },
    ]);
  });

  it('sends nothing for an outage that ends before', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule(600));
    for (const minute of [0, 5, 9]) await check(endpointId, 'F', minute);
    await check(endpointId, 'S', 10);
    for (const minute of [11, 20]) await check(endpointId, 'F', minute);
    expect(await typesOf(alertId)).toEqual([]);
    await check(endpointId, 'F', 21);
    expect(await alerting.events(alertId)).toMatchObject([{ type: 'triggered', started_at: at(11) }]);
  });

  it('ignores unknown results, which do not trigger and do not end the delay', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule(600));
    await check(endpointId, 'F', 0);
    for (const minute of [5, 10, 11]) await check(endpointId, '?', minute);
    expect(await typesOf(alertId)).toEqual([]);
    await check(endpointId, 'F', 12);
    expect(await typesOf(alertId)).toEqual(['triggered']);
  });

  it('counts from the end of maintenance', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule(600));
    await check(endpointId, 'F', 0);
    for (const minute of [5, 10, 20]) await check(endpointId, 'F', minute, true);
    for (const minute of [21, 30]) await check(endpointId, 'F', minute);
    expect(await typesOf(alertId)).toEqual([]);
    await check(endpointId, 'F', 31);
    expect(await alerting.events(alertId)).toMatchObject([{ type: 'triggered', failure_count: 7, started_at: at(21) }]);
  });

  it('on degraded counts warnings and failures, while one on down counts only failures', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const onDegraded = await alerting.alert(orgId, endpointId, rule(120, { condition: 'degraded' }));
    const onDown = await alerting.alert(orgId, endpointId, rule(120));
    await check(endpointId, 'D', 0);
    await check(endpointId, 'F', 1);
    await check(endpointId, 'F', 2);
    expect([await typesOf(onDegraded), await typesOf(onDown)]).toEqual([['triggered'], []]);
    await check(endpointId, 'F', 3);
    expect(await typesOf(onDown)).toEqual(['triggered']);
  });

  it('is not near its trigger before the delay, although its threshold is reached', async () => {
    const endpointId = await alerting.endpoint(orgId);
    await alerting.alert(orgId, endpointId, rule(600));
    const near = (minute: number) => alerting.nearTriggerAt(at(minute), endpointId);
    expect(await near(0)).toEqual(new Set());
    await check(endpointId, 'F', 0);
    expect([await near(9), await near(10)]).toEqual([new Set(), new Set([endpointId])]);
    await check(endpointId, 'F', 1, true);
    expect(await near(20)).toEqual(new Set());
  });

  it('is not locked by failures before the delay', async () => {
    const endpointId = await alerting.endpoint(orgId);
    const alertId = await alerting.alert(orgId, endpointId, rule(600));
    // A transaction that locks a row leaves its number in the row.
    const locks = () => alerting.database.query('SELECT xmax::text FROM alert WHERE id = $1', [alertId]);
    const before = await locks();
    for (const minute of [0, 5]) await check(endpointId, 'F', minute);
    expect(await locks()).toEqual(before);
    await check(endpointId, 'F', 10);
    expect(await locks()).not.toEqual(before);
  });
});
