/**
 * @lane slow
 * @databases both
 */
import { OrganizationPurgeJob } from '../../../src/identity/organization/organization-purge.job';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { WebsitePurgeJob } from '../../../src/website/website-purge.job';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

const ROUNDS = 6;
const AT_ONCE = 12;

/**
 * Differences between new counts and `website_summary` or `organization_listed`. Beyond twenty endpoints, the newest
 * check comes from a sample.
 */
const WRONG = `
  SELECT w.id::text AS id, to_jsonb(s) AS kept, to_jsonb(n) AS counted
    FROM website w LEFT JOIN website_summary s ON s.website_id = w.id,
         LATERAL (SELECT count(*)::int AS endpoint_count, max(t.last_checked_at) AS last_checked_at,
                         coalesce(bool_or(e.enabled AND t.status = 0), false) AS any_down,
                         coalesce(bool_or(e.enabled AND t.status = 1), false) AS any_up
                    FROM endpoint e JOIN endpoint_state t ON t.endpoint_id = e.id WHERE e.website_id = w.id) n
   WHERE (s.endpoint_count, s.any_down, s.any_up) IS DISTINCT FROM (n.endpoint_count, n.any_down, n.any_up)
      OR (n.endpoint_count <= 20 AND s.last_checked_at IS DISTINCT FROM n.last_checked_at)
      OR s.last_checked_at > n.last_checked_at
  UNION ALL
  SELECT o.id::text, to_jsonb(l), to_jsonb(n)
    FROM organization o LEFT JOIN organization_listed l ON l.org_id = o.id,
         LATERAL (SELECT (SELECT count(*)::int FROM website w WHERE w.org_id = o.id AND w.deleted_at IS NULL) AS websites,
                         (SELECT count(*)::int FROM endpoint_overview e WHERE e.org_id = o.id) AS endpoints,
                         (SELECT count(*)::int FROM alert a WHERE a.org_id = o.id) AS alerts) n
   WHERE (l.websites, l.endpoints, l.alerts) IS DISTINCT FROM (n.websites, n.endpoints, n.alerts)
  UNION ALL
  SELECT u.website_id::text, to_jsonb(u), NULL FROM website_use u WHERE NOT EXISTS (SELECT FROM website w WHERE w.id = u.website_id)`;

