/**
 * @lane slow
 * @databases both
 */
import supertest from 'supertest';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { ConfigurationPlanView } from '../../../src/configuration/plan/plan.dto';
import { formatId } from '../../../src/platform/ids/id';
import { Database } from '../../../src/platform/database/database';
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';

const SLACK = 'https://hooks.slack.com/services/T000/B000/XXXX';

/** A document with everything, as a team would write it. */
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

  const plan = (org: ServiceOrganization, document: object, query = '') =>
    org.write.post<ConfigurationPlanView>(`/configuration/plan${query}`, document);
  const apply = (org: ServiceOrganization, document: object, query = '') =>
    org.write.put<ConfigurationPlanView>(`/configuration${query}`, document);

  /** Returns everything that a document may write, row by row. */
  const stored = async (org: ServiceOrganization) => {
    const tables = ['contact', 'website', 'endpoint', 'alert', 'maintenance_window', 'status_page', 'audit_log'];
    const rows = tables.map((table) =>
      app.app.get(Database).query(`SELECT xmin::text, t.* FROM ${table} t WHERE org_id = $1 ORDER BY id`, [org.orgId]),
    );
    const of = `SELECT xmin::text, t.* FROM endpoint_schedule t WHERE org_id = $1 ORDER BY endpoint_id`;
    return [...(await Promise.all(rows)), await app.app.get(Database).query(of, [org.orgId])];
  };
  const NOTHING = { create: 0, update: 0, adopt: 0, delete: 0 };
  const changesIn = ({ body }: { body: ConfigurationPlanView }) =>
    body.changes.map(({ action, key, fields }) =>
      [action, key, fields.map(({ pointer }) => pointer).join(' ')].join(' ').trim(),
    );

  it('makes the planned changes, and then has nothing to do and writes no row', async () => {
    const org = await app.organization('apply twice');
    const empty = await stored(org);
    const planned = await plan(org, shop());
    expect([planned.status, planned.body.summary]).toEqual([200, { ...NOTHING, create: 8, unchanged: 0 }]);
    expect(await stored(org)).toEqual(empty);

    const applied = await apply(org, shop());
    expect([applied.status, applied.body.summary]).toEqual([200, planned.body.summary]);
    expect(planned.body.changes.map(({ id }) => id)).toEqual(planned.body.changes.map(() => null));
    expect(applied.body.changes.map(({ id }) => id?.slice(0, 3))).toEqual(
      ['ct_', 'ws_', 'ep_', 'ep_', 'al_', 'al_', 'sp_', 'mw_'].slice(0, applied.body.changes.length),
    );
    expect(JSON.stringify([planned.body, applied.body])).not.toMatch(/very-secret|T000/);

    const before = await stored(org);
    const again = await plan(org, shop());
    expect(again.body).toEqual({
      summary: { ...NOTHING, unchanged: planned.body.summary.create },
      changes: [],
      notes: [],
    });
    expect((await apply(org, shop())).body).toEqual(again.body);
    const { secrets: _, ...withoutSecrets } = shop();
    expect((await apply(org, withoutSecrets)).body).toEqual(again.body);
    expect(await stored(org)).toEqual(before);
  });

  it('shows a manual change of another user, and undoes it', async () => {
    const org = await app.organization('drift');
    const made = await apply(org, shop());
    const front = made.body.changes.find(({ key }) => key === 'shop/front')?.id ?? '';
    await org.write.put(`/endpoints/${front}`, {
      interval: 300,
      headers: [{ key: 'Authorization', value: 'other-secret' }],
    });
    const drift = await plan(org, shop());
    expect(drift.body.changes).toEqual([
      {
        action: 'update',
        resource: 'endpoint',
        key: 'shop/front',
        id: front,
        fields: [
          { pointer: '/interval', before: 300, after: 30 },
          { pointer: '/headers', before: [{ key: 'Authorization', value: '********' }], after: '(changed)' },
        ],
      },
    ]);
    await apply(org, shop());
    expect((await org.write.get<object>(`/endpoints/${front}`)).body).toMatchObject({
      interval: 30,
      owner: 'shop-repo',
      headers: [{ value: 'very-secret' }],
    });
  });

  it('is done only as planned: 412 if the state or the document has changed', async () => {
    const org = await app.organization('if match');
    await apply(org, shop());
    const other = { ...shop(), maintenance_windows: [] };
    const changed = JSON.parse(JSON.stringify(shop()).replace('Front page', 'First page')) as object;
    const tag = (await plan(org, changed)).headers['etag'] ?? '';
    const put = (document: object, etag: string) =>
      supertest(app.url)
        .put('/api/v1/configuration')
        .set('Authorization', `Bearer ${org.write.key ?? ''}`)
        .set('If-Match', etag)
        .send(document);
    const website = (await org.read.get<{ id: string }[]>('/websites')).body[0]?.id ?? '';
    await org.write.put(`/websites/${website}`, { tags: ['prod', 'eu'] });
    const before = await stored(org);
    const refused = await put(changed, tag);
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([412, 'precondition_failed']);
    expect(await stored(org)).toEqual(before);
    const fresh = (await plan(org, changed)).headers['etag'] ?? '';
    expect((await put(JSON.parse(JSON.stringify(shop()).replace('Cart', 'Basket')) as object, fresh)).status).toBe(412);
    const done = await put(changed, fresh);
    expect(done.status).toBe(200);
    expect(done.headers['etag']).toBe((await plan(org, changed)).headers['etag']);
    expect((await put(other, '"nothing"')).status).toBe(412);
  });

  it('adopts a resource without a key that looks the same, with its history, and creates no second one', async () => {
    const org = await app.organization('adoption');
    const website = (
      await org.write.post<{ id: string }>('/websites', { name: 'Shop', url: 'https://shop.example.com/' })
    ).body.id;
    const front = { name: 'Front page', type: 'HTTPS', url: 'https://shop.example.com' };
    const id = (await org.write.post<{ id: string }>(`/websites/${website}/endpoints`, front)).body.id;
    const applied = await apply(org, shop());
    expect(changesIn(applied)).toEqual(expect.arrayContaining(['adopt shop /tags /key /status_page /owner']));
    expect(applied.body.changes.find(({ key }) => key === 'shop/front')).toMatchObject({ action: 'adopt', id });
    expect((await org.read.get<object>(`/endpoints/${id}`)).body).toMatchObject({ key: 'front', owner: 'shop-repo' });
    expect((await plan(org, shop())).body.changes).toEqual([]);
  });

  it('keeps fields that are absent, and resets fields that are null', async () => {
    const org = await app.organization('nulls');
    const documentOf = (website: object, endpoint: object, alert: object, contact: object) => ({
      version: 1,
      contacts: [
        { key: 'hook', name: 'Hook', type: 'webhook', config: { url: 'https://sink.example.com/x' }, ...contact },
      ],
      websites: [
        {
          key: 'a',
          name: 'A',
          url: 'https://a.example',
          ...website,
          endpoints: [
            {
              key: 'e',
              name: 'E',
              type: 'HTTPS',
              url: 'https://a.example/x',
              ...endpoint,
              alerts: [{ key: 'x', contact: 'hook', ...alert }],
            },
          ],
        },
      ],
    });
    const website = { tags: ['w'], enabled: false, status_page: { enabled: true, slug: 'resets' } };
    const assertions = [{ source: 'status_code', comparison: 'equals', target: '200' }];
    const request = { method: 'POST', headers: [{ key: 'A', value: 'b' }], body: 'x', follow_redirects: false };
    const endpoint = {
      interval: 30,
      timeout: 5,
      tags: ['t'],
      tls: { server_name: 'x.example' },
      assertions,
      ...request,
    };
    const alert = { failure_threshold: 1, after: 60, remind_every: 600, description: 'd', condition: 'degraded' };
    const contact = { default: true, alert_defaults: { success_threshold: 7 } };
    const nulls = (fields: object) => Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
    const made = await apply(org, documentOf(website, endpoint, alert, contact));
    expect([made.status, made.body.notes]).toMatchObject([
      200,
      [{ key: 'hook', message: expect.stringMatching(/secret is generated/) }],
    ]);

    expect((await plan(org, documentOf({}, {}, {}, {}))).body.changes).toEqual([]);
    const reset = documentOf(nulls(website), nulls(endpoint), nulls(alert), nulls(contact));
    const changed = await apply(org, reset);
    expect(changed.body.changes.map(({ key, fields }) => [key, ...fields.map(({ after }) => after)])).toEqual([
      ['hook', false, {}],
      ['a', true, [], { enabled: false, slug: 'resets' }],
      ['a/e', 'GET', 60, 10, [], null, true, [], { verify: true, ca: null, server_name: null, warn_days: 14 }, []],
      ['a/e/x', 'down', 3, 0, null, ''],
    ]);
    expect((await plan(org, reset)).body.changes).toEqual([]);
  });

  it('a secret without a value keeps the stored value; without a stored value, the error shows the place and its line', async () => {
    const org = await app.organization('secrets');
    const text =
      'version: 1\ncontacts:\n  - key: chat\n    name: Chat\n    type: slack\n    config:\n      webhook_url: {$secret: NOBODY}\n';
    const response = await supertest(app.url)
      .post('/api/v1/configuration/plan')
      .set('Authorization', `Bearer ${org.read.key ?? ''}`)
      .set('Content-Type', 'application/yaml')
      .send(text);
    expect([response.status, response.body]).toMatchObject([
      400,
      { errors: [{ pointer: '/contacts/0/config/webhook_url', line: 7, code: 'missing_secret' }] },
    ]);
  });

  it('a plan does not reveal to a read key whether a hidden value equals the stored one', async () => {
    const org = await app.organization('guessing');
    await apply(org, shop());
    const planOf = async (secrets: object) =>
      (await org.read.post<ConfigurationPlanView>('/configuration/plan', { ...shop(), secrets })).body;
    const right = await planOf({ SLACK_URL: SLACK, TOKEN: 'very-secret' });
    expect(await planOf({ SLACK_URL: SLACK.replace('T000', 'T001'), TOKEN: 'a-guess' })).toEqual(right);
    expect([right.changes, right.notes[0]?.message]).toEqual([[], expect.stringMatching(/not compared/)]);
  });

  it("a secret's address is in no plan, neither the new nor the old one", async () => {
    const org = await app.organization('secret addresses');
    const withUrl = (HOME: string) => ({
      version: 1,
      secrets: { HOME },
      websites: [
        {
          key: 'home',
          name: 'Home',
          url: 'https://home.example.com',
          endpoints: [{ key: 'door', name: 'Door', type: 'HTTPS', url: { $secret: 'HOME' } }],
        },
      ],
    });
    const urlIn = ({ body }: { body: ConfigurationPlanView }) =>
      body.changes
        .flatMap(({ fields }) => fields)
        .filter(({ pointer }) => pointer === '/url')
        .at(-1);
    const first = await apply(org, withUrl('https://home.example.com/first'));
    expect(urlIn(first)).toEqual({ pointer: '/url', before: null, after: '(secret)' });
    const second = await plan(org, withUrl('https://home.example.com/second'));
    expect(urlIn(second)).toEqual({ pointer: '/url', before: '(secret)', after: '(changed)' });
    expect((await plan(org, withUrl('https://home.example.com/first'))).body.changes).toEqual([]);
  });

  it('prune deletes what the owner no longer declares, and keeps what others declared or what has no owner', async () => {
    const org = await app.organization('prune');
    await apply(org, shop());
    const page = (url: string, endpoint: string) => ({
      version: 1,
      websites: [
        {
          key: 'shop',
          name: 'Shop',
          url,
          endpoints: [{ key: endpoint, name: endpoint, type: 'TCP', url: 'db.example.com:5432' }],
        },
      ],
    });
    expect((await apply(org, page('https://shop.example.com', 'by-nobody'))).text).toContain('by-nobody');
    const gone = { version: 1, owner: 'shop-repo' };
    expect((await plan(org, { version: 1 }, '?prune=true')).status).toBe(400);
    const planned = await plan(org, gone, '?prune=true');
    expect(planned.body.notes).toEqual(
      expect.arrayContaining([
        { key: 'shop', message: expect.stringMatching(/^The website is kept: it holds 1 thing/) },
        { key: 'shop', message: expect.stringMatching(/^The history of 2 endpoints will be deleted/) },
      ]),
    );
    const pruned = await apply(org, gone, '?prune=true');
    expect([pruned.status, pruned.body.summary]).toEqual([200, { ...NOTHING, delete: 7, unchanged: 0 }]);
    const left = (await org.read.get<{ key: string }[]>('/endpoints')).body;
    expect(left.map(({ key }) => key)).toEqual(['by-nobody']);
    expect((await org.read.get<object[]>('/contacts')).body).toEqual([]);
    expect((await plan(org, gone, '?prune=true')).body.changes).toEqual([]);
  });

  it('a key that another owner declared is a conflict, and nothing is written', async () => {
    const org = await app.organization('owners');
    await apply(org, shop());
    const before = await stored(org);
    const refused = await apply(org, { ...shop(), owner: 'other-repo' });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        code: 'conflict',
        errors: expect.arrayContaining([
          expect.objectContaining({ pointer: '/websites/0/key', code: 'other_owner', line: 1 }),
        ]),
      },
    ]);
    expect(await stored(org)).toEqual(before);
    const stranger = await app.organization('another organization');
    expect((await plan(stranger, { ...shop(), owner: 'other-repo' })).status).toBe(200);
  });

  it('releases what its document no longer declares, and another owner adopts it with its history', async () => {
    const org = await app.organization('let go');
    await apply(org, shop());
    const idsOf = async () => (await org.read.get<{ id: string }[]>('/endpoints')).body.map(({ id }) => id);
    const before = await idsOf();
    const empty = { version: 1, owner: 'shop-repo' };
    const planned = await plan(org, empty);
    expect([planned.body.summary, planned.body.notes]).toMatchObject([
      { ...NOTHING, update: 8 },
      [{ message: expect.stringContaining('are kept without an owner') }],
    ]);
    expect(changesIn(planned)).toContain('update shop/front /owner');
    expect((await apply(org, empty)).body.summary).toEqual(planned.body.summary);
    expect((await plan(org, empty)).body).toMatchObject({ changes: [], notes: [] });
    const adopted = await apply(org, { ...shop(), owner: 'other-repo' });
    expect([adopted.status, adopted.body.summary]).toMatchObject([200, { create: 0, adopt: 8, delete: 0 }]);
    expect(await idsOf()).toEqual(before);
  });

  it('a plan refuses resources beyond a quota and addresses that are taken, with their lines', async () => {
    const org = await app.organization('room');
    const id = formatId('organization', org.orgId);
    const limited = { quotas: { websites: 1, endpoints: 1, alerts_per_endpoint: 1, status_pages: 2 } };
    expect((await app.operator.put(`/organizations/${id}`, limited)).status).toBe(200);
    const planned = async (text: string) => {
      const { status, body } = await supertest(app.url)
        .post('/api/v1/configuration/plan')
        .set({ Authorization: `Bearer ${org.write.key ?? ''}`, 'Content-Type': 'application/yaml' })
        .send(`version: 1\n${text}`);
      const { code, quota, errors } = body as { code: string; quota?: { name: string }; errors: object[] };
      return [status, code, quota?.name, errors];
    };
    const website = (key: string) => `  - { key: ${key}, name: ${key}, url: https://${key}.example.com }\n`;
    expect(await planned(`websites:\n${website('a')}${website('b')}`)).toMatchObject([
      409,
      'quota_exceeded',
      'websites',
      [{ pointer: '/websites/1', code: 'over_quota', line: 4 }],
    ]);
    const alert = (key: string) => `{ key: ${key}, type: slack, config: { webhook_url: '${SLACK}' } }`;
    const endpoint = `{ key: e, name: E, type: TCP, url: a.example.com:1, alerts: [${alert('x')}, ${alert('y')}] }`;
    expect(await planned(`websites:\n${website('a').replace(' }', `, endpoints: [${endpoint}] }`)}`)).toMatchObject([
      409,
      'quota_exceeded',
      'alerts_per_endpoint',
      [{ pointer: '/websites/0/endpoints/0/alerts/1', line: 3 }],
    ]);
    const page = (slug: string) => ({ title: 'Taken', slug, groups: [] });
    expect((await app.write.post('/status-pages', page('room-is-taken'))).status).toBe(201);
    const pages = (...slugs: string[]) =>
      `status_pages:\n${slugs.map((slug) => `  - { key: ${slug}, title: P, slug: ${slug}, groups: [] }\n`).join('')}`;
    expect(await planned(pages('room-is-free', 'room-is-taken'))).toMatchObject([
      409,
      'conflict',
      undefined,
      [{ pointer: '/status_pages/1/slug', code: 'taken', line: 4 }],
    ]);
    expect((await planned(pages('room-is-free', 'room-is-free-too')))[0]).toBe(200);
  });

  it('a prune shows which endpoints will no longer depend on the deleted ones', async () => {
    const org = await app.organization('dependents');
    const one = (owner: string, key: string, endpoint: object) => ({
      version: 1,
      owner,
      websites: [{ key, name: key, url: `https://${key}.example.com`, endpoints: [endpoint] }],
    });
    const e = { key: 'e', name: 'E', type: 'TCP', url: 'db.example.com:5432' };
    await apply(org, one('a', 'h', e));
    await apply(org, one('b', 'k', { ...e, depends_on: ['h/e'] }));
    const { notes } = (await plan(org, { version: 1, owner: 'a' }, '?prune=true')).body;
    expect(notes).toContainEqual({ key: 'h/e', message: expect.stringContaining('k/e (declared by b)') });
  });

  it('an admin takes over what another owner declared, with its history; other roles may not', async () => {
    const org = await app.organization('handover');
    await apply(org, shop());
    const idsOf = async () => (await org.read.get<{ id: string }[]>('/endpoints')).body.map(({ id }) => id);
    const before = await idsOf();
    const other = { ...shop(), owner: 'other-repo' };
    const refused = await apply(org, other);
    expect(refused.text).toContain('?take_over=true');
    expect(await apply(org, other, '?take_over=true')).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
    const taken = await org.admin.put<ConfigurationPlanView>('/configuration?take_over=true', other);
    expect([taken.status, taken.body.summary]).toMatchObject([200, { create: 0, adopt: 8, delete: 0 }]);
    expect(await idsOf()).toEqual(before);
    expect((await plan(org, other)).body.summary).toMatchObject({ adopt: 0, unchanged: 8 });
    expect((await plan(org, { version: 1, owner: 'shop-repo' }, '?prune=true')).body.summary).toMatchObject({
      delete: 0,
    });
  });

  it('a number that is hidden from a read key is not compared, like a text', async () => {
    const org = await app.organization('numbers');
    const contact = (chat_id: unknown) => ({
      version: 1,
      contacts: [
        {
          key: 'tg',
          name: 'T',
          type: 'telegram',
          config: { bot_token: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11', chat_id },
        },
      ],
    });
    expect((await apply(org, contact(-1001234567890))).status).toBe(200);
    const planned = async (chat_id: unknown) =>
      (await org.read.post<ConfigurationPlanView>('/configuration/plan', contact(chat_id))).body.summary;
    expect(await planned(-1001234567890)).toEqual(await planned(-1009999999999));
    expect(await planned('-1009999999999')).toEqual(await planned(-1009999999999));
  });

  it('a changed website address is refused at its position, and an invalid apply changes nothing at all', async () => {
    const org = await app.organization('immutable');
    await apply(org, shop());
    const before = await stored(org);
    const moved = JSON.parse(
      JSON.stringify(shop()).replace('"https://shop.example.com"', '"https://moved.example.com"'),
    ) as object;
    const refused = await apply(org, moved);
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { errors: [{ pointer: '/websites/0/url', code: 'immutable' }] },
    ]);
    expect(await stored(org)).toEqual(before);
  });

  it('of simultaneous applies of one organization, one is done and the others must retry', async () => {
    const org = await app.organization('two at once');
    const other = await app.organization('meanwhile');
    const small = { version: 1, websites: [{ key: 'a', name: 'A', url: 'https://a.example.com' }] };
    const [others, ...own] = await Promise.all([
      apply(other, small),
      ...Array.from({ length: 4 }, () => apply(org, small)),
    ]);
    expect(others.status).toBe(200);
    expect(new Set(own.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(own.find(({ status }) => status === 429)?.headers['retry-after']).toBe('2');
    expect((await apply(org, small)).body.summary).toMatchObject({ create: 0, update: 0, unchanged: 1 });
  });

  /**
   * Returns the statements of the transaction that applies the document. Other work of the shared service does not
   * count.
   */
  const statementsOf = async (org: ServiceOrganization, document: object): Promise<string[]> => {
    const query = jest.spyOn(PostgresQueryRunner.prototype, 'query');
    try {
      const { status, text } = await apply(org, document);
      expect([status, text]).toEqual([200, text]);
      const turn = query.mock.calls.findIndex(
        ([, parameters]) => Array.isArray(parameters) && parameters[0] === `configuration of ${org.orgId}`,
      );
      const runner = query.mock.contexts[turn];
      return query.mock.calls.flatMap(([sql], at) => (query.mock.contexts[at] === runner ? [sql] : []));
    } finally {
      query.mockRestore();
    }
  };

  it('changes two hundred endpoints and alerts in as many statements as two', async () => {
    const statements = async (name: string, count: number): Promise<number> => {
      const org = await app.organization(name);
      const declared = (interval: number, threshold: number) => ({
        version: 1,
        owner: 'many',
        websites: [
          {
            key: 'a',
            name: 'A',
            url: 'https://a.example.com',
            endpoints: Array.from({ length: count }, (_, i) => ({
              key: `e${i}`,
              name: `E ${i}`,
              type: 'HTTPS',
              url: `https://a.example.com/${i}`,
              interval,
              enabled: i % 2 === 0 || interval === 60,
              depends_on: i === 0 || interval === 60 ? [] : ['a/e0'],
              alerts: [
                {
                  key: 'hook',
                  type: 'slack',
                  config: { webhook_url: `${SLACK}${threshold}` },
                  failure_threshold: threshold,
                },
              ],
            })),
          },
        ],
      });
      expect((await apply(org, declared(60, 2))).status).toBe(200);
      const { length } = await statementsOf(org, declared(120, 3));
      const { body: again } = await plan(org, declared(120, 3));
      expect(again.summary).toMatchObject({ update: 0, unchanged: 2 * count + 1 });
      const log = await org.admin.get<{ action: string }[]>('/audit-log?limit=500&resource=alert');
      expect(log.body.filter(({ action }) => action === 'update')).toHaveLength(count);
      return length;
    };
    expect(await statements('many endpoints', 200)).toBe(await statements('few endpoints', 2));
  });

  it('creates and changes forty contacts, websites, pages, and windows in as many statements as two', async () => {
    const statements = async (name: string, count: number): Promise<number[]> => {
      const org = await app.organization(name);
      const slug = name.replace(' ', '-');
      const each = <T>(one: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => one(i));
      const declared = (turn: string, isPublic: boolean) => ({
        version: 1,
        owner: 'many',
        contacts: each((i) => ({
          key: `c${i}`,
          name: `C ${i} ${turn}`,
          type: 'slack',
          config: { webhook_url: SLACK },
        })),
        websites: each((i) => ({
          key: `w${i}`,
          name: `W ${i} ${turn}`,
          url: 'https://a.example.com',
          status_page: { enabled: isPublic, slug: `${slug}-w${i}-${turn}` },
        })),
        status_pages: each((i) => ({
          key: `p${i}`,
          title: `P ${turn}`,
          slug: `${slug}-p${i}-${turn}`,
          enabled: isPublic,
          groups: [{ name: 'All', websites: [`w${i}`] }],
        })),
        maintenance_windows: each((i) => ({
          key: `m${i}`,
          name: `M ${i} ${turn}`,
          cron: '0 2 * * SUN',
          timezone: 'UTC',
          duration: isPublic ? 3600 : 7200,
          scope: { websites: [`w${i}`] },
        })),
      });
      const made = await statementsOf(org, declared('one', false));
      const changed = await statementsOf(org, declared('two', true));
      expect((await plan(org, declared('two', true))).body.summary).toMatchObject({ ...NOTHING, unchanged: 4 * count });
      const log = await org.admin.get<{ action: string; resource: string }[]>(
        '/audit-log?limit=500&resource=public_page',
      );
      expect(log.body.map(({ action }) => action).sort()).toEqual([...each(() => 'create'), ...each(() => 'update')]);
      return [made.length, changed.length];
    };
    expect(await statements('many others', 40)).toEqual(await statements('few others', 2));
  });
});
