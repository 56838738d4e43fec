/** @lane slow */
import { Logger } from '@nestjs/common';
import type { CheckDefinition } from '../../../src/engine/check-definition';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import type { CheckRecorder } from '../../../src/monitoring/record/check-recorder';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { Metrics } from '../../../src/platform/observability/metrics';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { recorded as finishedCheck } from '../../harness/app/history';
import { eventually } from '../../../packages/testing/eventually';
import { newBatchWriter, newRecorder } from '../../harness/app/recorder';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

const HEALTHY = 20;

describe('a result that cannot be written', () => {
  let app: TestApp;
  let database: Database;
  let recorder: CheckRecorder;
  let healthy: CheckDefinition[];
  let attackers: Api;
  let warned: jest.SpyInstance;
  let tick = Date.now() - 3_600_000;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
    attackers = (await app.organization('Attacker')).write;
    healthy = await definitionsOf(app.write, HEALTHY);
    await database.query(`CREATE TABLE poisoned (endpoint_id uuid, sqlstate text)`);
    await database.query(`CREATE FUNCTION refuse_poisoned() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE state text;
      BEGIN
        SELECT sqlstate INTO state FROM poisoned WHERE endpoint_id = NEW.endpoint_id;
        IF state IS NOT NULL THEN RAISE EXCEPTION 'this row is refused' USING ERRCODE = state; END IF;
        RETURN NEW;
      END $$`);
    await database.query(
      `CREATE TRIGGER refuse_poisoned BEFORE UPDATE ON endpoint_state FOR EACH ROW EXECUTE FUNCTION refuse_poisoned()`,
    );
  });
  afterAll(() => app.close());
  beforeEach(() => {
    warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    recorder = newRecorder(app);
  });
  afterEach(async () => {
    armFailpoints([]);
    await database.query('DELETE FROM poisoned');
    await recorder.drain(0);
    jest.restoreAllMocks();
  });

  async function definitionsOf(api: Api, count: number): Promise<CheckDefinition[]> {
    const website = await newWebsite(api);
    const ids = await Promise.all(Array.from({ length: count }, () => newEndpoint(api, website)));
    const uuids = ids.map((id) => ({ endpointId: parseId('endpoint', id) ?? '', revision: 1 }));
    const definitions = await app.app.get(CheckDefinitions).load(database, uuids);
    return [...definitions.values()].filter((definition) => definition !== null);
  }

  /** Returns another result of the endpoint, for the next slot. */
  function next({ endpointId, endpointKey, orgId, revision }: CheckDefinition): FinishedCheck {
    tick += 5;
    const check = finishedCheck({ id: endpointId, key: endpointKey }, new Date(tick), 'up', 12.5);
    return { ...check, orgId, revision, slotMs: tick };
  }

  const poison = ({ endpointId }: CheckDefinition, sqlstate: string) =>
    database.query('INSERT INTO poisoned VALUES ($1, $2)', [endpointId, sqlstate]);

  async function checksOf(definitions: readonly CheckDefinition[]): Promise<number> {
    const [row] = await database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM check_result WHERE endpoint_key = ANY ($1::bigint[])',
      [definitions.map(({ endpointKey }) => endpointKey)],
    );
    return row?.count ?? 0;
  }

  const counted = async (name: string): Promise<number> => {
    const value = await app.app.get(Metrics).registry.getSingleMetric(name)?.get();
    return value?.values[0]?.value ?? 0;
  };

  /** Adds a round of results, in which the poisoned ones are among the healthy ones. */
  function addRound(poisoned: readonly CheckDefinition[]): void {
    for (const definition of [...healthy.slice(0, 7), ...poisoned, ...healthy.slice(7)]) recorder.add(next(definition));
  }

  it.each([
    ['its values', '22P05'],
    ['a constraint', '23514'],
    ['a limit of the database', '54000'],
    ['a custom error', 'P0001'],
  ])('delays no other result and is given up if the database refuses it because of %s', async (_, sqlstate) => {
    const [culprit] = await definitionsOf(attackers, 1);
    if (!culprit) throw new Error('no endpoint');
    await poison(culprit, sqlstate);
    const [before, parked] = [await checksOf(healthy), await counted('uptime_results_parked_total')];
    addRound([culprit]);
    await eventually('every healthy result is written', async () => (await checksOf(healthy)) === before + HEALTHY);
    addRound([]);
    await eventually('the next ones as well', async () => (await checksOf(healthy)) === before + 2 * HEALTHY);
    await eventually('the culprit is given up', async () => (await counted('uptime_results_parked_total')) > parked);
    expect([await checksOf([culprit]), recorder.backlog]).toEqual([0, 0]);
  });

  it('delays no other result if it is too long for one parameter of a statement', async () => {
    const [culprit] = await definitionsOf(attackers, 1);
    if (!culprit) throw new Error('no endpoint');
    const check = next(culprit);
    Object.defineProperty(check.result, 'durationMs', {
      get: () => {
        throw new RangeError('Invalid string length');
      },
    });
    const before = await checksOf(healthy);
    recorder.add(check);
    addRound([]);
    await eventually('every healthy result is written', async () => (await checksOf(healthy)) === before + HEALTHY);
    await eventually('the culprit is given up', () => recorder.backlog === 0);
  });

  it('costs its endpoint only that result: the later ones are recorded in their order', async () => {
    const [culprit] = await definitionsOf(attackers, 1);
    if (!culprit) throw new Error('no endpoint');
    await poison(culprit, '22P05');
    const parked = await counted('uptime_results_parked_total');
    addRound([culprit]);
    await eventually('the culprit is given up', async () => (await counted('uptime_results_parked_total')) > parked);
    await database.query('DELETE FROM poisoned');
    const results = await Promise.all([1, 2, 3].map(() => recorder.record(next(culprit))));
    expect([results, await checksOf([culprit])]).toEqual([['recorded', 'recorded', 'recorded'], 3]);
  });

  it('delays no other result if there are many of them, repeatedly', async () => {
    const culprits = await definitionsOf(attackers, 60);
    await Promise.all(culprits.map((culprit) => poison(culprit, 'P0001')));
    const before = await checksOf(healthy);
    for (let round = 1; round <= 3; round++) {
      addRound(culprits);
      await eventually(
        `every healthy result of round ${round} is written`,
        async () => (await checksOf(healthy)) === before + round * HEALTHY,
      );
    }
    await eventually('all the others are given up', () => recorder.backlog === 0, 30_000);
    expect(await checksOf(culprits)).toBe(0);
  });

  it('is kept while no result can be written, and is written when that is over', async () => {
    armFailpoints(['recorder.before_commit=error']);
    const [parked, before] = [await counted('uptime_results_parked_total'), await checksOf(healthy)];
    addRound([]);
    addRound([]);
    await eventually('the batch has failed twice', () => warned.mock.calls.length >= 2);
    armFailpoints([]);
    await eventually('every result is written', async () => (await checksOf(healthy)) === before + 2 * HEALTHY);
    expect(await counted('uptime_results_parked_total')).toBe(parked);
  });

  it('is written with others, not in a separate transaction, once it turns out that the database was at fault', async () => {
    const [one] = await definitionsOf(app.write, 1);
    if (!one) throw new Error('no endpoint');
    const entry = { addedAt: 0, maxAgeMs: 0, affectsState: true };
    const batch = Array.from({ length: 100 }, () => ({ ...entry, check: next(one) }));
    const writer = newBatchWriter(app);
    armFailpoints(['recorder.before_commit=error']);
    expect((await writer.write(batch)).left).toHaveLength(100);
    expect([(await writer.write(batch)).left, writer.refused.queue.size]).toEqual([[], 100]);
    armFailpoints([]);
    await writer.refused.retry(60_000);
    expect([await checksOf([one]), writer.refused.queue.size]).toEqual([100, 0]);
    expect(writer.written).toBeLessThan(20);
  });
});
