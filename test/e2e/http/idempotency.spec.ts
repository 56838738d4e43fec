/** @databases both */
import { Database } from '../../../src/platform/database/database';
import { IdempotencyRetention } from '../../../src/platform/http/idempotency/idempotency-retention.job';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { OrganizationPurgeJob } from '../../../src/identity/organization/organization-purge.job';
import { fromDashboard } from '../../harness/app/browser-session';
import { newMember } from '../../harness/app/person';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { OPERATOR_TOKEN } from '../../../packages/testing/service/start-service';
import { newAlert, newContact, newEndpoint, newWebsite } from '../../harness/app/resources';
import { newDetectedIncident, newIncident } from '../../harness/app/incidents';
import { routesOf } from '../../harness/app/routes';

interface Sent {
  status: number;
  /** Status, `Location`, and body, which a repeated request must receive again. */
  same: unknown;
  replayed: string | null;
  retryAfter: string | null;
  body: { id: string; code?: string; detail?: string };
}

/** The call of a POST that honors the header. */
interface Use {
  path: () => Promise<string>;
  body?: (path: string) => Promise<object>;
  /** Another body for the same URL. Absent if the route takes no body. */
  other?: (path: string) => Promise<object>;
  /** 201 if it creates something. */
  status?: number;
}

const maintenance = (name: string) => ({
  name,
  scope: { all: true },
  starts_at: new Date().toISOString(),
  ends_at: new Date(Date.now() + 3_600_000).toISOString(),
});
const WEBHOOK = { type: 'webhook', config: { url: 'https://hooks.example/1' } };

