/** @databases both */
import type { ConfigurationPlanView } from '../../../src/configuration/plan/plan.dto';
import type { EndpointView } from '../../../src/endpoint/endpoint.dto';
import type { ProbeView } from '../../../src/probe/probe.dto';
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';

interface Problem {
  code: string;
  errors: { pointer: string; code: string; line: number | null }[];
}

const WITHOUT_TOKEN = 'The probe is created without a token and cannot connect until it has one: rotate its token.';

/** One endpoint at a probe of the document, and one at that probe and the service. */
const document = ({ probes = [{ key: 'fra', name: 'Frankfurt' }], locations = ['fra', 'local'] }: Changes = {}) => ({
  version: 1,
  owner: 'shop-repo',
  probes,
  websites: [
    {
      key: 'shop',
      name: 'Shop',
      url: 'https://shop.example.com/',
      endpoints: [
        { key: 'front', name: 'Front', type: 'HTTPS', url: 'https://shop.example.com/', locations, quorum: 'any' },
      ],
    },
  ],
});
interface Changes {
  probes?: object[];
  locations?: string[];
}

describe('probes in configuration documents', () => {
  let app: TestApp;
  let org: ServiceOrganization;
  let counter = 0;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    org = await app.organization(`Documents ${++counter}`);
  });

  const apply = (body: object, query = '') =>
    org.admin.put<ConfigurationPlanView & Problem>(`/configuration${query}`, body);
  const plan = (body: object, query = '') =>
    org.admin.post<ConfigurationPlanView & Problem>(`/configuration/plan${query}`, body);
  const probes = async (): Promise<ProbeView[]> => (await org.read.get<ProbeView[]>('/probes')).body;
  const endpoints = async (): Promise<EndpointView[]> => (await org.read.get<EndpointView[]>('/endpoints')).body;
  const shown = ({ body }: { body: ConfigurationPlanView }): string[] =>
    body.changes.map(({ action, resource, key }) => `${action} ${resource} ${key}`);
  const codesOf = ({ body }: { body: Problem }): string[][] => body.errors.map(({ pointer, code }) => [pointer, code]);

  it('are created before the endpoints that name them, without a token, and then nothing is left to do', async () => {
    const planned = await plan(document());
    expect(shown(planned)).toEqual(['create probe fra', 'create website shop', 'create endpoint shop/front']);
    expect(planned.body.notes).toContainEqual({ key: 'fra', message: WITHOUT_TOKEN });
    expect((await apply(document())).status).toBe(200);
    expect(await probes()).toMatchObject([
      {
        key: 'fra',
        name: 'Frankfurt',
        region: '',
        enabled: true,
        allow_private: false,
        owner: 'shop-repo',
        status: 'new',
      },
    ]);
    expect(await endpoints()).toMatchObject([{ locations: ['fra', 'local'], quorum: 'any' }]);
    const { body } = await plan(document());
    expect([body.summary, body.notes]).toEqual([{ create: 0, update: 0, adopt: 0, delete: 0, unchanged: 3 }, []]);
    const exported = (await org.read.get<object>('/configuration?owner=shop-repo')).body;
    expect(exported).toMatchObject({ probes: [{ key: 'fra', name: 'Frankfurt' }] });
    expect((await plan(exported)).body.changes).toEqual([]);
  });

  it('are changed by an admin only; a document that does not change them is applied with any key that may write', async () => {
    const byWriter = (body: object) => org.write.put<Problem>('/configuration', body);
    const refused = await byWriter(document());
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_role']);
    expect([await probes(), await endpoints()]).toEqual([[], []]);
    await apply(document());
    expect((await byWriter(document({ locations: ['fra'] }))).status).toBe(200);
    expect(await endpoints()).toMatchObject([{ locations: ['fra'] }]);
    const opened = document({ probes: [{ key: 'fra', allow_private: true }], locations: ['fra'] });
    expect((await byWriter(opened)).status).toBe(403);
    expect((await apply(opened)).body.changes).toMatchObject([
      {
        action: 'update',
        resource: 'probe',
        key: 'fra',
        fields: [{ pointer: '/allow_private', before: false, after: true }],
      },
    ]);
    expect(await probes()).toMatchObject([{ name: 'Frankfurt', allow_private: true }]);
  });

  it('are adopted if the document has an owner, and pruned once no endpoint names them', async () => {
    await org.admin.post('/probes', { key: 'fra', name: 'Frankfurt' });
    expect(shown(await apply(document()))).toContain('adopt probe fra');
    const without = document({ probes: [], locations: ['local'] });
    const named = document({ probes: [] });
    const kept = await plan(named, '?prune=true');
    expect([shown(kept), kept.body.notes.map(({ key, message }) => [key, /is kept/.test(message)])]).toEqual([
      [],
      [['fra', true]],
    ]);
    expect(shown(await apply(without, '?prune=true'))).toEqual(['update endpoint shop/front', 'delete probe fra']);
    expect(await probes()).toEqual([]);
    await apply(document());
    expect(shown(await apply(without))).toEqual(['update endpoint shop/front', 'update probe fra']);
    expect(await probes()).toMatchObject([{ key: 'fra', owner: null }]);
  });

  it.each<[what: string, changes: Changes, errors: string[][]]>([
    ['an unknown location', { locations: ['nobody'] }, [['/websites/0/endpoints/0/locations/0', 'unknown_location']]],
    [
      'a location that the document disables',
      { probes: [{ key: 'fra', enabled: false }] },
      [['/websites/0/endpoints/0/locations/0', 'unknown_location']],
    ],
    ['a reserved key', { probes: [{ key: 'local' }], locations: ['local'] }, [['/probes/0/key', 'reserved']]],
    [
      'a duplicate key and a token',
      { probes: [{ key: 'fra' }, { key: 'fra', token: 'ump_x' }] },
      [
        ['/probes/1/token', 'unknown_field'],
        ['/probes/1/key', 'duplicate_key'],
      ],
    ],
  ])('are refused: %s', async (_, changes, errors) => {
    const refused = await plan(document(changes));
    expect([refused.status, codesOf(refused)]).toEqual([400, errors]);
  });

  it('are limited to the quota of the organization', async () => {
    const many = Array.from({ length: 21 }, (_, i) => ({ key: `p${i}` }));
    const refused = await plan(document({ probes: many, locations: ['p0'] }));
    expect([refused.status, refused.body.code, codesOf(refused)]).toEqual([
      409,
      'quota_exceeded',
      [['/probes/20', 'over_quota']],
    ]);
  });
});
