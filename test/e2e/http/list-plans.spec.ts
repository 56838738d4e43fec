/**
 * @lane slow
 * @databases both
 */
import { DataSource } from 'typeorm';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newDetectedIncident } from '../../harness/app/incidents';
import type { ApiResponse } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { collectQueries } from '../../harness/app/query-counter';

const ENDPOINTS = 20_000;
const WEBSITES = 100;
const MEMBERS = 10_000;
/** A list of 20 reads a few rows for each item, or a small table (such as the websites) once for each. */
const MOST_ROWS = 4000;
const MOST_PAGES = 3000;

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

function mostRows(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return Math.max((node['Actual Rows'] + removed) * node['Actual Loops'], ...(node.Plans ?? []).map(mostRows));
}

describe('lists of 20 with 20,000 endpoints in each of two organizations', () => {
  let app: TestApp;
  let source: DataSource;
  let queries: [sql: string, parameters: unknown[]][];
  let one: ServiceOrganization;
  let many: ServiceOrganization;
  let incident: string;

  /** Returns IDs in the order of creation. The IDs of the second organization follow those in the first. */
  const id = (kind: number, n: string): string =>
    `('01900000-0000-7000-8${kind}00-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

  async function fill(kind: number, orgId: string, websites: number): Promise<void> {
    await source.query(
      `INSERT INTO website (id, org_id, name, url)
       SELECT ${id(kind, 'n')}, $1, 'w', 'http://w.example/' FROM generate_series(1, ${websites}) n`,
      [orgId],
    );
    await source.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT ${id(kind + 1, 'n')}, $1, ${id(kind, `1 + n % ${websites}`)}, 'e', 'http://e.example/', 'HTTP'
         FROM generate_series(1, ${ENDPOINTS}) n`,
      [orgId],
    );
  }

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    source = app.app.get(DataSource);
    [one, many] = [await app.organization('One website'), await app.organization('Many websites')];
    await fill(1, one.orgId, 1);
    await fill(3, many.orgId, WEBSITES);
    await source.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id, status, last_checked_at)
       SELECT id, key, org_id, 1, now() FROM endpoint`,
    );
    incident = await newDetectedIncident(app.app.get(Database), [{ endpoint: await firstEndpoint(one) }]);
    // Half of them have recovered, and all started at one of a few moments.
    await source.query(
      `WITH m AS (
         INSERT INTO incident_member (incident_id, endpoint_id, org_id, website_id, endpoint_name, website_name, started_at, ended_at)
         SELECT $1, e.id, e.org_id, e.website_id, e.name, 'w', now() - n % 100 * interval '1 second', CASE n % 2 WHEN 0 THEN now() END
           FROM (SELECT *, row_number() OVER (ORDER BY id DESC) AS n FROM endpoint WHERE org_id = $2) e WHERE n < ${MEMBERS})
       UPDATE incident SET endpoint_count = ${MEMBERS} WHERE id = $1`,
      [parseId('incident', incident), one.orgId],
    );
    queries = collectQueries(source);
  });
  afterAll(() => app.close());

  /** Returns the rows and pages that the statement reads. */
  async function readBy(sql: string, parameters: unknown[]): Promise<{ sql: string; rows: number; pages: number }> {
    const [row] = await source.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
      parameters,
    );
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('no plan');
    return { sql, rows: mostRows(plan), pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
  }

  const firstEndpoint = async ({ read }: ServiceOrganization): Promise<string> =>
    (await read.get<{ id: string }[]>('/endpoints?limit=1')).body[0]?.id ?? '';
  const firstWebsite = async ({ read }: ServiceOrganization): Promise<string> =>
    (await read.get<{ id: string }[]>('/websites?limit=1')).body[0]?.id ?? '';
  const lists: [string, () => ServiceOrganization, (website: string) => string][] = [
    ['websites, one with all endpoints', () => one, () => '/websites?limit=20'],
    ['one website with all endpoints', () => one, (website) => `/websites/${website}`],
    ['websites', () => many, () => '/websites?limit=20'],
    ['websites that contain a text', () => many, () => '/websites?limit=20&q=nowhere'],
    ['endpoints of a website with all', () => one, (website) => `/websites/${website}/endpoints?limit=20`],
    ['endpoints of one of many websites', () => many, (website) => `/websites/${website}/endpoints?limit=20`],
    ['the older endpoints of all', () => one, () => '/endpoints?limit=20'],
    ['the younger endpoints of all', () => many, () => '/endpoints?limit=20'],
    [
      'the endpoints of one of many websites that are up',
      () => many,
      (website) => `/endpoints?limit=20&status=up&website_id=${website}`,
    ],
    ['the overview of the older endpoints', () => one, () => '/overview?limit=20'],
    ['the overview of the younger endpoints', () => many, () => '/overview?limit=20'],
    ['the overview of one of many websites', () => many, (website) => `/overview?limit=20&website_id=${website}`],
  ];
  /** Returns the statements of this request that read too much. */
  const tooMuch = async (of: ServiceOrganization, url: string) => {
    await of.read.get(url);
    queries.length = 0;
    expect((await of.read.get(url)).status).toBe(200);
    const sent = queries.filter(([sql]) => /^\s*SELECT/.test(sql));
    expect(sent.length).toBeGreaterThan(0);
    const read = await Promise.all(sent.map(([sql, parameters]) => readBy(sql, parameters)));
    return read.filter(({ rows, pages }) => rows > MOST_ROWS || pages > MOST_PAGES);
  };

  describe.each([
    ['before statistics are collected', () => Promise.resolve()],
    ['after statistics are collected', () => source.query('ANALYZE')],
  ])('%s', (_, prepare) => {
    beforeAll(prepare);

    it.each(lists)('a few rows are read for %s', async (_name, of, path) => {
      expect(await tooMuch(of(), path(await firstWebsite(of())))).toEqual([]);
    });
  });

  it('a few rows are read for an incident with 10,000 endpoints, and for each page of them, without duplicates', async () => {
    expect(await tooMuch(one, `/incidents/${incident}`)).toEqual([]);
    const seen = new Set<string>();
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const path: string = `/incidents/${incident}/endpoints?limit=1000${cursor && `&cursor=${cursor}`}`;
      expect(await tooMuch(one, path)).toEqual([]);
      const page: ApiResponse<{ endpoint_id: string }[]> = await one.read.get(path);
      for (const { endpoint_id } of page.body) seen.add(endpoint_id);
      cursor = page.headers['x-next-cursor'];
    }
    expect(seen.size).toBe(MEMBERS);
  });
});
