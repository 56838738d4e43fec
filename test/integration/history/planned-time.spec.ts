/** @lane slow */
import fc from 'fast-check';
import type { Outcome } from '../../../src/checker/checker';
import type { CheckDefinition } from '../../../src/engine/check-definition';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import { UptimeService } from '../../../src/history/read/uptime.service';
import { Database } from '../../../src/platform/database/database';
import { firstUuidAt, parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { recorded } from '../../harness/app/history';
import { addOccurrence, forgetOccurrences } from '../../harness/app/occurrences';
import { newRecorder } from '../../harness/app/recorder';
import { newWebsite } from '../../harness/app/resources';

const RUNS = Number(process.env['RECORDER_RUNS'] ?? 15);
const HOUR = 3_600_000;
const SECONDS = 900;

/** Seconds of the history. Checks and windows are at whole seconds, so that time can be counted second by second. */
const checkOf = fc.record({
  pause: fc.integer({ min: 1, max: 60 }),
  outcome: fc.constantFrom<Outcome>('up', 'up', 'down', 'down', 'unknown'),
});
const windowOf = fc.record({
  from: fc.integer({ min: -100, max: SECONDS }),
  length: fc.integer({ min: 1, max: 400 }),
  exclude: fc.boolean(),
});
const history = fc.record({
  checks: fc.array(checkOf, { minLength: 1, maxLength: 30 }),
  windows: fc.array(windowOf, { maxLength: 4 }),
  from: fc.nat(300),
  length: fc.integer({ min: 1, max: SECONDS - 300 }),
});

describe('the time of any range', () => {
  let app: TestApp;
  let database: Database;
  let own: ServiceOrganization;
  let start: number;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
    own = await app.organization('Own');
    // Crosses a full hour and is in the past.
    start = Math.floor(Date.now() / HOUR) * HOUR - HOUR - 300_000;
  });
  afterAll(() => app.close());

  /** Creates an endpoint before the history starts. */
  async function newEndpoint(): Promise<CheckDefinition> {
    const websiteId = parseId('website', await newWebsite(own.write));
    const id = firstUuidAt(new Date(start - HOUR)).slice(0, 24) + crypto.randomUUID().slice(24);
    await database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type) VALUES ($1, $2, $3, 'a', 'http://a.example/', 'HTTP')`,
      [id, own.orgId, websiteId],
    );
    await database.query(
      `WITH state AS (INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint WHERE id = $1)
       INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, revision, next_check_at)
       SELECT id, org_id, 60, 10, 0, true, revision, now() FROM endpoint WHERE id = $1`,
      [id],
    );
    const definition = await app.app.get(CheckDefinitions).loadOne(database, id);
    if (!definition) throw new Error('there is no such endpoint');
    return definition;
  }

  it('is uptime, downtime, planned, or unknown, each second one of them, and the uptime adds up to it', async () => {
    const property = fc.asyncProperty(history, async (given) => {
      await forgetOccurrences(database, own.orgId);
      for (const { from, length, exclude } of given.windows) {
        await addOccurrence(database, {
          orgId: own.orgId,
          startsAt: new Date(start + from * 1000),
          endsAt: new Date(start + (from + length) * 1000),
          excludeFromUptime: exclude,
        });
      }
      const isPlanned = (second: number) =>
        given.windows.some(({ from, length, exclude }) => exclude && from <= second && second < from + length);
      const { endpointId, endpointKey, orgId, revision } = await newEndpoint();
      const recorder = newRecorder(app);
      let second = 0;
      const checks = given.checks.map(({ pause, outcome }) => ({ at: (second += pause), outcome }));
      for (const { at, outcome } of checks) {
        const when = new Date(start + at * 1000);
        const check = recorded({ id: endpointId, key: endpointKey }, when, outcome, 10);
        await recorder.record({ ...check, orgId, revision, slotMs: when.getTime() });
      }

      // Returns the state of each second by the checks alone. A failure lasts until the next conclusive check.
      const kindOf = (at: number): 'planned' | 'down' | 'unknown' | 'up' => {
        if (isPlanned(at)) return 'planned';
        const before = checks.filter((check) => check.at <= at);
        const known = before.filter(({ outcome }) => outcome !== 'unknown').at(-1);
        if (known?.outcome === 'down' && !isPlanned(known.at)) return 'down';
        return before.at(-1)?.outcome === 'up' ? 'up' : 'unknown';
      };
      const seconds = Array.from({ length: given.length }, (_, index) => kindOf(given.from + index));
      const timeOf = (kind: ReturnType<typeof kindOf>) => seconds.filter((each) => each === kind).length;
      const [from, to] = [given.from, given.from + given.length];
      const inside = checks.filter(({ at }) => at >= from && at < to);
      const counted = inside.filter(({ at }) => !isPlanned(at));

      const uptime = await app.app.get(UptimeService).read(own.orgId, endpointId, {
        from: new Date(start + from * 1000),
        to: new Date(start + to * 1000),
      });
      expect(uptime).toMatchObject({
        planned_seconds: timeOf('planned'),
        downtime_seconds: timeOf('down'),
        checks: inside.length,
        planned: inside.length - counted.length,
        failures: counted.filter(({ outcome }) => outcome === 'down').length,
        unknown: counted.filter(({ outcome }) => outcome === 'unknown').length,
      });
      const planned = uptime.planned_seconds + (uptime.downtime_seconds ?? 0);
      expect(timeOf('up') + timeOf('unknown') + planned).toBe(given.length);
    });
    await fc.assert(property, { numRuns: RUNS });
  }, 120_000);
});
