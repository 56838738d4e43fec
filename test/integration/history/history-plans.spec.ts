/** @databases both */
import { CARRY_ON, SUMMARIZE } from '../../../src/history/rollup/endpoint-summary';
import { P95_OF_CHECKS } from '../../../src/history/check-encoding';
import { HistoryBench, recorded } from '../../harness/app/history';

const HOUR_MS = 3_600_000;
const ENDPOINTS = 1000;
const now = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 90 * 60_000);
const hour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);

/** A node of a plan in the output of `EXPLAIN (ANALYZE, FORMAT JSON)`. Numbers of rows are per loop. */
interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

/** Returns the rows that the most expensive node of the plan processed. */
function mostRows(node: PlanNode): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Join Filter'] ?? 0)) * node['Actual Loops'];
  return Math.max(own, ...(node.Plans ?? []).map(mostRows));
}

describe('the summaries of many endpoints, with planner statistics from before their first check', () => {
  let bench: HistoryBench;
  let keys: string[];

  beforeAll(async () => {
    bench = await HistoryBench.open(now);
    const endpoints = await bench.addEndpoints(ENDPOINTS);
    keys = endpoints.map(({ key }) => key);
    await bench.database.query(
      'INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint',
    );
    await bench.database.query('ANALYZE');
    await bench.write(
      endpoints.flatMap((endpoint) => [1, 2].map((ms) => recorded(endpoint, new Date(hour.getTime() + ms), 'up', ms))),
    );
    await bench.database.query('UPDATE endpoint_state SET hour_start = $1, hour_up = 2', [hour]);
    await bench.database.query(`UPDATE history_progress SET done_until = $1, after_key = 0`, [hour]);
  });
  afterAll(() => bench.close());
  beforeEach(() => bench.database.query('DELETE FROM endpoint_summary'));

  const rowsOf = async (statement: string, parameters: unknown[]): Promise<number> => {
    const [explained] = await bench.database.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
      parameters,
    );
    const [plan] = explained?.['QUERY PLAN'] ?? [];
    if (!plan) throw new Error('no plan');
    return mostRows(plan.Plan);
  };

  it('reads the p95 of endpoints before their first full hour in one pass over the rows', async () => {
    expect(await rowsOf(P95_OF_CHECKS, [keys, hour])).toBeLessThan(20 * ENDPOINTS);
  });

  it('computes summaries after the first full hour in one pass over the rows', async () => {
    await bench.database.query(
      `INSERT INTO check_hour SELECT key, $1, 2, 0, 0, 3000, 1000, 2000, 1, 1, 1, 1, 1, '{1,2}', '{1,1}' FROM endpoint`,
      [hour],
    );
    const rows = await rowsOf(SUMMARIZE, [keys, new Date(hour.getTime() + HOUR_MS)]);
    expect(rows).toBeLessThan(20 * ENDPOINTS);
    const [count] = await bench.database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM endpoint_summary WHERE p95_24h_us > 0',
    );
    expect(count?.n).toBe(ENDPOINTS);
  });

  it('carries summaries on to the next hour in one pass over the rows', async () => {
    const [start, until] = [new Date(hour.getTime() + HOUR_MS), new Date(hour.getTime() + 2 * HOUR_MS)];
    await bench.database.query(
      `INSERT INTO endpoint_summary SELECT key, $1, 2, 0, 0, 2, 0, 2, 0, 2, 0, 2000, 0, false, 0, 0, 0 FROM endpoint`,
      [start],
    );
    await bench.database.query(
      `INSERT INTO check_hour SELECT key, $1, 2, 0, 0, 3000, 1000, 2000, 1, 1, 1, 1, 1, '{1,2}', '{1,1}' FROM endpoint`,
      [start],
    );
    const gone = new Date(start.getTime() - 24 * HOUR_MS);
    expect(await rowsOf(CARRY_ON, [keys, until, start, gone, until.getTime() / HOUR_MS])).toBeLessThan(20 * ENDPOINTS);
    const [count] = await bench.database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM endpoint_summary WHERE until = $1 AND up_24h = 4',
      [until],
    );
    // All except every eighth, which is computed from the hours.
    expect(count?.n).toBe((ENDPOINTS * 7) / 8);
  });
});
