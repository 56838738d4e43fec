/** @databases both */
import { OUTCOME_CODE } from '../../../src/endpoint/outcome-code';
import { Database } from '../../../src/platform/database/database';
import { formatId, parseId, type IdKind } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { OPERATOR_TOKEN } from '../../../packages/testing/service/start-service';
import { newMember } from '../../harness/app/person';
import { newAlert, newContact, newEndpoint, newMaintenanceWindow, newWebsite } from '../../harness/app/resources';
import { newIncident } from '../../harness/app/incidents';
import { routesOf } from '../../harness/app/routes';

interface Sent {
  status: number;
  etag: string | null;
  body: { id: string; code?: string; detail?: string; name?: string; title?: string; slug?: string };
}

/** A resource with settings, and events that do not change its settings. */
interface Use {
  /** Creates a resource and returns its URL. */
  make: () => Promise<string>;
  change: object;
  /** Another change, of the name if there is one. */
  other?: object;
  /** SQL with the UUID as $1: results, flags, owner. */
  noSetting?: string;
  by?: string;
  /** Only admins may read it. */
  isForAdmins?: boolean;
}

const SLACK = { type: 'slack', config: { webhook_url: 'https://hooks.slack.com/services/T000/B000/YYYY' } };

const [NO_INCIDENT, NO_UPDATE] = ['inc_00000000000000000000000000', 'iu_00000000000000000000000000'];

