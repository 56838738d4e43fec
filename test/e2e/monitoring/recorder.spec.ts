/**
 * @lane slow
 * @databases both
 */
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { Outcome } from '../../../src/checker/checker';
import type { CheckDefinition } from '../../../src/engine/check-definition';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import type { Recorded } from '../../../src/engine/queue/pending-checks';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import { Database } from '../../../src/platform/database/database';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { parseId } from '../../../src/platform/ids/id';
import { Clock } from '../../../src/platform/time/clock';
import { HOUR_MS } from '../../../src/platform/time/time-units';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { recorded as finishedCheck } from '../../harness/app/history';
import { checkInvariants } from '../../harness/app/invariants';
import { eventually } from '../../../packages/testing/eventually';
import { newRecorder } from '../../harness/app/recorder';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { onServer } from '../../harness/database/on-server';

/** Random histories per test. `RECORDER_RUNS=300` is the thorough run. */
const RUNS = Number(process.env['RECORDER_RUNS'] ?? 10);
const SLOT_MS = 10_000;
const RULE = { failure_threshold: 2, success_threshold: 2 };
const STORED: readonly Outcome[] = ['down', 'up', 'unknown'];

interface Target {
  id: string;
  uuid: string;
  alertUuid: string;
  definition: CheckDefinition;
}

interface StoredState {
  status: number;
  failures: number;
  successes: number;
  failingSince: number | null;
  recent: string;
  lastSlot: number | null;
  counts: number[];
}

interface StoredCheck {
  at: number;
  outcome: Outcome;
}

const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

/**
 * Returns the state that follows from the recorded checks, oldest first. The model is independent of the service's
 * code.
 */
function expectedOf(checks: readonly StoredCheck[]) {
  const outages: { from: number; to: number | null }[] = [];
  const events: string[] = [];
  let [failures, successes, triggered] = [0, 0, false];
  for (const { at, outcome } of checks) {
    if (outcome === 'unknown') continue;
    failures = outcome === 'down' ? failures + 1 : 0;
    successes = outcome === 'up' ? successes + 1 : 0;
    const open = outages.at(-1);
    if (failures === 1) outages.push({ from: at, to: null });
    if (outcome === 'up' && open && open.to === null) open.to = at;
    if (!triggered && failures >= RULE.failure_threshold) events.push(`triggered after ${failures}`);
    else if (triggered && successes >= RULE.success_threshold) events.push(`resolved after ${successes}`);
    else continue;
    triggered = !triggered;
  }
  const newest = hourOf(checks.at(-1)?.at ?? 0);
  const inHour = (hour: number) => {
    const own = checks.filter(({ at }) => hourOf(at) === hour);
    return ['up', 'down', 'unknown'].map((outcome) => own.filter((check) => check.outcome === outcome).length);
  };
  return {
    outages,
    events,
    triggered,
    state: {
      status: STORED.indexOf(checks.at(-1)?.outcome ?? 'unknown'),
      failures,
      successes,
      failingSince: failures > 0 ? (outages.at(-1)?.from ?? null) : null,
      counts: [...inHour(newest), ...inHour(newest - 1)],
      recent: checks
        .slice(-30)
        .reduce((bits, { outcome }) => bits * 4n + BigInt(['up', 'down', 'unknown'].indexOf(outcome) + 1), 0n)
        .toString(),
    },
  };
}

