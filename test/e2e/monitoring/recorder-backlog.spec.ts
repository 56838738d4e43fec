/**
 * @lane slow
 * @databases both
 */
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { CheckError, Outcome } from '../../../src/checker/checker';
import type { CheckDefinition } from '../../../src/engine/check-definition';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import type { CheckRecorder } from '../../../src/monitoring/record/check-recorder';
import { Database } from '../../../src/platform/database/database';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { parseId } from '../../../src/platform/ids/id';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { Metrics } from '../../../src/platform/observability/metrics';
import { HOUR_MS } from '../../../src/platform/time/time-units';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { recorded as finishedCheck } from '../../harness/app/history';
import { checkInvariants } from '../../harness/app/invariants';
import { addOccurrence, forgetOccurrences } from '../../harness/app/occurrences';
import { eventually } from '../../../packages/testing/eventually';
import { newRecorder } from '../../harness/app/recorder';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

/** The number of random histories. `RECORDER_RUNS=300` is the thorough run. */
const RUNS = Number(process.env['RECORDER_RUNS'] ?? 10);
const SLOT_MS = 10_000;
const WARNING: CheckError = { code: 'assertion_failed', phase: 'assertion', message: 'The certificate ends soon.' };

interface Twin {
  id: string;
  definition: CheckDefinition;
}