describe('ETag and If-Match', () => {
  let app: TestApp;
  let database: Database;
  beforeAll(async () => {
    app = await startApp({ role: 'api', secretsKeys: [`test:${Buffer.alloc(32, 7).toString('base64')}`] });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());

  const send = async (
    method: string,
    path: string,
    { body, ...headers }: { body?: object; [header: string]: string | object | undefined } = {},
    key = app.admin.key ?? '',
  ): Promise<Sent> => {
    const response = await fetch(`${app.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(headers as Record<string, string>),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = (text === '' ? {} : JSON.parse(text)) as Sent['body'];
    return { status: response.status, etag: response.headers.get('etag'), body: parsed };
  };
  const post = async (path: string, body: object, key?: string): Promise<string> => {
    const made = await send('POST', path, { body }, key);
    return made.body.id;
  };
  const codeOf = ({ status, body }: Pick<Sent, 'status' | 'body'>) => [status, body.code];
  const website = () => newWebsite(app.write);
  const endpoint = async () => newEndpoint(app.write, await website());
  const uuidIn = (path: string): string => {
    const [kind, id] = path.split('/').slice(1, 3);
    const resource: Readonly<Record<string, IdKind>> = {
      websites: 'website',
      endpoints: 'endpoint',
      alerts: 'alert',
      contacts: 'contact',
      'maintenance-windows': 'maintenanceWindow',
      incidents: 'incident',
      'status-pages': 'statusPage',
      organizations: 'organization',
      'api-keys': 'apiKey',
      people: 'person',
      probes: 'probe',
      'shared-probes': 'probe',
    };
    const name = resource[kind ?? ''];
    return (name && parseId(name, id)) ?? '';
  };

  let probes = 0;
  /** By the route of their PUT. The routes of DELETE follow. */
  const resources: Readonly<Record<string, Use>> = {
    '/websites/:id': {
      make: async () => `/websites/${await website()}`,
      change: { tags: ['prod'] },
      noSetting: `WITH e AS (UPDATE endpoint_state SET status = 1) UPDATE website SET owner = 'repo', updated_at = now() WHERE id = $1`,
    },
    '/endpoints/:id': {
      make: async () => `/endpoints/${await endpoint()}`,
      change: { headers: [{ key: 'Authorization', value: 'Bearer s3cret' }] },
      noSetting: `WITH s AS (UPDATE endpoint_state SET status = 2, last_checked_at = now(), failing_since = now() WHERE endpoint_id = $1)
        UPDATE endpoint SET owner = 'repo', updated_at = now() WHERE id = $1`,
    },
    '/alerts/:id': {
      make: async () => `/alerts/${await newAlert(app.write, await endpoint())}`,
      change: { failure_threshold: 7 },
      other: { enabled: false },
      noSetting: `UPDATE alert SET incident_no = 4, reminders = 2, owner = 'repo', updated_at = now() WHERE id = $1`,
    },
    '/contacts/:id': {
      make: async () =>
        `/contacts/${await newContact(app.write, { alert_defaults: { after: 60, condition: 'degraded' } })}`,
      change: SLACK,
      noSetting: `UPDATE contact SET owner = 'repo', updated_at = now() WHERE id = $1`,
    },
    '/maintenance-windows/:id': {
      make: async () => `/maintenance-windows/${await newMaintenanceWindow(app.write)}`,
      change: { scope: { tags: ['a'] } },
      noSetting: `WITH o AS (UPDATE maintenance_occurrence SET ends_at = now() WHERE window_id = $1)
        UPDATE maintenance_window SET owner = 'repo', listed_at = now() WHERE id = $1`,
    },
    '/incidents/:id': {
      make: async () => `/incidents/${await newIncident(app.write)}`,
      change: { scope: { tags: ['a'] } },
      other: { title: 'Overwritten' },
      noSetting: `UPDATE incident SET status = 'identified', public_at = now(), updated_at = now() WHERE id = $1`,
    },
    '/status-pages/:id': {
      make: async () =>
        `/status-pages/${await post('/status-pages', { title: 'All', groups: [{ name: 'A', endpoints: [await endpoint()] }] })}`,
      change: { groups: [] },
      other: { title: 'Overwritten' },
      noSetting: `UPDATE status_page SET owner = 'repo', updated_at = now() WHERE id = $1`,
    },
    '/websites/:id/status-page': {
      make: async () => {
        const path = `/websites/${await website()}/status-page`;
        await send('PUT', path, { body: { enabled: false } });
        return path;
      },
      change: { enabled: true },
      other: { enabled: false },
    },
    '/people/:id': {
      make: async () => `/people/${(await newMember(app)).id}`,
      change: { role: 'write' },
      other: { role: 'admin' },
      noSetting: `WITH s AS (UPDATE session SET last_seen_at = now() WHERE person_id = $1) UPDATE person SET name = 'x' WHERE id = $1`,
      isForAdmins: true,
    },
    '/organization': {
      // There is only one, so it starts again.
      make: async () => {
        await send('PUT', '/organization', { body: { requires_second_factor: false } });
        return '/organization';
      },
      change: { requires_second_factor: true },
      other: { requires_second_factor: false },
      isForAdmins: true,
    },
    '/organizations/:id': {
      make: async () => `/organizations/${await post('/organizations', { name: 'Team' }, OPERATOR_TOKEN)}`,
      change: { quotas: { websites: 7 } },
      by: OPERATOR_TOKEN,
    },
    '/probes/:id': {
      make: async () => `/probes/${await post('/probes', { key: `probe-${++probes}` })}`,
      change: { enabled: false },
      noSetting: `UPDATE probe SET online = true, last_seen_at = now(), version = '9', epoch = 7, owner = 'repo', updated_at = now() WHERE id = $1`,
    },
    '/shared-probes/:id': {
      make: async () => `/shared-probes/${await post('/shared-probes', { key: `probe-${++probes}` }, OPERATOR_TOKEN)}`,
      change: { allow_private: true },
      by: OPERATOR_TOKEN,
    },
  };
  const isForOperators = (name: string): boolean => name.endsWith('/second-factor');
  const ofPersons: Readonly<Record<string, string>> = {
    'PUT /auth/account': '/auth/account',
    'DELETE /auth/account': '/auth/account',
    'DELETE /auth/account/identities': '/auth/account/identities',
    'DELETE /auth/sessions': '/auth/sessions',
    'DELETE /auth/sessions/:id': '/auth/sessions/ses_00000000000000000000000000',
  };
  const refusing: Readonly<Record<string, string>> = {
    'PUT /api/v1/endpoints/:id/acknowledgement': '/endpoints/ep_00000000000000000000000000/acknowledgement',
    'DELETE /api/v1/endpoints/:id/acknowledgement': '/endpoints/ep_00000000000000000000000000/acknowledgement',
    'PUT /api/v1/incidents/:id/acknowledgement': `/incidents/${NO_INCIDENT}/acknowledgement`,
    'DELETE /api/v1/incidents/:id/acknowledgement': `/incidents/${NO_INCIDENT}/acknowledgement`,
    'PUT /api/v1/incidents/:id/updates/:updateId': `/incidents/${NO_INCIDENT}/updates/${NO_UPDATE}`,
    'DELETE /api/v1/incidents/:id/updates/:updateId': `/incidents/${NO_INCIDENT}/updates/${NO_UPDATE}`,
    'DELETE /auth/session': '/../../auth/session',
    'PUT /auth/session': '/../../auth/session',
    'DELETE /api/v1/invitations/:id': '/invitations/inv_00000000000000000000000000',
    'DELETE /api/v1/reports/links/:id': '/reports/links/rpl_00000000000000000000000000',
    'DELETE /api/v1/people/:id/password-link': '/people/per_00000000000000000000000000/password-link',
    'DELETE /api/v1/people/:id/identities': '/people/per_00000000000000000000000000/identities',
    'DELETE /api/v1/people/:id/second-factor': '/people/per_00000000000000000000000000/second-factor',
    ...ofPersons,
  };
  const only = Object.keys(resources).filter(
    (name) => name !== '/websites/:id/status-page' && name !== '/organization',
  );

  it('are honored or refused by every PUT and DELETE route', () => {
    const changes = routesOf(app.app).filter(({ method }) => method === 'PUT' || method === 'DELETE');
    const honouring = [
      ...Object.keys(resources).map((name) => `PUT /api/v1${name}`),
      ...only.map((name) => `DELETE /api/v1${name}`),
      'DELETE /api/v1/api-keys/:id',
      // With the tag of a plan: test/e2e/configuration/apply.spec.ts.
      'PUT /api/v1/configuration',
    ];
    expect(changes.map(({ name }) => name).sort()).toEqual([...honouring, ...Object.keys(refusing)].sort());
  });

  describe.each(Object.entries(resources))(
    'of %s',
    (name, { make, change, other = { name: 'Overwritten' }, noSetting, by, isForAdmins = false }) => {
      const get = (path: string, key?: string) => send('GET', path, {}, key ?? by);
      const put = (path: string, tag: string, body: object = change) =>
        send('PUT', path, { body, 'if-match': tag }, by);
      /** Only its own keys read an organization. Its operator has the tag of the last response. */
      const hasGet = by === undefined;
      const tagOf = async (path: string): Promise<string> =>
        (hasGet ? await get(path) : await send('PUT', path, { body: {} }, by)).etag ?? '';

      it('is strong, the same for each role and after a change that changes nothing', async () => {
        const path = await make();
        const tag = await tagOf(path);
        expect(tag).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
        const sentBack = await send('PUT', path, { body: hasGet ? (await get(path)).body : {} }, by);
        expect([sentBack.status, sentBack.etag]).toEqual([200, tag]);
        if (hasGet && !isForAdmins) expect((await get(path, app.read.key ?? '')).etag).toBe(tag);
      });

      it('changes with a setting and with nothing else', async () => {
        const path = await make();
        const before = await tagOf(path);
        if (noSetting) await database.query(noSetting, [uuidIn(path)]);
        expect(await tagOf(path)).toBe(before);
        const changed = await send('PUT', path, { body: change }, by);
        expect([changed.status, changed.etag === before]).toEqual([200, false]);
        expect(await tagOf(path)).toBe(changed.etag);
      });

      it('lets one of two changes at once pass', async () => {
        const path = await make();
        const tag = await tagOf(path);
        const both = await Promise.all([put(path, tag), put(path, tag)]);
        expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 412]);
      });

      it('refuses a stale one, and writes nothing', async () => {
        const path = await make();
        const stale = await tagOf(path);
        const { etag } = await send('PUT', path, { body: change }, by);
        const entries = () => database.query('SELECT 1 FROM audit_log');
        const before = (await entries()).length;
        expect(codeOf(await put(path, stale, other))).toEqual([412, 'precondition_failed']);
        if (only.includes(name))
          expect(codeOf(await send('DELETE', path, { 'if-match': stale }, by))).toEqual([412, 'precondition_failed']);
        expect([(await entries()).length, await tagOf(path)]).toEqual([before, etag]);
      });

      it('passes as one of a list, and as a star', async () => {
        const path = await make();
        const list = await put(path, `"other", W/"x", ${await tagOf(path)}`);
        const star = await put(path, '*');
        expect([list.status, star.status]).toEqual([200, 200]);
        if (!only.includes(name)) return;
        const gone = await send('DELETE', path, { 'if-match': star.etag ?? '' }, by);
        expect(gone.status).toBe(204);
      });
    },
  );

  it('comes with the 201, and again when the response is repeated', async () => {
    const body = {
      name: 'Shop',
      url: 'https://shop.example',
      endpoints: [{ name: 'a', type: 'HTTP', url: 'http://a.example' }],
    };
    const create = () => send('POST', '/websites', { body, 'idempotency-key': 'tag' });
    const [first, second] = [await create(), await create()];
    expect([second.etag, (await send('GET', `/websites/${first.body.id}`)).etag]).toEqual([first.etag, first.etag]);
  });

  it.each([
    ['/contacts', () => Promise.resolve({ name: 'Twice', alert_defaults: { after: 60 }, ...SLACK })],
    [
      '/alerts',
      async () => ({ endpoint_id: await endpoint(), type: 'webhook', config: { url: 'https://hooks.example/1' } }),
    ],
    ['/status-pages', () => Promise.resolve({ title: 'Page', groups: [] })],
    ['/incidents', () => Promise.resolve({ title: 'Slow', scope: { all: true } })],
    [
      '/maintenance-windows',
      () => Promise.resolve({ name: 'W', cron: '0 2 * * SUN', timezone: 'UTC', duration: 3600, scope: { all: true } }),
    ],
  ])('comes with the 201 of %s', async (path, body) => {
    const made = await send('POST', path, { body: await body() });
    expect(made.status).toBe(201);
    expect((await send('GET', `${path}/${made.body.id}`)).etag).toBe(made.etag);
  });

  it('of an endpoint covers its parents and its website', async () => {
    const [parent, child] = [await endpoint(), await endpoint()];
    const path = `/endpoints/${child}`;
    const tags = [(await send('GET', path)).etag];
    for (const body of [{ depends_on: [parent] }, { website_id: await website() }])
      tags.push((await send('PUT', path, { body })).etag);
    expect(new Set(tags).size).toBe(3);
    expect((await send('GET', path)).etag).toBe(tags[2]);
  });

  it('of a website does not cover its endpoints', async () => {
    const id = await website();
    const { etag } = await send('GET', `/websites/${id}`);
    await newEndpoint(app.write, id);
    expect((await send('PUT', `/websites/${id}`, { body: { name: 'New' }, 'if-match': etag ?? '' })).status).toBe(200);
  });

  it('of an organization is the same that its keys read', async () => {
    const { admin, orgId } = await app.organization('Seen');
    const put = await send(
      'PUT',
      `/organizations/${formatId('organization', orgId)}`,
      { body: { name: 'Renamed' } },
      OPERATOR_TOKEN,
    );
    expect(await send('GET', '/organization', {}, admin.key ?? '')).toMatchObject({
      etag: put.etag,
      body: { name: 'Renamed' },
    });
  });

  it('of a key is sent with the key, and is checked when it is deleted', async () => {
    const made = await send('POST', '/api-keys', { body: { name: 'Key', role: 'read' } });
    const path = `/api-keys/${made.body.id}`;
    expect(codeOf(await send('DELETE', path, { 'if-match': '"other"' }))).toEqual([412, 'precondition_failed']);
    expect((await send('DELETE', path, { 'if-match': made.etag ?? '' })).status).toBe(204);
  });

  it('is only checked for the resource in the path, not for the consequences of the change', async () => {
    const websiteId = await website();
    const endpointId = await newEndpoint(app.write, websiteId);
    const contactId = await newContact(app.write);
    await newAlert(app.write, endpointId, { type: undefined, config: undefined, contact_id: contactId });
    const etag = async (path: string) => (await send('GET', path)).etag ?? '';
    const statuses = [
      await send('PUT', `/websites/${websiteId}`, {
        body: { enabled: false },
        'if-match': await etag(`/websites/${websiteId}`),
      }),
      await send('PUT', `/contacts/${contactId}`, { body: SLACK, 'if-match': await etag(`/contacts/${contactId}`) }),
      await send('DELETE', `/contacts/${contactId}?replace_with=${await newContact(app.write)}`, {
        'if-match': await etag(`/contacts/${contactId}`),
      }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 204]);
  });

  it('gives no 304, because the status changes without it', async () => {
    const path = `/endpoints/${await endpoint()}`;
    const { etag } = await send('GET', path);
    await database.query('UPDATE endpoint_state SET status = $2 WHERE endpoint_id = $1', [
      uuidIn(path),
      OUTCOME_CODE.down,
    ]);
    const again = await send('GET', path, { 'if-none-match': etag ?? '' });
    expect(again).toMatchObject({ status: 200, etag, body: { status: 'down' } });
  });

  it('prevents a change that an If-None-Match excludes: with a star, or with the tag as a proxy weakened it', async () => {
    const path = `/websites/${await website()}`;
    const { etag } = await send('GET', path);
    const change = (header: string) => send('PUT', path, { body: { name: 'New' }, 'if-none-match': header });
    const codes = [codeOf(await change('*')), codeOf(await change(`"other", W/${etag}`))];
    expect(codes).toEqual([
      [412, 'precondition_failed'],
      [412, 'precondition_failed'],
    ]);
    expect((await send('GET', path)).body.name).toBe('Shop');
    expect((await change('"other"')).status).toBe(200);
  });

  it.each(['abc', '"abc', 'W/"a" "b"', ','])('refuses an If-Match that contains %s', async (header) => {
    const path = `/websites/${await website()}`;
    expect(codeOf(await send('PUT', path, { body: { name: 'New' }, 'if-match': header }))).toEqual([
      400,
      'invalid_if_match',
    ]);
    expect((await send('GET', path)).body.name).toBe('Shop');
  });

  it('never matches a weak tag, and the error explains what made it weak', async () => {
    const path = `/websites/${await website()}`;
    const { etag } = await send('GET', path);
    const refused = await send('PUT', path, { body: { name: 'New' }, 'if-match': `W/${etag}` });
    expect([...codeOf(refused), refused.body.detail]).toEqual([
      412,
      'precondition_failed',
      expect.stringContaining('a proxy'),
    ]);
  });

  it("is not checked for resources that do not exist or are another organization's", async () => {
    const other: Api = (await app.organization('Other')).write;
    const path = `/websites/${await website()}`;
    expect(codeOf(await send('PUT', path, { body: {}, 'if-match': '"a"' }, other.key ?? ''))).toEqual([
      404,
      'not_found',
    ]);
  });

  it.each(Object.entries(refusing))('%s refuses the header with its own explanation', async (name, path) => {
    const method = name.split(' ')[0] ?? '';
    const refused =
      name in ofPersons
        ? await (await newMember(app)).browser.send<Sent['body']>(method, path, undefined, { 'if-match': '*' })
        : await send(method, path, { 'if-match': '*' }, isForOperators(name) ? OPERATOR_TOKEN : undefined);
    expect(codeOf(refused)).toEqual([400, 'if_match_not_supported']);
    expect(refused.body.detail).toMatch(/^An? [^.]+\. Remove the If-Match header; nothing was done\.$/);
  });

  it('is refused by routes that create or run something', async () => {
    const refused = await send('POST', '/websites', {
      body: { name: 'New', url: 'https://a.example' },
      'if-match': '*',
    });
    expect(codeOf(refused)).toEqual([400, 'if_match_not_supported']);
  });
});
