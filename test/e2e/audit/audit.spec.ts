import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { AUDIT_RETENTION } from '../../../src/audit/audit-retention';
import { Database } from '../../../src/platform/database/database';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { fromDashboard, signIn } from '../../harness/app/browser-session';

interface Resource {
  id: string;
  name: string;
}

const NEVER_SEEN = 'C4N4RY-that-must-not-be-in-the-log';

describe('the audit log', () => {
  let app: TestApp;
  let other: ServiceOrganization;
  let websiteId: string;
  let endpointId: string;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', egressPrivate: 'allow' });
    other = await app.organization('Other');
    websiteId = (await app.write.post<Resource>('/websites', { name: 'Shop', url: 'https://shop.example' })).body.id;
    const endpoint = { name: 'Front', type: 'HTTP', url: 'http://127.0.0.1:9/' };
    endpointId = (await app.write.post<Resource>(`/websites/${websiteId}/endpoints`, endpoint)).body.id;
  });
  afterAll(() => app.close());

  const read = async (query = '', api: Api = app.admin): Promise<AuditEntryView[]> => {
    const { status, body } = await api.get<AuditEntryView[]>(`/audit-log${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body;
  };
  /** Returns the entries of one resource, oldest first. */
  const of = async (id: string): Promise<AuditEntryView[]> => (await read(`?resource_id=${id}`)).reverse();
  const keyId = async (name: string): Promise<string> =>
    (await app.admin.get<Resource[]>('/api-keys')).body.find((key) => key.name === name)?.id ?? '';

  it('records the author, action, address, and request of each change to a website', async () => {
    const { body, headers } = await app.write.post<Resource>('/websites', {
      name: ' Blog ',
      url: 'https://blog.example',
    });
    await app.admin.put(`/websites/${body.id}`, { enabled: false });
    await app.write.put(`/websites/${body.id}`, { enabled: false });
    await app.admin.delete(`/websites/${body.id}`);
    const entries = await of(body.id);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
    expect(entries[0]).toEqual({
      id: expect.stringMatching(/^au_[0-9a-z]{26}$/),
      created_at: expect.stringMatching(/^20.*Z$/),
      action: 'create',
      resource: 'website',
      resource_id: body.id,
      changed: [],
      before: null,
      after: { name: 'Blog', url: 'https://blog.example/', enabled: true, tags: [], key: null },
      author: {
        via: 'api_key',
        key_id: await keyId('write'),
        key_name: 'write',
        person_id: null,
        person_name: null,
        ip: '127.0.0.1',
      },
      request_id: headers['x-request-id'],
    });
    expect(entries[1]).toMatchObject({
      changed: ['enabled'],
      before: { enabled: true },
      after: { enabled: false },
      author: { key_id: await keyId('admin') },
    });
    expect(entries[2]).toMatchObject({ before: { name: 'Blog', enabled: false }, after: null });
  });

  it('masks credentials in an endpoint’s headers, and still records that they changed', async () => {
    const headers = (value: string) => [
      { key: 'Accept', value: 'text/html' },
      { key: 'Authorization', value },
    ];
    const { body } = await app.write.post<Resource>(`/websites/${websiteId}/endpoints`, {
      name: 'Secret',
      type: 'HTTP',
      url: 'http://127.0.0.1:9/',
      headers: headers(NEVER_SEEN),
    });
    await app.write.put(`/endpoints/${body.id}`, { headers: headers(`${NEVER_SEEN}-2`) });
    await app.write.put(`/endpoints/${body.id}`, { interval: 30, timeout: 5 });
    await app.write.put(`/endpoints/${body.id}`, { timeout: 5 });
    await app.write.delete(`/endpoints/${body.id}`);
    const [created, rotated, edited, deleted, ...more] = await of(body.id);
    const masked = [
      { key: 'Accept', value: 'text/html' },
      { key: 'Authorization', value: '********' },
    ];
    expect(created).toMatchObject({
      action: 'create',
      after: { website_id: websiteId, interval: 60, headers: masked },
    });
    expect(rotated).toMatchObject({ changed: ['headers'], before: { headers: masked }, after: { headers: masked } });
    expect(edited).toMatchObject({
      changed: ['interval', 'timeout'],
      before: { interval: 60, timeout: 10 },
      after: { interval: 30, timeout: 5 },
    });
    expect(deleted).toMatchObject({ action: 'delete', before: { name: 'Secret', timeout: 5 }, after: null });
    expect(more).toEqual([]);
  });

  it('masks every header value that is not harmless, the body and the query of the URL, and records their change', async () => {
    const settings = (value: string) => ({
      url: `http://127.0.0.1:9/path?key=${value}`,
      body: `{"password":"${value}"}`,
      headers: [
        { key: 'DD-API-KEY', value },
        { key: 'Accept', value: 'text/html' },
      ],
    });
    const { body } = await app.write.post<Resource>(`/websites/${websiteId}/endpoints`, {
      name: 'Masked',
      type: 'HTTP',
      method: 'POST',
      ...settings(NEVER_SEEN),
    });
    await app.write.put(`/endpoints/${body.id}`, settings(`${NEVER_SEEN}-2`));
    const masked = {
      url: 'http://127.0.0.1:9/path?********',
      body: '********',
      headers: [
        { key: 'DD-API-KEY', value: '********' },
        { key: 'Accept', value: 'text/html' },
      ],
    };
    const [created, changed] = await of(body.id);
    expect(created?.after).toMatchObject(masked);
    expect(changed).toMatchObject({ changed: ['url', 'headers', 'body'], before: masked, after: masked });
  });

  it('masks credentials and addresses of alerts, and still records that they changed', async () => {
    const config = (token: string) => ({ url: `http://127.0.0.1:9/${token}`, secret: undefined });
    const { body } = await app.write.post<Resource>('/alerts', {
      endpoint_id: endpointId,
      type: 'webhook',
      config: config(NEVER_SEEN),
    });
    await app.write.put(`/alerts/${body.id}`, { config: config(`${NEVER_SEEN}-2`) });
    await app.write.put(`/alerts/${body.id}`, { failure_threshold: 5 });
    const test = await app.write.post<Resource>(`/alerts/${body.id}/test`);
    expect(test.status).toBe(201);
    await app.write.delete(`/alerts/${body.id}`);
    const [created, redirected, edited, tested, deleted, ...more] = await of(body.id);
    expect(created).toMatchObject({
      resource: 'alert',
      after: { endpoint_id: endpointId, type: 'webhook', config: { url: 'http://127.0.0.1:9/********' } },
    });
    expect(redirected).toMatchObject({ action: 'update', changed: ['config'] });
    expect(edited).toMatchObject({
      changed: ['failure_threshold'],
      before: { failure_threshold: 3 },
      after: { failure_threshold: 5 },
    });
    expect(tested).toMatchObject({ action: 'test', changed: [], before: null, after: null });
    expect(deleted).toMatchObject({ action: 'delete', before: { failure_threshold: 5 } });
    expect(more).toEqual([]);
  });

  it('records a description that is cut in the middle of an emoji', async () => {
    const { body } = await app.write.post<Resource>('/alerts', {
      endpoint_id: endpointId,
      type: 'webhook',
      config: { url: 'http://127.0.0.1:9/' },
    });
    const description = `${'x'.repeat(499)}🔥${'y'.repeat(100)}`;
    expect((await app.write.put(`/alerts/${body.id}`, { description })).status).toBe(200);
    const [, changed] = await of(body.id);
    expect(changed?.after).toEqual({ description: `${'x'.repeat(499)}… (601 characters)` });
  });

  it('keeps at most 2 KiB of the settings of an endpoint that was only tested', async () => {
    const response = await app.write.post('/endpoints/test', {
      name: 'Large',
      type: 'HTTP',
      url: 'http://127.0.0.1:9/large',
      headers: Array.from({ length: 40 }, (_, i) => ({ key: `X-${i}`.padEnd(200, 'k'), value: 'v'.repeat(100) })),
      assertions: Array.from({ length: 20 }, () => ({
        source: 'body',
        comparison: 'contains',
        target: 't'.repeat(900),
      })),
    });
    expect(response.status).toBe(200);
    const [entry] = await read('?resource=endpoint&limit=1');
    expect(entry?.after).toMatchObject({ name: 'Large', url: 'http://127.0.0.1:9/large' });
    expect(Buffer.byteLength(JSON.stringify(entry?.after))).toBeLessThanOrEqual(2048);
    expect(JSON.stringify(entry?.after)).toContain('… (');
  });

  it('records who repeated a delivery', async () => {
    const { body: alert } = await app.write.post<Resource>('/alerts', {
      endpoint_id: endpointId,
      type: 'webhook',
      config: { url: 'http://127.0.0.1:9/' },
    });
    const { body: delivery } = await app.write.post<Resource>(`/alerts/${alert.id}/test`);
    // This process does not deliver, so the test delivery is changed into a delivery that was given up.
    await app.app.get(Database).query(`UPDATE notification SET kind = 'triggered' WHERE state = 'failed'`);
    expect((await app.admin.post(`/deliveries/${delivery.id}/redeliver`)).status).toBe(201);
    expect(await of(delivery.id)).toMatchObject([
      { action: 'redeliver', resource: 'delivery', author: { key_id: await keyId('admin') } },
    ]);
  });

  it('records who published a status page', async () => {
    const id = (await app.write.post<Resource>('/websites', { name: 'Public', url: 'https://public.example' })).body.id;
    await app.write.put(`/websites/${id}/status-page`, { enabled: true, slug: 'audited' });
    await app.write.put(`/websites/${id}/status-page`, { enabled: true });
    const pages = await read(`?resource=status_page&resource_id=${id}`);
    expect(pages).toHaveLength(1);
    expect(pages[0]).toMatchObject({
      action: 'update',
      resource_id: id,
      before: { enabled: false },
      after: { slug: 'audited', enabled: true },
    });
  });

  it('records the creation and revocation of keys without the keys themselves', async () => {
    const { body } = await app.admin.post<Resource & { key: string }>('/api-keys', { name: 'CI', role: 'write' });
    await app.admin.delete(`/api-keys/${body.id}`);
    const [created, revoked] = await of(body.id);
    expect(created).toMatchObject({
      action: 'create',
      resource: 'api_key',
      after: { name: 'CI', role: 'write', expires_at: null },
    });
    expect(revoked).toMatchObject({ action: 'delete', before: { name: 'CI', role: 'write' } });
    expect(JSON.stringify([created, revoked])).not.toContain(body.key);
  });

  it('records that the operator created the organization, and is deleted with it', async () => {
    const { body } = await app.operator.post<Resource & { api_key: { id: string; key: string } }>('/organizations', {
      name: 'Acme',
    });
    const acme = new Api(app.url, body.api_key.key);
    const entries = await read('', acme);
    expect(entries).toHaveLength(2);
    expect(entries[1]).toMatchObject({
      action: 'create',
      resource: 'organization',
      resource_id: body.id,
      after: { name: 'Acme' },
      author: { via: 'operator', key_id: null, key_name: null, ip: '127.0.0.1' },
    });
    expect(entries[0]).toMatchObject({ resource: 'api_key', resource_id: body.api_key.id });
    expect(JSON.stringify(entries)).not.toContain(body.api_key.key);
    expect((await app.operator.delete(`/organizations/${body.id}`)).status).toBe(204);
    const left = await app.app
      .get(Database)
      .query(`SELECT 1 FROM audit_log WHERE resource_id = $1`, [parseId('apiKey', body.api_key.id)]);
    expect(left).toEqual([]);
  });

  it('records who checked an endpoint on demand, and no refused check', async () => {
    const { headers } = await app.write.post(`/endpoints/${endpointId}/checks`);
    await app.write.put(`/endpoints/${endpointId}`, { enabled: false });
    expect((await app.write.post(`/endpoints/${endpointId}/checks`)).status).toBe(409);
    await app.write.put(`/endpoints/${endpointId}`, { enabled: true });
    const checks = (await of(endpointId)).filter(({ action }) => action === 'check');
    expect(checks).toHaveLength(1);
    expect(checks[0]).toMatchObject({
      resource: 'endpoint',
      before: null,
      after: null,
      author: { via: 'api_key', key_id: await keyId('write') },
      request_id: headers['x-request-id'],
    });
  });

  it('records who tested an unsaved endpoint, without credentials, and no refused test', async () => {
    const unsaved = { name: 'Unsaved', type: 'HTTP', url: 'http://127.0.0.1:9/unsaved' };
    const headers = [{ key: 'Authorization', value: NEVER_SEEN }];
    const response = await app.write.post('/endpoints/test', { ...unsaved, headers });
    expect(response.status).toBe(200);
    expect((await app.write.post('/endpoints/test', { ...unsaved, url: 'ftp://x' })).status).toBe(400);
    const all = (await read('?resource=endpoint&limit=1000')).filter(({ action }) => action === 'test');
    const tests = all.filter(({ after }) => after?.['name'] === 'Unsaved');
    expect(tests).toHaveLength(1);
    expect(tests[0]).toMatchObject({
      resource_id: expect.stringMatching(/^ep_/),
      before: null,
      after: { website_id: null, ...unsaved, headers: [{ key: 'Authorization', value: '********' }] },
      author: { key_id: await keyId('write') },
      request_id: response.headers['x-request-id'],
    });
    expect((await app.read.get(`/endpoints/${tests[0]?.resource_id}`)).status).toBe(404);
  });

  it('records the key of the dashboard session that made a change', async () => {
    const { cookie } = await signIn(app.url, { api_key: app.write.key });
    const response = await fetch(`${app.url}/api/v1/websites`, {
      method: 'POST',
      headers: fromDashboard(app.url, cookie),
      body: JSON.stringify({ name: 'By hand', url: 'https://hand.example' }),
    });
    expect(response.status).toBe(201);
    const [entry] = await of(((await response.json()) as Resource).id);
    expect(entry?.author).toMatchObject({ via: 'session', key_id: await keyId('write'), key_name: 'write' });
  });

  it('records auth_off as the author with AUTH=off', async () => {
    const open = await startOwnApp({ role: 'api', auth: false });
    await open.anonymous.post('/websites', { name: 'a', url: 'https://a.example' });
    const [entry] = await read('', open.anonymous);
    await open.close();
    expect(entry?.author).toEqual({
      via: 'auth_off',
      key_id: null,
      key_name: null,
      person_id: null,
      person_name: null,
      ip: '127.0.0.1',
    });
  });

  it('records the right author of each of many simultaneous changes', async () => {
    const [write, admin] = [await keyId('write'), await keyId('admin')];
    const names = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const api = n % 2 === 0 ? app.write : app.admin;
        const { body, headers } = await api.post<Resource>('/websites', { name: `n${n}`, url: 'https://n.example' });
        if (n % 3 === 0) await api.put(`/websites/${body.id}`, { name: `m${n}` });
        return { id: body.id, key: n % 2 === 0 ? write : admin, request: headers['x-request-id'], edited: n % 3 === 0 };
      }),
    );
    for (const { id, key, request, edited } of names) {
      const entries = await of(id);
      expect(entries.map(({ author }) => author.key_id)).toEqual(edited ? [key, key] : [key]);
      expect(entries[0]?.request_id).toBe(request);
    }
  });

  it('marks a request id that the client chose, so that no entry looks like another request’s', async () => {
    const first = await app.write.post<Resource>('/websites', { name: 'a', url: 'https://a.example' });
    const chosen = first.headers['x-request-id'] ?? '';
    const response = await fetch(`${app.url}/api/v1/websites/${first.body.id}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${app.write.key ?? ''}`,
        'content-type': 'application/json',
        'x-request-id': chosen,
      },
      body: JSON.stringify({ name: 'b' }),
    });
    expect(response.headers.get('x-request-id')).toBe(chosen);
    const entries = await of(first.body.id);
    expect(entries.map(({ request_id }) => request_id)).toEqual([chosen, `client:${chosen}`]);
  });

  it('records no refused change', async () => {
    const before = await read('?limit=1');
    expect((await app.write.post('/websites', { name: '', url: 'x' })).status).toBe(400);
    expect((await app.read.post('/websites', { name: 'a', url: 'https://a.example' })).status).toBe(403);
    expect((await app.write.put(`/websites/${websiteId}`, { url: 'https://else.example' })).status).toBe(400);
    expect((await app.write.delete('/websites/ws_00000000000000000000000000')).status).toBe(404);
    expect(await read('?limit=1')).toEqual(before);
  });

  it('lists the audit log newest first, by page and by filter', async () => {
    const all = await read('?limit=1000');
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const first = await app.admin.get<AuditEntryView[]>('/audit-log?limit=2');
    const second = await read(`?limit=2&cursor=${first.headers['x-next-cursor']}`);
    expect([...first.body, ...second]).toEqual(all.slice(0, 4));
    const websites = await read('?resource=website&limit=1000');
    expect(websites).toEqual(all.filter(({ resource }) => resource === 'website'));
    expect(websites.length).toBeLessThan(all.length);
    const middle = all[Math.floor(all.length / 2)]?.created_at ?? '';
    expect(await read(`?since=${middle}&limit=1000`)).toEqual(all.filter(({ created_at: at }) => at >= middle));
    expect(await read(`?until=${middle}&limit=1000`)).toEqual(all.filter(({ created_at: at }) => at < middle));
  });

  it.each(['?limit=0', '?resource=check', '?resource_id=nonsense', '?since=yesterday', '?cursor=x', '?unknown=1'])(
    'refuses the audit log query %s',
    async (query) => {
      expect((await app.admin.get<{ code: string }>(`/audit-log${query}`)).status).toBe(400);
    },
  );

  it('shows the audit log to admins of its organization only', async () => {
    for (const api of [app.read, app.write]) expect((await api.get('/audit-log')).status).toBe(403);
    expect(await read(`?resource_id=${websiteId}`, other.admin)).toEqual([]);
    await other.write.post('/websites', { name: 'Theirs', url: 'https://theirs.example' });
    const [theirs, ...none] = await read('?resource=website', other.admin);
    expect([theirs?.after?.['name'], none]).toEqual(['Theirs', []]);
    expect(JSON.stringify(await read('?limit=1000'))).not.toContain('Theirs');
    const cursor = (await app.admin.get('/audit-log?limit=1')).headers['x-next-cursor'];
    expect((await other.admin.get(`/audit-log?cursor=${cursor}`)).status).toBe(400);
  });

  it('holds no credential in the audit log', async () => {
    const rows = await app.app.get(Database).query<{ row: string }>('SELECT a::text AS row FROM audit_log a');
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.map(({ row }) => row).join('\n')).not.toContain(NEVER_SEEN);
  });

  it.each([
    `UPDATE audit_log SET key_name = 'another'`,
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'TRUNCATE organization CASCADE',
  ])('the database refuses %s', async (statement) => {
    const before = await read('?limit=1000');
    await expect(app.app.get(Database).query(statement)).rejects.toThrow('append-only');
    expect(await read('?limit=1000')).toEqual(before);
  });

  it('retention removes entries older than ROLLUP_RETENTION_DAYS, and no others', async () => {
    const { orgId } = other;
    const insert = `INSERT INTO audit_log (id, org_id, created_at, action, resource, resource_id, changed, via)
      SELECT gen_random_uuid(), $1, now() - $2::interval, 'test', 'alert', gen_random_uuid(), '{}', 'system'
        FROM generate_series(1, $3)`;
    const database = app.app.get(Database);
    await database.query(insert, [orgId, '401 days', 2500]);
    await database.query(insert, [orgId, '399 days', 3]);
    await app.app.get(RetentionJob).run(AUDIT_RETENTION);
    const left = await database.query(`SELECT 1 FROM audit_log WHERE org_id = $1 AND action = 'test'`, [orgId]);
    expect(left).toHaveLength(3);
  });

  it('retention removes nothing new although the clock of the host jumped 500 days ahead', async () => {
    const before = await read('?limit=1000');
    const clock = MovingClock.of(app.app);
    clock.advance(500 * 24 * 3_600_000);
    await app.app.get(RetentionJob).run(AUDIT_RETENTION);
    clock.advance(-500 * 24 * 3_600_000);
    expect(await read('?limit=1000')).toEqual(before);
  });
});
