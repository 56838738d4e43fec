import { Database } from '../../../src/platform/database/database';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { REPORT_LINK_RETENTION } from '../../../src/report/link/report-link-retention';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';

interface Link {
  id: string;
  title: string;
  month: string;
  timezone: string;
  target: number;
  website_id: string | null;
  tag: string | null;
  created_at: string;
  expires_at: string;
  path: string;
  code: string;
}

const AS_BROWSER = { accept: 'text/html' };

describe('links to reports', () => {
  let app: TestApp;
  let organization: ServiceOrganization;
  let organizations = 0;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', statusRateLimitPerSecond: 0 });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    organizations += 1;
    organization = await app.organization(`Sharing ${organizations}`);
  });

  const create = (body: object = {}) => organization.write.post<Link>('/reports/links', body);
  const open = (path: string) => fetch(app.url + path, { headers: AS_BROWSER });

  it('show the report to anyone, with general reasons, no script, and a strict policy', async () => {
    const website = await newWebsite(organization.write, 'Shop');
    const endpoint = await newEndpoint(organization.write, website, { name: '<b>Checkout</b>', tags: ['prod'] });
    await newEndpoint(organization.write, website, { name: 'Internal' });
    await app.app.get(Database).query(
      `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message)
       SELECT key, now() - interval '20 minutes', now() - interval '1 minute', 1, 'secret of 203.0.113.77' FROM endpoint
        WHERE name = '<b>Checkout</b>' AND org_id = $1`,
      [organization.orgId],
    );
    const { status, body } = await create({
      title: 'Shop & more',
      tag: 'PROD',
      target: 99.95,
      timezone: 'Europe/Berlin',
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^rpl_/) as string,
        title: 'Shop & more',
        month: expect.stringMatching(/^20\d\d-\d\d$/) as string,
        timezone: 'Europe/Berlin',
        target: 99.95,
        website_id: null,
        tag: 'prod',
        created_at: expect.any(String) as string,
        expires_at: new Date(Date.parse(body.created_at) + 30 * 86_400_000).toISOString(),
        path: expect.stringMatching(/^\/reports\/[\w-]{43}$/) as string,
      },
    ]);
    const reply = await open(body.path);
    const text = await reply.text();
    expect([reply.status, reply.headers.get('x-robots-tag'), reply.headers.get('cache-control')]).toEqual([
      200,
      'noindex',
      'private, no-store',
    ]);
    expect(reply.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; img-src 'self'/,
    );
    expect(text).toContain('&lt;b&gt;Checkout&lt;/b&gt;');
    expect(text).toContain('Target 99.95 % for tag <strong>prod</strong>');
    expect(text).toMatch(/<h1>Shop &amp; more, [A-Z][a-z]+ 20\d\d<\/h1>/);
    for (const secret of ['Internal', 'secret', '203.0.113.77', endpoint, website, body.id, '<script', ' style='])
      expect(text).not.toContain(secret);
  });

  it('are listed without their tokens, of which only hashes are stored', async () => {
    const { body } = await create({ month: '2026-01', timezone: 'UTC' });
    const token = body.path.split('/').at(-1) ?? '';
    const { path: _, ...rest } = body;
    const list = await organization.read.get<Link[]>('/reports/links');
    expect(list.body).toEqual([rest]);
    const rows = await app.app
      .get(Database)
      .query('SELECT l::text AS row FROM report_link l WHERE org_id = $1', [organization.orgId]);
    expect(JSON.stringify(rows)).not.toContain(token);
    const audit = await organization.admin.get('/audit-log');
    expect(audit.text).toContain('report_link');
    expect(audit.text).not.toContain(token);
  });

  it('stop working when they are deleted, have expired, or their organization is deleted', async () => {
    const links = [await create(), await create({ expires_in_days: 1 }), await create()].map(({ body }) => body);
    const [deleted, expired, left] = links as [Link, Link, Link];
    for (const { path } of links) expect((await open(path)).status).toBe(200);
    expect((await organization.write.delete(`/reports/links/${deleted.id}`)).status).toBe(204);
    await app.app
      .get(Database)
      .query(`UPDATE report_link SET expires_at = now() - interval '1 minute' WHERE org_id = $1 AND created_at = $2`, [
        organization.orgId,
        expired.created_at,
      ]);
    expect((await Promise.all(links.map(({ path }) => open(path)))).map(({ status }) => status)).toEqual([
      404, 404, 200,
    ]);
    const { body: all } = await app.operator.get<{ id: string; name: string }[]>('/organizations');
    const id = all.find(({ name }) => name === `Sharing ${organizations}`)?.id ?? '';
    expect((await app.operator.delete(`/organizations/${id}`)).status).toBe(204);
    expect((await open(left.path)).status).toBe(404);
    const rows = await app.app.get(Database).query('SELECT 1 FROM report_link WHERE org_id = $1', [organization.orgId]);
    expect(rows).toEqual([]);
  });

  it('that do not exist have the same page as invalid ones', async () => {
    const replies = await Promise.all([open(`/reports/${'x'.repeat(43)}`), open('/reports/x'), open('/reports/%20')]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(await Promise.all(replies.map((reply) => reply.text()))).size).toBe(1);
  });

  it.each([
    [{ month: '2098-01' }, 400, 'validation_failed'],
    [{ website_id: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' }, 404, 'not_found'],
  ])('are not created with %j', async (body, status, code) => {
    const reply = await create(body);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it('are at most a hundred per organization, and are deleted 30 days after they expire', async () => {
    await create();
    const database = app.app.get(Database);
    await database.query(
      `INSERT INTO report_link SELECT gen_random_uuid(), org_id, sha256(n::text::bytea), title, month, timezone, target, NULL, NULL,
              created_at, now() - interval '29 days' FROM report_link, generate_series(1, 99) AS n WHERE org_id = $1`,
      [organization.orgId],
    );
    const refused = await create();
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    const countAfter = async (days: number) => {
      await database.query(
        `UPDATE report_link SET expires_at = now() - make_interval(days => $2) WHERE org_id = $1 AND expires_at < now()`,
        [organization.orgId, days],
      );
      await app.app.get(RetentionJob).run(REPORT_LINK_RETENTION);
      return (await organization.read.get<Link[]>('/reports/links')).body.length;
    };
    expect([await countAfter(29), await countAfter(31)]).toEqual([100, 1]);
  });
});

describe('links to reports that the operator has turned off', () => {
  it('can not be created', async () => {
    const app = await startOwnApp({ role: 'api', reportLinks: false });
    try {
      const reply = await app.write.post<Link>('/reports/links', {});
      expect([reply.status, reply.text]).toEqual([409, expect.stringContaining('REPORT_LINKS')]);
    } finally {
      await app.close();
    }
  });
});
