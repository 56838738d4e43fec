import { signClaim } from '../../../src/delivery/send/acknowledge-token';
import { ServerSecrets } from '../../../src/platform/secrets/server-secrets';
import { Database } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { fromDashboard, signIn } from '../../harness/app/browser-session';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { newAlert, newContact, newEndpoint, newWebsite } from '../../harness/app/resources';
import {
  draftSecondFactor,
  type Member,
  newInvitation,
  newMember,
  newSecondFactor,
  PASSWORD,
} from '../../harness/app/person';
import { newDetectedIncident, newIncident } from '../../harness/app/incidents';
import { routesOf } from '../../harness/app/routes';

interface Made {
  id: string;
}

/** A call of a route, and the entry that it adds to the audit log. */
interface Use {
  entry: string;
  /** Creates the resource for the call and returns its ID, or the part of the path from its first to its last ID. */
  on?: () => Promise<string>;
  body?: (id: string) => object;
  query?: (id: string) => string;
  headers?: () => Promise<Record<string, string>>;
}

/** Routes with a body that store and send nothing, and routes of probes, whose results are not actions of a user. */
const READING = [
  'POST /api/v1/probe/poll',
  'POST /api/v1/probe/results',
  'POST /api/v1/contacts/preview',
  'POST /api/v1/maintenance-windows/preview',
  'POST /api/v1/endpoints/heartbeat/preview',
  'POST /api/v1/configuration/convert',
  'POST /api/v1/configuration/plan',
  'POST /auth/link',
  'POST /auth/oidc',
  // A draft that has no effect yet.
  'POST /auth/account/second-factor',
];

/** The entries of a request, in the log of an organization or of the operator. */
const ENTRIES_OF = `
  SELECT action || ' ' || resource AS entry FROM audit_log WHERE request_id = $1
  UNION ALL SELECT action || ' ' || resource FROM operator_audit_log WHERE request_id = $1`;

