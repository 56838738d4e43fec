/**
 * @lane slow
 * @databases both
 */
import { DataSource } from 'typeorm';
import type { AlertView } from '../../../src/alert/alert.dto';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { collectQueries, OF_PRESENCE } from '../../harness/app/query-counter';
import { newAlert, newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

interface Refusal {
  code: string;
  quota: object;
  errors: { pointer: string; code: string }[];
}

interface Added {
  created: number;
  existing: number;
}

/** The number of endpoints in the measured organization. */
const MANY = 10_000;

describe('POST /contacts/:id/alerts', () => {
  let app: TestApp;
  let owner: ServiceOrganization;
  let api: Api;
  let contactId: string;
  let shop: string;
  let blog: string;
  let endpoints: Record<'cart' | 'search' | 'feed', string>;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
  });
  beforeEach(async () => {
    owner = await app.organization('Owner');
    api = owner.write;
    contactId = await newContact(api);
    shop = await newWebsite(api, 'Shop');
    blog = (
      await api.post<{ id: string }>('/websites', { name: 'Blog', url: 'https://blog.example.com', tags: ['public'] })
    ).body.id;
    endpoints = {
      cart: await newEndpoint(api, shop, { name: 'Cart', tags: ['critical'] }),
      search: await newEndpoint(api, shop, { name: 'Search', tags: ['public'] }),
      feed: await newEndpoint(api, blog, { name: 'Feed' }),
    };
  });
  afterAll(() => app.close());

  const add = (body: object, id = contactId) => api.post<Added & Refusal>(`/contacts/${id}/alerts`, body);
  const alerts = async (query = '') => (await api.get<AlertView[]>(`/alerts${query}`)).body;
  /** Returns the names of the endpoints that have an alert through the contact. */
  const reached = async () => {
    const ids = (await alerts(`?contact_id=${contactId}`)).map(({ endpoint_id }) => endpoint_id);
    return Object.entries(endpoints)
      .filter(([, id]) => ids.includes(id))
      .map(([name]) => name);
  };
  const limit = (quotas: object) =>
    app.operator.put(`/organizations/${formatId('organization', owner.orgId)}`, { quotas });

  it('creates an alert for every endpoint, and nothing when the request is repeated', async () => {
    const first = await add({ scope: { all: true } });
    expect([first.status, first.body]).toEqual([200, { created: 3, existing: 0 }]);
    expect(await reached()).toEqual(['cart', 'search', 'feed']);
    expect((await add({ scope: { all: true } })).body).toEqual({ created: 0, existing: 3 });
    expect(await alerts()).toHaveLength(3);
  });

  it.each<[string, () => object, string[]]>([
    ['a website', () => ({ website_ids: [shop] }), ['cart', 'search']],
    ['an endpoint', () => ({ endpoint_ids: [endpoints.feed] }), ['feed']],
    ['a tag of an endpoint', () => ({ tags: ['critical'] }), ['cart']],
    ['a tag of endpoints and websites, in capitals', () => ({ tags: ['PUBLIC'] }), ['search', 'feed']],
    [
      'everything that any of the lists names',
      () => ({ website_ids: [blog], endpoint_ids: [endpoints.feed], tags: ['critical'] }),
      ['cart', 'feed'],
    ],
    ['no endpoint with an unused tag', () => ({ tags: ['nowhere'] }), []],
  ])('reaches %s', async (_, scope, names) => {
    expect((await add({ scope: scope() })).body).toEqual({ created: names.length, existing: 0 });
    expect(await reached()).toEqual(names);
  });

  it('creates the missing alerts: for a new endpoint, and for one whose alert was deleted', async () => {
    await add({ scope: { website_ids: [shop] } });
    const [alert] = await alerts();
    await api.delete(`/alerts/${alert?.id}`);
    expect((await add({ scope: { all: true } })).body).toEqual({ created: 2, existing: 1 });
  });

  it('counts an endpoint with several alerts of the contact once, and ignores alerts with another contact or without one', async () => {
    for (const after of [0, 600])
      await api.post('/alerts', { endpoint_id: endpoints.cart, contact_id: contactId, after });
    await api.post('/alerts', { endpoint_id: endpoints.search, contact_id: await newContact(api) });
    await newAlert(api, endpoints.feed);
    expect((await add({ scope: { all: true } })).body).toEqual({ created: 2, existing: 1 });
  });

  it('uses the defaults of the contact for fields that the body omits', async () => {
    const alert_defaults = { failure_threshold: 7, condition: 'degraded', remind_every: 3600, send_on_resolved: false };
    contactId = await newContact(api, { alert_defaults });
    await add({ scope: { endpoint_ids: [endpoints.cart] }, failure_threshold: 1, remind_every: null, after: 60 });
    expect(await alerts(`?contact_id=${contactId}`)).toEqual([
      expect.objectContaining({
        endpoint_id: endpoints.cart,
        type: 'slack',
        failure_threshold: 1,
        success_threshold: 2,
        condition: 'degraded',
        remind_every: null,
        send_on_resolved: false,
        after: 60,
        enabled: true,
        description: '',
        triggered: false,
        last_delivery: null,
      }),
    ]);
  });

  it('repeats the type and the destination of the contact in the rows', async () => {
    await add({ scope: { all: true } });
    const rows = await app.app.get(DataSource).query<object[]>(
      `SELECT DISTINCT a.type = c.type AND a.destination = c.destination AND a.config IS NULL AS same
         FROM alert a JOIN contact c ON c.id = a.contact_id WHERE c.id = $1`,
      [parseId('contact', contactId)],
    );
    expect(rows).toEqual([{ same: true }]);
  });

  it('writes one entry for all of them, at the contact, and none if nothing was created', async () => {
    await add({ scope: { tags: ['public'] }, failure_threshold: 5 });
    await add({ scope: { tags: ['public'] } });
    const { body } = await owner.admin.get<{ action: string }[]>(
      `/audit-log?resource=contact&resource_id=${contactId}`,
    );
    expect(body).toEqual([
      expect.objectContaining({
        action: 'update',
        changed: ['alerts'],
        after: { alerts: { created: 2, existing: 0, failure_threshold: 5, scope: { tags: ['public'] } } },
      }),
      expect.objectContaining({ action: 'create' }),
    ]);
    expect((await owner.admin.get('/audit-log?resource=alert')).body).toEqual([]);
  });

  describe('refused', () => {
    it.each<[string, object, string, string]>([
      ['no scope', {}, '/scope', 'required'],
      ['an empty scope', { scope: {} }, '/scope', 'required'],
      ['empty lists', { scope: { tags: [], endpoint_ids: [] } }, '/scope', 'required'],
      ['all together with a list', { scope: { all: true, tags: ['a'] } }, '/scope/all', 'invalid_format'],
      ['all: false', { scope: { all: false } }, '/scope/all', 'invalid_format'],
      ['a scope that is a list', { scope: [] }, '/scope', 'wrong_type'],
      [
        'an id of another kind',
        { scope: { website_ids: ['ep_00000000000000000000000000'] } },
        '/scope/website_ids',
        'invalid_format',
      ],
      [
        'a threshold that is out of range',
        { scope: { all: true }, failure_threshold: 0 },
        '/failure_threshold',
        'out_of_range',
      ],
      ['an unknown field', { scope: { all: true }, contact_id: 'x' }, '/contact_id', 'unknown_field'],
    ])('%s', async (_, body, pointer, code) => {
      const response = await add(body);
      expect(response.status).toBe(400);
      expect(response.body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
    });

    it('names all unknown ids of the scope, including another organization’s, and creates nothing', async () => {
      const foreign = await newWebsite(app.write);
      const unknown = formatId('endpoint', newUuid());
      const scope = { website_ids: [shop, foreign], endpoint_ids: [unknown, endpoints.feed] };
      const response = await add({ scope });
      expect([response.status, response.body.code]).toEqual([404, 'not_found']);
      expect(response.body.errors).toEqual([
        expect.objectContaining({ pointer: '/scope/website_ids/1', code: 'not_found' }),
        expect.objectContaining({ pointer: '/scope/endpoint_ids/0', code: 'not_found' }),
      ]);
      expect(await alerts()).toEqual([]);
    });

    it('a contact that is unknown or another organization’s is not found', async () => {
      for (const id of [formatId('contact', newUuid()), await newContact(app.write), 'ct_nonsense'])
        expect((await add({ scope: { all: true } }, id)).status).toBe(404);
    });

    it('read keys may not create alerts', async () => {
      expect((await owner.read.post(`/contacts/${contactId}/alerts`, { scope: { all: true } })).status).toBe(403);
    });

    it('nothing is created if the organization would have too many alerts', async () => {
      await limit({ alerts: 2 });
      const response = await add({ scope: { all: true } });
      expect([response.status, response.body.quota]).toEqual([409, { name: 'alerts', limit: 2, used: 0 }]);
      expect(await alerts()).toEqual([]);
      expect((await add({ scope: { website_ids: [shop] } })).body).toEqual({ created: 2, existing: 0 });
    });

    it('nothing is created for any endpoint if one endpoint would have too many alerts', async () => {
      await newAlert(api, endpoints.cart);
      await limit({ alerts_per_endpoint: 1 });
      const response = await add({ scope: { all: true } });
      expect([response.status, response.body.quota]).toEqual([409, { name: 'alerts_per_endpoint', limit: 1, used: 1 }]);
      expect(await alerts()).toHaveLength(1);
      expect((await add({ scope: { endpoint_ids: [endpoints.feed] } })).status).toBe(200);
    });
  });

  it('simultaneous requests create the alerts once', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => add({ scope: { all: true } })));
    const bodies = responses.map(({ body }) => body).toSorted((a, b) => b.created - a.created);
    expect(bodies).toEqual([
      { created: 3, existing: 0 },
      ...Array.from({ length: 7 }, () => ({ created: 0, existing: 3 })),
    ]);
    expect(await alerts()).toHaveLength(3);
  });

  it(`creates the alerts of ${MANY} endpoints in a few seconds, with as many statements as for one`, async () => {
    const source = app.app.get(DataSource);
    const queries = collectQueries(source);
    // A key is read again after a second and marked as used every minute. The bytes that changes add are read and
    // written every five seconds.
    const isOfRequest = (sql: string) => !/api_key|organization_change/.test(sql) && !OF_PRESENCE.test(sql);
    const statements = () => queries.splice(0).filter(([sql]) => isOfRequest(sql)).length;
    await add({ scope: { website_ids: [blog] } });
    const few = statements();
    await limit({ alerts: 3 * MANY, endpoints: 3 * MANY });
    await source.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT gen_random_uuid(), w.org_id, w.id, 'n' || n, 'http://many.example/' || n, 'HTTP'
         FROM website w, generate_series(1, ${MANY}) AS n WHERE w.id = $1`,
      [parseId('website', shop)],
    );
    statements();
    const began = performance.now();
    const { status, body } = await add({ scope: { website_ids: [shop] } });
    const tookMs = performance.now() - began;
    const many = statements();
    expect([status, body]).toEqual([200, { created: MANY + 2, existing: 0 }]);
    // A job of the service may run a query at the same time.
    expect(many - few).toBeLessThanOrEqual(1);
    const againAt = performance.now();
    expect((await add({ scope: { website_ids: [shop] } })).body).toEqual({ created: 0, existing: MANY + 2 });
    // Printed only for information, because the time depends on the machine.
    if (process.env['TEST_LOG'] !== undefined)
      process.stdout.write(
        `${MANY} alerts: ${Math.round(tookMs)} ms, again ${Math.round(performance.now() - againAt)} ms, ${many} statements\n`,
      );
  });
});
