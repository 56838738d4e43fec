/**
 * @lane slow
 * @databases both
 */
import fc from 'fast-check';
import type { ErrorCode, Outcome } from '../../../src/checker/checker';
import { EndpointSchedule } from '../../../src/endpoint/endpoint-schedule';
import { BeforeTrigger } from '../../../src/engine/before-trigger';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import type { PendingCheck } from '../../../src/engine/queue/pending-checks';
import { ProbeFailures } from '../../../src/monitoring/before-trigger/probe-failures';
import { EndpointStateStore } from '../../../src/monitoring/record/endpoint-state-store';
import { LocationSweep } from '../../../src/monitoring/record/location-sweep';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../src/platform/time/time-units';
import { eventually } from '../../../packages/testing/eventually';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { recorded as finishedCheck } from '../../harness/app/history';
import { EVERYTHING } from '../../harness/app/occurrences';
import { collectQueries } from '../../harness/app/query-counter';
import { newBatchWriter, newRecorder } from '../../harness/app/recorder';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { many } from '../../harness/many';

const INTERVAL_SECONDS = 60;
const NOW_AND_EVER = { failure_threshold: 1, success_threshold: 1 };

interface Site {
  id: string;
  key: string;
  orgId: string;
}

describe('an endpoint at several locations', () => {
  let app: TestApp;
  let database: WorkerDatabase;
  let websiteId: string;
  /** The numbers of the probes fra, virginia, and office. */
  let probes: number[];

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', confirmFailures: true });
    database = app.app.get(WorkerDatabase);
    websiteId = await newWebsite(app.write);
    const [org] = await database.query<{ orgId: string }>('SELECT org_id AS "orgId" FROM website');
    probes = [];
    for (const key of ['fra', 'virginia', 'office']) {
      const [row] = await database.query<{ number: number }>(
        `INSERT INTO probe (id, org_id, key, name, created_at, updated_at, online) VALUES ($1, $2, $3, $3, now(), now(), true) RETURNING number`,
        [newUuid(), org?.orgId, key],
      );
      probes.push(row?.number ?? 0);
    }
  });
  afterAll(() => app.close());

  const probe = (index: number): number => probes[index] ?? -9;

  /** Creates an endpoint at these locations (0 is local), assigned `agoMs` ago. */
  async function newSite(numbers: readonly number[], { quorum = 'majority', agoMs = 0 } = {}): Promise<Site> {
    const id = parseId('endpoint', await newEndpoint(app.write, websiteId, { interval: INTERVAL_SECONDS })) ?? '';
    await database.query('UPDATE endpoint SET quorum = $2, location_count = $3 WHERE id = $1', [
      id,
      quorum,
      numbers.length,
    ]);
    await database.query(
      `UPDATE endpoint_schedule SET located = true, scheduled = $2, next_check_at = CASE WHEN $2 THEN now() + interval '50 seconds' ELSE 'infinity' END
        WHERE endpoint_id = $1`,
      [id, numbers.includes(0)],
    );
    await database.query(
      `INSERT INTO endpoint_location (endpoint_id, number, org_id, position, phase_ms, assigned_at)
       SELECT e.id, n.number, e.org_id, n.ordinality, 0, now() - $3 * interval '1 ms'
         FROM endpoint e, unnest($2::smallint[]) WITH ORDINALITY AS n (number) WHERE e.id = $1`,
      [id, numbers, agoMs],
    );
    const [row] = await database.query<Site>(
      'SELECT id, key::text AS key, org_id AS "orgId" FROM endpoint WHERE id = $1',
      [id],
    );
    if (!row) throw new Error('there is no such endpoint');
    return row;
  }

  let lastMs = 0;
  /** Slots of a location are an interval apart. */
  let lastSlotMs = Date.now() - 30 * DAY_MS;
  /** Returns a check that started `agoMs` ago. Each check starts later than the previous one. */
  function checkOf(
    site: Site,
    location: number,
    outcome: Outcome,
    agoMs = 0,
    code: ErrorCode = 'connection_timeout',
  ): FinishedCheck {
    lastMs = Math.max(lastMs + 1, Date.now());
    const at = new Date(lastMs - agoMs);
    const check = finishedCheck(site, at, outcome, 12.5, { code });
    return { ...check, orgId: site.orgId, location, revision: 1, slotMs: (lastSlotMs += INTERVAL_SECONDS * SECOND_MS) };
  }
  const record = (check: FinishedCheck) => newRecorder(app).record(check);
  async function recordAll(checks: readonly FinishedCheck[]): Promise<void> {
    const recorder = newRecorder(app);
    await Promise.all(checks.map((check) => recorder.record(check)));
  }

  const stateOf = async ({ id }: Site) =>
    (
      await database.query<{ status: number; failures: number; successes: number; degraded: boolean }>(
        `SELECT status, consecutive_failures AS failures, consecutive_successes AS successes, degraded_since IS NOT NULL AS degraded
           FROM endpoint_state WHERE endpoint_id = $1`,
        [id],
      )
    )[0];
  const locationsOf = ({ id }: Site) =>
    database.query<{ status: number; failures: number; successes: number; message: string | null }>(
      `SELECT status, failures, successes, last_message AS message FROM endpoint_location WHERE endpoint_id = $1 ORDER BY position`,
      [id],
    );
  const eventsOf = async ({ id }: Site) =>
    (
      await database.query<{ type: string; message: string | null }>(
        'SELECT type, error_message AS message FROM alert_event WHERE endpoint_id = $1 ORDER BY id',
        [id],
      )
    ).map(({ type, message }) => (message === null ? type : `${type}: ${message}`));
  const asksOf = async ({ id }: Site) =>
    (
      await database.query<{ number: number }>('SELECT number FROM probe_ask WHERE endpoint_id = $1 ORDER BY number', [
        id,
      ])
    ).map(({ number }) => number);
  const alertOn = (site: Site, fields: object = {}) =>
    newAlert(app.write, formatId('endpoint', site.id), { ...NOW_AND_EVER, ...fields });

  it('of which one location is broken is degraded: an alert on degraded triggers once and names it, one on down does not (uptimepage #107)', async () => {
    const site = await newSite(probes);
    await alertOn(site);
    await alertOn(site, { condition: 'degraded' });
    await recordAll([0, 1, 2].map((index) => checkOf(site, probe(index), 'up')));
    for (const _ of [1, 2, 3]) await record(checkOf(site, probe(1), 'down'));
    expect(await stateOf(site)).toMatchObject({ status: 1, degraded: true, failures: 0 });
    expect(await eventsOf(site)).toEqual(['triggered: 1 of 3 locations: virginia, connection_timeout']);
  });

  it("of which two fail triggers at once with the second one's error, and resolves when one of them recovers", async () => {
    const site = await newSite(probes);
    await alertOn(site);
    await recordAll([0, 1, 2].map((index) => checkOf(site, probe(index), 'up')));
    await record(checkOf(site, probe(0), 'down'));
    await record(checkOf(site, probe(2), 'down', 0, 'connection_refused'));
    expect(await eventsOf(site)).toEqual([expect.stringMatching(/^triggered: /)]);
    expect(await stateOf(site)).toMatchObject({ status: 0, failures: 1 });
    expect((await locationsOf(site)).map(({ status, failures }) => [status, failures])).toEqual([
      [0, 1],
      [1, 0],
      [0, 1],
    ]);
    await record(checkOf(site, probe(0), 'up'));
    expect(await eventsOf(site)).toEqual([expect.stringMatching(/^triggered: /), 'resolved']);
  });

  it('requests a check from the other voters when one reaches the threshold, each once, and has a local one due at once', async () => {
    const site = await newSite([0, ...probes]);
    await alertOn(site, { failure_threshold: 2 });
    await recordAll([0, probe(0), probe(1)].map((number) => checkOf(site, number, 'up')));
    await record(checkOf(site, probe(0), 'down'));
    expect(await asksOf(site)).toEqual([]);
    // Makes the local check old, so that another one may be requested.
    await database.query(
      `UPDATE endpoint_location SET last_checked_at = now() - interval '40 seconds' WHERE endpoint_id = $1 AND number = 0`,
      [site.id],
    );
    await record(checkOf(site, probe(0), 'down'));
    await record(checkOf(site, probe(0), 'down'));
    expect(await asksOf(site)).toEqual([probe(1)]);
    const [schedule] = await database.query<{ due: boolean }>(
      'SELECT next_check_at <= now() AS due FROM endpoint_schedule WHERE endpoint_id = $1',
      [site.id],
    );
    expect(schedule?.due).toBe(true);
  });

  it('has a failure repeated only if the vote of its location is enough', async () => {
    const before = app.app.get(BeforeTrigger);
    const repeats = async (numbers: readonly number[], quorum: string): Promise<[boolean, boolean]> => {
      const site = await newSite(numbers, { quorum });
      await alertOn(site);
      const near = await before.nearOf(checkOf(site, 0, 'down'));
      return [near !== 'no', near === 'alone' && before.repeats];
    };
    expect(await repeats([0, ...probes], 'majority')).toEqual([true, false]);
    expect(await repeats([0, ...probes], 'any')).toEqual([true, true]);
    expect(await repeats([0, ...probes], '1')).toEqual([true, true]);
  });

  it('requests no check for a failure that is long past', async () => {
    const site = await newSite([probe(0)]);
    await alertOn(site);
    const before = app.app.get(BeforeTrigger);
    const isNear = async (agoMs: number) => (await before.nearOf(checkOf(site, probe(0), 'down', agoMs))) !== 'no';
    expect([await isNear(0), await isNear(10 * MINUTE_MS)]).toEqual([true, false]);
  });

  it('of which one fails and two are not responding is unknown, and down once they are lost', async () => {
    const site = await newSite(probes);
    await alertOn(site);
    await record(checkOf(site, probe(0), 'down'));
    expect([(await stateOf(site))?.status, await eventsOf(site)]).toEqual([2, []]);
    await database.query(
      `UPDATE endpoint_location SET assigned_at = now() - interval '10 minutes' WHERE endpoint_id = $1`,
      [site.id],
    );
    await record(checkOf(site, probe(0), 'down'));
    expect([(await stateOf(site))?.status, await eventsOf(site)]).toEqual([0, [expect.stringMatching(/^triggered/)]]);
  });

  it('counts results once that come twice, reordered between locations, or at two recorders at once', async () => {
    const [once, often] = [await newSite(probes), await newSite(probes)];
    const seen = ['up', 'down', 'down', 'unknown', 'down', 'up'] as const;
    const plan = seen.flatMap((outcome, step) => probes.map((number) => ({ outcome, number, step })));
    const made = new Map(
      [once, often].map((site) => [site, plan.map(({ outcome, number }) => checkOf(site, number, outcome))]),
    );
    for (const check of made.get(once) ?? []) await record(check);
    const batches = [...probes]
      .reverse()
      .map((number) => (made.get(often) ?? []).filter(({ location }) => location === number));
    const copies = () => batches.map((batch) => recordAll(batch.map((check) => ({ ...check }))));
    await Promise.all([...copies(), ...copies()]);
    expect(await locationsOf(often)).toEqual(await locationsOf(once));
    expect((await stateOf(often))?.status).toBe((await stateOf(once))?.status);
    const stored = async ({ key }: Site) =>
      (await database.query('SELECT 1 FROM check_result WHERE endpoint_key = $1', [key])).length;
    expect([await stored(once), await stored(often)]).toEqual([18, 18]);
  });

  it('stores with each result the verdict from the newest results of all locations', async () => {
    const property = fc.asyncProperty(
      fc.array(
        fc.record({ at: fc.nat(2), seen: fc.constantFrom<Outcome>('up', 'down', 'unknown'), endsBatch: fc.boolean() }),
        {
          minLength: 5,
          maxLength: 40,
        },
      ),
      async (steps) => {
        const site = await newSite(probes);
        const newest = new Map<number, Outcome>();
        const expected: string[] = [];
        let batch: FinishedCheck[] = [];
        for (const { at, seen, endsBatch } of steps) {
          batch.push(checkOf(site, probe(at), seen));
          newest.set(at, seen);
          const votes = (of: Outcome) => [...newest.values()].filter((one) => one === of).length;
          const verdict = votes('down') >= 2 ? 'down' : votes('up') > 0 ? 'up' : 'unknown';
          expected.push(`${['fra', 'virginia', 'office'][at]}: ${seen}, all: ${verdict}`);
          if (endsBatch) await recordAll(batch.splice(0));
        }
        await recordAll(batch);
        batch = [];
        const path = `/endpoints/${formatId('endpoint', site.id)}/checks?limit=100`;
        const { body } = await app.read.get<{ location: string; outcome: string; combined_outcome: string }[]>(path);
        const stored = body.map(
          ({ location, outcome, combined_outcome: all }) => `${location}: ${outcome}, all: ${all}`,
        );
        expect(stored.reverse()).toEqual(expected);
      },
    );
    await fc.assert(property, { numRuns: 5 });
  });

  it('accepts nothing from a location that it does not have', async () => {
    const site = await newSite([probe(0), probe(1)]);
    expect(await record(checkOf(site, probe(2), 'down'))).toBe('dropped');
    expect(await record(checkOf(site, 0, 'down'))).toBe('dropped');
    expect((await stateOf(site))?.status).toBe(2);
  });

  it('counts late results for their location only, and triggers with the first new quorum', async () => {
    const site = await newSite(probes);
    await alertOn(site);
    const agoMs = 10 * MINUTE_MS;
    const late = [1, 2].map((index) => checkOf(site, probe(index), 'down', agoMs));
    const recorder = newRecorder(app);
    const recorded = await Promise.all(late.map((check) => recorder.recordMarked(check)));
    expect(recorded.map(({ check: { counted, isLate } }) => [counted, isLate])).toEqual([
      [null, true],
      [null, true],
    ]);
    expect([(await stateOf(site))?.status, await eventsOf(site)]).toEqual([2, []]);
    expect((await locationsOf(site)).map(({ failures }) => failures)).toEqual([0, 1, 1]);
    await record(checkOf(site, probe(1), 'down'));
    await record(checkOf(site, probe(2), 'down'));
    expect(await eventsOf(site)).toEqual([expect.stringMatching(/^triggered/)]);
  });

  it('at one remote location combines late results, triggers with the first new failure, and shows since when', async () => {
    const [broken, healed] = [await newSite([probe(0)]), await newSite([probe(0)])];
    for (const site of [broken, healed]) await alertOn(site);
    const began = 10 * MINUTE_MS;
    const first = checkOf(broken, probe(0), 'down', began);
    await record(first);
    await record(checkOf(broken, probe(0), 'down', began - MINUTE_MS));
    await record(checkOf(healed, probe(0), 'down', began));
    await record(checkOf(healed, probe(0), 'up', began - MINUTE_MS));
    expect([await eventsOf(broken), await eventsOf(healed)]).toEqual([[], []]);
    await record(checkOf(broken, probe(0), 'down'));
    await record(checkOf(healed, probe(0), 'up'));
    expect([(await eventsOf(broken)).length, await eventsOf(healed)]).toEqual([1, []]);
    const [event] = await database.query<{ at: Date }>(
      'SELECT started_at AS at FROM alert_event WHERE endpoint_id = $1',
      [broken.id],
    );
    expect(event?.at).toEqual(first.checkedAt);
    const outages = await database.query<{ open: boolean }>(
      'SELECT ended_at IS NULL AS open FROM outage WHERE endpoint_key = $1',
      [healed.key],
    );
    expect(outages).toEqual([{ open: false }]);
  });

  it('of which the last voter stops responding is unknown once though its probe is online, and an open episode stays open (OneUptime #1492, #2409, Elastic #281755, Icinga #5381)', async () => {
    const [site, seen] = [await newSite(probes), await newSite(probes)];
    await alertOn(site);
    for (const index of [0, 1]) await record(checkOf(site, probe(index), 'down'));
    await record(checkOf(seen, probe(1), 'up'));
    await database.query(
      `UPDATE endpoint_location SET last_checked_at = last_checked_at - interval '146 seconds', assigned_at = assigned_at - interval '146 seconds' WHERE endpoint_id = $1`,
      [site.id],
    );
    const sweep = app.app.get(LocationSweep);
    await Promise.all([sweep.sweep(), sweep.sweep()]);
    await sweep.sweep();
    expect(await stateOf(site)).toMatchObject({ status: 2, failures: 1 });
    expect((await stateOf(seen))?.status).toBe(1);
    const stored = await database.query('SELECT 1 FROM check_result WHERE endpoint_key = $1 AND duration_us = -1', [
      site.key,
    ]);
    expect(stored).toHaveLength(1);
    expect(await eventsOf(site)).toEqual([expect.stringMatching(/^triggered/)]);
  });

  it('triggers nothing when its probe is lost, like all others there: the endpoint of the probe does that (OneUptime #2486)', async () => {
    const sites = await Promise.all(many(5, () => newSite([probe(0)])));
    for (const site of sites) await alertOn(site);
    await recordAll(sites.map((site) => checkOf(site, probe(0), 'up')));
    await database.query(
      `UPDATE endpoint_location SET last_checked_at = last_checked_at - interval '1 hour', assigned_at = assigned_at - interval '1 hour'
        WHERE endpoint_id = ANY ($1)`,
      [sites.map(({ id }) => id)],
    );
    await app.app.get(LocationSweep).sweep();
    for (const site of sites) expect([(await stateOf(site))?.status, await eventsOf(site)]).toEqual([2, []]);
  });

  it('that has moved to another location keeps its status until a check there is overdue', async () => {
    const site = await newSite([probe(0)]);
    await database.query('UPDATE endpoint_state SET status = 1 WHERE endpoint_id = $1', [site.id]);
    const statusAfterSweep = async (): Promise<number | undefined> => {
      await app.app.get(LocationSweep).sweep();
      return (await stateOf(site))?.status;
    };
    expect(await statusAfterSweep()).toBe(1);
    await database.query(
      `UPDATE endpoint_location SET assigned_at = now() - interval '146 seconds' WHERE endpoint_id = $1`,
      [site.id],
    );
    expect(await statusAfterSweep()).toBe(2);
  });

  it('uses the remaining locations while a probe is disabled, or speaks another protocol (uptimepage #113)', async () => {
    const site = await newSite(probes);
    await recordAll([0, 1].map((index) => checkOf(site, probe(index), 'up')));
    await database.query('UPDATE probe SET enabled = false WHERE number = $1', [probe(0)]);
    await database.query('UPDATE probe SET protocol = 99 WHERE number = $1', [probe(1)]);
    await record(checkOf(site, probe(2), 'down'));
    await database.query('UPDATE probe SET enabled = true, protocol = NULL');
    expect((await stateOf(site))?.status).toBe(0);
  });

  it('counts repeated outcomes by a statement that reads no row before, exactly as with its rows locked and read', async () => {
    const writer = newBatchWriter(app);
    const entryOf = (check: FinishedCheck, affectsState: boolean): PendingCheck => ({
      check,
      addedAt: 0,
      maxAgeMs: 0,
      affectsState,
    });
    const rowsOf = async ({ id, key }: Site) => [
      await database.query(
        `SELECT to_jsonb(s) - '{endpoint_id,endpoint_key}'::text[] AS state FROM endpoint_state s WHERE endpoint_id = $1`,
        [id],
      ),
      await database.query(
        `SELECT to_jsonb(l) - '{endpoint_id,version,assigned_at}'::text[] AS row FROM endpoint_location l WHERE endpoint_id = $1 ORDER BY number`,
        [id],
      ),
      await database.query(
        'SELECT checked_at, location, outcome FROM check_result WHERE endpoint_key = $1 ORDER BY checked_at, location',
        [key],
      ),
    ];
    let [tried, quick] = [0, 0];
    const step = fc.record({
      at: fc.nat(3),
      count: fc.integer({ min: 1, max: 3 }),
      seen: fc.oneof(
        { weight: 40, arbitrary: fc.constant<Outcome>('up') },
        { weight: 1, arbitrary: fc.constantFrom<Outcome>('down', 'unknown') },
      ),
      agoMs: fc.oneof(
        { weight: 30, arbitrary: fc.constant(0) },
        { weight: 3, arbitrary: fc.nat(3000) },
        { weight: 1, arbitrary: fc.constant(200_000) },
      ),
      status: fc.constantFrom(200, 204, null),
    });
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 30, maxLength: 60 }),
      fc.constantFrom('any', 'majority', 'all', '2'),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      async (steps, quorum, size, isLost) => {
        const numbers = [probe(0), 0, probe(1), probe(2)].slice(0, size);
        const twins = [await newSite(numbers, { quorum }), await newSite(numbers, { quorum })] as const;
        // One has not reported for so long that the others decide without it.
        if (isLost && size > 1)
          for (const { id } of twins)
            await database.query(
              `UPDATE endpoint_location SET assigned_at = now() - interval '1 hour' WHERE endpoint_id = $1 AND number = $2`,
              [id, numbers.at(-1)],
            );
        const reporting = isLost && size > 1 ? numbers.slice(0, -1) : numbers;
        for (const { at, count, seen, agoMs, status } of steps) {
          const first = Array.from({ length: count }, () =>
            checkOf(twins[0], reporting[at % reporting.length] ?? 0, seen, agoMs),
          ).map((check) => ({ ...check, result: { ...check.result, statusCode: status } }));
          const { id, key } = twins[1];
          const second = first.map((check) => ({ ...check, endpointId: id, endpointKey: key }));
          await writer.write(first.map((check) => entryOf(check, true)));
          const entries = second.map((check) => entryOf(check, false));
          const { left } = await writer.write(entries);
          if (seen === 'up') tried++;
          if (seen === 'up' && left.length === 0) quick++;
          if (left.length > 0) await writer.write(left);
          expect(await rowsOf(twins[1])).toEqual(await rowsOf(twins[0]));
        }
      },
    );
    await fc.assert(property, { numRuns: 8 });
    // Most of them take the fast path. Otherwise this test would prove nothing.
    expect(quick).toBeGreaterThan(tried / 3);
  });

  it('costs two statements more in a batch; others cost none more', async () => {
    const plain = await newSite([0]);
    await database.query('DELETE FROM endpoint_location WHERE endpoint_id = $1', [plain.id]);
    await database.query('UPDATE endpoint_schedule SET located = false WHERE endpoint_id = $1', [plain.id]);
    const [one, other] = [await newSite(probes), await newSite(probes)];
    const queries = collectQueries(database.dataSource);
    const statements = async (checks: FinishedCheck[]): Promise<string[]> => {
      queries.length = 0;
      await recordAll(checks);
      return queries.map(([sql]) => sql).filter((sql) => /endpoint_|check_|alert|outage|probe/.test(sql));
    };
    const alone = await statements([checkOf(plain, 0, 'up')]);
    expect(alone.filter((sql) => /endpoint_location|probe/.test(sql))).toEqual([]);
    const located = await statements([
      checkOf(one, probe(0), 'up'),
      checkOf(other, probe(0), 'up'),
      checkOf(plain, 0, 'up'),
    ]);
    expect(located.length).toBe(alone.length + 2);
  });

  it('is written with its row read also if its local results change nothing', async () => {
    const site = await newSite([0, probe(0)]);
    const recorder = newRecorder(app);
    const next = async (): Promise<void> => {
      recorder.add(checkOf(site, 0, 'up'));
      await recorder.drain(10_000);
    };
    await next();
    // Simulates a process that has not seen it yet.
    app.app.get(EndpointStateStore).located.delete(site.id);
    await next();
    await next();
    expect((await locationsOf(site))[0]).toMatchObject({ successes: 3 });
    expect(await stateOf(site)).toMatchObject({ status: 1, successes: 3 });
  });

  it('has all its probes check when maintenance ends while it is down', async () => {
    const [down, up] = [await newSite(probes), await newSite(probes)];
    for (const index of [0, 1]) await record(checkOf(down, probe(index), 'down'));
    for (const index of [0, 1]) await record(checkOf(up, probe(index), 'up'));
    await database.transaction((tx) =>
      app.app.get(EndpointSchedule).dueAfter(tx, { orgId: down.orgId, ...EVERYTHING }, new Date()),
    );
    expect([await asksOf(down), await asksOf(up)]).toEqual([[...probes], []]);
  });

  it('forgets results with times from a clock that was ahead', async () => {
    const site = await newSite([probe(0), probe(1)]);
    const ahead = checkOf(site, probe(0), 'up', -30 * MINUTE_MS);
    expect(await record({ ...ahead, slotMs: ahead.checkedAt.getTime() })).toBe('recorded');
    expect(await record(checkOf(site, probe(0), 'down'))).toBe('dropped');
    await database.transaction((tx) => app.app.get(EndpointStateStore).forgetFuture(tx));
    expect(await record(checkOf(site, probe(0), 'down'))).toBe('recorded');
  });

  it('waits for the probes of its parent before it is recorded, and triggers nothing if the parent is down', async () => {
    const [child, parent] = [await newSite([probe(0)]), await newSite([probe(1)])];
    await alertOn(child);
    await record(checkOf(parent, probe(1), 'up'));
    await record(checkOf(child, probe(0), 'up'));
    await database.query('INSERT INTO endpoint_dependency VALUES ($1, $2)', [child.id, parent.id]);
    const failure = checkOf(child, probe(0), 'down');
    const prepared = app.app.get(ProbeFailures).prepare(failure, new AbortController().signal);
    await eventually('the parent is asked', async () => (await asksOf(parent)).length > 0);
    await record({ ...checkOf(parent, probe(1), 'down', -SECOND_MS), slotMs: null });
    const marked = await prepared;
    expect([failure.isParentDown, marked.isParentDown]).toEqual([undefined, true]);
    await record(marked);
    expect(await eventsOf(child)).toEqual([]);
  });
});
