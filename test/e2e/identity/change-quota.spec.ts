/** @lane slow @databases both */
import { ChangedBytes } from '../../../src/identity/quota/changed-bytes.service';
import { Database } from '../../../src/platform/database/database';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newAlert, newEndpoint, newMaintenanceWindow, newWebsite } from '../../harness/app/resources';
import { many } from '../../harness/many';

const LIMIT = 20_000;

describe('the bytes that changes add on one day', () => {
  let app: TestApp;
  let counter = 0;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', quotaChangedBytesPerDay: LIMIT }, { durable: true });
  });
  afterAll(() => app.close());

  const usedBy = async (by: Api): Promise<number> => {
    const { body } = await by.get<{ quotas: { changed_bytes_per_day: { used: number; limit: number } } }>(
      '/organization',
    );
    return body.quotas.changed_bytes_per_day.used;
  };
  const rename = (by: Api, websiteId: string) =>
    by.put<{ code: string; detail: string }>(`/websites/${websiteId}`, { name: `${++counter} ${'x'.repeat(200)}` });
  /** Changes the website until a change is refused. Returns the refusal. */
  const exhaust = async (by: Api, websiteId: string) => {
    for (let tries = 0; tries < 100; tries++) {
      const response = await rename(by, websiteId);
      if (response.status !== 200) return response;
    }
    throw new Error('a hundred changes were taken');
  };
  /** Creates an organization that has used up its changes, with a website, an endpoint, and an alert. */
  const exhausted = async () => {
    const organization: ServiceOrganization = await app.organization(`Exhausted ${++counter}`);
    const websiteId = await newWebsite(organization.write);
    const endpointId = await newEndpoint(organization.write, websiteId);
    const alertId = await newAlert(organization.write, endpointId);
    const refusal = await exhaust(organization.write, websiteId);
    return { ...organization, websiteId, endpointId, alertId, refusal };
  };

  it('limit an organization: beyond them every change is refused with an explanation until the next UTC day', async () => {
    const other = await app.organization('Other');
    const theirs = await newWebsite(other.write);
    const { write, admin, read, refusal, websiteId, endpointId } = await exhausted();
    expect([refusal.status, refusal.body.code]).toEqual([429, 'rate_limited']);
    expect(refusal.body.detail).toMatch(
      /have added 2[01] KiB today, and the limit is 20 KiB .* Monitoring continues, and deleting, .* ask the operator/,
    );
    const wait = Number(refusal.headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(86_400);
    const refused = [
      write.post('/websites', { name: 'a', url: 'http://a.example' }),
      write.put(`/endpoints/${endpointId}`, { enabled: false, name: 'other' }),
      write.put(`/websites/${websiteId}`, { enabled: true }),
      write.put('/configuration', { version: 1 }),
      admin.post('/api-keys', { name: 'one more', role: 'read' }),
    ];
    for (const response of await Promise.all(refused)) expect(response.status).toBe(429);
    expect((await read.get(`/endpoints/${endpointId}`)).status).toBe(200);
    expect(await usedBy(read)).toBeGreaterThanOrEqual(LIMIT);
    expect((await rename(other.write, theirs)).status).toBe(200);
    expect(await usedBy(other.read)).toBeLessThan(LIMIT / 2);
  });

  it('do not limit deleting, disabling, acknowledging, previewing, planning, and signing in', async () => {
    const { write, read, websiteId, endpointId, alertId } = await exhausted();
    expect((await write.put(`/alerts/${alertId}`, { enabled: false })).status).toBe(200);
    expect((await write.put(`/endpoints/${endpointId}`, { enabled: false })).status).toBe(200);
    expect((await write.put(`/websites/${websiteId}`, { enabled: false })).status).toBe(200);
    const acknowledged = await write.put<{ detail: string }>(`/endpoints/${endpointId}/acknowledgement`, {});
    expect([200, 409]).toContain(acknowledged.status);
    expect((await write.delete(`/endpoints/${endpointId}/acknowledgement`)).status).toBeLessThan(410);
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const window = { name: 'W', starts_at: at(1), ends_at: at(2), scope: { all: true } };
    expect((await write.post('/maintenance-windows/preview', window)).status).toBe(200);
    expect((await write.post('/maintenance-windows', window)).status).toBe(429);
    expect((await read.post('/configuration/plan', { version: 1 })).status).toBe(200);
    for (const path of [`/alerts/${alertId}`, `/endpoints/${endpointId}`, `/websites/${websiteId}`])
      expect((await write.delete(path)).status).toBe(204);
  });

  it('slow down the changes that are still allowed: a hundred at once, then two a second', async () => {
    const { write, websiteId } = await exhausted();
    const statuses: number[] = [];
    const began = performance.now();
    const disableUntilRefused = async (): Promise<void> => {
      while (!statuses.includes(429))
        statuses.push((await write.put(`/websites/${websiteId}`, { enabled: false })).status);
    };
    // A busy machine refuses more at once with 503.
    await Promise.all(many(10, disableUntilRefused));
    const taken = statuses.filter((status) => status === 200).length;
    const seconds = (performance.now() - began) / 1000;
    expect(taken).toBeGreaterThanOrEqual(100);
    expect(taken).toBeLessThanOrEqual(101 + 2 * seconds);
    expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
  });

  it('include each resource that an apply creates, and nothing for a refused apply', async () => {
    const { write, read } = await app.organization('Applies');
    const endpoints = Array.from({ length: 4 }, (_, i) => ({
      key: `e${i}`,
      name: 'E',
      type: 'HTTPS',
      url: 'https://a.example.com',
    }));
    const document = { version: 1, websites: [{ key: 'a', name: 'A', url: 'https://a.example.com', endpoints }] };
    const before = await usedBy(read);
    expect((await write.put('/configuration', { version: 1, websites: [{ key: 'a' }] })).status).toBe(400);
    expect(await usedBy(read)).toBe(before);
    expect((await write.put('/configuration', document)).status).toBe(200);
    expect((await usedBy(read)) - before).toBeGreaterThan(5 * 400);
  });

  it('include the row that a change of a running maintenance window leaves behind', async () => {
    const { write, read } = await app.organization('Windows');
    const id = await newMaintenanceWindow(write);
    const before = await usedBy(read);
    const tags = Array.from({ length: 50 }, (_, i) => `tag-${i}-${'t'.repeat(40)}`);
    const changed = await write.put(`/maintenance-windows/${id}`, { scope: { tags } });
    expect([changed.status, changed.text]).toEqual([200, expect.any(String)]);
    const entries = 2 * 2048 + 400;
    expect((await usedBy(read)) - before).toBeGreaterThan(50 * 47);
    expect((await usedBy(read)) - before).toBeLessThan(entries + 50 * 48 + 1000);
  });

  it('include the changes of other instances after five seconds', async () => {
    const organization = await app.organization('Of two');
    const websiteId = await newWebsite(organization.write);
    await app.app.get(ChangedBytes).write();
    expect((await rename(organization.write, websiteId)).status).toBe(200);
    await app.app
      .get(Database)
      .query('UPDATE organization_change SET bytes = bytes + $2 WHERE org_id = $1', [organization.orgId, LIMIT]);
    await app.advance('6 s');
    expect((await rename(organization.write, websiteId)).status).toBe(429);
  });

  it('can be raised by the operator for one organization', async () => {
    const { read, write, websiteId } = await exhausted();
    const { body } = await read.get<{ id: string }>('/organization');
    const allow = (bytes: number) =>
      app.operator.put(`/organizations/${body.id}`, { quotas: { changed_bytes_per_day: bytes } });
    expect((await allow(1_000_000_000_001)).status).toBe(400);
    expect((await allow(1_000_000_000_000)).status).toBe(200);
    await app.advance('6 s');
    expect((await rename(write, websiteId)).status).toBe(200);
  });

  it('are kept over a restart, and start at zero the next day', async () => {
    const websiteId = await newWebsite(app.write);
    await exhaust(app.write, websiteId);
    await app.stop();
    await app.restart();
    expect((await rename(app.write, websiteId)).status).toBe(429);
    await app.advance('24 h');
    expect((await rename(app.write, websiteId)).status).toBe(200);
    await app.app.get(ChangedBytes).write();
    expect(await usedBy(app.read)).toBeLessThan(LIMIT / 2);
  });
});