describe('the audit log of every route', () => {
  let app: TestApp;
  let target: SwitchableServer;

  beforeAll(async () => {
    target = await SwitchableServer.start();
    target.body = '<urlset/>';
    app = await startApp({ role: 'api', egressPrivate: 'allow' });
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });

  const made = async (by: Api, path: string, body?: object): Promise<string> =>
    (await by.post<Made>(path, body)).body.id;
  const website = () => newWebsite(app.admin);
  const endpoint = async () => newEndpoint(app.admin, await website(), { type: 'HTTP', url: target.url });
  const heartbeat = async () =>
    newEndpoint(app.admin, await website(), { type: 'HEARTBEAT', url: 'heartbeat:', heartbeat: { every: 3600 } });
  const webhook = () => ({ type: 'webhook', config: { url: target.url } });
  const alert = async () => newAlert(app.admin, await endpoint(), webhook());
  const page = () => made(app.admin, '/status-pages', { title: 'Status', groups: [] });
  const nightly = () => ({ name: 'Patches', scope: { all: true }, cron: '0 2 * * *', timezone: 'UTC', duration: 3600 });
  const running = () => ({
    name: 'Deployment',
    scope: { all: true },
    // The database's clock may be behind the clock of this process.
    starts_at: new Date(Date.now() - 1000).toISOString(),
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const contact = () => newContact(app.admin);
  const maintenance = () => made(app.admin, '/maintenance-windows', running());
  /** Returns a delivery that has finished and may be repeated: a test delivery changed to another kind. */
  const delivery = async () => {
    const id = await made(app.admin, `/alerts/${await alert()}/test`);
    const uuid = parseId('delivery', id);
    await app.app.get(Database).query(`UPDATE notification SET kind = 'triggered' WHERE id = $1`, [uuid]);
    return id;
  };
  /** Returns an endpoint whose newest result is down. */
  const downEndpoint = async () => {
    const id = await endpoint();
    await app.app
      .get(Database)
      .query('UPDATE endpoint_state SET status = 0 WHERE endpoint_id = $1', [parseId('endpoint', id)]);
    return id;
  };
  const acknowledged = async () => {
    const id = await downEndpoint();
    await app.admin.put(`/endpoints/${id}/acknowledgement`, { note: 'mine' });
    return id;
  };
  /** Returns the token of the link in a message of an open episode. */
  const linkToken = async () => {
    const alertId = parseId('alert', await alert()) ?? '';
    await app.app.get(Database).query('UPDATE alert SET triggered = true, incident_no = 1 WHERE id = $1', [alertId]);
    const key = app.app.get(ServerSecrets).get('acknowledge_link');
    return signClaim(key, { alertId, episodeNo: 1, expiresAt: new Date(Date.now() + 60_000) });
  };
  /** The endpoints of the newest incident, and an incident to merge. */
  let [bad, merged]: [string[], string] = [[], ''];
  const detected = async () => {
    bad = [await endpoint(), await endpoint()];
    return newDetectedIncident(
      app.app.get(Database),
      bad.map((id) => ({ endpoint: id })),
    );
  };
  const inHand = async () => {
    const id = await detected();
    await app.admin.put(`/incidents/${id}/acknowledgement`, { note: 'mine' });
    return id;
  };
  /** Returns the path of an incident with an update. */
  const said = async () => {
    const id = await newIncident(app.admin);
    return `${id}/updates/${await made(app.admin, `/incidents/${id}/updates`, { text: 'We look.' })}`;
  };
  /** The newest member. The member's browser sends the requests. */
  let member: Member;
  const person = async () => (member = await newMember(app)).id;
  const byMember = () => Promise.resolve(fromDashboard(app.url, member.browser.cookie));
  /** Returns a new member with an ID at a provider. */
  const connected = async () => {
    const id = await person();
    await app.app
      .get(Database)
      .query('INSERT INTO identity (issuer, subject, person_id, created_at) VALUES ($1, $2, $3, now())', [
        'https://login.example.com',
        id,
        parseId('person', id),
      ]);
    return id;
  };
  /** Returns another session of a new member. */
  const elsewhere = async () => {
    await person();
    await signIn(app.url, { email: member.email, password: PASSWORD });
    const { body } = await member.browser.send<{ id: string; current: boolean }[]>('GET', '/auth/sessions');
    return body.find(({ current }) => !current)?.id ?? '';
  };
  const byOperator = () => Promise.resolve({ authorization: `Bearer ${app.operator.key}` });

  let probes = 0;
  const probe = (path = '/probes', by = app.admin) => made(by, path, { key: `probe-${++probes}` });
  const sharedProbe = () => probe('/shared-probes', app.operator);

  /** The test fails if a route changes or sends something and isn't in this list. */
  const uses: Readonly<Record<string, Use>> = {
    'POST /api/v1/organizations': {
      entry: 'create organization',
      body: () => ({ name: 'Acme' }),
      headers: byOperator,
    },
    'PUT /api/v1/organizations/:id': {
      entry: 'update organization',
      on: () => made(app.operator, '/organizations', { name: 'Small' }),
      body: () => ({ quotas: { websites: 1 } }),
      headers: byOperator,
    },
    'DELETE /api/v1/organizations/:id': {
      entry: 'delete organization',
      on: () => made(app.operator, '/organizations', { name: 'Gone' }),
      headers: byOperator,
    },
    'POST /api/v1/api-keys': { entry: 'create api_key', body: () => ({ name: 'CI', role: 'read' }) },
    'DELETE /api/v1/api-keys/:id': {
      entry: 'delete api_key',
      on: () => made(app.admin, '/api-keys', { name: 'Old', role: 'read' }),
    },
    'POST /api/v1/websites': { entry: 'create website', body: () => ({ name: 'a', url: 'https://a.example' }) },
    'PUT /api/v1/websites/:id': { entry: 'update website', on: website, body: () => ({ enabled: false }) },
    'DELETE /api/v1/websites/:id': { entry: 'delete website', on: website },
    'POST /api/v1/websites/:id/ping-key/rotate': { entry: 'update website', on: website },
    'POST /api/v1/endpoints/:id/heartbeat/rotate': { entry: 'update endpoint', on: heartbeat },
    'POST /api/v1/websites/:websiteId/endpoints': {
      entry: 'create endpoint',
      on: website,
      body: () => ({ name: 'a', type: 'HTTP', url: target.url }),
    },
    'POST /api/v1/deleted-endpoints/:id/restore': {
      entry: 'create endpoint',
      on: async () => {
        const id = await endpoint();
        await app.admin.delete(`/endpoints/${id}`);
        return id;
      },
    },
    'PUT /api/v1/endpoints/:id': { entry: 'update endpoint', on: endpoint, body: () => ({ interval: 30 }) },
    'DELETE /api/v1/endpoints/:id': { entry: 'delete endpoint', on: endpoint },
    'POST /api/v1/endpoints/test': {
      entry: 'test endpoint',
      body: () => ({ name: 'a', type: 'HTTP', url: target.url }),
    },
    'POST /api/v1/endpoints/sitemap': { entry: 'test website', body: () => ({ url: `${target.url}/sitemap.xml` }) },
    'POST /api/v1/endpoints/:id/checks': { entry: 'check endpoint', on: endpoint },
    'PUT /api/v1/endpoints/:id/acknowledgement': {
      entry: 'create acknowledgement',
      on: downEndpoint,
      body: () => ({ note: 'mine' }),
    },
    'DELETE /api/v1/endpoints/:id/acknowledgement': { entry: 'delete acknowledgement', on: acknowledged },
    'POST /ack/:token': { entry: 'create acknowledgement', on: linkToken },
    'POST /api/v1/alerts': {
      entry: 'create alert',
      on: endpoint,
      body: (id) => ({ endpoint_id: id, ...webhook() }),
    },
    'PUT /api/v1/alerts/:id': { entry: 'update alert', on: alert, body: () => ({ failure_threshold: 5 }) },
    'DELETE /api/v1/alerts/:id': { entry: 'delete alert', on: alert },
    'POST /api/v1/alerts/test': {
      entry: 'test alert',
      on: endpoint,
      body: (id) => ({ endpoint_id: id, ...webhook() }),
    },
    'POST /api/v1/alerts/:id/test': { entry: 'test alert', on: alert },
    'POST /api/v1/deliveries/:id/redeliver': { entry: 'redeliver delivery', on: delivery },
    'PUT /api/v1/websites/:id/status-page': {
      entry: 'update status_page',
      on: website,
      body: () => ({ enabled: true, slug: 'audited' }),
    },
    'POST /api/v1/contacts': { entry: 'create contact', body: () => ({ name: 'Operations', ...webhook() }) },
    'PUT /api/v1/contacts/:id': { entry: 'update contact', on: contact, body: () => ({ name: 'Other' }) },
    'DELETE /api/v1/contacts/:id': { entry: 'delete contact', on: contact },
    'POST /api/v1/contacts/test': { entry: 'test contact', body: () => ({ name: 'Operations', ...webhook() }) },
    'POST /api/v1/contacts/:id/test': { entry: 'test contact', on: contact },
    'POST /api/v1/contacts/:id/alerts': {
      entry: 'update contact',
      on: async () => (await endpoint(), contact()),
      body: () => ({ scope: { all: true } }),
    },
    'POST /api/v1/status-pages': { entry: 'create public_page', body: () => ({ title: 'Status', groups: [] }) },
    'PUT /api/v1/status-pages/:id': { entry: 'update public_page', on: page, body: () => ({ title: 'Other' }) },
    'DELETE /api/v1/status-pages/:id': { entry: 'delete public_page', on: page },
    'POST /api/v1/maintenance-windows': { entry: 'create maintenance', body: nightly },
    'POST /api/v1/maintenance-windows/:id/end': { entry: 'update maintenance', on: maintenance },
    'PUT /api/v1/maintenance-windows/:id': {
      entry: 'update maintenance',
      on: maintenance,
      body: () => ({ mute: false }),
    },
    'DELETE /api/v1/maintenance-windows/:id': { entry: 'delete maintenance', on: maintenance },
    'POST /api/v1/incidents': {
      entry: 'create incident',
      body: () => ({ title: 'Slow', scope: { all: true }, text: 'We look.' }),
    },
    'PUT /api/v1/incidents/:id': {
      entry: 'update incident',
      on: () => newIncident(app.admin),
      body: () => ({ title: 'Slower' }),
    },
    'DELETE /api/v1/incidents/:id': { entry: 'delete incident', on: () => newIncident(app.admin) },
    'PUT /api/v1/incidents/:id/acknowledgement': {
      entry: 'update incident',
      on: detected,
      body: () => ({ note: 'mine' }),
    },
    'DELETE /api/v1/incidents/:id/acknowledgement': { entry: 'update incident', on: inHand },
    'POST /api/v1/incidents/:id/updates': {
      entry: 'update incident',
      on: () => newIncident(app.admin),
      body: () => ({ text: 'We know why.' }),
    },
    'PUT /api/v1/incidents/:id/updates/:updateId': {
      entry: 'update incident',
      on: said,
      body: () => ({ text: 'We know better.' }),
    },
    'DELETE /api/v1/incidents/:id/updates/:updateId': { entry: 'update incident', on: said },
    'POST /api/v1/incidents/:id/split': {
      entry: 'create incident',
      on: detected,
      body: () => ({ endpoint_ids: bad.slice(1) }),
    },
    'POST /api/v1/incidents/:id/merge': {
      entry: 'update incident',
      on: async () => ((merged = await detected()), detected()),
      body: () => ({ incident_ids: [merged] }),
    },
    'PUT /api/v1/configuration': {
      entry: 'create website',
      body: () => ({ version: 1, websites: [{ key: 'audited', name: 'b', url: 'https://b.example' }] }),
    },
    'POST /api/v1/probes': { entry: 'create probe', body: () => ({ key: 'fra' }) },
    'PUT /api/v1/probes/:id': { entry: 'update probe', on: () => probe(), body: () => ({ enabled: false }) },
    'DELETE /api/v1/probes/:id': { entry: 'delete probe', on: () => probe() },
    'POST /api/v1/probes/:id/rotate': { entry: 'update probe', on: () => probe(), body: () => ({}) },
    'POST /api/v1/shared-probes': { entry: 'create probe', body: () => ({ key: 'fra' }), headers: byOperator },
    'PUT /api/v1/shared-probes/:id': {
      entry: 'update probe',
      on: sharedProbe,
      body: () => ({ region: 'eu' }),
      headers: byOperator,
    },
    'DELETE /api/v1/shared-probes/:id': { entry: 'delete probe', on: sharedProbe, headers: byOperator },
    'POST /api/v1/shared-probes/:id/rotate': {
      entry: 'update probe',
      on: sharedProbe,
      body: () => ({}),
      headers: byOperator,
    },
    'PUT /api/v1/people/:id': { entry: 'update person', on: person, body: () => ({ role: 'write' }) },
    'DELETE /api/v1/people/:id': { entry: 'delete person', on: person },
    'POST /api/v1/people/:id/password-link': { entry: 'update person', on: person },
    'DELETE /api/v1/people/:id/password-link': {
      entry: 'update person',
      on: async () => {
        const id = await person();
        await app.admin.post(`/people/${id}/password-link`);
        return id;
      },
    },
    'DELETE /api/v1/people/:id/identities': { entry: 'update person', on: connected },
    'POST /api/v1/reports/links': { entry: 'create report_link', body: () => ({ title: 'October' }) },
    'DELETE /api/v1/reports/links/:id': {
      entry: 'delete report_link',
      on: () => made(app.admin, '/reports/links', { title: 'November' }),
    },
    'POST /api/v1/invitations': {
      entry: 'create invitation',
      body: () => ({ email: 'audited@people.example', role: 'read' }),
    },
    'DELETE /api/v1/invitations/:id': {
      entry: 'delete invitation',
      on: () => made(app.admin, '/invitations', { email: 'gone@people.example', role: 'read' }),
    },
    'POST /auth/account': {
      entry: 'create person',
      on: () => newInvitation(app),
      body: (token) => ({ token, name: 'Ada', password: PASSWORD }),
    },
    'POST /auth/join': {
      entry: 'create person',
      on: async () => {
        await app.admin.delete(`/people/${await person()}`);
        return newInvitation(app, 'read', member.email);
      },
      body: (token) => ({ token }),
      headers: byMember,
    },
    'POST /auth/password': {
      entry: 'sign_in person',
      on: async () => (await app.admin.post<{ token: string }>(`/people/${await person()}/password-link`)).body.token,
      body: (token) => ({ token, password: PASSWORD }),
    },
    'PUT /auth/account': { entry: 'update person', on: person, body: () => ({ name: 'Ada' }), headers: byMember },
    'POST /auth/account/second-factor/confirm': {
      entry: 'update person',
      on: async () => (await person(), draftSecondFactor(member)),
      body: (code) => ({ code }),
      headers: byMember,
    },
    'POST /auth/account/second-factor/recovery-codes': {
      entry: 'update person',
      on: async () => (await person(), newSecondFactor(member)),
      body: (second_factor) => ({ current_password: PASSWORD, second_factor }),
      headers: byMember,
    },
    'POST /auth/account/second-factor/remove': {
      entry: 'update person',
      on: async () => (await person(), newSecondFactor(member)),
      body: (second_factor) => ({ current_password: PASSWORD, second_factor }),
      headers: byMember,
    },
    'DELETE /api/v1/people/:id/second-factor': {
      entry: 'update person',
      on: async () => {
        const id = await person();
        await newSecondFactor(member);
        return id;
      },
      headers: byOperator,
    },
    'DELETE /auth/account': { entry: 'delete person', on: person, headers: byMember },
    'DELETE /auth/account/identities': {
      entry: 'update person',
      on: connected,
      query: (id) => `?issuer=https://login.example.com&subject=${id}`,
      headers: byMember,
    },
    'DELETE /auth/sessions': { entry: 'sign_out person', on: elsewhere, headers: byMember },
    'DELETE /auth/sessions/:id': { entry: 'sign_out person', on: elsewhere, headers: byMember },
    'PUT /auth/session': {
      entry: 'sign_in person',
      on: person,
      body: () => ({ organization_id: formatId('organization', app.orgId) }),
      headers: byMember,
    },
    'POST /auth/session': { entry: 'sign_in session', body: () => ({ api_key: app.read.key }) },
    'DELETE /auth/session': {
      entry: 'sign_out session',
      headers: async () => fromDashboard(app.url, (await signIn(app.url, { api_key: app.read.key })).cookie),
    },
    // The last one, because it locks out members without a second factor.
    'PUT /api/v1/organization': { entry: 'update organization', body: () => ({ requires_second_factor: true }) },
  };

  it('the list of uses has every route that does more than read', () => {
    const writing = routesOf(app.app).filter(({ method, name }) => method !== 'GET' && !READING.includes(name));
    expect(writing.map(({ name }) => name).sort()).toEqual(Object.keys(uses).sort());
  });

  it.each(Object.keys(uses))('%s creates an entry in the audit log', async (name) => {
    const { entry, on, body, query, headers }: Use = uses[name] ?? { entry: '' };
    const [method = '', path = ''] = name.split(' ');
    const id = (await on?.()) ?? '';
    const requestId = newUuid();
    const sent = body?.(id);
    const response = await fetch(app.url + path.replace(/:\w+(.*:\w+)?/, id) + (query?.(id) ?? ''), {
      method,
      headers: {
        ...(sent && { 'content-type': 'application/json' }),
        ...((await headers?.()) ?? { authorization: `Bearer ${app.admin.key}` }),
        'x-request-id': requestId,
      },
      ...(sent && { body: JSON.stringify(sent) }),
    });
    expect([response.status < 300, await response.text()]).toEqual([true, expect.any(String)]);
    const rows = await app.app.get(Database).query<{ entry: string }>(ENTRIES_OF, [`client:${requestId}`]);
    expect(rows.map((row) => row.entry)).toContain(entry);
  });
});
