import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { AUDIT_RETENTION } from '../../../src/audit/audit-retention';
import { Database } from '../../../src/platform/database/database';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { startApp, type TestApp } from '../../harness/app/app';

interface Made {
  id: string;
  api_key: { key: string };
}

const PATH = '/organizations/audit-log';

describe('the operator’s audit log', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());

  const read = async (query = ''): Promise<AuditEntryView[]> => {
    const { status, body } = await app.operator.get<AuditEntryView[]>(`${PATH}${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body;
  };
  const create = (name: string) => app.operator.post<Made>('/organizations', { name });

  it('records who created and who deleted an organization, and keeps that after the deletion', async () => {
    const created = await create('Transient');
    const { id, api_key } = created.body;
    const deleted = await app.operator.delete(`/organizations/${id}`);
    const [last, first, ...more] = await read(`?resource_id=${id}`);
    const entry = {
      id: expect.stringMatching(/^au_/),
      created_at: expect.stringMatching(/^20.*Z$/),
      resource: 'organization',
      resource_id: id,
      changed: [],
      author: { via: 'operator', key_id: null, key_name: null, person_id: null, person_name: null, ip: '127.0.0.1' },
    };
    const settings = { name: 'Transient' };
    const [creation, deletion] = [created.headers['x-request-id'], deleted.headers['x-request-id']];
    expect(first).toEqual({ ...entry, action: 'create', before: null, after: settings, request_id: creation });
    expect(last).toEqual({ ...entry, action: 'delete', before: settings, after: null, request_id: deletion });
    expect(more).toEqual([]);
    expect(JSON.stringify([first, last])).not.toContain(api_key.key);
  });

  it('records no refused request of the operator', async () => {
    const before = await read();
    const home = (await app.operator.get<{ id: string; name: string }[]>('/organizations')).body[0];
    expect([home?.name, (await app.operator.delete(`/organizations/${home?.id}`)).status]).toEqual(['Default', 409]);
    expect((await app.operator.post('/organizations', { name: '' })).status).toBe(400);
    expect((await app.admin.post('/organizations', { name: 'Mine' })).status).toBe(403);
    expect(await read()).toEqual(before);
  });

  it('shows the operator’s audit log to the operator only', async () => {
    await create('Confidential');
    for (const api of [app.read, app.write, app.admin]) expect((await api.get(PATH)).status).toBe(403);
    expect((await app.anonymous.get(PATH)).status).toBe(401);
    expect((await app.admin.get('/audit-log?limit=1000')).text).not.toContain('Confidential');
  });

  it('lists the operator’s audit log newest first, by page and by filter', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const all = await read('?limit=1000');
    expect(all.slice(0, 3).map(({ after }) => after?.['name'])).toEqual(['c', 'b', 'a']);
    const first = await app.operator.get<AuditEntryView[]>(`${PATH}?limit=2`);
    const second = await read(`?limit=2&cursor=${first.headers['x-next-cursor']}`);
    expect([...first.body, ...second]).toEqual(all.slice(0, 4));
    const middle = all[1]?.created_at ?? '';
    expect(await read(`?since=${middle}&limit=1000`)).toEqual(all.filter(({ created_at: at }) => at >= middle));
    expect(await read(`?until=${middle}&limit=1000`)).toEqual(all.filter(({ created_at: at }) => at < middle));
    expect((await app.admin.get(`/audit-log?cursor=${first.headers['x-next-cursor']}`)).status).toBe(400);
  });

  it.each([
    `UPDATE operator_audit_log SET address = 'somewhere else'`,
    'DELETE FROM operator_audit_log',
    'TRUNCATE operator_audit_log',
  ])('the database refuses %s', async (statement) => {
    await create('Kept');
    const before = await read();
    await expect(app.app.get(Database).query(statement)).rejects.toThrow('append-only');
    expect(await read()).toEqual(before);
  });

  it('retention removes entries of the operator’s log older than ROLLUP_RETENTION_DAYS, and no others', async () => {
    // The IDs are as old as the entries. Other specs read the newest entries of the service, so these must not be
    // among them.
    const insert = `INSERT INTO operator_audit_log (id, created_at, action, resource, resource_id, changed, via)
      SELECT overlay(gen_random_uuid()::text placing '00000000-0000' from 1)::uuid, now() - $1::interval, 'test', 'alert', gen_random_uuid(), '{}', 'system'
        FROM generate_series(1, $2)`;
    const database = app.app.get(Database);
    await database.query(insert, ['401 days', 2500]);
    await database.query(insert, ['399 days', 3]);
    await app.app.get(RetentionJob).run(AUDIT_RETENTION);
    const left = await database.query(`SELECT 1 FROM operator_audit_log WHERE action = 'test'`);
    expect(left).toHaveLength(3);
  });
});
