import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';

/** Reads CSV as RFC 4180 describes. */
function parse(text: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  for (const { 1: quoted, 2: plain, 3: end } of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replace(/""/g, '"'));
    if (end === '\r\n') rows.push([]);
  }
  const [head = [], ...body] = rows.filter((row) => row.length > 1);
  return body.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
}

describe('lists and reports as CSV', () => {
  let app: TestApp;
  let organization: ServiceOrganization;
  let website: string;
  let endpoint: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    organization = await app.organization('Spreadsheets');
    website = await newWebsite(organization.write, 'Shop');
    endpoint = await newEndpoint(organization.write, website, { name: '=HYPERLINK("http://evil.example","a, b")' });
    await app.app.get(Database).query(
      `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message)
       SELECT key, timestamptz '2026-02-03T00:00:00Z' + n * interval '10 minutes',
              timestamptz '2026-02-03T00:01:00Z' + n * interval '10 minutes', 1, 'line one' || chr(10) || '-2+3'
         FROM endpoint, generate_series(1, 2500) AS n WHERE id = $1`,
      [parseId('endpoint', endpoint)],
    );
  });
  afterAll(() => app.close());

  const get = (path: string, accept = 'text/csv', key = organization.admin.key) =>
    fetch(`${app.url}/api/v1${path}`, { headers: { accept, authorization: `Bearer ${key}` } });

  it('have one row per endpoint of a report, and no formulas', async () => {
    const reply = await get('/reports/uptime?month=2026-02&timezone=UTC');
    expect(['content-type', 'content-disposition', 'vary'].map((name) => reply.headers.get(name))).toEqual([
      'text/csv; charset=utf-8',
      'attachment; filename="uptime-report.csv"',
      expect.stringContaining('Accept'),
    ]);
    const text = await reply.text();
    expect(parse(text)).toEqual([
      expect.objectContaining({
        month: '2026-02',
        target: '99.9',
        id: endpoint,
        name: `'=HYPERLINK("http://evil.example","a, b")`,
        website_name: 'Shop',
        downtime_seconds: '150000',
        availability: '0',
        verdict: 'missed',
      }),
    ]);
    expect(text).not.toMatch(/(^|,)"?[=+@]/m);
  });

  it('have all outages of a month, page after page, or as many as the client wants', async () => {
    const all = parse(await (await get('/reports/outages?month=2026-02&timezone=UTC')).text());
    expect(all).toHaveLength(2500);
    expect(new Set(all.map(({ started_at }) => started_at)).size).toBe(2500);
    expect(all[0]).toMatchObject({ error_code: 'dns_timeout', planned: 'false', duration_seconds: '60' });
    expect(all[0]?.['error_message']).toBe('line one\n-2+3');
    const some = await get('/reports/outages?month=2026-02&timezone=UTC&limit=3');
    expect([parse(await some.text()).length, some.headers.get('x-next-cursor')]).toEqual([3, expect.any(String)]);
    const { started_at: last } = all.at(-1) ?? {};
    const json = await get('/reports/outages?month=2026-02&timezone=UTC&limit=1', 'application/json');
    expect([json.headers.get('content-type'), last]).toEqual([
      'application/json; charset=utf-8',
      '2026-02-03T00:10:00.000Z',
    ]);
  });

  it.each(['/audit-log', '/alerts/events', '/endpoints/:id/checks'])('are sent for %s', async (path) => {
    const reply = await get(path.replace(':id', endpoint));
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(await reply.text()).toMatch(/^id,/);
  });

  it('contain the names and settings of the audit log', async () => {
    const rows = parse(await (await get('/audit-log?resource=endpoint')).text());
    expect(rows).toEqual([expect.objectContaining({ action: 'create', resource: 'endpoint', resource_id: endpoint })]);
    expect(rows[0]?.['after']).toContain('HYPERLINK');
  });

  it('are JSON unless the client prefers CSV, and problems are problems', async () => {
    for (const accept of ['*/*', 'application/json, text/csv', 'text/html'])
      expect((await get('/audit-log', accept)).headers.get('content-type')).toBe('application/json; charset=utf-8');
    const refused = await get('/audit-log', 'text/csv', organization.read.key);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      403,
      'application/problem+json; charset=utf-8',
    ]);
    const invalid = await get('/reports/outages?cursor=x');
    expect(invalid.status).toBe(400);
    const many = await Promise.all(Array.from({ length: 20 }, () => get('/reports/uptime?month=2026-02')));
    expect(many.every(({ status }) => status === 200 || status === 429)).toBe(true);
    await Promise.all(many.map((reply) => reply.text()));
    expect((await get('/audit-log')).status).toBe(200);
  });

  it('have at most 200 endpoints in a report, which covers no other', async () => {
    const other = await app.organization('Many');
    const shop = await newWebsite(other.write, 'Large');
    await app.app.get(Database).query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT gen_random_uuid(), $1, $2, 'E' || n, 'https://a.example', 'HTTPS' FROM generate_series(1, 201) AS n`,
      [other.orgId, parseId('website', shop)],
    );
    const [all, none, unknown, theirs] = await Promise.all([
      other.read.get<{ code: string }>('/reports/uptime'),
      other.read.get<{ endpoints: object[] }>('/reports/uptime?tag=nothing'),
      other.read.get('/reports/uptime?website_id=ws_01jd3k6q7be5y9x4v2m8n0r1st'),
      other.read.get(`/reports/uptime?website_id=${website}`),
    ]);
    expect([all.status, all.body.code]).toEqual([400, 'invalid_query']);
    expect([none.status, none.body.endpoints, unknown.status, theirs.status]).toEqual([200, [], 404, 404]);
  });

  it('use the time zone of the organization by default', async () => {
    expect((await organization.admin.put('/organization', { timezone: 'Mars/Olympus' })).status).toBe(400);
    const changed = await organization.admin.put<{ timezone: string }>('/organization', { timezone: 'Asia/Tokyo' });
    expect(changed.body.timezone).toBe('Asia/Tokyo');
    const { body } = await organization.read.get<{ from: string; timezone: string }>('/reports/uptime?month=2026-02');
    expect(body).toMatchObject({ timezone: 'Asia/Tokyo', from: '2026-01-31T15:00:00.000Z' });
  });
});
