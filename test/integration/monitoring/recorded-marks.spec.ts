/** @lane slow */
import fc from 'fast-check';
import type { CheckError, Outcome } from '../../../src/checker/checker';
import type { CheckDefinition } from '../../../src/engine/check-definition';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import type { MaintenanceScope } from '../../../src/endpoint/suppression/cover';
import type { CheckRecorder } from '../../../src/monitoring/record/check-recorder';
import { MaintenanceCoverage } from '../../../src/endpoint/suppression/maintenance-coverage';
import { Database, type Tx } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { HOUR_MS } from '../../../src/platform/time/time-units';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { recorded as finishedCheck } from '../../harness/app/history';
import { checkInvariants } from '../../harness/app/invariants';
import { addOccurrence, EVERYTHING, forgetOccurrences, NO_SCOPE } from '../../harness/app/occurrences';
import { newRecorder } from '../../harness/app/recorder';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

/** The number of random histories. `RECORDER_RUNS=300` is the thorough run. */
const RUNS = Number(process.env['RECORDER_RUNS'] ?? 10);
const SLOT_MS = 10_000;
const STORED: readonly Outcome[] = ['down', 'up', 'unknown'];
const WARNING: CheckError = { code: 'assertion_failed', phase: 'assertion', message: 'The certificate ends soon.' };

/**
 * The sites (database, shop, blog) that each kind of window covers. The shop and the database belong to one website.
 */
const COVERS = {
  all: ['database', 'shop', 'blog'],
  endpoint: ['database'],
  website: ['database', 'shop'],
  tag: ['shop'],
  'tag of its website': ['blog'],
  'of others': [],
} as const;
type Kind = keyof typeof COVERS;
const KINDS = Object.keys(COVERS) as Kind[];
const SITES = ['database', 'shop', 'blog'] as const;
type Site = (typeof SITES)[number];

interface Window {
  kind: Kind;
  fromMs: number;
  toMs: number;
  mute: boolean;
  exclude: boolean;
}

/** A check before it is recorded. */
interface Meant {
  at: number;
  outcome: Outcome;
  degraded: boolean;
  planned: boolean;
  muted: boolean;
}

const hourOf = (at: number): number => Math.floor(at / HOUR_MS);
const lastIndexOf = (checks: readonly Meant[], is: (check: Meant) => boolean): number =>
  checks.map(is).lastIndexOf(true);

/**
 * Returns the state that follows from the checks of one site, oldest first. The model is independent of the service's
 * code.
 */
function expectedOf(checks: readonly Meant[]) {
  const known = checks.filter(({ outcome }) => outcome !== 'unknown');
  const isUp = ({ outcome }: Meant) => outcome === 'up';
  const isGood = (check: Meant) => isUp(check) && !check.degraded;
  const after = (is: (check: Meant) => boolean) => known.slice(lastIndexOf(known, is) + 1);
  const failing = after(isUp);
  const bad = after(isGood);
  const unmuted = (streak: readonly Meant[]) => streak[lastIndexOf(streak, ({ muted }) => muted) + 1]?.at ?? null;
  const outages = known.flatMap((check, index) => {
    const before = known[index - 1];
    if (isUp(check) || (before && !isUp(before) && before.planned === check.planned)) return [];
    const end = known.slice(index + 1).find((later) => isUp(later) || later.planned !== check.planned);
    return [{ from: check.at, to: end?.at ?? null, planned: check.planned }];
  });
  const newest = hourOf(checks.at(-1)?.at ?? 0);
  const countsOf = (hour: number) => {
    const own = checks.filter(({ at }) => hourOf(at) === hour);
    const counted = own.filter(({ planned }) => !planned);
    const counts = (['up', 'down', 'unknown'] as const).map((kind) => counted.filter((one) => one.outcome === kind));
    return [...counts, own.filter(({ planned }) => planned), counted.filter(({ degraded }) => degraded)].map(
      (list) => list.length,
    );
  };
  const recent = checks.slice(-30);
  const isOpen = failing.length > 0;
  return {
    outages,
    state: {
      status: STORED.indexOf(checks.at(-1)?.outcome ?? 'unknown'),
      failures: failing.length,
      successes: after(({ outcome }) => outcome === 'down').length,
      bad: bad.length,
      good: after((check) => !isGood(check)).length,
      failingSince: isOpen ? (outages.at(-1)?.from ?? null) : null,
      failingPlanned: isOpen && outages.at(-1)?.planned === true,
      failingUnmuted: unmuted(failing),
      badUnmuted: unmuted(bad),
      degradedSince: checks.slice(lastIndexOf(checks, ({ degraded }) => !degraded) + 1)[0]?.at ?? null,
      recent: recent
        .reduce((bits, { outcome }) => bits * 4n + BigInt(['up', 'down', 'unknown'].indexOf(outcome) + 1), 0n)
        .toString(),
      recentDegraded: recent.reduce((bits, { degraded }) => bits * 2 + (degraded ? 1 : 0), 0),
      counts: [...countsOf(newest), ...countsOf(newest - 1)],
    },
  };
}