describe('a recorder that is behind', () => {
  let app: TestApp;
  let database: Database;
  let recorder: CheckRecorder;
  let settled: FinishedCheck[];
  let errors: jest.SpyInstance;
  let tick = Date.now() - 3_600_000;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());
  beforeEach(() => {
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    settled = [];
    recorder = newRecorder(app);
  });
  afterEach(async () => {
    armFailpoints([]);
    await recorder.drain(60_000);
    jest.restoreAllMocks();
  });

  const add = (check: FinishedCheck): void => recorder.add(check, () => settled.push(check));

  const load = async (id: string): Promise<CheckDefinition> => {
    const definition = await app.app.get(CheckDefinitions).loadOne(database, parseId('endpoint', id) ?? '');
    if (!definition) throw new Error('there is no such endpoint');
    return definition;
  };

  async function sitesOf(api: Api, count: number): Promise<CheckDefinition[]> {
    const website = await newWebsite(api);
    return Promise.all(Array.from({ length: count }, async () => load(await newEndpoint(api, website))));
  }

  function next({ endpointId, endpointKey, orgId, revision }: CheckDefinition, outcome: Outcome): FinishedCheck {
    tick += 5;
    const check = finishedCheck({ id: endpointId, key: endpointKey }, new Date(tick), outcome, 12.5);
    return { ...check, orgId, revision, slotMs: tick };
  }

  /** Makes these sites up, so that another success changes nothing. */
  async function letThemBeUp(sites: readonly CheckDefinition[]): Promise<void> {
    for (const site of sites) add(next(site, 'up'));
    await eventually('they are up', () => settled.length === sites.length);
    settled = [];
  }

  /** Delays the next commit by three seconds. */
  const slowDown = () => armFailpoints(['recorder.before_commit=slow:once']);

  const lost = async (): Promise<number> =>
    (await app.app.get(Metrics).registry.getSingleMetric('uptime_results_lost_total')?.get())?.values[0]?.value ?? 0;

  it('records a failure before thousands of successes that came earlier', async () => {
    const [failing, ...sites] = await sitesOf(app.write, 21);
    if (!failing) throw new Error('no site');
    await letThemBeUp([failing, ...sites]);
    slowDown();
    for (let round = 0; round < 300; round++) for (const site of sites) add(next(site, 'up'));
    const failure = next(failing, 'down');
    await eventually('the first batch is under way', () => recorder.backlog < 6000);
    add(failure);
    await eventually('all are recorded', () => settled.length === 6001, 60_000);
    // One or two batches were in progress.
    expect(settled.indexOf(failure)).toBeLessThan(4000);
    for (const site of sites) {
      const slots = settled.filter(({ endpointId }) => endpointId === site.endpointId).map(({ slotMs }) => slotMs ?? 0);
      expect(slots).toEqual([...slots].sort((a, b) => a - b));
    }
  }, 90_000);

  it('writes a failure in a separate batch on a server, no matter how large the current and the waiting batches are', async () => {
    if (app.app.get(DatabaseServer).isEmbedded) return;
    const [failing, ...sites] = await sitesOf(app.write, 41);
    if (!failing) throw new Error('no site');
    await letThemBeUp([failing, ...sites]);
    armFailpoints(['recorder.before_commit=slow']);
    const [early, middle, late] = [sites.slice(0, 10), sites.slice(10, 20), sites.slice(20)];
    for (const some of [early, middle]) {
      for (let round = 0; round < 60; round++) for (const site of some) add(next(site, 'up'));
      await eventually('they are under way', () => recorder.backlog === 0);
    }
    for (let round = 0; round < 60; round++) for (const site of late) add(next(site, 'up'));
    add(next(failing, 'down'));
    await eventually('all are recorded', () => settled.length === 2401, 60_000);
    const written = await database.query<{ xmin: string; count: number }>(
      'SELECT xmin::text, count(*)::int AS count FROM endpoint_state WHERE endpoint_id = ANY ($1::uuid[]) GROUP BY 1',
      [[failing, ...late].map(({ endpointId }) => endpointId)],
    );
    expect(written.map(({ count }) => count).sort((a, b) => a - b)).toEqual([1, 20]);
  }, 90_000);

  it('lets the canary through between two batches although a batch is always being written', async () => {
    const sites = await sitesOf(app.write, 20);
    await letThemBeUp(sites);
    armFailpoints(['recorder.before_commit=slow']);
    const canary = { hasPassed: false };
    let added = 0;
    const passed = (async () => {
      await eventually('a batch is under way', () => added > 1000 && recorder.backlog < added);
      await recorder.pass();
      canary.hasPassed = true;
    })();
    for (let round = 0; round < 100 && !canary.hasPassed; round++) {
      for (const site of sites) for (let i = 0; i < 5; i++) add(next(site, 'up'));
      added += 100;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(canary.hasPassed).toBe(true);
    armFailpoints([]);
    await passed;
  }, 90_000);

  it('gives up successes when too many wait, never a failure that came earlier, counts each, and logs this in one line', async () => {
    const other = await app.organization('Other');
    const [mine, theirs] = [await sitesOf(app.write, 10), await sitesOf(other.write, 10)];
    await letThemBeUp([...mine, ...theirs]);
    const before = await lost();
    slowDown();
    const failures = mine.flatMap((site) => Array.from({ length: 60 }, () => next(site, 'down')));
    for (const failure of failures) add(failure);
    for (let round = 0; round < 5000; round++) for (const site of theirs) add(next(site, 'up'));
    const given = (await lost()) - before;
    expect([given, settled.length]).toEqual([1000, 1000]);
    expect(settled.every(({ orgId }) => orgId === theirs[0]?.orgId)).toBe(true);
    const lines = errors.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('were given up'));
    expect(lines).toEqual([
      expect.stringMatching(/^500 results of 1 organizations were given up: more than 50000 results are waiting/),
    ]);
    const isSettled = () => {
      const known = new Set(settled);
      return failures.every((failure) => known.has(failure));
    };
    await eventually('every failure is recorded', isSettled, 60_000);
    const [row] = await database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM check_result WHERE outcome & 3 = 0 AND endpoint_key = ANY ($1::bigint[])',
      [mine.map(({ endpointKey }) => endpointKey)],
    );
    expect(row).toEqual({ count: failures.length });
  }, 120_000);

  /**
   * Returns everything that is stored of an endpoint, without fields that differ between twins, such as when a pause
   * ended an outage.
   */
  async function rowsOf({ definition }: Twin): Promise<unknown> {
    const [state] = await database.query(
      `SELECT to_jsonb(s) - 'endpoint_id' - 'endpoint_key' - 'status_since' AS state FROM endpoint_state s WHERE endpoint_id = $1`,
      [definition.endpointId],
    );
    const checks = await database.query(
      `SELECT to_jsonb(c) - 'endpoint_key' - 'detail_hash' AS c FROM check_result c WHERE endpoint_key = $1 ORDER BY checked_at`,
      [definition.endpointKey],
    );
    const outages = await database.query(
      `SELECT started_at, error, planned, ended_at IS NOT NULL AS ended, (SELECT c.checked_at FROM check_result c
                WHERE c.endpoint_key = o.endpoint_key AND c.checked_at = o.ended_at) AS ended_by
         FROM outage o WHERE endpoint_key = $1 ORDER BY started_at`,
      [definition.endpointKey],
    );
    const events = await database.query(
      `SELECT type, failure_count, success_count FROM alert_event WHERE endpoint_id = $1 ORDER BY id`,
      [definition.endpointId],
    );
    return { state, checks, outages, events };
  }

  it('writes the same if the rows of endpoints that are up are not read before, for any history with warnings, maintenance, and edits in between', async () => {
    const website = await newWebsite(app.write);
    const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 6 * HOUR_MS - 15 * SLOT_MS;
    const newTwin = async (): Promise<Twin> => {
      const id = await newEndpoint(app.write, website);
      await newAlert(app.write, id, { failure_threshold: 2, success_threshold: 3 });
      return { id, definition: await load(id) };
    };
    const step = fc.oneof(
      {
        weight: 12,
        arbitrary: fc.record({
          outcomes: fc.constantFrom('u', 'u', 'uu', 'uuu', 'uuuuu', 'd', 'dd', '?', 'ud', 'w', 'uwu'),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          edit: fc.constantFrom(
            { enabled: false },
            { enabled: true },
            { timeout_seconds: 7 },
            { url: 'https://shop.example.com/other' },
          ),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          slots: fc.integer({ min: 1, max: 8 }),
          mute: fc.boolean(),
          excludeFromUptime: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ reload: fc.constant(true) }) },
      { weight: 2, arbitrary: fc.record({ movesTo: fc.nat(1) }) },
      { weight: 1, arbitrary: fc.record({ skipMs: fc.constantFrom(HOUR_MS, 3 * HOUR_MS, 20 * SLOT_MS) }) },
    );
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
      const twins = [await newTwin(), await newTwin()] as const;
      const { orgId } = twins[0].definition;
      await forgetOccurrences(database, orgId);
      // Recorders that guess ignore the earlier state of an endpoint. Each knows only the results that it has
      // written.
      const guessing = [newRecorder(app), newRecorder(app)] as const;
      let guesses = guessing[0];
      const reads = newRecorder(app);
      let atMs = startMs;
      for (const one of steps) {
        if ('movesTo' in one) guesses = guessing[one.movesTo === 0 ? 0 : 1];
        if ('skipMs' in one) atMs += one.skipMs;
        if ('slots' in one) {
          const { slots, mute, excludeFromUptime } = one;
          const [startsAt, endsAt] = [new Date(atMs), new Date(atMs + slots * SLOT_MS)];
          await addOccurrence(database, { orgId, startsAt, endsAt, mute, excludeFromUptime });
        }
        if ('edit' in one) for (const { id } of twins) await app.write.put(`/endpoints/${id}`, one.edit);
        if ('reload' in one) for (const twin of twins) twin.definition = await load(twin.id);
        if (!('outcomes' in one)) continue;
        const pending: Promise<unknown>[] = [];
        for (const letter of one.outcomes) {
          atMs += SLOT_MS;
          const outcome: Outcome = 'uw'.includes(letter) ? 'up' : letter === 'd' ? 'down' : 'unknown';
          const warning = letter === 'w' ? WARNING : null;
          const [first, second] = twins.map(({ definition: { endpointId, endpointKey, orgId, revision } }) => ({
            ...finishedCheck({ id: endpointId, key: endpointKey }, new Date(atMs + 3), outcome, 12.5, { warning }),
            orgId,
            revision,
            slotMs: atMs,
          }));
          if (!first || !second) throw new Error('there are two twins');
          guesses.add(first);
          pending.push(reads.record(second));
        }
        await Promise.all([guesses.drain(10_000), ...pending]);
      }
      expect(await rowsOf(twins[0])).toEqual(await rowsOf(twins[1]));
      await checkInvariants(database);
    });
    await fc.assert(property, { numRuns: RUNS });
  }, 240_000);
});
