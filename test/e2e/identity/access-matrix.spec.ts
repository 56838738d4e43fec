import { ApiKeyService } from '../../../src/identity/api-key/api-key.service';
import type { AccessRule } from '../../../src/platform/access/caller';
import { type Role, ROLES } from '../../../src/platform/access/permissions';
import { Database } from '../../../src/platform/database/database';
import { startApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { fromDashboard, signIn } from '../../harness/app/browser-session';
import { newMember } from '../../harness/app/person';
import { type Route, routesOf } from '../../harness/app/routes';

/** The callers that each route allows. A new route fails until it is listed here. */
const MATRIX: Readonly<Record<string, AccessRule>> = {
  'GET /health/live': 'public',
  'GET /health/ready': 'public',
  'GET /metrics': 'public',
  'GET /.well-known/security.txt': 'public',
  'GET /api/v1/organization': 'read',
  'PUT /api/v1/organization': 'admin',
  'GET /api/v1/organizations': 'operator',
  'POST /api/v1/organizations': 'operator',
  'GET /api/v1/organizations/audit-log': 'operator',
  'PUT /api/v1/organizations/:id': 'operator',
  'DELETE /api/v1/organizations/:id': 'operator',
  'GET /api/v1/api-keys': 'admin',
  'POST /api/v1/api-keys': 'admin',
  'DELETE /api/v1/api-keys/:id': 'admin',
  'GET /api/v1/people': 'admin',
  'GET /api/v1/people/:id': 'admin',
  'PUT /api/v1/people/:id': 'admin',
  'DELETE /api/v1/people/:id': 'read',
  'POST /api/v1/people/:id/password-link': 'admin',
  'DELETE /api/v1/people/:id/password-link': 'admin',
  'DELETE /api/v1/people/:id/identities': 'admin',
  'DELETE /api/v1/people/:id/second-factor': 'operator',
  'GET /api/v1/invitations': 'admin',
  'POST /api/v1/invitations': 'admin',
  'DELETE /api/v1/invitations/:id': 'admin',
  'GET /api/v1/audit-log': 'admin',
  'GET /api/v1/probes': 'read',
  'GET /api/v1/probes/:id': 'read',
  'POST /api/v1/probes': 'admin',
  'PUT /api/v1/probes/:id': 'admin',
  'DELETE /api/v1/probes/:id': 'admin',
  'POST /api/v1/probes/:id/rotate': 'admin',
  'POST /api/v1/probe/poll': 'probe',
  'POST /api/v1/probe/results': 'probe',
  'GET /api/v1/shared-probes': 'operator',
  'GET /api/v1/shared-probes/:id': 'operator',
  'POST /api/v1/shared-probes': 'operator',
  'PUT /api/v1/shared-probes/:id': 'operator',
  'DELETE /api/v1/shared-probes/:id': 'operator',
  'POST /api/v1/shared-probes/:id/rotate': 'operator',
  'GET /api/v1/websites': 'read',
  'GET /api/v1/websites/:id': 'read',
  'POST /api/v1/websites': 'write',
  'PUT /api/v1/websites/:id': 'write',
  'DELETE /api/v1/websites/:id': 'write',
  'GET /api/v1/websites/:websiteId/endpoints': 'read',
  'POST /api/v1/websites/:websiteId/endpoints': 'write',
  'GET /api/v1/endpoints': 'read',
  'GET /api/v1/endpoints/:id': 'read',
  'PUT /api/v1/endpoints/:id': 'write',
  'DELETE /api/v1/endpoints/:id': 'write',
  'POST /api/v1/endpoints/test': 'write',
  'POST /api/v1/endpoints/sitemap': 'write',
  'GET /api/v1/endpoints/:id/checks': 'read',
  'POST /api/v1/endpoints/:id/checks': 'write',
  'GET /api/v1/endpoints/:id/pings': 'read',
  'POST /api/v1/endpoints/:id/heartbeat/rotate': 'write',
  'POST /api/v1/endpoints/heartbeat/preview': 'read',
  'POST /api/v1/websites/:id/ping-key/rotate': 'write',
  'GET /api/v1/endpoints/:id/uptime': 'read',
  'GET /api/v1/websites/:id/history': 'read',
  'GET /api/v1/endpoints/:id/latency': 'read',
  'GET /api/v1/overview': 'read',
  'GET /api/v1/overview/down': 'read',
  'GET /api/v1/metrics': 'read',
  'GET /api/v1/configuration': 'read',
  'GET /api/v1/endpoints/:id/acknowledgement': 'read',
  'PUT /api/v1/endpoints/:id/acknowledgement': 'incidents.respond',
  'DELETE /api/v1/endpoints/:id/acknowledgement': 'incidents.respond',
  'GET /api/v1/alerts': 'read',
  'GET /api/v1/alerts/events': 'read',
  'GET /api/v1/alerts/:id': 'read',
  'POST /api/v1/alerts': 'write',
  'PUT /api/v1/alerts/:id': 'write',
  'DELETE /api/v1/alerts/:id': 'write',
  'POST /api/v1/alerts/test': 'write',
  'POST /api/v1/alerts/:id/test': 'write',
  'GET /api/v1/contacts': 'read',
  'GET /api/v1/contacts/:id': 'read',
  'POST /api/v1/contacts': 'write',
  'PUT /api/v1/contacts/:id': 'write',
  'DELETE /api/v1/contacts/:id': 'write',
  'POST /api/v1/contacts/test': 'write',
  'POST /api/v1/contacts/preview': 'write',
  'POST /api/v1/contacts/:id/test': 'write',
  'POST /api/v1/contacts/:id/alerts': 'write',
  'GET /api/v1/alerts/:id/deliveries': 'read',
  'GET /api/v1/endpoints/:id/deliveries': 'read',
  'GET /api/v1/deliveries': 'read',
  'GET /api/v1/deliveries/:id': 'read',
  'POST /api/v1/deliveries/:id/redeliver': 'write',
  'GET /api/v1/system': 'admin',
  'GET /api/v1/stream': 'read',
  'POST /auth/session': 'public',
  'GET /auth/session': 'public',
  'PUT /auth/session': 'public',
  'DELETE /auth/session': 'public',
  'GET /auth/methods': 'public',
  'POST /auth/link': 'public',
  'POST /auth/account': 'public',
  'POST /auth/password': 'public',
  'POST /auth/oidc': 'public',
  'GET /auth/oidc/callback': 'public',
  'POST /auth/join': 'person',
  'GET /auth/account': 'person',
  'PUT /auth/account': 'person',
  'DELETE /auth/account': 'person',
  'DELETE /auth/account/identities': 'person',
  'POST /auth/account/second-factor': 'person',
  'POST /auth/account/second-factor/confirm': 'person',
  'POST /auth/account/second-factor/recovery-codes': 'person',
  'POST /auth/account/second-factor/remove': 'person',
  'GET /auth/sessions': 'person',
  'DELETE /auth/sessions': 'person',
  'DELETE /auth/sessions/:id': 'person',
  'GET /ack/:token': 'public',
  'POST /ack/:token': 'public',
  'GET /status/:page': 'public',
  'GET /status/:slug/feed.atom': 'public',
  'GET /status/:slug/calendar.ics': 'public',
  'GET /status/:slug/icon.svg': 'public',
  'GET /status/:slug/incidents/:incident': 'public',
  'GET /robots.txt': 'public',
  'GET /reports/:token': 'public',
  'GET /api/v1/reports/uptime': 'read',
  'GET /api/v1/reports/outages': 'read',
  'GET /api/v1/reports/links': 'read',
  'POST /api/v1/reports/links': 'write',
  'DELETE /api/v1/reports/links/:id': 'write',
  'GET /status/:slug/history': 'public',
  'GET /status/:slug/history.json': 'public',
  'GET /status/:slug/logo': 'public',
  'GET /api/v1/status-pages': 'read',
  'GET /api/v1/status-pages/:id': 'read',
  'POST /api/v1/status-pages': 'write',
  'PUT /api/v1/status-pages/:id': 'write',
  'DELETE /api/v1/status-pages/:id': 'write',
  'GET /api/v1/incidents': 'read',
  'GET /api/v1/deleted-endpoints': 'read',
  'POST /api/v1/deleted-endpoints/:id/restore': 'write',
  'GET /api/v1/incidents/:id': 'read',
  'GET /api/v1/incidents/:id/endpoints': 'read',
  'GET /api/v1/incidents/:id/timeline': 'read',
  'POST /api/v1/incidents': 'write',
  'PUT /api/v1/incidents/:id': 'write',
  'DELETE /api/v1/incidents/:id': 'write',
  'GET /api/v1/incidents/:id/acknowledgement': 'read',
  'PUT /api/v1/incidents/:id/acknowledgement': 'incidents.respond',
  'DELETE /api/v1/incidents/:id/acknowledgement': 'incidents.respond',
  'POST /api/v1/incidents/:id/updates': 'incidents.respond',
  'PUT /api/v1/incidents/:id/updates/:updateId': 'incidents.respond',
  'DELETE /api/v1/incidents/:id/updates/:updateId': 'incidents.respond',
  'POST /api/v1/incidents/:id/split': 'write',
  'POST /api/v1/incidents/:id/merge': 'write',
  'GET /api/v1/maintenance-windows': 'read',
  'GET /api/v1/maintenance-windows/:id': 'read',
  'GET /api/v1/maintenance-windows/:id/occurrences': 'read',
  'POST /api/v1/maintenance-windows': 'alerts.mute',
  'POST /api/v1/maintenance-windows/preview': 'alerts.mute',
  'POST /api/v1/configuration/convert': 'read',
  'POST /api/v1/configuration/plan': 'read',
  'PUT /api/v1/configuration': 'write',
  'POST /api/v1/maintenance-windows/:id/end': 'alerts.mute',
  'PUT /api/v1/maintenance-windows/:id': 'write',
  'DELETE /api/v1/maintenance-windows/:id': 'write',
  'GET /api/v1/websites/:id/status-page': 'read',
  'PUT /api/v1/websites/:id/status-page': 'write',
};

/** Every member may leave. A key isn't a member, so it needs the role for removing others. */
const ONESELF = 'DELETE /api/v1/people/:id';

const RESPONDER: readonly AccessRule[] = ['read', 'incidents.respond', 'alerts.mute'];
/** The access rules that each role meets, besides `public`. */
const MEETS: Readonly<Record<Role, readonly AccessRule[]>> = {
  read: ['read'],
  responder: RESPONDER,
  write: [...RESPONDER, 'write'],
  admin: [...RESPONDER, 'write', 'admin'],
};
const NO_ID = '00000000000000000000000000';
/** Bodies of public routes that validate the body before the caller. */
const BODIES: Readonly<Record<string, object>> = { 'PUT /auth/session': { organization_id: `org_${NO_ID}` } };

/** A wrong credential of each kind. Completed in `beforeAll`. */
const wrongKeys: Record<string, string | null> = { none: null, nonsense: 'nonsense', 'badly formed': 'ums_w_0000' };

describe('the access matrix', () => {
  let app: TestApp;
  let other: ServiceOrganization;
  let routes: Route[];

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    other = await app.organization('Other');
    routes = routesOf(app.app);
    const keys = app.app.get(ApiKeyService);
    const revoked = await keys.create(other.orgId, { name: 'revoked', role: 'admin' });
    wrongKeys['revoked'] = revoked.key;
    await app.app.get(Database).query('DELETE FROM api_key WHERE name = $1', ['revoked']);
    wrongKeys['expired'] = (await keys.create(other.orgId, { name: 'expired', role: 'admin' })).key;
    const expire = `UPDATE api_key SET expires_at = now() - interval '1 day' WHERE name = $1`;
    await app.app.get(Database).query(expire, ['expired']);
  });
  afterAll(() => app.close());

  const idPrefix = (path: string): string => {
    const [, collection = ''] = /^\/(?:api\/v1|auth)\/([a-z-]+)/.exec(path) ?? [];
    return (
      {
        websites: 'ws',
        endpoints: 'ep',
        alerts: 'al',
        deliveries: 'dl',
        'api-keys': 'key',
        organizations: 'org',
        'status-pages': 'sp',
        people: 'per',
        invitations: 'inv',
        reports: 'rpl',
        sessions: 'ses',
        probes: 'pr',
        'shared-probes': 'pr',
      }[collection] ?? 'ws'
    );
  };
  const send = async (
    route: Route,
    key: string | null,
    more: Readonly<Record<string, string>> = {},
  ): Promise<number> => {
    const response = await fetch(app.url + route.path.replace(/:\w+/g, `${idPrefix(route.path)}_${NO_ID}`), {
      method: route.method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(route.method === 'GET' ? {} : { 'content-type': 'application/json' }),
        ...more,
      },
      ...(route.method === 'GET' || route.method === 'DELETE'
        ? {}
        : { body: JSON.stringify(BODIES[route.name] ?? {}) }),
    });
    await response.body?.cancel();
    return response.status;
  };

  it('the access matrix has every route with its rule', () => {
    expect(Object.fromEntries(routes.map(({ name, access }) => [name, access]))).toEqual(MATRIX);
  });

  it.each(['none', 'nonsense', 'badly formed', 'revoked', 'expired'])(
    'every route refuses a credential of the kind "%s"',
    async (kind) => {
      for (const route of routes.filter(({ access }) => access !== 'public')) {
        const status = await send(route, wrongKeys[kind] ?? null);
        // 429, because an address that sends many wrong keys is slowed down.
        expect([route.name, [401, 429].includes(status)]).toEqual([route.name, true]);
      }
    },
  );

  it.each(ROLES)(
    'a %s key may call exactly the routes of its role',
    async (role) => {
      const { key } = (await app.admin.post<{ key: string }>('/api-keys', { name: role, role })).body;
      for (const route of routes.filter(({ access }) => MEETS.admin.includes(access ?? 'admin'))) {
        const status = await send(route, key);
        const needed = route.name === ONESELF ? 'admin' : (route.access ?? 'admin');
        const allowed = MEETS[role].includes(needed);
        expect([route.name, allowed ? status !== 403 && status !== 401 : status === 403]).toEqual([route.name, true]);
      }
    },
  );

  it.each(ROLES)(
    'a person who is "%s" may call exactly the routes of that role, and the routes of the own account',
    async (role) => {
      const { browser } = await newMember(app, role);
      const headers = fromDashboard(app.url, browser.cookie);
      const ofPeople = routes.filter(({ path }) =>
        /^\/(auth|api\/v1\/(people|invitations|api-keys|organizations?))\b/.test(path),
      );
      // A user who has erased their account can do nothing more.
      const isLast = ({ name }: Route) => name === 'DELETE /auth/account';
      for (const route of [...ofPeople.filter((one) => !isLast(one)), ...ofPeople.filter(isLast)]) {
        if (route.access === 'public') continue;
        const needed = route.name === ONESELF ? 'admin' : (route.access ?? 'admin');
        const allowed = needed === 'person' || MEETS[role].includes(needed);
        const status = await send(route, null, headers);
        expect([route.name, allowed ? status !== 403 && status !== 401 : status === 403]).toEqual([route.name, true]);
      }
    },
  );

  it('every change by the cookie of a session is refused from another page, and without an origin', async () => {
    const { browser } = await newMember(app, 'admin');
    // Signs in with the body or the path. The cookie grants nothing.
    const withoutCookie = routes.filter(
      ({ name, access }) => access === 'public' && !['PUT /auth/session', 'DELETE /auth/session'].includes(name),
    );
    const changes = routes.filter((route) => route.method !== 'GET' && !withoutCookie.includes(route));
    expect(withoutCookie.filter(({ method }) => method !== 'GET').map(({ name }) => name)).toEqual([
      'POST /auth/session',
      'POST /auth/link',
      'POST /auth/account',
      'POST /auth/password',
      'POST /auth/oidc',
      'POST /ack/:token',
    ]);
    for (const route of changes.filter(({ access }) => access !== 'probe')) {
      const statuses = [
        await send(route, null, { cookie: browser.cookie }),
        await send(route, null, { cookie: browser.cookie, origin: 'https://evil.example' }),
      ];
      expect([route.name, statuses]).toEqual([route.name, [403, 403]]);
    }
  });

  it("routes for people are not found with a key, and with a key's session", async () => {
    const { cookie } = await signIn(app.url, { api_key: app.admin.key });
    for (const route of routes.filter(({ access }) => access === 'person')) {
      expect([route.name, await send(route, app.admin.key)]).toEqual([route.name, 404]);
      expect([route.name, await send(route, null, fromDashboard(app.url, cookie))]).toEqual([route.name, 404]);
    }
  });

  it('routes for probes refuse every key and session, and every other route the token of a probe', async () => {
    const { body } = await app.admin.post<{ token: string }>('/probes', { key: 'matrix' });
    const { cookie } = await signIn(app.url, { api_key: app.admin.key });
    for (const route of routes.filter(({ access }) => access !== 'public')) {
      const isForProbes = route.access === 'probe';
      const sent = isForProbes
        ? [await send(route, app.admin.key), await send(route, null, fromDashboard(app.url, cookie))]
        : [await send(route, body.token)];
      // 429 as above.
      expect([route.name, sent.every((status) => [401, 429].includes(status))]).toEqual([route.name, true]);
    }
  });

  it('operator routes refuse an organization’s admin key', async () => {
    for (const route of routes.filter(({ access }) => access === 'operator')) {
      expect([route.name, await send(route, app.admin.key)]).toEqual([route.name, 403]);
      expect([403, 401]).not.toContain(await send(route, app.operator.key));
    }
  });

  it('no route shows or changes anything of another organization', async () => {
    const website = (await app.write.post<{ id: string }>('/websites', { name: 'Mine', url: 'https://mine.example' }))
      .body.id;
    const endpoint = (
      await app.write.post<{ id: string }>(`/websites/${website}/endpoints`, {
        name: 'Mine',
        type: 'HTTP',
        url: 'http://mine.example',
      })
    ).body.id;
    const alert = (
      await app.write.post<{ id: string }>('/alerts', {
        endpoint_id: endpoint,
        type: 'webhook',
        config: { url: 'http://mine.example/hook' },
      })
    ).body.id;
    const page = (
      await app.write.post<{ id: string }>('/status-pages', { title: 'Mine', groups: [{ endpoints: [endpoint] }] })
    ).body.id;
    const mine: Readonly<Record<string, string>> = {
      websites: website,
      endpoints: endpoint,
      alerts: alert,
      'status-pages': page,
    };
    for (const route of routes.filter(({ path }) =>
      /^\/api\/v1\/(websites|endpoints|alerts|status-pages)\/:/.test(path),
    )) {
      const [, collection = ''] = /^\/api\/v1\/([\w-]+)/.exec(route.path) ?? [];
      const path = route.path.slice('/api/v1'.length).replace(/:\w+/, mine[collection] ?? '');
      const body = route.method === 'PUT' ? { name: 'x' } : { name: 'x', type: 'HTTP', url: 'http://x.example' };
      const api = new Api(app.url, other.admin.key);
      const response = await {
        GET: () => api.get<{ code: string }>(path),
        POST: () => api.post<{ code: string }>(path, body),
        PUT: () => api.put<{ code: string }>(path, /alerts|status-page|acknowledgement/.test(path) ? {} : body),
        DELETE: () => api.delete<{ code: string }>(path),
      }[route.method as 'GET']();
      expect([route.name, response.status, response.body.code]).toEqual([route.name, 404, 'not_found']);
    }
    for (const list of ['/websites', '/alerts', '/alerts/events', '/overview', '/status-pages'])
      expect((await other.read.get(list)).body).toEqual([]);
    expect((await app.read.get(`/alerts/${alert}`)).status).toBe(200);
  });
});
