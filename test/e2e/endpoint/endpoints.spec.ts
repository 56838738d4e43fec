import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, startOwnApp, type TestApp } from '../../harness/app/app';
import { newWebsite } from '../../harness/app/resources';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';

interface Endpoint {
  id: string;
  website_id: string;
  name: string;
  url: string;
  type: string;
  method: string;
  interval: number;
  timeout: number;
  enabled: boolean;
  group: string;
  headers: { key: string; value: string }[];
  body: string | null;
  status: string;
  assertions: object[];
}
interface Problem {
  code: string;
  errors: { pointer: string; code: string; message: string }[];
}

const SHOP = { name: 'Shop', url: 'https://shop.example.com/' };
const MINIMAL = { name: 'Checkout', url: 'http://shop.example.com/checkout', type: 'HTTP' };

describe('endpoints', () => {
  let app: TestApp;
  let other: ServiceOrganization;
  let websiteId: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    other = await app.organization('Other');
    websiteId = (await app.write.post<{ id: string }>('/websites', SHOP)).body.id;
  });
  afterAll(() => app.close());

  const post = <Body = Endpoint>(body: object) => app.write.post<Body>(`/websites/${websiteId}/endpoints`, body);
  const create = async (body: object = MINIMAL): Promise<Endpoint> => (await post(body)).body;

  it('creates an endpoint from name, url and type, with defaults for everything else', async () => {
    const response = await post(MINIMAL);
    expect(response.status).toBe(201);
    expect(response.headers['location']).toBe(`/api/v1/endpoints/${response.body.id}`);
    expect(response.body).toEqual({
      ...MINIMAL,
      id: expect.stringMatching(/^ep_[0-9a-hjkmnp-tv-z]{26}$/),
      website_id: websiteId,
      method: 'GET',
      interval: 60,
      timeout: 10,
      enabled: true,
      group: 'Shop',
      headers: [],
      body: null,
      follow_redirects: true,
      locations: ['local'],
      quorum: 'majority',
      by_location: null,
      assertions: [],
      tls: { verify: true, ca: null, server_name: null, warn_days: 14 },
      settings: {},
      heartbeat: null,
      tags: [],
      key: null,
      owner: null,
      depends_on: [],
      dependents: [],
      status: 'unknown',
      degraded: false,
      degraded_since: null,
      maintenance: null,
      acknowledgement: null,
      incident_id: null,
      last_checked_at: null,
      next_check_at: expect.stringMatching(/\.\d{3}Z$/),
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    expect((await app.read.get(`/endpoints/${response.body.id}`)).body).toEqual(response.body);
  });

  it('stores every settable field of an endpoint', async () => {
    const body = {
      ...MINIMAL,
      method: 'post',
      interval: 30,
      timeout: 5,
      enabled: false,
      headers: [
        { key: 'Accept', value: 'text/html' },
        { key: 'Accept', value: 'text/plain' },
      ],
      body: '{"a":1}',
      follow_redirects: false,
      assertions: [{ source: 'status_code', comparison: 'in', target: '200-299,301' }],
      settings: { ip: '6' },
    };
    expect(await create(body)).toMatchObject({ ...body, method: 'POST', status: 'paused' });
  });

  it.each([
    ['HTTP', 'http://example.com/'],
    ['HTTP', 'https://example.com/'],
    ['HTTPS', 'https://example.com/'],
    ['TCP', 'tcp://example.com:5432'],
    ['TCP', '[2606:4700::1111]:80'],
    ['SSH', 'ssh://example.com'],
    ['SSH', 'example.com:2222'],
    ['ICMP', 'icmp://example.com'],
    ['ICMP', 'example.com'],
    ['DNS', 'example.com'],
    ['DNS', 'dns://9.9.9.9:53/example.com?type=MX'],
  ])('accepts an endpoint of type %s with the url %s', async (type, url) => {
    expect((await post({ name: 'a', type, url })).status).toBe(201);
  });

  it.each([
    ['HTTPS', 'http://example.com/'],
    ['HTTP', 'example.com'],
    ['HTTP', 'ftp://example.com/'],
    ['HTTP', 'http://user:secret@example.com/'],
    ['TCP', 'example.com'],
    ['TCP', 'tcp://example.com:0'],
    ['TCP', 'tcp://example.com:65536'],
    ['SSH', 'https://example.com'],
    ['ICMP', 'icmp://example.com:80'],
    ['DNS', 'dns:example.com?type=NOPE'],
    ['HTTP', 'http://exa mple.com/'],
  ])('refuses an endpoint of type %s with the url %s, with pointer /url and the accepted form', async (type, url) => {
    const response = await post<Problem>({ name: 'a', type, url });
    expect([response.status, response.body.code]).toEqual([400, 'validation_failed']);
    expect(response.body.errors).toEqual([expect.objectContaining({ pointer: '/url' })]);
    expect(response.body.errors[0]?.message.length).toBeGreaterThan(10);
  });

  it.each([['http'], ['GOPHER'], ['']])(
    'refuses the endpoint type %p with the list of types that exist',
    async (type) => {
      const response = await post<Problem>({ ...MINIMAL, type });
      expect(response.status).toBe(400);
      expect(response.body.errors).toEqual([
        expect.objectContaining({
          pointer: '/type',
          code: 'unsupported_type',
          message: expect.stringContaining('HTTP, HTTPS, TCP, DNS, ICMP, SSH'),
        }),
      ]);
    },
  );

  it.each([
    ['type', null, 'wrong_type'],
    ['type', ['HTTP'], 'wrong_type'],
    ['method', 'CONNECT', 'invalid_format'],
    ['method', 'GET / HTTP/1.1\r\nX:', 'invalid_format'],
    ['interval', 0, 'out_of_range'],
    ['interval', 86_401, 'out_of_range'],
    ['interval', '60', 'wrong_type'],
    ['interval', 1.5, 'wrong_type'],
    ['interval', null, 'wrong_type'],
    ['timeout', 0, 'out_of_range'],
    ['timeout', 301, 'out_of_range'],
    ['timeout', 2 ** 31, 'out_of_range'],
    ['enabled', 'yes', 'wrong_type'],
    ['headers', {}, 'wrong_type'],
    ['headers', [null], 'wrong_type'],
    ['headers', [[]], 'wrong_type'],
    ['headers', ['a'], 'wrong_type'],
    ['headers', Array.from({ length: 51 }, () => ({ key: 'a', value: 'b' })), 'out_of_range'],
    ['body', {}, 'wrong_type'],
    ['body', 'x'.repeat(64 * 1024 + 1), 'too_long'],
    ['follow_redirects', 1, 'wrong_type'],
    ['assertions', 'x', 'wrong_type'],
    ['nonsense', 1, 'unknown_field'],
  ])('refuses an endpoint with %s = %j', async (field, value, code) => {
    const response = await post<Problem>({ ...MINIMAL, [field]: value });
    expect(response.status).toBe(400);
    expect(response.body.errors).toContainEqual(expect.objectContaining({ pointer: `/${field}`, code }));
  });

  it.each([
    [{ key: '', value: 'a' }, '/headers/0/key', 'invalid_characters'],
    [{ key: 'a b', value: 'a' }, '/headers/0/key', 'invalid_characters'],
    [{ key: 'a:b', value: 'a' }, '/headers/0/key', 'invalid_characters'],
    [{ key: 'ä', value: 'a' }, '/headers/0/key', 'invalid_characters'],
    [{ key: 'x'.repeat(257), value: 'a' }, '/headers/0/key', 'too_long'],
    [{ key: 'A', value: 'a\r\nB: c' }, '/headers/0/value', 'invalid_characters'],
    [{ key: 'A', value: '日本' }, '/headers/0/value', 'invalid_characters'],
    [{ key: 'A', value: 'x'.repeat(4097) }, '/headers/0/value', 'too_long'],
    [{ key: 'A' }, '/headers/0/value', 'required'],
    [{ key: 'Content-Length', value: '1' }, '/headers/0/key', 'forbidden_header'],
    [{ key: 'transfer-encoding', value: 'chunked' }, '/headers/0/key', 'forbidden_header'],
    [{ key: 'Host', value: 'a' }, '/headers/0/key', 'forbidden_header'],
    [{ key: 'Proxy-Authorization', value: 'a' }, '/headers/0/key', 'forbidden_header'],
    [{ key: 'A', value: 'b', extra: 1 }, '/headers/0/extra', 'unknown_field'],
  ])('refuses an endpoint with the header %j', async (header, pointer, code) => {
    const response = await post<Problem>({ ...MINIMAL, headers: [header] });
    expect(response.status).toBe(400);
    expect(response.body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
  });

  it('refuses an assertion whose source the endpoint type does not have, with its pointer', async () => {
    const response = await post<Problem>({
      name: 'a',
      type: 'TCP',
      url: 'tcp://a.example:1',
      assertions: [{ source: 'body', comparison: 'contains', target: 'x' }],
    });
    expect(response.status).toBe(400);
    expect(response.body.errors[0]?.pointer).toBe('/assertions/0/source');
  });

  it.each([
    'http://169.254.169.254/',
    'http://[fd00:ec2::254]/',
    'http://metadata.google.internal/',
    'http://0.0.0.0/',
  ])('refuses the target %s with 422 even in the Default organization', async (url) => {
    const response = await post<Problem>({ ...MINIMAL, url });
    expect([response.status, response.body.code]).toEqual([422, 'target_not_allowed']);
    expect(response.body.errors[0]?.pointer).toBe('/url');
  });

  it('allows private addresses as targets in the Default organization and in no other', async () => {
    const own = await startOwnApp({ role: 'api' });
    const add = async ({ write }: Pick<TestApp, 'write'>, url: string) =>
      (await write.post(`/websites/${await newWebsite(write)}/endpoints`, { ...MINIMAL, url })).status;
    try {
      expect(await add(own, 'http://192.168.1.1/')).toBe(201);
      const stranger = await own.organization('Other');
      for (const url of ['http://192.168.1.1/', 'http://127.1/', 'http://2130706433/', 'http://[::ffff:10.0.0.1]/'])
        expect(await add(stranger, url)).toBe(422);
    } finally {
      await own.close();
    }
  });

  it('accepts a partial update of an endpoint, and the whole object', async () => {
    const endpoint = await create();
    const changed = await app.write.put<Endpoint>(`/endpoints/${endpoint.id}`, { interval: 120, enabled: false });
    expect(changed.body).toMatchObject({
      interval: 120,
      enabled: false,
      status: 'paused',
      timeout: 10,
      name: 'Checkout',
    });
    const back = await app.write.put<Endpoint>(`/endpoints/${endpoint.id}`, { ...changed.body, enabled: true });
    expect(back.status).toBe(200);
    expect(back.body).toMatchObject({ interval: 120, enabled: true });
    expect((await app.write.put<Endpoint>(`/endpoints/${endpoint.id}`, { body: 'x' })).body.body).toBe('x');
    expect((await app.write.put<Endpoint>(`/endpoints/${endpoint.id}`, { body: null })).body.body).toBeNull();
  });

  it('ignores the read-only group', async () => {
    const endpoint = await create();
    expect((await app.write.put<Endpoint>(`/endpoints/${endpoint.id}`, { group: 'Mine' })).body.group).toBe('Shop');
  });

  it('validates a changed type against the unchanged url', async () => {
    const endpoint = await create();
    const response = await app.write.put<Problem>(`/endpoints/${endpoint.id}`, { type: 'TCP' });
    expect([response.status, response.body.errors[0]?.pointer]).toEqual([400, '/url']);
  });

  it('shows credentials in headers to write keys and masks to read keys, and keeps them when a mask is sent back', async () => {
    const endpoint = await create({
      ...MINIMAL,
      headers: [
        { key: 'Authorization', value: 'Bearer s3cret' },
        { key: 'Accept', value: 'a/b' },
      ],
    });
    expect(endpoint.headers[0]?.value).toBe('Bearer s3cret');
    const masked = (await app.read.get<Endpoint>(`/endpoints/${endpoint.id}`)).body;
    expect(masked.headers).toEqual([
      { key: 'Authorization', value: '********' },
      { key: 'Accept', value: 'a/b' },
    ]);
    await app.write.put(`/endpoints/${endpoint.id}`, { ...masked, name: 'Renamed' });
    expect((await app.write.get<Endpoint>(`/endpoints/${endpoint.id}`)).body).toMatchObject({
      name: 'Renamed',
      headers: endpoint.headers,
    });
  });

  const SECRETIVE = {
    ...MINIMAL,
    url: 'https://shop.example/search?q=1&token=s3cret-token',
    method: 'POST',
    body: '{"password":"s3cret-body"}',
    headers: ['DD-API-KEY', 'X-Goog-Api-Key', 'Ocp-Apim-Subscription-Key', 'X-Anything', 'Content-Type'].map((key) => ({
      key,
      value: `s3cret-${key}`,
    })),
  };

  it('masks for read keys every header value that is not harmless, the body and the query of the URL', async () => {
    const endpoint = await create(SECRETIVE);
    expect(endpoint).toMatchObject(SECRETIVE);
    const website = (await app.read.get<Endpoint[]>(`/websites/${websiteId}/endpoints`)).body;
    const overview = (await app.read.get<Endpoint[]>('/overview')).body;
    const views = [
      (await app.read.get<Endpoint>(`/endpoints/${endpoint.id}`)).body,
      website.find(({ id }) => id === endpoint.id),
    ];
    const url = 'https://shop.example/search?********';
    for (const view of views) {
      expect(view).toMatchObject({ url, body: '********' });
      expect(view?.headers.map(({ value }) => value)).toEqual([
        ...Array<string>(4).fill('********'),
        's3cret-Content-Type',
      ]);
    }
    expect(overview.find(({ id }) => id === endpoint.id)?.url).toBe(url);
    const full = (await app.write.get<Endpoint[]>('/overview')).body;
    expect(full.find(({ id }) => id === endpoint.id)?.url).toBe(SECRETIVE.url);
  });

  it('keeps URL, body, and header values when their masks are sent back, and refuses masks without a stored value', async () => {
    const endpoint = await create(SECRETIVE);
    const masked = (await app.read.get<Endpoint>(`/endpoints/${endpoint.id}`)).body;
    expect((await app.write.put<Endpoint>(`/endpoints/${endpoint.id}`, { ...masked, name: 'R' })).body).toMatchObject({
      ...SECRETIVE,
      name: 'R',
    });
    const foreign = { url: 'https://evil.example/?********', headers: [{ key: 'X-Other', value: '********' }] };
    const refused = await app.write.put<Problem>(`/endpoints/${endpoint.id}`, foreign);
    expect(refused.body.errors.map(({ pointer }) => pointer).sort()).toEqual(['/headers/0/value', '/url']);
    const created = await app.write.post<Problem>(`/websites/${websiteId}/endpoints`, { ...MINIMAL, body: '********' });
    expect(created.body.errors.map(({ pointer }) => pointer)).toEqual(['/body']);
  });

  it('masks for read keys the compared value of a header that may be a credential, and keeps it when sent back', async () => {
    const compared = (property: string, target: string) => ({
      source: 'header',
      property,
      comparison: 'equals',
      target,
      severity: 'critical',
    });
    const assertions = [
      compared('Content-Type', 'text/html'),
      compared('X-Auth-Token', 's3cret-one'),
      compared('x-auth-token', 's3cret-two'),
      { source: 'header', property: 'X-Auth-Token', comparison: 'exists', target: 'true', severity: 'warning' },
    ];
    const endpoint = await create({ ...MINIMAL, assertions });
    const masked = (await app.read.get<Endpoint>(`/endpoints/${endpoint.id}`)).body;
    expect(masked.assertions).toEqual([
      assertions[0],
      compared('X-Auth-Token', '********'),
      compared('x-auth-token', '********'),
      assertions[3],
    ]);
    const back = await app.write.put<Endpoint>(`/endpoints/${endpoint.id}`, { assertions: masked.assertions });
    expect(back.body.assertions).toEqual(assertions);
    const refused = await app.write.put<Problem>(`/endpoints/${endpoint.id}`, {
      assertions: [compared('X-Another', '********')],
    });
    expect(refused.body.errors.map(({ pointer }) => pointer)).toEqual(['/assertions/0/target']);
    const log = await app.admin.get(`/audit-log?resource_id=${endpoint.id}`);
    expect(log.text).not.toContain('s3cret');
  });

  it('restores the right value of each of two headers with one name', async () => {
    const headers = ['one', 'two'].map((value) => ({ key: 'Cookie', value }));
    const endpoint = await create({ ...MINIMAL, headers });
    const masked = (await app.read.get<Endpoint>(`/endpoints/${endpoint.id}`)).body;
    const { body } = await app.write.put<Endpoint>(`/endpoints/${endpoint.id}`, { headers: masked.headers });
    expect(body.headers).toEqual(headers);
  });

  it('starts no new revision when headers are sent unchanged', async () => {
    const endpoint = await create(SECRETIVE);
    const revision = async (): Promise<number | undefined> => {
      const [row] = await app.app
        .get(Database)
        .query<{ revision: number }>('SELECT revision FROM endpoint WHERE id = $1', [parseId('endpoint', endpoint.id)]);
      return row?.revision;
    };
    await app.write.put(`/endpoints/${endpoint.id}`, endpoint);
    expect(await revision()).toBe(1);
    await app.write.put(`/endpoints/${endpoint.id}`, { headers: [{ key: 'X-Anything', value: 'new' }] });
    expect(await revision()).toBe(2);
  });

  const long = (count: number, each: number) =>
    Array.from({ length: count }, (_, i) => ({ key: `X-${i}`, value: 'v'.repeat(each) }));

  it.each([
    { name: 'header values of more than 16 KiB', sent: { headers: long(5, 4000) }, pointer: '/headers' },
    { name: 'a body of more than 32 KiB', sent: { body: 'b'.repeat(32 * 1024 + 1) }, pointer: '/body' },
    {
      name: 'headers and body of together more than 32 KiB',
      sent: { headers: long(4, 4000), body: 'b'.repeat(17 * 1024) },
      pointer: '/body',
    },
  ])('refuses $name', async ({ sent, pointer }) => {
    const refused = await app.write.post<Problem>(`/websites/${websiteId}/endpoints`, { ...MINIMAL, ...sent });
    expect(refused.body.errors).toEqual([expect.objectContaining({ pointer, code: 'too_long' })]);
    const endpoint = await create();
    expect((await app.write.put<Problem>(`/endpoints/${endpoint.id}`, sent)).status).toBe(400);
  });

  it('allows changes of an endpoint that is larger than allowed, and its settings can only become smaller', async () => {
    const endpoint = await create({ ...MINIMAL, method: 'POST' });
    await app.app
      .get(Database)
      .query('UPDATE endpoint SET body = $2 WHERE id = $1', [parseId('endpoint', endpoint.id), 'b'.repeat(60_000)]);
    const put = async (sent: object): Promise<number> =>
      (await app.write.put(`/endpoints/${endpoint.id}`, sent)).status;
    expect(await put({ name: 'Renamed' })).toBe(200);
    expect(await put({ body: 'b'.repeat(60_001) })).toBe(400);
    expect(await put({ body: 'b'.repeat(50_000) })).toBe(200);
    expect(await put({ headers: long(1, 10) })).toBe(400);
    expect(await put({ body: 'b'.repeat(1000), headers: long(1, 10) })).toBe(200);
  });

  it('lists the endpoints of a website oldest first, in pages, and counts them', async () => {
    const website = (await app.write.post<{ id: string }>('/websites', SHOP)).body.id;
    for (const name of ['one', 'two', 'three'])
      await app.write.post(`/websites/${website}/endpoints`, { ...MINIMAL, name });
    const list = await app.read.get<Endpoint[]>(`/websites/${website}/endpoints`);
    expect(list.body.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
    expect(list.headers['x-total-count']).toBe('3');
    expect((await app.read.get<{ endpoint_count: number }>(`/websites/${website}`)).body.endpoint_count).toBe(3);
    const page = await app.read.get<Endpoint[]>(`/websites/${website}/endpoints?limit=2`);
    const next = await app.read.get<Endpoint[]>(page.headers['link']?.slice('</api/v1'.length).split('>')[0] ?? '');
    expect(next.body.map(({ name }) => name)).toEqual(['three']);
  });

  it('deletes endpoints with their website', async () => {
    const website = (await app.write.post<{ id: string }>('/websites', SHOP)).body.id;
    const endpoint = (await app.write.post<Endpoint>(`/websites/${website}/endpoints`, MINIMAL)).body;
    expect((await app.write.delete(`/websites/${website}`)).status).toBe(204);
    expect((await app.read.get(`/endpoints/${endpoint.id}`)).status).toBe(404);
    expect((await app.read.get(`/websites/${website}/endpoints`)).status).toBe(404);
  });

  it('answers 404 for every request to an endpoint of another organization', async () => {
    const endpoint = await create();
    for (const response of [
      await other.read.get(`/endpoints/${endpoint.id}`),
      await other.write.put(`/endpoints/${endpoint.id}`, { name: 'x' }),
      await other.write.delete(`/endpoints/${endpoint.id}`),
      await other.read.get(`/websites/${websiteId}/endpoints`),
      await other.write.post(`/websites/${websiteId}/endpoints`, MINIMAL),
    ]) {
      expect([response.status, response.body]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    }
    expect((await app.read.get<Endpoint>(`/endpoints/${endpoint.id}`)).body.name).toBe('Checkout');
  });

  it('refuses an interval below the minimum that the operator set', async () => {
    const strict = await startApp({ role: 'api', minIntervalSeconds: 30 });
    try {
      const website = (await strict.write.post<{ id: string }>('/websites', SHOP)).body.id;
      const response = await strict.write.post<Problem>(`/websites/${website}/endpoints`, { ...MINIMAL, interval: 10 });
      expect(response.body.errors).toEqual([expect.objectContaining({ pointer: '/interval', code: 'out_of_range' })]);
    } finally {
      await strict.close();
    }
  });
});
