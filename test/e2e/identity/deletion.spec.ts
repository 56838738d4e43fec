/**
 * @lane slow
 * @databases both
 */
import { OrganizationPurgeJob } from '../../../src/identity/organization/organization-purge.job';
import { Database } from '../../../src/platform/database/database';
import { parseId, newUuid } from '../../../src/platform/ids/id';
import { WebsitePurgeJob } from '../../../src/website/website-purge.job';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { alertThrough } from '../../harness/app/contact-alerts';
import { newAlert, newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

const ENDPOINTS = 450;
const EVENTS = 2500;
const ENTRIES = 2500;
/** The maximum number of rows that a statement of a removal touches. */
const MOST_AT_ONCE = 1000;

describe('deleting large resources', () => {
  let app: TestApp;
  let database: Database;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
    await database.query('CREATE TABLE removal (in_table text, amount int)');
    await database.query(`CREATE FUNCTION removal_noted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO removal SELECT TG_TABLE_NAME, count(*) FROM removed HAVING count(*) > 0; RETURN NULL; END $$`);
    for (const table of ['endpoint', 'alert', 'alert_event', 'audit_log', 'website', 'contact']) {
      await database.query(`CREATE TRIGGER noted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS removed
        FOR EACH STATEMENT EXECUTE FUNCTION removal_noted()`);
    }
  });
  afterAll(() => app.close());
  beforeEach(() => database.query('DELETE FROM removal'));

  const removals = async (table: string): Promise<number[]> =>
    (await database.query<{ amount: number }>('SELECT amount FROM removal WHERE in_table = $1', [table])).map(
      ({ amount }) => amount,
    );
  const countOf = async (table: string, column: string, id: string): Promise<number> => {
    const [row] = await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE ${column} = $1`, [
      id,
    ]);
    return row?.n ?? 0;
  };
  const uuid = (kind: 'website' | 'organization', id: string): string => parseId(kind, id) ?? '';

  /** A website with many endpoints, each with an alert, and many events. */
  async function largeWebsite(by: Api): Promise<string> {
    const websiteId = await newWebsite(by);
    const endpointId = await newEndpoint(by, websiteId, { enabled: false });
    await newAlert(by, endpointId);
    const id = uuid('website', websiteId);
    await database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT gen_random_uuid(), org_id, website_id, 'e' || n, url, type FROM endpoint, generate_series(2, ${ENDPOINTS}) n
        WHERE website_id = $1`,
      [id],
    );
    await database.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id)
       SELECT id, key, org_id FROM endpoint WHERE website_id = $1 ON CONFLICT DO NOTHING`,
      [id],
    );
    await database.query(
      `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, phase_ms, active, revision, next_check_at)
       SELECT id, org_id, 60, 10, 0, true, 1, now() FROM endpoint WHERE website_id = $1 ON CONFLICT DO NOTHING`,
      [id],
    );
    await database.query(
      `INSERT INTO alert (id, org_id, endpoint_id, type, config)
       SELECT gen_random_uuid(), e.org_id, e.id, a.type, a.config FROM endpoint e, alert a
        WHERE e.website_id = $1 AND a.endpoint_id <> e.id AND a.org_id = e.org_id`,
      [id],
    );
    await database.query(
      `INSERT INTO alert_event (id, org_id, type, alert_id, alert_type, incident_no, endpoint_id, endpoint_name, website_id,
                                website_name, reason, message, failure_count, success_count, created_at)
       SELECT gen_random_uuid(), org_id, 'triggered', gen_random_uuid(), 'slack', n, id, name, website_id, 'w', 'failures',
              '', 1, 0, now()
         FROM (SELECT * FROM endpoint WHERE website_id = $1 LIMIT 1) e, generate_series(1, ${EVENTS}) n`,
      [id],
    );
    return websiteId;
  }

  it('removes a large website in steps, and completely', async () => {
    const { write, orgId } = await app.organization('Large website');
    const websiteId = await largeWebsite(write);
    expect((await write.delete(`/websites/${websiteId}`)).status).toBe(204);
    // Removes the rest, which a slow machine did not manage within the request.
    await app.app.get(WebsitePurgeJob).run();
    const id = uuid('website', websiteId);
    expect(await countOf('website', 'id', id)).toBe(0);
    expect(await countOf('endpoint', 'website_id', id)).toBe(0);
    expect(await countOf('alert', 'org_id', orgId)).toBe(0);
    expect(await countOf('alert_event', 'website_id', id)).toBe(0);
    expect(await countOf('status_page', 'website_id', id)).toBe(0);
    for (const table of ['endpoint', 'alert', 'alert_event']) {
      const amounts = await removals(table);
      expect(amounts.length).toBeGreaterThan(1);
      expect(Math.max(...amounts)).toBeLessThanOrEqual(table === 'alert_event' ? MOST_AT_ONCE : 200);
    }
  });

  it('a website that is still being removed is not found by clients', async () => {
    const { write } = await app.organization('Half a website');
    const [kept, websiteId] = [await newWebsite(write), await newWebsite(write)];
    const endpointId = await newEndpoint(write, websiteId);
    await database.query('UPDATE website SET deleted_at = now() WHERE id = $1', [uuid('website', websiteId)]);
    const statuses = [
      await write.get(`/websites/${websiteId}`),
      await write.put(`/websites/${websiteId}`, { enabled: true }),
      await write.delete(`/websites/${websiteId}`),
      await write.get(`/websites/${websiteId}/endpoints`),
      await write.post(`/websites/${websiteId}/endpoints`, { name: 'a', type: 'HTTP', url: 'http://a.example' }),
      await write.get(`/websites/${websiteId}/status-page`),
      await write.get(`/endpoints/${endpointId}`),
      await write.put(`/endpoints/${endpointId}`, { enabled: true }),
    ].map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 404));
    const listed = await write.get<{ id: string }[]>('/websites');
    expect(listed.body.map(({ id }) => id)).toEqual([kept]);
    expect(listed.headers['x-total-count']).toBe('1');
    expect((await write.get('/overview')).body).toEqual([]);
  });

  it('the job removes a website whose removal was interrupted', async () => {
    const { write } = await app.organization('Interrupted website');
    const id = uuid('website', await largeWebsite(write));
    await database.query('UPDATE website SET deleted_at = now() WHERE id = $1', [id]);
    await app.app.get(WebsitePurgeJob).run();
    expect(await countOf('website', 'id', id)).toBe(0);
    expect(await countOf('endpoint', 'website_id', id)).toBe(0);
  });

  it('removes a large organization in steps, its audit log included', async () => {
    const { admin, orgId, ...keys } = await app.organization('Large organization');
    const websiteId = await largeWebsite(admin);
    const page = `/websites/${websiteId}/status-page`;
    const { slug } = (await admin.put<{ slug: string }>(page, { enabled: true })).body;
    await newWebsite(admin);
    await writeAuditLog(orgId);
    const { body } = await admin.get<{ id: string }>('/organization');
    expect((await fetch(`${app.url}/status/${slug}`)).status).toBe(200);
    expect((await app.operator.delete(`/organizations/${body.id}`)).status).toBe(204);
    expect((await fetch(`${app.url}/status/${slug}`)).status).toBe(404);
    for (const key of [admin, keys.write, keys.read]) expect((await key.get('/organization')).status).toBe(401);
    await app.app.get(OrganizationPurgeJob).run();
    for (const table of [
      'website',
      'endpoint',
      'endpoint_state',
      'endpoint_schedule',
      'alert',
      'alert_event',
      'api_key',
    ]) {
      expect([table, await countOf(table, 'org_id', orgId)]).toEqual([table, 0]);
    }
    expect(await countOf('audit_log', 'org_id', orgId)).toBe(0);
    expect(await countOf('organization', 'id', orgId)).toBe(0);
    const amounts = await removals('audit_log');
    expect(amounts.length).toBeGreaterThan(1);
    expect(Math.max(...amounts)).toBeLessThanOrEqual(MOST_AT_ONCE);
  });

  it('removes an organization whose alerts notify through contacts, the contacts after their alerts', async () => {
    const { admin, orgId } = await app.organization('With contacts');
    const contacts = [await newContact(admin), await newContact(admin, { default: true }), await newContact(admin)];
    for (let n = 0; n < 3; n++) {
      const endpointId = await newEndpoint(admin, await newWebsite(admin), { enabled: false });
      for (const contact of contacts.slice(1)) await alertThrough(database, endpointId, contact);
    }
    await database.query(
      `INSERT INTO contact (id, org_id, name, type, config)
       SELECT gen_random_uuid(), org_id, name, type, config FROM contact, generate_series(1, 400) WHERE org_id = $1`,
      [orgId],
    );
    const { body } = await admin.get<{ id: string }>('/organization');
    expect((await app.operator.delete(`/organizations/${body.id}`)).status).toBe(204);
    expect((await admin.get(`/contacts/${contacts[0]}`)).status).toBe(401);
    await app.app.get(OrganizationPurgeJob).run();
    for (const table of ['contact', 'alert', 'website', 'endpoint'])
      expect([table, await countOf(table, 'org_id', orgId)]).toEqual([table, 0]);
    expect(await countOf('organization', 'id', orgId)).toBe(0);
    const amounts = await removals('contact');
    expect(amounts.length).toBeGreaterThan(1);
    expect(Math.max(...amounts)).toBeLessThanOrEqual(MOST_AT_ONCE);
  });

  it('an organization that is still being removed is not found, and the job continues with it after a restart', async () => {
    const { admin, orgId } = await app.organization('Interrupted organization');
    await largeWebsite(admin);
    await writeAuditLog(orgId);
    const { body } = await admin.get<{ id: string }>('/organization');
    await database.query('UPDATE organization SET deleted_at = now() WHERE id = $1', [orgId]);
    const listed = (await app.operator.get<{ id: string }[]>('/organizations')).body;
    expect(listed.map(({ id }) => id)).not.toContain(body.id);
    expect((await app.operator.put(`/organizations/${body.id}`, { name: 'x' })).status).toBe(404);
    expect((await app.operator.delete(`/organizations/${body.id}`)).status).toBe(404);
    await app.app.get(OrganizationPurgeJob).run();
    expect(await countOf('organization', 'id', orgId)).toBe(0);
    expect(await countOf('endpoint', 'org_id', orgId)).toBe(0);
    expect(await countOf('audit_log', 'org_id', orgId)).toBe(0);
  });

  it('the first step of a removal stops the checks', async () => {
    const { write, orgId } = await app.organization('Stopping');
    await largeWebsite(write);
    const active = async () =>
      (await database.query('SELECT 1 FROM endpoint_schedule WHERE org_id = $1 AND active', [orgId])).length;
    expect(await active()).toBe(ENDPOINTS - 1);
    await database.query('UPDATE organization SET deleted_at = now() WHERE id = $1', [orgId]);
    await app.app.get(OrganizationPurgeJob).purge(orgId, 0);
    expect(await active()).toBe(0);
  });

  it('entries of an organization that is not deleted stay in the audit log', async () => {
    const { orgId } = await app.organization('Staying');
    await writeAuditLog(orgId);
    await expect(database.query('DELETE FROM audit_log WHERE org_id = $1', [orgId])).rejects.toThrow('append-only');
  });

  async function writeAuditLog(orgId: string): Promise<void> {
    await database.query(
      `INSERT INTO audit_log (id, org_id, action, resource, resource_id, changed, via)
       SELECT gen_random_uuid(), $1, 'update', 'website', $2, '{}', 'system' FROM generate_series(1, ${ENTRIES})`,
      [orgId, newUuid()],
    );
  }
});
