import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startApp, type TestApp } from '../../harness/app/app';
import { newWebsite } from '../../harness/app/resources';

interface Endpoint {
  id: string;
  settings: Record<string, unknown> | null;
}
interface Problem {
  errors: { pointer: string; code: string }[];
}

const PASSWORD = 'correct horse battery staple';
const MASK = '********';
const CACHE = { name: 'Cache', type: 'REDIS', url: 'redis://cache.example.com' };

describe('The settings of a type', () => {
  let app: TestApp;
  let org: ServiceOrganization;
  let websiteId: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api', secretsKeys: [`test:${Buffer.alloc(32, 7).toString('base64')}`] });
    org = await app.organization('settings');
    websiteId = await newWebsite(org.write);
  });
  afterAll(() => app.close());

  const post = <Body = Endpoint>(body: object) => org.write.post<Body>(`/websites/${websiteId}/endpoints`, body);
  const put = <Body = Endpoint>(id: string, body: object) => org.write.put<Body>(`/endpoints/${id}`, body);
  const newCache = async (settings: object = { user: 'monitor', password: PASSWORD }): Promise<string> =>
    (await post({ ...CACHE, settings })).body.id;
  const refusals = ({ body }: { body: Problem }) => body.errors.map(({ pointer, code }) => `${pointer} ${code}`);
  const stored = async (id: string) => {
    const [row] = await app.app
      .get(Database)
      .query<{ settings: object | null; revision: number }>('SELECT settings, revision FROM endpoint WHERE id = $1', [
        parseId('endpoint', id),
      ]);
    return row;
  };

  it('are masked for every role, and encrypted at rest', async () => {
    const created = await post({ ...CACHE, settings: { user: 'monitor', password: PASSWORD } });
    expect([created.status, created.body.settings]).toEqual([201, { user: 'monitor', password: MASK }]);
    for (const client of [org.read, org.write])
      expect((await client.get(`/endpoints/${created.body.id}`)).text).not.toContain(PASSWORD);
    const row = JSON.stringify(await stored(created.body.id));
    expect(row).toContain('v1:');
    expect(row).not.toContain(PASSWORD);
    const audit = await org.admin.get('/audit?limit=5');
    expect(audit.text).not.toContain(PASSWORD);
  });

  it('change member by member, and a mask that is sent back changes nothing', async () => {
    const id = await newCache();
    const before = await stored(id);
    expect((await put(id, { settings: { password: MASK } })).status).toBe(200);
    expect(await stored(id)).toEqual(before);
    expect((await put(id, { settings: { ip: '4' } })).body.settings).toEqual({
      user: 'monitor',
      password: MASK,
      ip: '4',
    });
    expect((await put(id, { settings: { user: null } })).body.settings).toEqual({ password: MASK, ip: '4' });
    expect((await stored(id))?.revision).toBe(3);
    expect((await put(id, { settings: null })).body.settings).toEqual({});
    expect((await stored(id))?.settings).toBeNull();
  });

  it('report problems with pointers, and store nothing', async () => {
    const wrong = { ...CACHE, settings: { password: 7, ip: '5', query: 'x' } };
    expect(refusals(await post<Problem>(wrong)).sort()).toEqual([
      '/settings/ip invalid_format',
      '/settings/password wrong_type',
      '/settings/query unknown_field',
    ]);
    expect(refusals(await post<Problem>({ ...CACHE, settings: { user: 'monitor' } }))).toEqual([
      '/settings/password required',
    ]);
    expect(refusals(await post<Problem>({ ...CACHE, settings: { password: MASK } }))).toEqual([
      '/settings/password invalid_format',
    ]);
    expect(refusals(await post<Problem>({ ...CACHE, settings: [] }))).toEqual(['/settings wrong_type']);
    const database = { name: 'Database', type: 'POSTGRES', url: 'postgres://db.example.com/shop' };
    expect(refusals(await post<Problem>(database))).toEqual(['/settings/user required']);
    const name = { name: 'DNS', type: 'DNS', url: 'dns:example.com', settings: { ip: '4' } };
    expect(refusals(await post<Problem>(name))).toEqual(['/settings/ip unknown_field']);
  });

  it('send no secret to another server: it must be sent again when the target or the encryption changes', async () => {
    const id = await newCache();
    for (const url of ['redis://evil.example', 'redis://cache.example.com:6380', 'rediss://cache.example.com'])
      expect(refusals(await put<Problem>(id, { url }))).toEqual(['/settings/password required']);
    const masked = { url: 'redis://evil.example', settings: { password: MASK } };
    expect(refusals(await put<Problem>(id, masked))).toEqual(['/settings/password required']);
    expect((await put(id, { url: 'redis://other.example', settings: { password: 'new' } })).status).toBe(200);

    const api = { name: 'API', type: 'HTTPS', url: 'https://api.example.com/health' };
    const oauth2 = { token_url: 'https://login.example.com/token', client_id: 'monitor', client_secret: PASSWORD };
    const client = (await post({ ...api, settings: { oauth2 } })).body.id;
    expect((await put(client, { url: 'https://api.example.com/ready' })).status).toBe(200);
    const redirected = { oauth2: { ...oauth2, token_url: 'https://evil.example/token', client_secret: MASK } };
    expect(refusals(await put<Problem>(client, { settings: redirected }))).toEqual([
      '/settings/oauth2/client_secret invalid_format',
    ]);
    expect(refusals(await put<Problem>(client, { tls: { verify: false } }))).toEqual(['/tls/verify invalid_format']);
  });

  it('are replaced with the type, and kept between types that have the same', async () => {
    const basic = { user: 'monitor', password: PASSWORD };
    const id = (await post({ name: 'API', type: 'HTTPS', url: 'https://a.example/', settings: { basic } })).body.id;
    const same = await put(id, { type: 'HTTP', url: 'https://a.example/' });
    expect(same.body.settings).toEqual({ basic: { ...basic, password: MASK } });
    const other = await put(id, { type: 'TCP', url: 'a.example:443' });
    expect([other.status, other.body.settings]).toEqual([200, {}]);
  });

  it('are null for a heartbeat, which has none', async () => {
    const beat = { name: 'Backup', type: 'HEARTBEAT', heartbeat: { every: 3600 } };
    expect((await post(beat)).body.settings).toBeNull();
    expect(refusals(await post<Problem>({ ...beat, settings: { ip: '4' } }))).toEqual(['/settings unknown_field']);
  });

  it('are declared, planned, applied, and exported in documents', async () => {
    const documents = await app.organization('documents');
    const documentOf = (settings: object, url = 'redis://cache.example.com') => ({
      version: 1,
      owner: 'team',
      secrets: { CACHE_PASSWORD: PASSWORD },
      websites: [
        {
          key: 'shop',
          name: 'Shop',
          url: 'https://shop.example.com/',
          endpoints: [{ key: 'cache', name: 'Cache', type: 'REDIS', url, settings }],
        },
      ],
    });
    const settings = { user: 'monitor', password: { $secret: 'CACHE_PASSWORD' } };
    const applied = await documents.write.put('/configuration', documentOf(settings));
    expect([applied.status, applied.status === 200 ? '' : applied.text]).toEqual([200, '']);
    const exported = await documents.read.get<{ websites: { endpoints: Endpoint[] }[] }>('/configuration');
    const reference = { $secret: expect.stringMatching(/PASSWORD$/) as string };
    expect(exported.body.websites[0]?.endpoints[0]?.settings).toEqual({ user: 'monitor', password: reference });
    expect(exported.text).not.toContain(PASSWORD);

    const plan = async (client: typeof documents.write, document: object) =>
      (await client.post<{ changes: { action: string }[] }>('/configuration/plan', document)).body.changes;
    expect(await plan(documents.write, documentOf(settings))).toEqual([]);
    expect(await plan(documents.read, documentOf({ ...settings, password: 'guess' }))).toEqual([]);
    expect(await plan(documents.write, documentOf({ ...settings, ip: '6' }))).toMatchObject([{ action: 'update' }]);
    const secret = { ...documentOf({ user: { $secret: 'CACHE_PASSWORD' } }) };
    const shownTo = await documents.write.post<Problem>('/configuration/plan', secret);
    expect(refusals(shownTo)).toEqual(['/websites/0/endpoints/0/settings/user invalid_config']);
    const { secrets: _, ...withoutValues } = documentOf(settings);
    expect(await plan(documents.write, withoutValues)).toEqual([]);
  });

  it('are described for each type in the API document', async () => {
    interface Document {
      components: { schemas: Record<string, { properties: Record<string, Record<string, unknown>> }> };
    }
    const { schemas } = (await app.anonymous.get<Document>('/openapi.json')).body.components;
    expect(schemas['CreateEndpoint']?.properties['settings']?.['x-settings-of']).toMatchObject({
      HTTP: { $ref: '#/components/schemas/HttpSettings' },
      REDIS: { $ref: '#/components/schemas/RedisSettings' },
    });
    expect(schemas['RedisSettings']?.properties['password']).toMatchObject({ writeOnly: true, format: 'password' });
    expect(schemas['WebSocketHeader']?.properties['value']).toMatchObject({ writeOnly: true });
  });
});
