import type { ConfigurationPlanView } from '../../../src/configuration/plan/plan.dto';
import { startApp, type TestApp, type TestOrganization } from '../../harness/app/app';

const SLACK = 'https://hooks.slack.com/services/T000/B000/XXXX';

/** A document of everything, as a team would write it. */
const shop = (): Record<string, unknown> => ({
  version: 1,
  owner: 'shop-repo',
  secrets: { SLACK_URL: SLACK, TOKEN: 'very-secret' },
  contacts: [{ key: 'chat', name: 'Ops chat', type: 'slack', config: { webhook_url: { $secret: 'SLACK_URL' } } }],
  websites: [
    {
      key: 'shop',
      name: 'Shop',
      url: 'https://shop.example.com',
      tags: ['prod'],
      status_page: { enabled: true },
      endpoints: [
        {
          key: 'front',
          name: 'Front page',
          type: 'HTTPS',
          url: 'https://shop.example.com/',
          interval: 30,
          headers: [{ key: 'Authorization', value: { $secret: 'TOKEN' } }],
          alerts: [{ key: 'chat', contact: 'chat', failure_threshold: 2 }],
        },
        {
          key: 'cart',
          name: 'Cart',
          type: 'HTTPS',
          url: 'https://shop.example.com/cart',
          depends_on: ['shop/front'],
          alerts: [{ key: 'own', type: 'slack', config: { webhook_url: { $secret: 'SLACK_URL' } } }],
        },
      ],
    },
  ],
  status_pages: [
    { key: 'all', title: 'Everything', enabled: true, groups: [{ name: 'Shop', endpoints: ['shop/front'] }] },
  ],
  maintenance_windows: [
    {
      key: 'patch',
      name: 'Patching',
      cron: '0 2 * * SUN',
      timezone: 'Europe/Berlin',
      duration: 7200,
      scope: { endpoints: ['shop/front'], tags: ['prod'] },
    },
  ],
});

describe('applying a configuration document', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());

  const plan = (org: TestOrganization, document: object, query = '') =>
    org.read.post<ConfigurationPlanView>(`/configuration/plan${query}`, document);
  const apply = (org: TestOrganization, document: object, query = '') =>
    org.write.put<ConfigurationPlanView>(`/configuration${query}`, document);

  it('makes what the plan said, and then has nothing to do', async () => {
    const org = await app.organization('apply twice');
    const planned = await plan(org, shop());
    expect([planned.status, planned.body.summary]).toEqual([
      200,
      { create: 8, update: 0, adopt: 0, delete: 0, unchanged: 0 },
    ]);
    const applied = await apply(org, shop());
    expect([applied.status, applied.body.summary]).toEqual([200, planned.body.summary]);
    const again = await plan(org, shop());
    expect(again.body).toEqual({
      summary: { create: 0, update: 0, adopt: 0, delete: 0, unchanged: 8 },
      changes: [],
      notes: [],
    });
    expect((await apply(org, shop())).body).toEqual(again.body);
  });
});