describe('Idempotency-Key', () => {
  let app: TestApp;
  let database: Database;
  beforeAll(async () => {
    app = await startApp({ role: 'api', secretsKeys: [`test:${Buffer.alloc(32, 7).toString('base64')}`] });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());

  const post = async (path: string, body: object | undefined, headers: Record<string, string>): Promise<Sent> => {
    const response = await fetch(app.url + path, {
      method: 'POST',
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      same: [response.status, response.headers.get('location'), response.headers.get('content-type'), text],
      replayed: response.headers.get('idempotency-replayed'),
      retryAfter: response.headers.get('retry-after'),
      body: JSON.parse(text) as Sent['body'],
    };
  };
  const by = ({ key }: Api, idempotencyKey: string) => ({
    authorization: `Bearer ${key}`,
    'idempotency-key': idempotencyKey,
  });
  const website = (name: string) => ({ name, url: 'https://shop.example' });
  const create = (idempotencyKey: string, name = 'Shop', api: Api = app.write) =>
    post('/api/v1/websites', website(name), by(api, idempotencyKey));
  const named = async (name: string): Promise<number> =>
    (await database.query('SELECT 1 FROM website WHERE name = $1', [name])).length;
  const kept = (key: string) => database.query('SELECT 1 FROM idempotency_key WHERE key = $1', [key]);
  const codeOf = ({ status, body }: Sent) => [status, body.code];

  const endedDelivery = async (): Promise<string> => {
    const endpointId = await newEndpoint(app.write, await newWebsite(app.write));
    const alertId = parseId('alert', await newAlert(app.write, endpointId, { ...WEBHOOK, enabled: false }));
    const id = newUuid();
    await database.query(
      `INSERT INTO notification (id, org_id, alert_id, kind, incident_no, channel_type, destination, notice, state, next_attempt_at, created_at)
       SELECT $1, org_id, id, 'triggered', 1, type, coalesce(destination, id::text), '{}', 'failed', now(), now() FROM alert WHERE id = $2`,
      [id, alertId],
    );
    return formatId('delivery', id);
  };

  const threeBad = async () => {
    const website = await newWebsite(app.write);
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push(await newEndpoint(app.write, website, { name }));
    return ids.map((endpoint) => ({ endpoint }));
  };
  const memberOf = async (path: string, index: number): Promise<string> => {
    const members = await app.read.get<{ endpoint_id: string }[]>(
      path.replace(/^\/api\/v1|\/split$/g, '') + '/endpoints',
    );
    return members.body[index]?.endpoint_id ?? '';
  };

  /** A new POST route fails until it is listed here: it either honors the header or gives the reason why it refuses. */
  const honouring: Readonly<Record<string, Use>> = {
    'POST /api/v1/websites': {
      path: () => Promise.resolve('/api/v1/websites'),
      body: () =>
        Promise.resolve({ ...website('Twice'), endpoints: [{ name: 'a', type: 'HTTP', url: 'http://a.example' }] }),
      other: () => Promise.resolve(website('Other')),
    },
    'POST /api/v1/websites/:websiteId/endpoints': {
      path: async () => `/api/v1/websites/${await newWebsite(app.write)}/endpoints`,
      body: () =>
        Promise.resolve({
          name: 'a',
          type: 'HTTP',
          url: 'http://a.example',
          headers: [{ key: 'X-Key', value: 's3cret' }],
        }),
      other: () => Promise.resolve({ name: 'b', type: 'HTTP', url: 'http://a.example' }),
    },
    'POST /api/v1/alerts': {
      path: () => Promise.resolve('/api/v1/alerts'),
      body: async () => ({ endpoint_id: await newEndpoint(app.write, await newWebsite(app.write)), ...WEBHOOK }),
      other: async () => ({ endpoint_id: await newEndpoint(app.write, await newWebsite(app.write)), ...WEBHOOK }),
    },
    'POST /api/v1/contacts': {
      path: () => Promise.resolve('/api/v1/contacts'),
      body: () => Promise.resolve({ name: 'Twice', ...WEBHOOK }),
      other: () => Promise.resolve({ name: 'Other', ...WEBHOOK }),
    },
    'POST /api/v1/contacts/:id/alerts': {
      path: async () => `/api/v1/contacts/${await newContact(app.write)}/alerts`,
      body: async () => ({ scope: { endpoint_ids: [await newEndpoint(app.write, await newWebsite(app.write))] } }),
      other: () => Promise.resolve({ scope: { all: true } }),
      status: 200,
    },
    'POST /api/v1/status-pages': {
      path: () => Promise.resolve('/api/v1/status-pages'),
      body: () => Promise.resolve({ title: 'Twice', groups: [] }),
      other: () => Promise.resolve({ title: 'Other', groups: [] }),
    },
    'POST /api/v1/maintenance-windows': {
      path: () => Promise.resolve('/api/v1/maintenance-windows'),
      body: () => Promise.resolve(maintenance('Twice')),
      other: () => Promise.resolve(maintenance('Other')),
    },
    'POST /api/v1/maintenance-windows/:id/end': {
      path: async () => {
        const { body } = await app.write.post<{ id: string }>('/maintenance-windows', maintenance('Now'));
        return `/api/v1/maintenance-windows/${body.id}/end`;
      },
      status: 200,
    },
    'POST /api/v1/incidents': {
      path: () => Promise.resolve('/api/v1/incidents'),
      body: () => Promise.resolve({ title: 'Twice', scope: { all: true }, text: 'We look.' }),
      other: () => Promise.resolve({ title: 'Other', scope: { all: true } }),
    },
    'POST /api/v1/incidents/:id/updates': {
      path: async () => `/api/v1/incidents/${await newIncident(app.write)}/updates`,
      body: () => Promise.resolve({ text: 'Twice' }),
      other: () => Promise.resolve({ text: 'Other' }),
    },
    'POST /api/v1/incidents/:id/split': {
      path: async () => `/api/v1/incidents/${await newDetectedIncident(database, await threeBad())}/split`,
      body: async (path) => ({ endpoint_ids: [await memberOf(path, 0)] }),
      other: async (path) => ({ endpoint_ids: [await memberOf(path, 1)] }),
    },
    'POST /api/v1/incidents/:id/merge': {
      path: async () => `/api/v1/incidents/${await newDetectedIncident(database, await threeBad())}/merge`,
      body: async () => ({ incident_ids: [await newDetectedIncident(database, await threeBad())] }),
      other: async () => ({ incident_ids: [await newDetectedIncident(database, await threeBad())] }),
      status: 200,
    },
    'POST /api/v1/deliveries/:id/redeliver': {
      path: async () => `/api/v1/deliveries/${await endedDelivery()}/redeliver`,
    },
  };
  const asMember = async () => fromDashboard(app.url, (await newMember(app)).browser.cookie);
  const refusing = [
    'POST /api/v1/organizations',
    'POST /api/v1/api-keys',
    'POST /api/v1/maintenance-windows/preview',
    'POST /api/v1/configuration/convert',
    'POST /api/v1/configuration/plan',
    'POST /api/v1/alerts/test',
    'POST /api/v1/contacts/test',
    'POST /api/v1/contacts/preview',
    'POST /api/v1/contacts/:id/test',
    'POST /api/v1/alerts/:id/test',
    'POST /api/v1/endpoints/:id/checks',
    'POST /api/v1/endpoints/test',
    'POST /api/v1/endpoints/heartbeat/preview',
    'POST /api/v1/endpoints/:id/heartbeat/rotate',
    'POST /api/v1/websites/:id/ping-key/rotate',
    'POST /api/v1/endpoints/sitemap',
    'POST /api/v1/deleted-endpoints/:id/restore',
    'POST /api/v1/people/:id/password-link',
    'POST /api/v1/invitations',
    'POST /api/v1/reports/links',
    'POST /api/v1/probes',
    'POST /api/v1/probes/:id/rotate',
    'POST /api/v1/probe/poll',
    'POST /api/v1/probe/results',
    'POST /api/v1/shared-probes',
    'POST /api/v1/shared-probes/:id/rotate',
    'POST /auth/link',
    'POST /auth/account',
    'POST /auth/join',
    'POST /auth/account/second-factor',
    'POST /auth/account/second-factor/confirm',
    'POST /auth/account/second-factor/recovery-codes',
    'POST /auth/account/second-factor/remove',
    'POST /auth/password',
    'POST /auth/oidc',
    'POST /auth/session',
    'POST /ack/:token',
  ];

  it('is honored or refused by every POST route', () => {
    const posts = routesOf(app.app).filter(({ method }) => method === 'POST');
    expect(posts.map(({ name }) => name).sort()).toEqual([...Object.keys(honouring), ...refusing].sort());
  });

  it.each(Object.keys(honouring))(
    '%s creates one resource for two requests with a key, and answers both alike',
    async (name) => {
      const { path, body, other, status = 201 }: Use = honouring[name] ?? { path: () => Promise.resolve('') };
      const address = await path();
      const sent = await body?.(address);
      const key = by(app.write, `table ${name}`);
      const first = await post(address, sent, key);
      expect([first.status, first.replayed]).toEqual([status, null]);
      const entries = () => database.query('SELECT 1 FROM audit_log');
      const before = (await entries()).length;
      const second = await post(address, sent, key);
      expect([second.same, second.replayed]).toEqual([first.same, 'true']);
      expect((await entries()).length).toBe(before);
      if (other)
        expect(codeOf(await post(address, await other(address), key))).toEqual([422, 'idempotency_key_reused']);
    },
  );

  const keyFor = async (name: string): Promise<string> => {
    if (/\/(organizations|shared-probes)/.test(name)) return OPERATOR_TOKEN;
    if (!name.includes('/probe/')) return app.admin.key ?? '';
    const key = name.endsWith('poll') ? 'poll' : 'results';
    return (await app.admin.post<{ token: string }>('/probes', { key })).body.token;
  };

  it.each(refusing)('%s refuses the header with an explanation, and does nothing', async (name) => {
    const rule = await keyFor(name);
    const path = (name.split(' ')[1] ?? '').replace(':id', 'al_00000000000000000000000000');
    const who = /^POST \/auth\/(join|account\/)/.test(name) ? await asMember() : { authorization: `Bearer ${rule}` };
    const before = await database.query('SELECT 1 FROM audit_log');
    const refused = await post(path, {}, { ...who, 'idempotency-key': 'k' });
    expect(codeOf(refused)).toEqual([400, 'idempotency_key_not_supported']);
    expect(refused.body.detail).toMatch(/^[A-Z][^.]+\. Remove the Idempotency-Key header; nothing was done\.$/);
    expect(await database.query('SELECT 1 FROM audit_log')).toEqual(before);
  });

  it('treats a body with its members in another order as the same', async () => {
    const first = await create('order', 'Order');
    const second = await post(
      '/api/v1/websites',
      { url: 'https://shop.example', name: 'Order' },
      by(app.write, 'order'),
    );
    expect([second.same, await named('Order')]).toEqual([first.same, 1]);
  });

  it('refuses a key that was used with another path', async () => {
    const [one, two] = [await newWebsite(app.write), await newWebsite(app.write)];
    const body = { name: 'a', type: 'HTTP', url: 'http://a.example' };
    const send = (id: string) => post(`/api/v1/websites/${id}/endpoints`, body, by(app.write, 'address'));
    expect((await send(one)).status).toBe(201);
    expect(codeOf(await send(two))).toEqual([422, 'idempotency_key_reused']);
  });

  it('creates one resource for eight simultaneous requests: they receive its response, or an error to retry later', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => create('parallel', 'Parallel')));
    const made = responses.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    for (const other of responses.filter(({ status }) => status !== 201))
      expect([...codeOf(other), other.retryAfter]).toEqual([409, 'idempotency_key_in_use', '1']);
    expect(await named('Parallel')).toBe(1);
    expect((await create('parallel', 'Parallel')).body.id).toBe(made[0]?.body.id);
  });

  it('creates different resources for simultaneous requests with different keys', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, (_, i) => create(`apart ${i}`, 'Apart')));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    expect(await named('Apart')).toBe(12);
  });

  it('stores no refusal: the corrected request may use the key', async () => {
    const wrong = await post('/api/v1/websites', { name: 'Corrected', url: 'nonsense' }, by(app.write, 'corrected'));
    expect(codeOf(wrong)).toEqual([400, 'validation_failed']);
    const right = await create('corrected', 'Corrected');
    expect([right.status, right.replayed, await named('Corrected')]).toEqual([201, null, 1]);
  });

  it('stores nothing of a request that is refused inside its transaction', async () => {
    const { write, orgId } = await app.organization('Limited');
    const id = (await app.operator.get<{ id: string; name: string }[]>('/organizations')).body.find(
      ({ name }) => name === 'Limited',
    )?.id;
    await app.operator.put(`/organizations/${id}`, { quotas: { websites: 1 } });
    expect((await create('first', 'Quota', write)).status).toBe(201);
    expect(codeOf(await create('second', 'Quota', write))).toEqual([409, 'quota_exceeded']);
    expect(await database.query('SELECT key FROM idempotency_key WHERE org_id = $1', [orgId])).toEqual([
      { key: 'first' },
    ]);
    await app.operator.put(`/organizations/${id}`, { quotas: { websites: 2 } });
    expect((await create('second', 'Quota', write)).status).toBe(201);
  });

  it('keeps the keys of organizations apart', async () => {
    const other = await app.organization('Apart');
    const [mine, theirs] = [await create('shared', 'Mine'), await create('shared', 'Theirs', other.write)];
    expect([mine.status, theirs.status, theirs.replayed]).toEqual([201, 201, null]);
  });

  it('repeats the response for another key of the organization with the role, and refuses a key without it', async () => {
    const first = await create('roles', 'Roles');
    expect((await create('roles', 'Roles', app.admin)).same).toEqual(first.same);
    expect(codeOf(await create('roles', 'Roles', app.read))).toEqual([403, 'insufficient_role']);
    expect(codeOf(await create('roles', 'Roles', app.anonymous))).toEqual([401, 'unauthenticated']);
  });

  it.each([
    ['empty', ''],
    ['of 256 characters', 'x'.repeat(256)],
    ['of letters beyond ASCII', 'clé'],
  ])('refuses a key that is %s', async (_, key) => {
    expect(codeOf(await create(key))).toEqual([400, 'invalid_idempotency_key']);
  });

  it('has no effect on GET, PUT and DELETE', async () => {
    const id = await newWebsite(app.write, 'Untouched');
    const send = async (method: string, body?: object): Promise<number> =>
      (
        await fetch(`${app.url}/api/v1/websites/${id}`, {
          method,
          headers: { ...by(app.write, 'x'.repeat(300)), 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
      ).status;
    expect([
      await send('GET'),
      await send('PUT', { name: 'A' }),
      await send('PUT', { name: 'B' }),
      await send('DELETE'),
    ]).toEqual([200, 200, 200, 204]);
    expect(await kept('x'.repeat(300))).toEqual([]);
  });

  it('forgets a key after 24 hours, and another request may use it from then on', async () => {
    await create('expiring', 'Expiring');
    const [{ hours } = { hours: 0 }] = await database.query<{ hours: number }>(
      `SELECT round(extract(epoch FROM expires_at - now()) / 3600)::int AS hours FROM idempotency_key WHERE key = 'expiring'`,
    );
    expect(hours).toBe(24);
    await database.query(`UPDATE idempotency_key SET expires_at = now() - interval '1 second' WHERE key = 'expiring'`);
    const again = await create('expiring', 'Another');
    expect([again.status, again.replayed]).toEqual([201, null]);
    expect((await create('expiring', 'Another')).replayed).toBe('true');
  });

  it('removes expired keys, and the oldest of an organization that has too many', async () => {
    const { write, orgId } = await app.organization('Many keys');
    const keys = async () =>
      (
        await database.query<{ key: string }>('SELECT key FROM idempotency_key WHERE org_id = $1 ORDER BY key', [orgId])
      ).map(({ key }) => key);
    for (const key of ['a', 'b', 'c', 'd']) await create(key, 'Many', write);
    await database.query(`UPDATE idempotency_key SET expires_at = now() WHERE org_id = $1 AND key = 'a'`, [orgId]);
    const retention = app.app.get(IdempotencyRetention);
    await retention.run();
    expect(await keys()).toEqual(['b', 'c', 'd']);
    await retention.forgetOldest(orgId, 2);
    expect(await keys()).toEqual(['c', 'd']);
    await retention.forgetOldest(orgId, 2, 1);
    expect(await keys()).toEqual([]);
  });

  it('stores responses encrypted, with the secrets that are shown once', async () => {
    const endpoint_id = await newEndpoint(app.write, await newWebsite(app.write));
    const send = () => post('/api/v1/alerts', { endpoint_id, ...WEBHOOK }, by(app.write, 'sealed'));
    const first = (await send()).body as unknown as { config: { secret: string } };
    expect(first.config.secret).toMatch(/^whsec_/);
    const [row] = await database.query<{ body: { sealed: string } }>(
      `SELECT body FROM idempotency_key WHERE key = 'sealed'`,
    );
    expect(row?.body.sealed).toMatch(/^v1:test:/);
    expect((await send()).body).toMatchObject({ config: { secret: first.config.secret } });
  });

  it('is deleted with its organization', async () => {
    const { orgId, write } = await app.organization('Going');
    await create('going', 'Going', write);
    await database.query('UPDATE organization SET deleted_at = now() WHERE id = $1', [orgId]);
    await app.app.get(OrganizationPurgeJob).run();
    expect(await kept('going')).toEqual([]);
    expect(await database.query('SELECT 1 FROM organization WHERE id = $1', [orgId])).toEqual([]);
  });
});