describe('the counters of websites', () => {
  let app: TestApp;
  let database: Database;
  let counter = 0;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());

  const uuid = (kind: 'website' | 'endpoint', id: string): string => parseId(kind, id) ?? '';
  const wrong = (): Promise<unknown[]> => database.query(WRONG);

  const check = (endpointId: string, status: number): Promise<unknown> =>
    database.query(
      `UPDATE endpoint_state SET status = $2, last_checked_at = clock_timestamp() WHERE endpoint_id = $1`,
      [uuid('endpoint', endpointId), status],
    );

  async function manyEndpoints(websiteId: string, count: number): Promise<void> {
    await database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT gen_random_uuid(), w.org_id, w.id, 'e', 'http://e.example', 'HTTP' FROM website w, generate_series(1, $2) WHERE w.id = $1`,
      [uuid('website', websiteId), count],
    );
    await database.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint
        WHERE website_id = $1 ON CONFLICT DO NOTHING`,
      [uuid('website', websiteId)],
    );
  }

  /** Runs random requests of clients and results of the recorder, all at once. */
  async function storm({ write }: ServiceOrganization, websites: string[], endpoints: string[]): Promise<void> {
    const any = (list: string[]): string => list[Math.floor(Math.random() * list.length)] ?? '';
    const acts: (() => Promise<unknown>)[] = [
      async () => endpoints.push(await newEndpoint(write, any(websites))),
      async () => endpoints.push(await newEndpoint(write, any(websites), { enabled: false })),
      () => write.delete(`/endpoints/${endpoints.splice(Math.floor(Math.random() * endpoints.length), 1)[0]}`),
      () => write.put(`/endpoints/${any(endpoints)}`, { enabled: Math.random() < 0.5 }),
      () => write.put(`/endpoints/${any(endpoints)}`, { website_id: any(websites) }),
      () => write.put(`/endpoints/${any(endpoints)}`, { website_id: any(websites), interval: 30 + (counter++ % 30) }),
      () => check(any(endpoints), 0),
      () => check(any(endpoints), 1),
      () => check(any(endpoints), 2),
      () => write.put(`/websites/${any(websites)}`, { enabled: Math.random() < 0.5 }),
    ];
    const chosen = Array.from({ length: AT_ONCE }, () => acts[Math.floor(Math.random() * acts.length)]);
    await Promise.all(chosen.map((act) => act?.()));
  }

  it('are right after any number of changes at once', async () => {
    const organization = await app.organization('Storm');
    const websites = [await newWebsite(organization.write), await newWebsite(organization.write)];
    const endpoints: string[] = [];
    for (let n = 0; n < 8; n++) endpoints.push(await newEndpoint(organization.write, websites[n % 2] ?? ''));
    for (let round = 0; round < ROUNDS; round++) {
      await storm(organization, websites, endpoints);
      expect(await wrong()).toEqual([]);
    }
  });

  it('are right at each step of the removal of a website and of an organization', async () => {
    const { write, read, orgId } = await app.organization('Removal');
    const [kept, leaving] = [await newWebsite(write), await newWebsite(write)];
    await newEndpoint(write, kept);
    await manyEndpoints(leaving, 250);
    expect(await wrong()).toEqual([]);

    await database.query('UPDATE website SET deleted_at = now() WHERE id = $1', [uuid('website', leaving)]);
    expect((await read.get('/overview?limit=1')).headers['x-total-count']).toBe('1');
    const purge = app.app.get(WebsitePurgeJob);
    await purge.purge(orgId, uuid('website', leaving), 0);
    expect(await wrong()).toEqual([]);
    await purge.run();
    expect(await wrong()).toEqual([]);
    expect(await database.query('SELECT FROM website WHERE id = $1', [uuid('website', leaving)])).toEqual([]);

    await database.query('UPDATE organization SET deleted_at = now() WHERE id = $1', [orgId]);
    await app.app.get(OrganizationPurgeJob).run();
    expect(await wrong()).toEqual([]);
    expect(await database.query('SELECT FROM website_use WHERE org_id = $1', [orgId])).toEqual([]);
  });

  it('a website with very many endpoints shows at once that one of them is down, and that it has recovered', async () => {
    const { write, read } = await app.organization('Large');
    const websiteId = await newWebsite(write);
    await manyEndpoints(websiteId, 200);
    const endpointId = await newEndpoint(write, websiteId);
    const status = async () => (await read.get<{ status: string }>(`/websites/${websiteId}`)).body.status;
    expect(await status()).toBe('unknown');
    await check(endpointId, 1);
    expect(await status()).toBe('up');
    await check(endpointId, 0);
    expect(await status()).toBe('down');
    await write.put(`/endpoints/${endpointId}`, { enabled: false });
    expect(await status()).toBe('unknown');
  });

  it('the newest check of a large website comes from the endpoints that are checked most often', async () => {
    const { write, read } = await app.organization('Newest');
    const websiteId = await newWebsite(write);
    await manyEndpoints(websiteId, 40);
    const newest = async () =>
      (await read.get<{ last_checked_at: string | null }>(`/websites/${websiteId}`)).body.last_checked_at;
    expect(await newest()).toBeNull();
    const often = await newEndpoint(write, websiteId, { interval: 5 });
    await check(often, 1);
    expect(await newest()).toBe(
      (await read.get<{ last_checked_at: string }>(`/endpoints/${often}`)).body.last_checked_at,
    );
    await database.query('UPDATE endpoint SET enabled = false WHERE website_id = $1', [uuid('website', websiteId)]);
    await database.query(`UPDATE endpoint_state SET last_checked_at = '2026-01-01' WHERE website_id = $1`, [
      uuid('website', websiteId),
    ]);
    expect(await newest()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('a check writes no counter, so that checks of one website never wait for each other', async () => {
    const { write } = await app.organization('Apart');
    const websiteId = await newWebsite(write);
    const endpointId = await newEndpoint(write, websiteId);
    const versions = () =>
      database.query(
        'SELECT u.xmin::text, u.xmax::text, o.xmin::text, o.xmax::text FROM website_use u JOIN organization_use o USING (org_id) WHERE website_id = $1',
        [uuid('website', websiteId)],
      );
    const before = await versions();
    for (const status of [1, 0, 1]) await check(endpointId, status);
    expect(await versions()).toEqual(before);
  });

  it('no index of the state covers columns that every check changes, so that its updates stay heap-only', async () => {
    const rows = await database.query<{ column: string }>(
      `SELECT DISTINCT a.attname AS column
         FROM pg_index i JOIN pg_depend d ON d.objid = i.indexrelid AND d.refobjid = i.indrelid
         JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
        WHERE i.indrelid = 'endpoint_state'::regclass
        UNION
       SELECT a.attname FROM pg_index i, unnest(i.indkey::int[]) k
         JOIN pg_attribute a ON a.attrelid = 'endpoint_state'::regclass AND a.attnum = k WHERE i.indrelid = 'endpoint_state'::regclass
        ORDER BY 1`,
    );
    expect(rows.map(({ column }) => column)).toEqual(['enabled', 'endpoint_id', 'status', 'website_id']);
  });
});
