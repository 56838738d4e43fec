/**
 * @lane slow
 * @databases both
 */
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../packages/testing/service/api';
import { Database } from '../../../src/platform/database/database';
import { Clock } from '../../../src/platform/time/clock';
import { MovingClock } from '../../../packages/testing/service/moving-clock';

interface Key {
  id: string;
  name: string;
  role: string;
  key: string;
  expires_at: string | null;
  last_used_at: string | null;
}

describe('organizations and keys', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
  });
  afterAll(() => app.close());

  it('GET /organization returns the organization, the key’s name and its role', async () => {
    const { body } = await app.read.get('/organization');
    expect(body).toEqual({
      id: expect.stringMatching(/^org_/),
      name: 'Default',
      key_name: 'read',
      role: 'read',
      person: null,
      requires_second_factor: false,
      timezone: 'UTC',
      quotas: expect.objectContaining({ websites: { limit: null, used: 0 } }),
    });
  });

  it('accepts a key in either header and nowhere else', async () => {
    const key = app.read.key ?? '';
    const status = async (headers: Record<string, string>, query = '') =>
      (await fetch(`${app.url}/api/v1/organization${query}`, { headers })).status;
    expect(await status({ 'x-api-key': key })).toBe(200);
    expect(await status({ authorization: `Bearer ${key}` })).toBe(200);
    expect(await status({ authorization: `Basic ${key}` })).toBe(401);
    expect(await status({}, `?api_key=${key}`)).toBe(401);
  });

  it('responds to a wrong and to a missing key with the same 401 and WWW-Authenticate', async () => {
    const response = await new Api(app.url, 'ums_r_wrong').get<{ code: string; detail: string }>('/organization');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="api"');
    expect(response.body.detail).toBe((await app.anonymous.get<{ detail: string }>('/organization')).body.detail);
  });

  it('shows the secret of a new key once, and revokes a key at once', async () => {
    const created = await app.admin.post<Key>('/api-keys', { name: 'CI', role: 'write' });
    expect(created.status).toBe(201);
    expect(created.headers['location']).toBe(`/api/v1/api-keys/${created.body.id}`);
    expect(created.body.key).toMatch(/^ums_w_[0-9A-Za-z]{36}$/);
    const client = new Api(app.url, created.body.key);
    expect((await client.get('/organization')).status).toBe(200);
    const listed = (await app.admin.get<Key[]>('/api-keys')).body.find(({ id }) => id === created.body.id);
    expect(listed).toEqual({ ...created.body, key: undefined, last_used_at: expect.stringMatching(/:00\.000Z$/) });
    expect((await app.admin.delete(`/api-keys/${created.body.id}`)).status).toBe(204);
    expect((await client.get('/organization')).status).toBe(401);
    expect((await app.admin.delete(`/api-keys/${created.body.id}`)).status).toBe(404);
  });

  it('refuses a key after its expiry', async () => {
    const clock = MovingClock.frozenIn(app.app);
    const expires_at = new Date(app.app.get(Clock).now().getTime() + 60_000).toISOString();
    const { body } = await app.admin.post<Key>('/api-keys', { name: 'short', role: 'read', expires_at });
    expect(body.expires_at).toBe(expires_at);
    const client = new Api(app.url, body.key);
    expect((await client.get('/organization')).status).toBe(200);
    clock.advance(60_000);
    expect((await client.get('/organization')).status).toBe(401);
  });

  it.each([
    ['2999-12-31T23:59:59.000Z', '2999-12-31T23:59:59.000Z'],
    ['2999-12-31T23:59:59+02:00', '2999-12-31T21:59:59.000Z'],
    ['2999-12-31', '2999-12-31T00:00:00.000Z'],
    [null, null],
  ])('accepts the expiry %j as %j', async (sent, stored) => {
    const created = await app.admin.post<Key>('/api-keys', { name: 'x', role: 'read', expires_at: sent });
    expect([created.status, created.body.expires_at]).toEqual([201, stored]);
  });

  it.each([
    ['2999-W05', 'invalid_format'],
    ['2999-02-30', 'invalid_format'],
    ['2999-12-31T23:59:59', 'invalid_format'],
    ['2999-365', 'invalid_format'],
    ['tomorrow', 'invalid_format'],
    [32503680000000, 'invalid_format'],
    ['2020-01-01T00:00:00.000Z', 'out_of_range'],
  ])('refuses the expiry %j and names the field', async (expires_at, code) => {
    const refused = await app.admin.post<object>('/api-keys', { name: 'x', role: 'read', expires_at });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/expires_at', code }] } });
  });

  it('refuses to revoke the last admin key that does not expire, and explains what to do', async () => {
    const created = await app.operator.post<{ id: string; api_key: Key }>('/organizations', { name: 'Locked out' });
    const admin = new Api(app.url, created.body.api_key.key);
    const more = async (fields: object) => (await admin.post<Key>('/api-keys', { name: 'more', ...fields })).body;
    await more({ role: 'write' });
    await more({ role: 'admin', expires_at: '2999-01-01' });
    const first = `/api-keys/${created.body.api_key.id}`;
    const refused = await admin.delete<{ code: string; detail: string }>(first);
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(refused.body.detail).toContain('Create another admin key');
    const second = await more({ role: 'admin' });
    expect((await admin.delete(first)).status).toBe(204);
    expect((await new Api(app.url, second.key).delete(`/api-keys/${second.id}`)).status).toBe(409);
  });

  it('two admin keys that revoke each other at once leave one key', async () => {
    const created = await app.operator.post<{ id: string; api_key: Key }>('/organizations', { name: 'Duel' });
    const admin = new Api(app.url, created.body.api_key.key);
    const { body: other } = await admin.post<Key>('/api-keys', { name: 'other', role: 'admin' });
    const statuses = await Promise.all([
      admin.delete(`/api-keys/${other.id}`),
      new Api(app.url, other.key).delete(`/api-keys/${created.body.api_key.id}`),
    ]);
    expect(statuses.filter(({ status }) => status === 204)).toHaveLength(1);
    const left = await app.app
      .get(Database)
      .query(`SELECT 1 FROM api_key k JOIN organization o ON o.id = k.org_id WHERE o.name = 'Duel'`);
    expect(left).toHaveLength(1);
  });

  it.each([
    [{ name: 'x' }],
    [{ name: 'x', role: 'root' }],
    [{ name: '', role: 'read' }],
    [{ name: 'x', role: 'read', expires_at: 'tomorrow' }],
  ])('refuses to create the key %j', async (body) => {
    expect((await app.admin.post(`/api-keys`, body)).status).toBe(400);
  });

  it('lets the operator create an organization with a first admin key, and delete it with everything it owns', async () => {
    const created = await app.operator.post<{ id: string; name: string; api_key: Key }>('/organizations', {
      name: 'Acme',
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      id: expect.stringMatching(/^org_/),
      name: 'Acme',
      api_key: { id: expect.stringMatching(/^key_/), role: 'admin', key: expect.stringMatching(/^ums_a_/) },
    });
    const acme = new Api(app.url, created.body.api_key.key);
    expect((await acme.post('/websites', { name: 'a', url: 'http://a.example' })).status).toBe(201);
    expect((await app.operator.get<{ name: string }[]>('/organizations')).body.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Default', 'Acme']),
    );
    expect((await app.operator.delete(`/organizations/${created.body.id}`)).status).toBe(204);
    expect((await acme.get('/organization')).status).toBe(401);
    expect((await app.operator.delete(`/organizations/${created.body.id}`)).status).toBe(404);
  });

  it('refuses to delete the organization Default', async () => {
    const { body } = await app.operator.get<{ id: string; name: string }[]>('/organizations');
    const id = body.find(({ name }) => name === 'Default')?.id ?? '';
    expect((await app.operator.delete<{ code: string }>(`/organizations/${id}`)).body.code).toBe('conflict');
  });

  it('has no operator routes without OPERATOR_TOKEN, and needs no key with AUTH=off', async () => {
    const open = await startOwnApp({ role: 'api', operatorToken: null, auth: false });
    try {
      expect((await open.anonymous.get('/organizations')).status).toBe(404);
      expect((await open.anonymous.get('/organization')).body).toMatchObject({
        name: 'Default',
        role: 'admin',
        key_name: 'AUTH=off',
      });
      expect((await open.anonymous.post('/websites', { name: 'a', url: 'http://a.example' })).status).toBe(201);
    } finally {
      await open.close();
    }
  });
});
