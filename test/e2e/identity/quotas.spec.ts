/** @databases both */
import { Database } from '../../../src/platform/database/database';
import { startApp, startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api, ApiResponse } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

interface Refusal {
  code: string;
  detail: string;
  quota: { name: string; limit: number; used: number };
}
type Quotas = Record<string, { limit: number | null; used: number | null }>;

const SLACK = { type: 'slack', config: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' } };

describe('quotas', () => {
  let app: TestApp;
  let counter = 0;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());

  const idOf = async (organization: ServiceOrganization): Promise<string> =>
    (await organization.read.get<{ id: string }>('/organization')).body.id;
  const setQuotas = async (
    organization: ServiceOrganization,
    quotas: object,
  ): Promise<ApiResponse<{ quotas: object }>> =>
    app.operator.put(`/organizations/${await idOf(organization)}`, { quotas });
  const limited = async (quotas: object): Promise<ServiceOrganization> => {
    const organization = await app.organization(`Limited ${++counter}`);
    expect((await setQuotas(organization, quotas)).status).toBe(200);
    return organization;
  };
  const quotasOf = async (by: Api): Promise<Quotas> => (await by.get<{ quotas: Quotas }>('/organization')).body.quotas;
  const expectRefused = (response: ApiResponse<Refusal>, quota: Refusal['quota']): void => {
    expect({ status: response.status, code: response.body.code, quota: response.body.quota }).toEqual({
      status: 409,
      code: 'quota_exceeded',
      quota,
    });
    expect(response.body.detail).toContain(`at most ${quota.limit} `);
  };
  const website = (by: Api) => by.post<Refusal & { id: string }>('/websites', { name: 'a', url: 'http://a.example' });
  const endpoint = (by: Api, websiteId: string, interval = 60) =>
    by.post<Refusal & { id: string }>(`/websites/${websiteId}/endpoints`, {
      name: 'a',
      type: 'HTTP',
      url: 'http://a.example',
      interval,
    });
  const alert = (by: Api, endpointId: string) =>
    by.post<Refusal & { id: string }>('/alerts', { endpoint_id: endpointId, ...SLACK });

  it('an organization reads its limits and its use', async () => {
    const { admin, write, read } = await app.organization('Reader');
    const websiteId = await newWebsite(write);
    await newAlert(write, await newEndpoint(write, websiteId, { interval: 4 }));
    await newEndpoint(write, websiteId, { interval: 2, enabled: false });
    await write.put(`/websites/${websiteId}/status-page`, { slug: 'page-of-a-reader' });
    await admin.post('/probes', { key: 'fra' });
    expect(await quotasOf(read)).toEqual({
      websites: { limit: 1000, used: 1 },
      endpoints: { limit: 10_000, used: 2 },
      alerts: { limit: 20_000, used: 1 },
      alerts_per_endpoint: { limit: 50, used: null },
      checks_per_second: { limit: 500, used: 0.75 },
      api_keys: { limit: 100, used: 4 },
      status_pages: { limit: 100, used: 1 },
      people: { limit: 100, used: 0 },
      probes: { limit: 20, used: 1 },
      streams: { limit: 100, used: null },
      changed_bytes_per_day: { limit: 67_108_864, used: expect.any(Number) },
    });
  });

  it('refuses one website too many, and accepts it after a delete', async () => {
    const { write } = await limited({ websites: 2 });
    const ids = [await newWebsite(write), await newWebsite(write)];
    expectRefused(await website(write), { name: 'websites', limit: 2, used: 2 });
    expect((await write.delete(`/websites/${ids[0]}`)).status).toBe(204);
    expect((await website(write)).status).toBe(201);
    expect((await website(write)).status).toBe(409);
  });

  it('refuses one endpoint too many, and accepts it after a delete', async () => {
    const { write } = await limited({ endpoints: 2 });
    const websiteId = await newWebsite(write);
    const endpointId = await newEndpoint(write, websiteId);
    const other = await newWebsite(write);
    await newEndpoint(write, other);
    expectRefused(await endpoint(write, websiteId), { name: 'endpoints', limit: 2, used: 2 });
    expect((await write.delete(`/endpoints/${endpointId}`)).status).toBe(204);
    expect((await endpoint(write, websiteId)).status).toBe(201);
    expect((await endpoint(write, websiteId)).status).toBe(409);
    // Deleting a website deletes its endpoints.
    expect((await write.delete(`/websites/${websiteId}`)).status).toBe(204);
    expect((await quotasOf(write))['endpoints']).toEqual({ limit: 2, used: 1 });
  });

  it('refuses one alert too many, and accepts it after a delete', async () => {
    const { write } = await limited({ alerts: 2 });
    const websiteId = await newWebsite(write);
    const [first, second] = [await newEndpoint(write, websiteId), await newEndpoint(write, websiteId)];
    const alertId = await newAlert(write, first);
    await newAlert(write, second);
    expectRefused(await alert(write, second), { name: 'alerts', limit: 2, used: 2 });
    expect((await write.delete(`/alerts/${alertId}`)).status).toBe(204);
    expect((await alert(write, second)).status).toBe(201);
    expect((await alert(write, second)).status).toBe(409);
    // Deleting an endpoint deletes its alerts.
    expect((await write.delete(`/endpoints/${second}`)).status).toBe(204);
    expect((await quotasOf(write))['alerts']).toEqual({ limit: 2, used: 0 });
  });

  it('refuses one alert too many on one endpoint, and accepts it on another', async () => {
    const { write } = await limited({ alerts_per_endpoint: 2 });
    const websiteId = await newWebsite(write);
    const [full, free] = [await newEndpoint(write, websiteId), await newEndpoint(write, websiteId)];
    const alertId = await newAlert(write, full);
    await newAlert(write, full);
    expectRefused(await alert(write, full), { name: 'alerts_per_endpoint', limit: 2, used: 2 });
    expect((await alert(write, free)).status).toBe(201);
    await write.delete(`/alerts/${alertId}`);
    expect((await alert(write, full)).status).toBe(201);
  });

  it('counts the checks per second that endpoints request, including paused ones', async () => {
    const { write } = await limited({ checks_per_second: 2 });
    const websiteId = await newWebsite(write);
    await newEndpoint(write, websiteId, { interval: 1, enabled: false });
    await newEndpoint(write, websiteId, { interval: 2 });
    expectRefused(await endpoint(write, websiteId, 1), { name: 'checks_per_second', limit: 2, used: 1.5 });
    expect((await endpoint(write, websiteId, 2)).status).toBe(201);
    expect((await endpoint(write, websiteId, 3600)).status).toBe(409);
  });

  it('counts a change of an interval: up to the limit, not beyond it, and down at any time', async () => {
    const organization = await limited({ checks_per_second: 2 });
    const { write } = organization;
    const websiteId = await newWebsite(write);
    await newEndpoint(write, websiteId, { interval: 1, enabled: false });
    const endpointId = await newEndpoint(write, websiteId, { interval: 4 });
    const change = (fields: object) => write.put<Refusal>(`/endpoints/${endpointId}`, fields);
    expect((await change({ interval: 1 })).status).toBe(200);
    expect((await quotasOf(write))['checks_per_second']).toEqual({ limit: 2, used: 2 });
    expect((await change({ interval: 2 })).status).toBe(200);
    await newEndpoint(write, websiteId, { interval: 4 });
    expectRefused(await change({ interval: 1 }), { name: 'checks_per_second', limit: 2, used: 1.75 });
    // If the limit is below the current number, everything is allowed except adding more.
    await setQuotas(organization, { checks_per_second: 1 });
    expect((await change({ interval: 3, enabled: false })).status).toBe(200);
    expect((await change({ name: 'other', enabled: true })).status).toBe(200);
    expect((await change({ interval: 2 })).status).toBe(409);
  });

  it('refuses one API key too many, and accepts it after a delete', async () => {
    const { admin } = await limited({ api_keys: 5 });
    const key = () => admin.post<Refusal & { id: string }>('/api-keys', { name: 'one more', role: 'admin' });
    const { body } = await key();
    expectRefused(await key(), { name: 'api_keys', limit: 5, used: 5 });
    expect((await admin.delete(`/api-keys/${body.id}`)).status).toBe(204);
    expect((await key()).status).toBe(201);
  });

  it('refuses one probe too many, and accepts it after a delete; shared probes count for no organization', async () => {
    const { admin } = await limited({ probes: 1 });
    const probe = (key: string) => admin.post<Refusal & { id: string }>('/probes', { key });
    expect((await app.operator.post('/shared-probes', { key: 'nobodys' })).status).toBe(201);
    const { body } = await probe('one');
    expectRefused(await probe('two'), { name: 'probes', limit: 1, used: 1 });
    expect((await admin.delete(`/probes/${body.id}`)).status).toBe(204);
    expect((await probe('two')).status).toBe(201);
  });

  it('refuses one status page too many, and accepts it after its website is deleted', async () => {
    const { write } = await limited({ status_pages: 1 });
    const [first, second] = [await newWebsite(write), await newWebsite(write)];
    const page = (websiteId: string) => write.put<Refusal>(`/websites/${websiteId}/status-page`, { enabled: true });
    expect((await page(first)).status).toBe(200);
    expect((await page(first)).status).toBe(200);
    expectRefused(await page(second), { name: 'status_pages', limit: 1, used: 1 });
    await write.delete(`/websites/${first}`);
    expect((await page(second)).status).toBe(200);
  });

  it.each([
    ['websites', (by: Api) => website(by)],
    ['endpoints', (by: Api, websiteId: string) => endpoint(by, websiteId)],
    ['alerts', (by: Api, _: string, endpointId: string) => alert(by, endpointId)],
    ['alerts_per_endpoint', (by: Api, _: string, endpointId: string) => alert(by, endpointId)],
    ['api_keys', (by: Api) => by.post<Refusal>('/api-keys', { name: 'one more', role: 'read' })],
  ])('allows exactly as many of 20 parallel creations as the limit on %s has room for', async (name, create) => {
    const organization = await app.organization(`Parallel ${name}`);
    const { admin } = organization;
    const websiteId = await newWebsite(admin);
    const endpointId = await newEndpoint(admin, websiteId);
    const used = (await quotasOf(admin))[name]?.used ?? 0;
    await setQuotas(organization, { [name]: used + 5 });
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(admin, websiteId, endpointId)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(responses.filter(({ body }) => body.code === 'quota_exceeded')).toHaveLength(15);
  });

  it('the operator sets limits for one organization, and takes them back', async () => {
    const organization = await app.organization('Overridden');
    expect((await setQuotas(organization, { websites: 3, alerts: 7 })).body.quotas).toEqual({ websites: 3, alerts: 7 });
    expect((await setQuotas(organization, { websites: 0 })).body.quotas).toEqual({ websites: 0, alerts: 7 });
    expectRefused(await website(organization.write), { name: 'websites', limit: 0, used: 0 });
    expect((await setQuotas(organization, { websites: null })).body.quotas).toEqual({ alerts: 7 });
    expect((await website(organization.write)).status).toBe(201);
    expect((await quotasOf(organization.read))['alerts']).toEqual({ limit: 7, used: 0 });
    const id = await idOf(organization);
    const list = (await app.operator.get<{ id: string; quotas: object }[]>('/organizations')).body;
    expect(list.find((row) => row.id === id)?.quotas).toEqual({ alerts: 7 });
  });

  it('the operator renames an organization, which sees the change in its audit log', async () => {
    const organization = await app.organization('Before');
    const id = await idOf(organization);
    const changed = await app.operator.put(`/organizations/${id}`, { name: ' After ', quotas: { streams: 5 } });
    expect(changed).toMatchObject({ status: 200, body: { id, name: 'After', quotas: { streams: 5 } } });
    const [entry] = (await organization.admin.get<object[]>('/audit-log?limit=1')).body;
    expect(entry).toMatchObject({
      action: 'update',
      resource: 'organization',
      before: { name: 'Before', quotas: {} },
      after: { name: 'After', quotas: { streams: 5 } },
      author: { via: 'operator' },
    });
    const [act] = (await app.operator.get<object[]>('/organizations/audit-log?limit=1')).body;
    expect(act).toMatchObject({ action: 'update', resource_id: id, changed: ['name', 'quotas'] });
  });

  it.each([
    [{ quotas: { websites: -1 } }, '/quotas/websites'],
    [{ quotas: { websites: 1.5 } }, '/quotas/websites'],
    [{ quotas: { websites: '5' } }, '/quotas/websites'],
    [{ quotas: { websites: 10_000_001 } }, '/quotas/websites'],
    [{ quotas: { cats: 1 } }, '/quotas/cats'],
    [{ quotas: [] }, '/quotas'],
    [{ quotas: null }, '/quotas'],
    [{ name: '' }, '/name'],
    [{ is_default: true }, '/is_default'],
  ])('refuses %j as a change of an organization', async (body, pointer) => {
    const id = await idOf(await app.organization('Unchanged'));
    const refused = await app.operator.put<{ errors: { pointer: string }[] }>(`/organizations/${id}`, body);
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0]?.pointer).toBe(pointer);
  });

  it('no key of an organization can change its limits', async () => {
    const organization = await limited({ websites: 1 });
    const id = await idOf(organization);
    for (const by of [organization.admin, organization.write, organization.read, app.admin]) {
      expect((await by.put<Refusal>(`/organizations/${id}`, { quotas: { websites: 9 } })).body.code).toBe(
        'insufficient_role',
      );
    }
    expect((await quotasOf(organization.read))['websites']?.limit).toBe(1);
  });

  it('Default has no limit on what it monitors unless the operator sets one', async () => {
    const small = await startOwnApp({ role: 'api', quotaWebsites: 1, quotaEndpoints: 1, quotaAlerts: 1 });
    try {
      const other = await small.organization('Other');
      expect((await website(other.write)).status).toBe(201);
      expectRefused(await website(other.write), { name: 'websites', limit: 1, used: 1 });
      await newWebsite(small.write);
      const websiteId = await newWebsite(small.write);
      await newEndpoint(small.write, websiteId);
      const endpointId = await newEndpoint(small.write, websiteId);
      await newAlert(small.write, endpointId);
      await newAlert(small.write, endpointId);
      expect(await quotasOf(small.read)).toMatchObject({
        websites: { limit: null, used: 2 },
        endpoints: { limit: null, used: 2 },
        alerts: { limit: null, used: 2 },
        checks_per_second: { limit: null },
        alerts_per_endpoint: { limit: 50 },
        api_keys: { limit: 100 },
      });
      const { body } = await small.read.get<{ id: string }>('/organization');
      await small.operator.put(`/organizations/${body.id}`, { quotas: { websites: 2 } });
      expectRefused(await website(small.write), { name: 'websites', limit: 2, used: 2 });
    } finally {
      await small.close();
    }
  });

  it('the counters match the tables, no matter which statement wrote the rows', async () => {
    const database = app.app.get(Database);
    const counted = await database.query(
      `SELECT org_id, websites, endpoints, alerts, api_keys, status_pages, probes, check_rate::text FROM organization_use
        ORDER BY org_id`,
    );
    const present = await database.query(
      `SELECT o.id AS org_id, ${['website', 'endpoint', 'alert', 'api_key', 'status_page', 'probe']
        .map((table) => `(SELECT count(*)::int FROM ${table} t WHERE t.org_id = o.id) AS ${table}s`)
        .join(', ')},
              (SELECT coalesce(sum(round(1000000.0 / interval_seconds)), 0)::bigint::text FROM endpoint t
                WHERE t.org_id = o.id) AS check_rate
         FROM organization o ORDER BY o.id`,
    );
    expect(counted).toEqual(present);
  });
});
