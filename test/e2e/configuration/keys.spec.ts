import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

const CONFIG = { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' };
const SHOP = 'https://shop.example.com/';

/** The path and the body to create a resource, and the name of its siblings. */
type Kind = [name: string, path: (org: ServiceOrganization) => Promise<string>, body: (endpoint: string) => object];

const KINDS: Kind[] = [
  ['a website', () => Promise.resolve('/websites'), () => ({ name: 'Shop', url: SHOP })],
  [
    'an endpoint',
    async (org) => `/websites/${await newWebsite(org.write)}/endpoints`,
    () => ({ name: 'Front', url: SHOP, type: 'HTTPS' }),
  ],
  [
    'an alert',
    () => Promise.resolve('/alerts'),
    (endpoint) => ({ endpoint_id: endpoint, type: 'slack', config: CONFIG }),
  ],
  ['a contact', () => Promise.resolve('/contacts'), () => ({ name: 'Operations', type: 'slack', config: CONFIG })],
  [
    'a maintenance window',
    () => Promise.resolve('/maintenance-windows'),
    () => ({ name: 'Patches', scope: { all: true }, cron: '0 2 * * SUN', timezone: 'UTC', duration: 3600 }),
  ],
  ['a status page', () => Promise.resolve('/status-pages'), () => ({ title: 'Status', groups: [] })],
];

const ONE: Record<string, string> = { an_endpoint: '/endpoints' };
const itemOf = (name: string, list: string): string => ONE[name.replace(' ', '_')] ?? list;

describe('keys of declared resources', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  it.each(KINDS)('are unique among their siblings, shown, changed, and removed: %s', async (name, pathIn, bodyOf) => {
    const org = await app.organization(`keys of ${name}`);
    const endpoint = await newEndpoint(org.write, await newWebsite(org.write, 'Other'));
    const list = await pathIn(org);
    const body = bodyOf(endpoint);
    const make = (key: unknown) =>
      org.write.post<{ id: string; key: string | null; owner: string | null }>(list, { ...body, key });

    const first = await make('front.door_1-a');
    expect([first.status, first.body.key, first.body.owner]).toEqual([201, 'front.door_1-a', null]);
    const second = await make(undefined);
    expect([second.status, second.body.key]).toEqual([201, null]);

    const taken = await make('front.door_1-a');
    expect([taken.status, taken.body]).toMatchObject([
      409,
      { code: 'conflict', detail: expect.stringMatching(/^The key is already used/) },
    ]);
    const item = `${itemOf(name, list)}/${second.body.id}`;
    expect((await org.write.put(item, { key: 'front.door_1-a' })).status).toBe(409);
    expect((await org.write.put(item, { key: 'back' })).body).toMatchObject({ key: 'back' });
    expect((await org.write.put(item, { owner: 'me' })).body).toMatchObject({ key: 'back', owner: null });
    expect((await org.read.get(item)).body).toMatchObject({ key: 'back', owner: null });
    expect((await org.write.put(item, { key: null })).body).toMatchObject({ key: null });
    const wrong = await org.write.put(item, { key: 'Not a key' });
    expect([wrong.status, wrong.body]).toMatchObject([400, { errors: [{ pointer: '/key', code: 'invalid_format' }] }]);
    const entries = await org.admin.get<{ changed: string[] }[]>(`/audit-log?resource_id=${second.body.id}`);
    expect(entries.body.map(({ changed }) => changed)).toEqual([['key'], ['key'], []]);
  });

  it('are free again when a website is deleted, and free for another organization', async () => {
    const [one, other] = [await app.organization('keys of one'), await app.organization('keys of another')];
    const make = (org: ServiceOrganization) =>
      org.write.post<{ id: string }>('/websites', { name: 'Shop', url: SHOP, key: 'shop' });
    const made = await make(one);
    expect((await make(other)).status).toBe(201);
    expect((await one.write.delete(`/websites/${made.body.id}`)).status).toBe(204);
    expect((await make(one)).status).toBe(201);
  });

  it('are refused if an endpoint moves to a website that has its key', async () => {
    const org = await app.organization('keys of movers');
    const [from, to] = [await newWebsite(org.write, 'From'), await newWebsite(org.write, 'To')];
    const moved = await newEndpoint(org.write, from, { key: 'front' });
    await newEndpoint(org.write, to, { key: 'front' });
    expect((await org.write.put(`/endpoints/${moved}`, { website_id: to })).status).toBe(409);
    expect((await newContact(org.write, { key: 'front' })).slice(0, 3)).toBe('ct_');
  });
});
