/** @databases both */
import { Database } from '../../../src/platform/database/database';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { eventually } from '../../../packages/testing/eventually';
import { SwitchableServer } from '../../harness/servers/switchable-server';

interface Endpoint {
  id: string;
  name: string;
  website_id: string;
  status: string;
  last_checked_at: string | null;
}

interface Made {
  id: string;
  endpoint_count: number;
  endpoints?: Endpoint[];
  code: string;
  errors: { pointer: string; code: string; message: string }[];
  quota: object;
}

const SITE = { name: 'Shop', url: 'https://shop.example' };
const page = (path: string, more: object = {}) => ({
  name: path,
  type: 'HTTPS',
  url: `https://shop.example/${path}`,
  ...more,
});

describe('a website that is created with its endpoints', () => {
  let app: TestApp;
  let target: SwitchableServer;
  let counter = 0;
  beforeAll(async () => {
    target = await SwitchableServer.start();
    app = await startApp();
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });

  const website = (endpoints?: unknown, by: Api = app.write) => by.post<Made>('/websites', { ...SITE, endpoints });
  const fresh = (): Promise<ServiceOrganization> => app.organization(`Fresh ${++counter}`);
  const count = async ({ read }: ServiceOrganization): Promise<number> =>
    (await read.get<object[]>('/websites')).body.length;
  const pointersOf = ({ errors }: Made): string[] => errors.map(({ pointer }) => pointer).sort();

  it('has all of them in the response, in the order in which they were sent', async () => {
    const { status, headers, body } = await website([page('a'), page('b', { interval: 30 }), page('c')]);
    expect([status, headers['location']]).toEqual([201, `/api/v1/websites/${body.id}`]);
    expect(body).toMatchObject({ name: 'Shop', url: 'https://shop.example/', endpoint_count: 3 });
    expect(body.endpoints?.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    for (const endpoint of body.endpoints ?? []) {
      expect(endpoint.website_id).toBe(body.id);
      expect((await app.read.get(`/endpoints/${endpoint.id}`)).body).toMatchObject({ name: endpoint.name });
    }
    expect((await app.read.get(`/websites/${body.id}`)).body).not.toHaveProperty('endpoints');
  });

  it('gets the usual response if no endpoints are sent', async () => {
    expect((await website()).body).not.toHaveProperty('endpoints');
  });

  it('has its endpoints checked at once', async () => {
    const sent = { name: 'Front', type: 'HTTP', url: target.url, interval: 3600 };
    const id = (await website([sent])).body.endpoints?.[0]?.id ?? '';
    const isUp = async () => (await app.read.get<Endpoint>(`/endpoints/${id}`)).body.status === 'up';
    expect(await eventually('the first check', isUp)).toBe(true);
  });

  it('pauses its endpoints if it is created disabled', async () => {
    const { body } = await app.write.post<Made>('/websites', { ...SITE, enabled: false, endpoints: [page('a')] });
    expect(body.endpoints?.[0]?.status).toBe('paused');
  });

  it('leaves nothing behind if one endpoint is invalid, and names all errors of all endpoints', async () => {
    const organization = await fresh();
    const { status, body } = await organization.write.post<Made>('/websites', {
      name: 'Shop',
      url: 'ftp://shop.example',
      endpoints: [
        page('fine'),
        { name: 'Port', type: 'TCP', url: '127.0.0.1:99999' },
        page('x', { type: 'GOPHER', website_id: 'ws_00000000000000000000000000' }),
        { name: 'Cloud', type: 'HTTP', url: 'http://169.254.169.254/' },
      ],
    });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(pointersOf(body)).toEqual([
      '/endpoints/1/url',
      '/endpoints/2/type',
      '/endpoints/2/website_id',
      '/endpoints/3/url',
      '/url',
    ]);
    expect(await count(organization)).toBe(0);
  });

  it('leaves nothing behind when the egress policy refuses a target', async () => {
    const organization = await fresh();
    const endpoints = [page('fine'), { name: 'Cloud', type: 'HTTP', url: 'http://169.254.169.254/' }];
    const { status, body } = await website(endpoints, organization.write);
    expect([status, body.code, pointersOf(body)]).toEqual([422, 'target_not_allowed', ['/endpoints/1/url']]);
    expect(await count(organization)).toBe(0);
  });

  it('leaves nothing behind when the organization may not have so many endpoints', async () => {
    const organization = await fresh();
    const { body } = await organization.read.get<{ id: string }>('/organization');
    await app.operator.put(`/organizations/${body.id}`, { quotas: { endpoints: 2 } });
    const refused = await website([page('a'), page('b'), page('c')], organization.write);
    expect([refused.status, refused.body.quota]).toEqual([409, { name: 'endpoints', limit: 2, used: 0 }]);
    expect(await count(organization)).toBe(0);
    expect((await website([page('a'), page('b')], organization.write)).status).toBe(201);
  });

  it.each([
    ['an empty list', [], '/endpoints'],
    ['null', null, '/endpoints'],
    ['an object', {}, '/endpoints'],
    ['a list of texts', ['x'], '/endpoints'],
    ['51 endpoints', Array.from({ length: 51 }, (_, i) => page(`${i}`)), '/endpoints'],
    ['an unknown field', [page('a', { colour: 'red' })], '/endpoints/0/colour'],
  ])('refuses %s as its endpoints', async (_, endpoints, pointer) => {
    const { status, body } = await website(endpoints);
    expect([status, pointersOf(body)]).toEqual([400, [pointer]]);
  });

  it('accepts 50 endpoints', async () => {
    const { status, body } = await website(Array.from({ length: 50 }, (_, i) => page(`${i}`, { interval: 3600 })));
    expect([status, body.endpoint_count, body.endpoints?.length]).toEqual([201, 50, 50]);
  });

  it('has an audit entry for the website and one for each endpoint, all of the same request', async () => {
    const { headers } = await website([page('a'), page('b')]);
    const entries = await app.app
      .get(Database)
      .query<{ entry: string }>(
        `SELECT action || ' ' || resource AS entry FROM audit_log WHERE request_id = $1 ORDER BY id`,
        [headers['x-request-id']],
      );
    expect(entries.map(({ entry }) => entry)).toEqual(['create website', 'create endpoint', 'create endpoint']);
  });
});
