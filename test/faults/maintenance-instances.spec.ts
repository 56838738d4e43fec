import { eventually } from '../../packages/testing/eventually';
import { findPostgres } from '../harness/database/postgres-cluster';
import { FaultBench } from '../harness/processes/fault-bench';
import { watch } from '../harness/processes/service-process';
import { SwitchableServer } from '../harness/servers/switchable-server';

const ENDPOINTS = 12;
const BEGINS_IN_MS = 4000;
/**
 * Longer than the 11 to 15 s until another instance takes over the claims of a killed one. On an idle machine, each
 * is checked inside.
 */
const LASTS_MS = 20_000;
/** The mark of a planned check in check_result.outcome. */
const PLANNED = 16;

const suite = findPostgres() === null ? describe.skip : describe;

suite(
  'two instances and a maintenance window, one killed at its start and one at its end (skipped without PostgreSQL’s programs)',
  () => {
    let bench: FaultBench;
    let target: SwitchableServer;
    let hook: SwitchableServer;

    beforeAll(async () => {
      bench = await FaultBench.open();
      [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
      bench.keep(target);
      bench.keep(hook);
    }, 180_000);
    afterAll(() => bench.close(), 60_000);

    const isAfter = (time: string) => async () => (await bench.witness.count('SELECT WHERE now() >= $1', [time])) === 1;

    it('count the same checks as planned, send nothing inside it, and trigger once for each broken endpoint after it', async () => {
      const [first, second] = await Promise.all([bench.start(), bench.start()]);
      await watch(first.api, ENDPOINTS, target.url, hook.url);
      await bench.allChecked(ENDPOINTS);
      const now = Date.now();
      const [starts_at = '', ends_at = ''] = [BEGINS_IN_MS, BEGINS_IN_MS + LASTS_MS].map((ms) =>
        new Date(now + ms).toISOString(),
      );
      const body = { name: 'Patches', scope: { all: true }, starts_at, ends_at };
      expect(await first.api.post('/maintenance-windows', body)).toMatchObject({ status: 201 });
      const [{ made } = { made: '' }] = await bench.witness.query<{ made: string }>('SELECT now()::text AS made');

      await eventually('it begins', isAfter(starts_at), 60_000);
      await second.kill();
      target.status = 503;
      const third = await bench.start();
      await eventually('it ends', isAfter(ends_at), 60_000);
      expect(await bench.witness.count('SELECT FROM alert_event WHERE created_at < $1', [ends_at])).toBe(0);
      await third.kill();

      await eventually(
        'each is triggered',
        async () => (await bench.witness.count('SELECT FROM alert WHERE triggered')) === ENDPOINTS,
        90_000,
      );
      // Messages of a killed sender come after its lease of a minute, and perhaps again with the same ID.
      const arrived = () => new Set(hook.seen.map(({ path, headers }) => `${path} ${String(headers['webhook-id'])}`));
      await eventually('each has arrived', () => arrived().size >= ENDPOINTS, 120_000);
      expect(arrived().size).toBe(ENDPOINTS);
      expect(new Set(hook.seen.map(({ path }) => path)).size).toBe(ENDPOINTS);
      expect(await bench.witness.count('SELECT FROM alert_event')).toBe(ENDPOINTS);
      expect(await bench.witness.count('SELECT FROM alert WHERE incident_started_at < $1', [ends_at])).toBe(0);

      // If the window was created late on a stalling machine, checks before it are not planned.
      const wrong = `SELECT FROM check_result WHERE (outcome & ${PLANNED} > 0) <> (checked_at >= $1 AND checked_at < $2)
                      AND NOT (checked_at >= $1 AND checked_at < $3)`;
      expect(await bench.witness.count(wrong, [starts_at, ends_at, made])).toBe(0);
      const [counts] = await bench.witness.query<{ kept: string; counted: string }>(
        `SELECT (SELECT count(*) FROM check_result WHERE outcome & ${PLANNED} > 0)::text AS kept,
              (SELECT sum(hour_planned + before_planned) FROM endpoint_state)::text AS counted`,
      );
      expect(Number(counts?.kept)).toBeGreaterThan(ENDPOINTS);
      expect(counts?.counted).toBe(counts?.kept);
      // If an endpoint was down inside the window, that outage is planned and ends with the window. The outage after it
      // isn't planned.
      const found = `SELECT DISTINCT endpoint_key FROM check_result
                    WHERE outcome & 3 = 0 AND outcome & ${PLANNED} > 0 AND checked_at < $1`;
      const downInside = await bench.witness.count(found, [ends_at]);
      expect(downInside).toBeGreaterThan(0);
      expect(await bench.witness.count('SELECT FROM outage WHERE planned AND started_at < $1', [ends_at])).toBe(
        downInside,
      );
      expect(await bench.witness.count('SELECT FROM outage WHERE NOT planned AND started_at >= $1', [ends_at])).toBe(
        ENDPOINTS,
      );
    }, 300_000);
  },
);