describe('checks in maintenance and with warnings', () => {
  let app: TestApp;
  let database: Database;
  let othersOrgId: string;
  let startMs: number;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
    const other = await app.organization('Other');
    const website = await newWebsite(other.write);
    othersOrgId = (await definitionOf(await newEndpoint(other.write, website))).orgId;
    // The histories cross a full hour.
    startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS - 20 * SLOT_MS;
  });
  afterAll(() => app.close());

  async function definitionOf(id: string): Promise<CheckDefinition> {
    const definition = await app.app.get(CheckDefinitions).loadOne(database, parseId('endpoint', id) ?? '');
    if (!definition) throw new Error('there is no such endpoint');
    return definition;
  }

  interface Fleet {
    orgId: string;
    sites: Record<Site, CheckDefinition>;
    scopes: Record<Exclude<Kind, 'of others'>, MaintenanceScope>;
  }

  async function newFleet(): Promise<Fleet> {
    const [first, second] = [await newWebsite(app.write), await newWebsite(app.write)];
    const shop = await definitionOf(await newEndpoint(app.write, first));
    const db = await definitionOf(await newEndpoint(app.write, first));
    const blog = await definitionOf(await newEndpoint(app.write, second));
    const websiteTag = `blog-${blog.endpointKey}`;
    const tag = `shop-${shop.endpointKey}`;
    const websiteIds = [parseId('website', first) ?? ''];
    await database.query('UPDATE endpoint SET tags = $2::text[] WHERE id = $1', [shop.endpointId, ['web', tag]]);
    await database.query('UPDATE website SET tags = $2::text[] WHERE id = $1', [
      parseId('website', second) ?? '',
      [websiteTag],
    ]);
    return {
      orgId: shop.orgId,
      sites: { database: db, shop, blog },
      scopes: {
        all: EVERYTHING,
        endpoint: { ...NO_SCOPE, endpointIds: [db.endpointId] },
        website: { ...NO_SCOPE, websiteIds },
        tag: { ...NO_SCOPE, tags: ['nobody-has-it', tag] },
        'tag of its website': { ...NO_SCOPE, tags: [websiteTag] },
      },
    };
  }

  async function addWindow({ orgId, scopes }: Fleet, { kind, fromMs, toMs, mute, exclude }: Window): Promise<void> {
    const when = { startsAt: new Date(fromMs), endsAt: new Date(toMs), mute, excludeFromUptime: exclude };
    if (kind === 'of others') await addOccurrence(database, { orgId: othersOrgId, ...when });
    else await addOccurrence(database, { orgId, ...when, ...scopes[kind] });
  }

  function checkOf(site: CheckDefinition, { at, outcome, degraded }: Meant): FinishedCheck {
    const { endpointId, endpointKey, orgId, revision } = site;
    const result = { warning: degraded ? WARNING : null };
    const check = finishedCheck({ id: endpointId, key: endpointKey }, new Date(at), outcome, 12.5, result);
    return { ...check, orgId, revision, slotMs: at };
  }

  const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

  /** Returns the stored data of a site: each check with its marks, the state, and the outages. */
  async function storedOf({ endpointId, endpointKey }: CheckDefinition) {
    const checks = await database.query<{ at: number; outcome: number }>(
      `SELECT ${ms('checked_at')} AS at, outcome FROM check_result WHERE endpoint_key = $1 ORDER BY checked_at`,
      [endpointKey],
    );
    const [state] = await database.query(
      `SELECT status, consecutive_failures AS failures, consecutive_successes AS successes, consecutive_bad AS bad,
              consecutive_good AS good, ${ms('failing_since')} AS "failingSince", failing_planned AS "failingPlanned",
              ${ms('failing_unmuted_since')} AS "failingUnmuted", ${ms('bad_unmuted_since')} AS "badUnmuted",
              ${ms('degraded_since')} AS "degradedSince", recent::text AS recent, recent_degraded AS "recentDegraded",
              ARRAY[hour_up, hour_down, hour_unknown, hour_planned, hour_degraded,
                    before_up, before_down, before_unknown, before_planned, before_degraded] AS counts
         FROM endpoint_state WHERE endpoint_id = $1`,
      [endpointId],
    );
    const outages = await database.query(
      `SELECT ${ms('started_at')} AS "from", ${ms('ended_at')} AS "to", planned FROM outage
        WHERE endpoint_key = $1 ORDER BY started_at`,
      [endpointKey],
    );
    return { checks, state, outages };
  }

  const windowOf = fc.record({
    kind: fc.constantFrom(...KINDS),
    fromSlot: fc.nat(60),
    slots: fc.integer({ min: 1, max: 30 }),
    /** A window may start or end in the same millisecond as a check. */
    shiftMs: fc.constantFrom(0, 0, 1, 5000),
    mute: fc.boolean(),
    exclude: fc.boolean(),
  });
  const stepOf = fc.record({
    site: fc.constantFrom(...SITES),
    what: fc.constantFrom('up', 'up', 'down', 'down', 'unknown', 'degraded'),
    endsBatch: fc.boolean(),
  });

  it('are marked by the windows over them, and state, counters, and outages follow, in batches or one by one', async () => {
    const histories = fc.tuple(fc.array(windowOf, { maxLength: 5 }), fc.array(stepOf, { minLength: 5, maxLength: 60 }));
    const property = fc.asyncProperty(histories, async ([given, steps]) => {
      const [inBatches, alone] = [await newFleet(), await newFleet()];
      await forgetOccurrences(database, inBatches.orgId);
      await forgetOccurrences(database, othersOrgId);
      const windows = given.map(({ kind, fromSlot, slots, shiftMs, mute, exclude }): Window => {
        const fromMs = startMs + fromSlot * SLOT_MS + shiftMs;
        return { kind, fromMs, toMs: fromMs + slots * SLOT_MS, mute, exclude };
      });
      for (const window of windows) {
        await addWindow(inBatches, window);
        // Windows over everything and over other sites already cover this fleet.
        if (window.kind !== 'all' && window.kind !== 'of others') await addWindow(alone, window);
      }
      const meant: Record<Site, Meant[]> = { database: [], shop: [], blog: [] };
      const recorders: readonly CheckRecorder[] = [newRecorder(app), newRecorder(app)];
      let pending: Promise<unknown>[] = [];
      for (const [index, { site, what, endsBatch }] of steps.entries()) {
        const at = startMs + index * SLOT_MS;
        const covering = windows.filter(
          ({ kind, fromMs, toMs }) =>
            fromMs <= at && at < toMs && COVERS[kind].some((covered: Site) => covered === site),
        );
        const check: Meant = {
          at,
          outcome: what === 'degraded' ? 'up' : what,
          degraded: what === 'degraded',
          planned: covering.some(({ exclude }) => exclude),
          muted: covering.some(({ mute }) => mute),
        };
        meant[site].push(check);
        pending.push(recorders[0]?.record(checkOf(inBatches.sites[site], check)) ?? Promise.resolve());
        await recorders[1]?.record(checkOf(alone.sites[site], check));
        if (endsBatch) await Promise.all(pending.splice(0));
      }
      await Promise.all(pending);
      pending = [];
      for (const site of SITES) {
        if (meant[site].length === 0) continue;
        const expected = {
          ...expectedOf(meant[site]),
          checks: meant[site].map(({ at, outcome, degraded, planned }) => ({
            at,
            outcome: STORED.indexOf(outcome) + (degraded ? 8 : 0) + (planned ? 16 : 0),
          })),
        };
        expect(await storedOf(inBatches.sites[site])).toEqual(expected);
        expect(await storedOf(alone.sites[site])).toEqual(expected);
      }
      await checkInvariants(database);
    });
    await fc.assert(property, { numRuns: RUNS });
  }, 240_000);

  it('a recorder that treats an endpoint as steady still reads its row if another instance has found it degraded', async () => {
    const { sites } = await newFleet();
    const [guesses, other] = [newRecorder(app), newRecorder(app)];
    let at = startMs;
    const next = (degraded = false): FinishedCheck => {
      at += SLOT_MS;
      return checkOf(sites.shop, { at, outcome: 'up', degraded, planned: false, muted: false });
    };
    await guesses.record(next());
    guesses.add(next());
    await guesses.drain(10_000);
    await other.record(next(true));
    guesses.add(next());
    await guesses.drain(10_000);
    expect((await storedOf(sites.shop)).state).toMatchObject({
      successes: 4,
      good: 1,
      recentDegraded: 2,
      bad: 0,
      degradedSince: null,
    });
  });

  /**
   * Returns the events of an alert with thresholds of 2. F fails and S succeeds. Lowercase letters are in a muted
   * window.
   */
  async function eventsAfter(letters: string): Promise<string[]> {
    const id = await newEndpoint(app.write, await newWebsite(app.write));
    const alert = await newAlert(app.write, id, { failure_threshold: 2, success_threshold: 2 });
    const site = await definitionOf(id);
    await forgetOccurrences(database, site.orgId);
    const recorder = newRecorder(app);
    for (const [index, letter] of [...letters].entries()) {
      const at = startMs + index * SLOT_MS;
      const isMuted = letter !== letter.toUpperCase();
      if (isMuted)
        await addOccurrence(database, { orgId: site.orgId, startsAt: new Date(at), endsAt: new Date(at + 1) });
      const outcome = letter.toUpperCase() === 'F' ? 'down' : 'up';
      await recorder.record(checkOf(site, { at, outcome, degraded: false, planned: false, muted: false }));
    }
    const events = await database.query<{ type: string; from: number }>(
      `SELECT v.type, ${ms('v.started_at')} AS "from" FROM alert_event v WHERE v.alert_id = $1 ORDER BY v.id`,
      [parseId('alert', alert) ?? ''],
    );
    const slotOf = (at: number) => (at - startMs) / SLOT_MS;
    return events.map(({ type, from }) => `${type} since ${slotOf(from)}`);
  }

  it.each([
    ['breaks and recovers inside it', 'SSfffssSS', []],
    ['is still down after it, with the first failure after it', 'SSfffFF', ['triggered since 5']],
    ['was down before it and recovers inside it', 'SFFffss', ['triggered since 1', 'resolved since 1']],
    ['was down before it and is down after it, once', 'SFFfffFFF', ['triggered since 1']],
    ['recovers inside it and breaks again inside it', 'SFFssffff', ['triggered since 1', 'resolved since 1']],
  ])('trigger in a muted window for an endpoint that %s', async (_, letters, expected) => {
    expect(await eventsAfter(letters)).toEqual(expected);
  });

  const marksNow = async (checks: readonly FinishedCheck[]): Promise<{ marks: boolean[][]; statements: number }> => {
    let statements = 0;
    const marks = await database.transaction((tx) => {
      const counting: Tx = {
        ...tx,
        query: <Row>(sql: string, parameters?: readonly unknown[]) => {
          statements++;
          return tx.query<Row>(sql, parameters);
        },
      };
      return app.app.get(MaintenanceCoverage).marks(counting, checks);
    });
    return { marks: marks.map(({ planned, muted }) => [planned, muted]), statements };
  };

  it('cost one statement without a window or with one over everything, and one more with one over some', async () => {
    const fleet = await newFleet();
    await forgetOccurrences(database, fleet.orgId);
    const up: Meant = { at: startMs, outcome: 'up', degraded: false, planned: false, muted: false };
    const checks = SITES.map((site) => checkOf(fleet.sites[site], up));
    const window = { fromMs: startMs, toMs: startMs + 1, mute: false, exclude: true };
    const none = [false, false];
    const planned = [true, false];
    expect(await marksNow(checks)).toEqual({ marks: [none, none, none], statements: 1 });
    await addWindow(fleet, { ...window, kind: 'tag' });
    expect(await marksNow(checks)).toEqual({ marks: [none, planned, none], statements: 2 });
    await forgetOccurrences(database, fleet.orgId);
    await addWindow(fleet, { ...window, kind: 'all' });
    expect(await marksNow(checks)).toEqual({ marks: [planned, planned, planned], statements: 1 });
    expect(await marksNow([])).toEqual({ marks: [], statements: 0 });
  });

  it('are marked again when their transaction is repeated and the window is deleted', async () => {
    const fleet = await newFleet();
    await forgetOccurrences(database, fleet.orgId);
    await addWindow(fleet, { kind: 'all', fromMs: startMs, toMs: startMs + 1, mute: true, exclude: true });
    const down: Meant = { at: startMs, outcome: 'down', degraded: false, planned: false, muted: false };
    const checks = [checkOf(fleet.sites.shop, down)];
    expect((await marksNow(checks)).marks).toEqual([[true, true]]);
    await forgetOccurrences(database, fleet.orgId);
    expect((await marksNow(checks)).marks).toEqual([[false, false]]);
  });
});
