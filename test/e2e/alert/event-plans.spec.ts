/**
 * @lane slow
 * @databases both
 */
import { DataSource } from 'typeorm';
import { formatId, type IdKind } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { collectQueries } from '../../harness/app/query-counter';

const EVENTS = 20_000;
/**
 * Rows read out of 20,000 for a page, a skipped type, a day on both sides of a range, and the 200 events of a
 * website.
 */
const MOST_ROWS = 201;

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const mostRows = (node: PlanNode): number =>
  Math.max(
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ...(node.Plans ?? []).map(mostRows),
  );

const numbered = (kind: IdKind, of: number, n: number): string =>
  formatId(kind, `01900000-0000-7000-8${of}00-${n.toString(16).padStart(12, '0')}`);
const at = (hour: number): string => new Date(1_700_000_000_000 + hour * 3_600_000).toISOString();

describe('filters of 20,000 alert events, one each hour', () => {
  let app: TestApp;
  let source: DataSource;
  let queries: [sql: string, parameters: unknown[]][];

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    source = app.app.get(DataSource);
    const id = (of: number, n: string) => `('01900000-0000-7000-8${of}00-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
    const hour = '(1700000000000 + n * 3600000::bigint)';
    await source.query(
      `INSERT INTO alert_event (id, org_id, type, alert_id, alert_type, incident_no, endpoint_id, endpoint_name, website_id,
                                website_name, reason, message, failure_count, success_count, created_at)
       SELECT (lpad(to_hex(${hour}), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, $1,
              CASE n / 100 % 2 WHEN 0 THEN 'triggered' ELSE 'resolved' END, ${id(6, 'n')}, 'slack', 1, ${id(4, 'n')}, 'e',
              ${id(3, '1 + n % 100')}, 'w', 'threshold', 'm', 3, 0, to_timestamp(${hour} / 1000.0)
         FROM generate_series(1, ${EVENTS}) n`,
      [app.orgId],
    );
    queries = collectQueries(source);
  });
  afterAll(() => app.close());

  const filters: [name: string, query: string, found: number][] = [
    ['none', '', 20],
    ['an endpoint', `endpoint_id=${numbered('endpoint', 4, 7)}`, 1],
    ['an alert', `alert_id=${numbered('alert', 6, 7)}`, 1],
    ['a website', `website_id=${numbered('website', 3, 7)}`, 20],
    ['hours long ago', `since=${at(100)}&until=${at(110)}`, 10],
    ['a website and hours long ago', `website_id=${numbered('website', 3, 7)}&since=${at(100)}&until=${at(210)}`, 2],
    [
      'a website, its endpoint and a type',
      `website_id=${numbered('website', 3, 8)}&endpoint_id=${numbered('endpoint', 4, 7)}&type=triggered`,
      1,
    ],
    ['a type', 'type=triggered', 20],
    ['a website and a type', `website_id=${numbered('website', 3, 7)}&type=resolved`, 20],
  ];

  describe.each([
    ['before statistics are collected', () => Promise.resolve()],
    ['after statistics are collected', () => source.query('ANALYZE alert_event')],
  ])('%s', (_, prepare) => {
    beforeAll(prepare);

    it.each(filters)('read a few rows: %s', async (_name, query, found) => {
      queries.length = 0;
      const { status, body } = await app.read.get<object[]>(`/alerts/events?limit=20&${query}`);
      expect([status, body.length]).toEqual([200, found]);
      const [sql, parameters] = queries.find(([text]) => text.includes('FROM alert_event e')) ?? ['', []];
      const [row] = await source.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        parameters,
      );
      const plan = row?.['QUERY PLAN'][0]?.Plan;
      expect(plan && mostRows(plan)).toBeLessThan(MOST_ROWS);
    });
  });
});
