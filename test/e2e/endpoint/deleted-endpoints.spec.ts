/** @databases both */
import { Database } from '../../../src/platform/database/database';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { HistoryRetention } from '../../../src/history/retention/history-retention';
import { DELETED_ENDPOINT_RETENTION } from '../../../src/endpoint/bin/deleted-endpoint-rows';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { newAlert, newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

interface Deleted {
  id: string;
  name: string;
  website_id: string;
  alert_count: number;
  deleted_by: string | null;
  restorable_until: string;
}
interface Shown {
  id: string;
  created_at: string;
  updated_at: string;
  next_check_at: string;
  depends_on: string[];
}

describe('a deleted endpoint', () => {
  let app: TestApp;
  let database: Database;
  let website: string;
  let endpoint: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    website = await newWebsite(app.write);
    endpoint = await newEndpoint(app.write, website, {
      tags: ['eu'],
      headers: [{ key: 'Authorization', value: 'secret' }],
    });
  });
  afterEach(async () => {
    await database.query('DELETE FROM deleted_endpoint WHERE org_id = $1', [app.orgId]);
    await app.write.delete(`/websites/${website}`);
  });

  const remove = () => app.write.delete(`/endpoints/${endpoint}`);
  const restore = (id = endpoint) => app.write.post<Shown>(`/deleted-endpoints/${id}/restore`);
  const list = async () => (await app.read.get<Deleted[]>('/deleted-endpoints')).body;
  const read = () => app.write.get<Shown>(`/endpoints/${endpoint}`);
  const stored = () => database.query<{ id: string }>('SELECT 1 FROM deleted_endpoint WHERE org_id = $1', [app.orgId]);
  const keyOf = async (): Promise<string> => {
    const rows = await database.query<{ key: string }>('SELECT key::text AS key FROM endpoint WHERE id = $1', [
      parseId('endpoint', endpoint),
    ]);
    return rows[0]?.key ?? '';
  };
  const age = (days: number) =>
    database.query(
      `WITH purge AS (UPDATE history_purge SET asked_at = asked_at - $2 * interval '1 day')
       UPDATE deleted_endpoint SET deleted_at = deleted_at - $2 * interval '1 day' WHERE org_id = $1`,
      [app.orgId, days],
    );

  it('is listed, and restored under its ID with its settings, alert rules, and history', async () => {
    const contact = await newContact(app.write);
    const alert = await newAlert(app.write, endpoint, { description: 'Call Ann.' });
    const other = await newAlert(app.write, endpoint, { type: undefined, config: undefined, contact_id: contact });
    const before = await read();
    const key = await keyOf();
    await database.query(
      `INSERT INTO outage (endpoint_key, started_at, error, error_message) VALUES ($1, now(), 1, '')`,
      [key],
    );

    expect((await remove()).status).toBe(204);
    expect((await read()).status).toBe(404);
    expect(await list()).toMatchObject([
      { id: endpoint, name: 'Checkout', website_id: website, alert_count: 2, deleted_by: expect.any(String) as string },
    ]);
    await app.app.get(HistoryRetention).removeDeletedEndpoints();

    const restored = await restore();
    expect(restored.status).toBe(200);
    const { updated_at: _was, next_check_at: _next, ...settings } = before.body;
    expect(restored.body).toMatchObject(settings);
    expect(await keyOf()).toBe(key);
    const outages = await database.query(
      'SELECT ended_at FROM outage WHERE endpoint_key = $1 AND ended_at IS NOT NULL',
      [key],
    );
    expect(outages).toHaveLength(1);
    expect(await database.query('SELECT 1 FROM history_purge WHERE endpoint_key = $1', [key])).toEqual([]);
    const alerts = (await app.write.get<{ id: string; description: string }[]>(`/alerts?endpoint_id=${endpoint}`)).body;
    expect(alerts.map(({ id }) => id).sort()).toEqual([alert, other].sort());
    expect(alerts.find(({ id }) => id === alert)?.description).toBe('Call Ann.');
    expect(await list()).toEqual([]);
    expect((await restore()).status).toBe(404);
    await remove();
    await app.write.delete(`/contacts/${contact}`);
  });

  it('comes back without what was deleted in the meantime: a parent, and the rule of a contact', async () => {
    const contact = await newContact(app.write);
    const parent = await newEndpoint(app.write, website, { name: 'Gateway' });
    await app.write.put(`/endpoints/${endpoint}`, { depends_on: [parent] });
    await newAlert(app.write, endpoint, { type: undefined, config: undefined, contact_id: contact });
    await remove();
    await app.write.delete(`/endpoints/${parent}`);
    expect((await app.write.delete(`/contacts/${contact}`)).status).toBe(204);
    expect((await restore()).body.depends_on).toEqual([]);
    expect((await app.read.get(`/alerts?endpoint_id=${endpoint}`)).body).toEqual([]);
  });

  it('keeps the ping URL of a heartbeat', async () => {
    const heartbeat = await newEndpoint(app.write, website, {
      type: 'HEARTBEAT',
      url: undefined,
      heartbeat: { every: 3600 },
    });
    const shown = await app.write.get<{ heartbeat: { ping_url: string } }>(`/endpoints/${heartbeat}`);
    await app.write.delete(`/endpoints/${heartbeat}`);
    const { body } = await app.write.post<{ heartbeat: object }>(`/deleted-endpoints/${heartbeat}/restore`);
    expect(body.heartbeat).toEqual(shown.body.heartbeat);
  });

  it('cannot be restored after seven days, or by another organization, and its data is deleted then', async () => {
    const other = await app.organization('Other');
    await remove();
    expect((await other.write.post(`/deleted-endpoints/${endpoint}/restore`)).status).toBe(404);
    await age(6);
    await app.app.get(RetentionJob).run(DELETED_ENDPOINT_RETENTION);
    expect(await stored()).toHaveLength(1);
    await age(1.1);
    expect(await list()).toEqual([]);
    expect((await restore()).status).toBe(404);
    await app.app.get(RetentionJob).run(DELETED_ENDPOINT_RETENTION);
    expect(await stored()).toEqual([]);
  });

  it('is not listed after its website was deleted', async () => {
    await remove();
    await app.write.delete(`/websites/${website}`);
    expect(await list()).toEqual([]);
    expect((await restore()).status).toBe(404);
  });
});
