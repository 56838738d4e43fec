/** @databases both */
import { DataSource } from 'typeorm';
import type { AlertView } from '../../../src/alert/alert.dto';
import { formatId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { collectQueries } from '../../harness/app/query-counter';
import { newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

interface Refusal {
  code: string;
  detail: string;
  quota: object;
  errors: { pointer: string; code: string }[];
}

const ENDPOINT = { name: 'Checkout', url: 'https://shop.example.com/checkout', type: 'HTTPS' };
const WEBSITE = { name: 'Shop', url: 'https://shop.example.com' };
const RULE = { condition: 'degraded', failure_threshold: 2, success_threshold: 4, send_on_resolved: false };
const PAGER = { type: 'pagerduty', config: { routing_key: 'S3CR3T'.padEnd(32, 'x') } };

describe('new endpoints and default contacts', () => {
  let app: TestApp;
  let owner: ServiceOrganization;
  let api: Api;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  beforeEach(async () => {
    owner = await app.organization('Owner');
    api = owner.write;
  });
  afterAll(() => app.close());

  const alertsOf = async (endpointId: string) => (await api.get<AlertView[]>(`/alerts?endpoint_id=${endpointId}`)).body;
  const limit = async (quotas: object) => {
    const id = formatId('organization', owner.orgId);
    expect((await app.operator.put(`/organizations/${id}`, { quotas })).status).toBe(200);
  };
  const namesOf = async (path: string) => (await api.get<{ name: string }[]>(path)).body.map(({ name }) => name);

  it('an endpoint gets no alert while no contact is a default one', async () => {
    await newContact(api);
    expect(await alertsOf(await newEndpoint(api, await newWebsite(api)))).toEqual([]);
  });

  it('an endpoint gets an alert through each default contact, with its defaults', async () => {
    const [slack, pager] = [
      await newContact(api, { default: true, alert_defaults: { ...RULE, after: 600, remind_every: 3600 } }),
      await newContact(api, { default: true, ...PAGER }),
    ];
    await newContact(api);
    const endpointId = await newEndpoint(api, await newWebsite(api));
    const alerts = await alertsOf(endpointId);
    expect(alerts).toMatchObject([
      { contact_id: slack, type: 'slack', enabled: true, ...RULE, after: 600, remind_every: 3600 },
      { contact_id: pager, type: 'pagerduty', condition: 'down', failure_threshold: 3, after: 0, remind_every: null },
    ]);
  });

  it('endpoints that are created with their website also get these alerts', async () => {
    const contact = await newContact(api, { default: true });
    const { body, status } = await api.post<{ endpoints: { id: string }[] }>('/websites', {
      ...WEBSITE,
      endpoints: [ENDPOINT, { ...ENDPOINT, name: 'Search' }],
    });
    expect(status).toBe(201);
    for (const { id } of body.endpoints) expect(await alertsOf(id)).toMatchObject([{ contact_id: contact }]);
    expect((await api.get<{ alert_count: number }>(`/contacts/${contact}`)).body.alert_count).toBe(2);
  });

  it('?alerts=none creates endpoints without them', async () => {
    await newContact(api, { default: true });
    const website = await newWebsite(api);
    const one = await api.post<{ id: string }>(`/websites/${website}/endpoints?alerts=none`, ENDPOINT);
    const whole = await api.post<{ endpoints: { id: string }[] }>('/websites?alerts=none', {
      ...WEBSITE,
      endpoints: [ENDPOINT],
    });
    expect([one.status, whole.status]).toEqual([201, 201]);
    expect((await api.get('/alerts')).body).toEqual([]);
  });

  it('no other value of alerts is accepted', async () => {
    const website = await newWebsite(api);
    for (const value of ['all', '', 'None', 'none&alerts=none']) {
      for (const [path, body] of [
        [`/websites/${website}/endpoints?alerts=${value}`, ENDPOINT],
        [`/websites?alerts=${value}`, WEBSITE],
      ] as const) {
        const response = await api.post<Refusal>(path, body);
        expect([path, response.status, response.body.code, response.body.errors[0]?.pointer]).toEqual([
          path,
          400,
          'invalid_query',
          '?alerts',
        ]);
      }
    }
  });

  it('a default contact of another organization is not used', async () => {
    await newContact(app.write, { default: true });
    expect(await alertsOf(await newEndpoint(api, await newWebsite(api)))).toEqual([]);
  });

  it('a contact that is no longer a default gets no more alerts, and keeps its existing ones', async () => {
    const contact = await newContact(api, { default: true });
    const website = await newWebsite(api);
    const before = await newEndpoint(api, website);
    await api.put(`/contacts/${contact}`, { default: false });
    expect(await alertsOf(await newEndpoint(api, website))).toEqual([]);
    expect(await alertsOf(before)).toHaveLength(1);
  });

  it('each alert has an entry in the audit log, without a secret', async () => {
    const contact = await newContact(api, { default: true, ...PAGER });
    const [alert] = await alertsOf(await newEndpoint(api, await newWebsite(api)));
    const { body, text } = await owner.admin.get<object[]>(`/audit-log?resource=alert&resource_id=${alert?.id}`);
    expect(body).toEqual([
      expect.objectContaining({
        action: 'create',
        changed: [],
        before: null,
        after: expect.objectContaining({ contact_id: contact, type: 'pagerduty', failure_threshold: 3 }),
      }),
    ]);
    expect(text).not.toContain('S3CR3T');
  });

  it('nothing is created if the organization would have too many alerts, and the response explains why', async () => {
    await newContact(api, { default: true });
    const website = await newWebsite(api);
    await limit({ alerts: 1 });
    expect((await api.post(`/websites/${website}/endpoints`, ENDPOINT)).status).toBe(201);
    const refused = await api.post<Refusal>(`/websites/${website}/endpoints`, { ...ENDPOINT, name: 'Search' });
    expect([refused.status, refused.body.code, refused.body.quota]).toEqual([
      409,
      'quota_exceeded',
      { name: 'alerts', limit: 1, used: 1 },
    ]);
    expect(refused.body.detail).toContain('?alerts=none');
    const whole = { ...WEBSITE, name: 'Other', endpoints: [ENDPOINT] };
    expect((await api.post('/websites', whole)).status).toBe(409);
    expect(await namesOf(`/websites/${website}/endpoints`)).toEqual(['Checkout']);
    expect(await namesOf('/websites')).toEqual(['Shop']);
    expect((await api.post(`/websites/${website}/endpoints?alerts=none`, { ...ENDPOINT, name: 'Search' })).status).toBe(
      201,
    );
  });

  it('nothing is created if there are more default contacts than an endpoint may have alerts', async () => {
    for (const _ of [1, 2]) await newContact(api, { default: true });
    await limit({ alerts_per_endpoint: 1 });
    const refused = await api.post<Refusal>(`/websites/${await newWebsite(api)}/endpoints`, ENDPOINT);
    expect([refused.status, refused.body.quota]).toEqual([409, { name: 'alerts_per_endpoint', limit: 1, used: 0 }]);
    expect((await api.get('/alerts')).body).toEqual([]);
  });

  it('without a default contact an endpoint costs one statement more than with ?alerts=none', async () => {
    const website = await newWebsite(api);
    const queries = collectQueries(app.app.get(DataSource));
    const statementsOf = async (query: string): Promise<string[]> => {
      queries.length = 0;
      expect((await api.post(`/websites/${website}/endpoints${query}`, ENDPOINT)).status).toBe(201);
      // A key is marked as used every minute.
      return queries.map(([sql]) => sql).filter((sql) => !sql.includes('api_key'));
    };
    // The statements that both runs have in common, because a job of the service may run a query during one of them.
    const alwaysOf = async (query: string): Promise<string[]> => {
      const [once, again] = [await statementsOf(query), await statementsOf(query)];
      return once.filter((sql) => again.includes(sql));
    };
    await statementsOf('');
    const [more, fewer] = [await alwaysOf(''), await alwaysOf('?alerts=none')];
    expect(more.length - fewer.length).toBe(1);
    expect(more.filter((sql) => sql.includes('FROM contact'))).toHaveLength(1);
  });

  it('alerts are created once with an Idempotency-Key', async () => {
    await newContact(api, { default: true });
    const website = await newWebsite(api);
    const send = async () => {
      const response = await fetch(`${app.url}/api/v1/websites/${website}/endpoints`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${api.key ?? ''}`,
          'content-type': 'application/json',
          'idempotency-key': 'default-alerts',
        },
        body: JSON.stringify(ENDPOINT),
      });
      return [response.status, ((await response.json()) as { id: string }).id] as const;
    };
    const [first, again] = [await send(), await send()];
    expect(again).toEqual(first);
    expect(await alertsOf(first[1])).toHaveLength(1);
  });

  it('no deadlock occurs between creating endpoints and changing the default contact', async () => {
    const website = await newWebsite(api);
    const contacts = [await newContact(api, { default: true }), await newContact(api)];
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        n % 3 === 0
          ? api.put(`/contacts/${contacts[n % 2]}`, { default: n % 4 < 2 })
          : api.post(`/websites/${website}/endpoints`, { ...ENDPOINT, name: `e${n}` }),
      ),
    );
    expect(responses.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
  });
});