describe('the recorder', () => {
  let app: TestApp;
  let database: Database;
  let websiteId: string;
  let startMs: number;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
    websiteId = await newWebsite(app.write);
    // The histories cross a full hour.
    startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 20 * SLOT_MS;
  });
  afterAll(() => app.close());

  const definitionOf = async (uuid: string): Promise<CheckDefinition> => {
    const definition = await app.app.get(CheckDefinitions).loadOne(database, uuid);
    if (!definition) throw new Error('there is no such endpoint');
    return definition;
  };

  async function newTarget(): Promise<Target> {
    const id = await newEndpoint(app.write, websiteId);
    const alertUuid = parseId('alert', await newAlert(app.write, id, RULE)) ?? '';
    const uuid = parseId('endpoint', id) ?? '';
    return { id, uuid, alertUuid, definition: await definitionOf(uuid) };
  }

  const newTargets = (count: number) => Promise.all(Array.from({ length: count }, newTarget));

  /** `slot` is the number of the slot, or `null` for a check on demand. */
  function checkAt(target: Target, slot: number | null, checkedMs: number, outcome: Outcome): FinishedCheck {
    const key = { id: target.uuid, key: target.definition.endpointKey };
    const { orgId, revision } = target.definition;
    const slotMs = slot === null ? null : startMs + slot * SLOT_MS;
    return { ...finishedCheck(key, new Date(checkedMs), outcome, 12.5), orgId, revision, slotMs };
  }

  async function historyOf({ definition }: Target): Promise<StoredCheck[]> {
    const rows = await database.query<{ at: string; outcome: number }>(
      `SELECT extract(epoch FROM checked_at) * 1000 AS at, outcome FROM check_result WHERE endpoint_key = $1 ORDER BY checked_at`,
      [definition.endpointKey],
    );
    return rows.map(({ at, outcome }) => ({ at: Number(at), outcome: STORED[outcome & 3] ?? 'unknown' }));
  }

  async function stateOf({ uuid }: Target): Promise<StoredState | undefined> {
    const [row] = await database.query<StoredState>(
      `SELECT status, consecutive_failures AS failures, consecutive_successes AS successes, recent::text AS recent,
              (extract(epoch FROM failing_since) * 1000)::float8 AS "failingSince", (extract(epoch FROM last_slot_at) * 1000)::float8 AS "lastSlot",
              ARRAY[hour_up, hour_down, hour_unknown, before_up, before_down, before_unknown] AS counts
         FROM endpoint_state WHERE endpoint_id = $1`,
      [uuid],
    );
    return row;
  }

  /** Everything that is stored about an endpoint must follow from its stored checks. */
  async function expectConsistent(target: Target): Promise<StoredCheck[]> {
    const checks = await historyOf(target);
    const expected = expectedOf(checks);
    expect(await stateOf(target)).toMatchObject(expected.state);
    const outages = await database.query<{ from: number; to: number | null }>(
      `SELECT (extract(epoch FROM started_at) * 1000)::float8 AS "from", (extract(epoch FROM ended_at) * 1000)::float8 AS "to"
         FROM outage WHERE endpoint_key = $1 ORDER BY started_at`,
      [target.definition.endpointKey],
    );
    expect(outages).toEqual(expected.outages);
    const events = await database.query<{ text: string }>(
      `SELECT type || ' after ' || CASE type WHEN 'triggered' THEN failure_count ELSE success_count END AS text
         FROM alert_event WHERE alert_id = $1 ORDER BY id`,
      [target.alertUuid],
    );
    expect(events.map(({ text }) => text)).toEqual(expected.events);
    const flags = await database.query('SELECT triggered FROM alert WHERE id = $1', [target.alertUuid]);
    expect(flags).toEqual([{ triggered: expected.triggered }]);
    return checks;
  }

  const anyOutcome = fc.constantFrom<Outcome>('up', 'down', 'down', 'up', 'unknown');

  it('stores the state, outages and events that follow from the recorded checks, for random batches with duplicates, late slots and checks on demand', async () => {
    const step = fc.record({
      target: fc.nat(2),
      kind: fc.constantFrom('next', 'next', 'next', 'same slot', 'earlier slot', 'on demand'),
      outcome: anyOutcome,
      endsBatch: fc.boolean(),
    });
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 90 }), async (steps) => {
      const recorder = newRecorder(app);
      const targets = await newTargets(3);
      const slots = targets.map(() => -1);
      const expected = targets.map((): StoredCheck[] => []);
      let pending: Promise<Recorded>[] = [];
      const wanted: Recorded[] = [];
      const results: Recorded[] = [];
      let tick = 0;
      for (const { target: index, kind, outcome, endsBatch } of steps) {
        const target = targets[index];
        if (!target) continue;
        const newest = slots[index] ?? -1;
        const slot = kind === 'on demand' ? null : Math.max(0, newest + { next: 1, 'same slot': 0 }[kind as 'next']);
        const wantedSlot = kind === 'earlier slot' ? Math.max(0, newest - 1) : slot;
        // In the order of recording, with no two in the same millisecond.
        const checkedMs = startMs + tick++ * 5000;
        const isNew = wantedSlot === null || wantedSlot > newest;
        if (isNew) expected[index]?.push({ at: checkedMs, outcome });
        if (isNew && wantedSlot !== null) slots[index] = wantedSlot;
        wanted.push(isNew ? 'recorded' : 'dropped');
        pending.push(recorder.record(checkAt(target, wantedSlot, checkedMs, outcome)));
        if (endsBatch) {
          results.push(...(await Promise.all(pending)));
          pending = [];
        }
      }
      results.push(...(await Promise.all(pending)));
      expect(results).toEqual(wanted);
      for (const [index, target] of targets.entries()) {
        if ((expected[index] ?? []).length === 0) continue;
        expect(await expectConsistent(target)).toEqual(expected[index]);
        expect((await stateOf(target))?.lastSlot ?? null).toBe(
          (slots[index] ?? -1) < 0 ? null : startMs + (slots[index] ?? 0) * SLOT_MS,
        );
      }
      await checkInvariants(database);
    });
    await fc.assert(property, { numRuns: RUNS });
  }, 120_000);

  it('stores each slot once when two recorders write the same slots with different outcomes and an endpoint is deleted at the same time', async () => {
    const step = fc.record({
      target: fc.nat(3),
      outcomes: fc.tuple(anyOutcome, anyOutcome),
      to: fc.constantFrom('first', 'second', 'both', 'both'),
      waits: fc.nat(9).map((of) => of === 0),
    });
    const input = fc.tuple(fc.array(step, { minLength: 20, maxLength: 80 }), fc.nat(80));
    const property = fc.asyncProperty(input, async ([steps, deletedAfter]) => {
      const recorders = [newRecorder(app), newRecorder(app)] as const;
      const targets = await newTargets(4);
      const slots = targets.map(() => -1);
      const pending: Promise<Recorded>[] = [];
      let deletion: Promise<unknown> = Promise.resolve();
      for (const [position, { target: index, outcomes, to, waits }] of steps.entries()) {
        const target = targets[index];
        if (!target) continue;
        if (position === deletedAfter) deletion = app.write.delete(`/endpoints/${targets[3]?.id ?? ''}`);
        const slot = (slots[index] ?? -1) + 1;
        slots[index] = slot;
        const at = startMs + slot * SLOT_MS;
        if (to !== 'second') pending.push(recorders[0].record(checkAt(target, slot, at + 1, outcomes[0])));
        if (to !== 'first') pending.push(recorders[1].record(checkAt(target, slot, at + 2, outcomes[1])));
        if (waits) await pending.at(-1);
      }
      const results = await Promise.all(pending);
      await deletion;
      let stored = 0;
      for (const target of targets) {
        const checks = await historyOf(target);
        stored += checks.length;
        const storedSlots = checks.map(({ at }) => Math.floor((at - startMs) / SLOT_MS));
        expect(storedSlots).toEqual([...new Set(storedSlots)]);
        if (checks.length > 0 && (await stateOf(target))) await expectConsistent(target);
      }
      // The checks of a deleted endpoint are stored until retention removes them.
      expect(results.filter((result) => result === 'recorded')).toHaveLength(stored);
      await checkInvariants(database);
    });
    await fc.assert(property, { numRuns: RUNS });
  }, 120_000);

  /** Lets a recorder wait for a change that isn't committed yet. Returns whether the result was recorded. */
  async function recordDuring(target: Target, change: string): Promise<Recorded> {
    const isEmbedded = app.app.get(DatabaseServer).isEmbedded;
    let recorded: Promise<Recorded> | null = null;
    await database.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM endpoint_state WHERE endpoint_id = $1 FOR UPDATE', [target.uuid]);
      await tx.query(change, [target.uuid]);
      recorded = newRecorder(app).record(checkAt(target, 0, startMs, 'down'));
      // The embedded database has one session, so the recorder waits for this whole transaction.
      if (isEmbedded) return;
      await eventually('the recorder waits', async () => {
        const rows = await tx.query<{ waiting: number }>(
          `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return (rows[0]?.waiting ?? 0) > 0;
      });
    });
    if (recorded === null) throw new Error('nothing was recorded');
    return recorded;
  }

  it.each([
    ['paused', 'UPDATE endpoint_schedule SET active = false WHERE endpoint_id = $1'],
    ['changed', 'UPDATE endpoint_schedule SET revision = revision + 1 WHERE endpoint_id = $1'],
    ['deleted', 'DELETE FROM endpoint WHERE id = $1'],
  ])('drops the result of an endpoint that is being %s at the same moment', async (_, change) => {
    const target = await newTarget();
    expect(await recordDuring(target, change)).toBe('dropped');
    expect(await historyOf(target)).toEqual([]);
  });

  it('records the result of an endpoint whose interval is being changed at the same moment', async () => {
    const target = await newTarget();
    const change = 'UPDATE endpoint_schedule SET interval_seconds = 30 WHERE endpoint_id = $1';
    expect(await recordDuring(target, change)).toBe('recorded');
    await expectConsistent(target);
  });

  it('leaves no alert triggered on an endpoint that is paused while its failures are recorded', async () => {
    const targets = await newTargets(8);
    const recorder = newRecorder(app);
    const writes = targets.flatMap((target) =>
      [0, 1, 2, 3].map((slot) => recorder.record(checkAt(target, slot, startMs + slot * SLOT_MS, 'down'))),
    );
    const pauses = targets.map(({ id }) => app.write.put(`/endpoints/${id}`, { enabled: false }));
    await Promise.all([...writes, ...pauses]);
    const open = await database.query('SELECT id FROM alert WHERE triggered AND id = ANY ($1::uuid[])', [
      targets.map(({ alertUuid }) => alertUuid),
    ]);
    expect(open).toEqual([]);
    await checkInvariants(database);
  });

  onServer(
    'writes the results of all other endpoints while another session keeps the rows of one locked (skipped on the embedded database)',
    async () => {
      const [locked, free] = await newTargets(2);
      if (!locked || !free) throw new Error('there are no targets');
      const recorder = newRecorder(app);
      let held: Promise<Recorded>[] = [];
      await database.transaction(async (tx) => {
        await tx.query('SELECT 1 FROM alert WHERE id = $1 FOR UPDATE', [locked.alertUuid]);
        held = [0, 1, 2].map((slot) => recorder.record(checkAt(locked, slot, startMs + slot * SLOT_MS, 'down')));
        const others = [0, 1, 2].map((slot) => recorder.record(checkAt(free, slot, startMs + slot * SLOT_MS, 'down')));
        expect(await Promise.all(others)).toEqual(['recorded', 'recorded', 'recorded']);
        await expectConsistent(free);
        expect(recorder.backlog).toBe(3);
      });
      expect(await Promise.all(held)).toEqual(['recorded', 'recorded', 'recorded']);
      await expectConsistent(locked);
    },
    60_000,
  );

  it('keeps the order of results while the database refuses them, and loses none', async () => {
    const target = await newTarget();
    const recorder = newRecorder(app);
    const warned = jest.spyOn(Logger.prototype, 'warn');
    await database.query('ALTER TABLE endpoint_state RENAME TO endpoint_state_away');
    const writes = [...'FFSFS'].map((letter, slot) =>
      recorder.record(checkAt(target, slot, startMs + slot * SLOT_MS, letter === 'F' ? 'down' : 'up')),
    );
    const wasRefused = () => warned.mock.calls.some(([text]) => String(text).startsWith('5 results are waiting'));
    await eventually('the batch was refused and waits', () => wasRefused() && recorder.backlog === 5);
    warned.mockRestore();
    await database.query('ALTER TABLE endpoint_state_away RENAME TO endpoint_state');
    expect(await Promise.all(writes)).toEqual(Array.from({ length: 5 }, () => 'recorded'));
    expect((await expectConsistent(target)).map(({ outcome }) => outcome)).toEqual([
      'down',
      'down',
      'up',
      'down',
      'up',
    ]);
  });

  it('lets a success of an endpoint that is up wait, and writes it in one batch with the first failure of another', async () => {
    const [steady, failing] = await Promise.all([newTarget(), newTarget()]);
    const recorder = newRecorder(app);
    const at = (slot: number) => startMs + slot * SLOT_MS;
    const transactions = (slot: number) =>
      database.query<{ id: string }>(
        'SELECT xmin::text AS id FROM check_result WHERE checked_at = $1 AND endpoint_key = ANY ($2)',
        [new Date(at(slot)), [steady.definition.endpointKey, failing.definition.endpointKey]],
      );
    await Promise.all([
      recorder.record(checkAt(steady, 0, at(0), 'up')),
      recorder.record(checkAt(failing, 0, at(0), 'up')),
    ]);
    recorder.add(checkAt(steady, 1, at(1), 'up'));
    await eventually('its first result is written at once', async () => (await transactions(1)).length === 1);
    // A machine that is busy for a second may write them separately.
    for (let slot = 2, together = false; !together; slot++) {
      expect(slot).toBeLessThan(8);
      recorder.add(checkAt(steady, slot, at(slot), 'up'));
      await app.app.get(Clock).sleep(300);
      recorder.add(checkAt(failing, slot, at(slot), 'down'));
      await eventually('both are written', async () => (await transactions(slot)).length === 2);
      const [first, second] = await transactions(slot);
      together = first?.id === second?.id;
    }
    await expectConsistent(steady);
    await expectConsistent(failing);
  });

  it.each([
    ['one result waits', 1],
    ['more than a batch waits', 520],
  ])('retries a failed batch once a second, no matter how many results arrive in between: %s', async (_, waiting) => {
    const target = await newTarget();
    const recorder = newRecorder(app);
    const warned = jest.spyOn(Logger.prototype, 'warn');
    const refusals = () => warned.mock.calls.filter(([text]) => /^\d+ results are waiting/.test(String(text))).length;
    await database.query('ALTER TABLE endpoint_state RENAME TO endpoint_state_away');
    const fail = (slot: number) => recorder.add(checkAt(target, slot, startMs + slot * SLOT_MS, 'down'));
    for (let slot = 0; slot < waiting; slot++) fail(slot);
    await eventually('the first was refused', () => refusals() > 0);
    const began = performance.now();
    for (let more = 0; more < 29; more++) {
      await app.app.get(Clock).sleep(50);
      fail(waiting + more);
    }
    const seconds = (performance.now() - began) / 1000;
    expect(refusals()).toBeLessThanOrEqual(2 + seconds);
    warned.mockRestore();
    await database.query('ALTER TABLE endpoint_state_away RENAME TO endpoint_state');
    await eventually('everything is written', () => recorder.backlog === 0);
    await recorder.drain(5000);
    expect(await expectConsistent(target)).toHaveLength(waiting + 29);
  });
});
