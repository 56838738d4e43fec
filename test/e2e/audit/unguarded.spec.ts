/** @lane slow */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { ChangedBytes } from '../../../src/identity/quota/changed-bytes.service';
import { codeAt, stepAt } from '../../../src/identity/person/totp';
import { signClaim } from '../../../src/delivery/send/acknowledge-token';
import { Database } from '../../../src/platform/database/database';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import type { AccessRule } from '../../../src/platform/access/caller';
import { formatId } from '../../../src/platform/ids/id';
import { ServerSecrets } from '../../../src/platform/secrets/server-secrets';
import { Clock } from '../../../src/platform/time/clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { fromDashboard, signIn } from '../../harness/app/browser-session';
import { fromBase32, type Member, newInvitation, newMember, PASSWORD } from '../../harness/app/person';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { type Route, routesOf } from '../../harness/app/routes';

const LIMIT = 1_000_000;
/** The number of requests that `ChangeQuotaGuard` serves at once beyond the quota. */
const BEYOND = 100;
/** At one a second, more than any unguarded way allows. A limit per second alone does not count as a limit. */
const TRIES = 60;
/** Sign-ins of a key or a person in that time: 20 at once, then one every ten seconds. */
const SIGN_INS = 27;
const SECOND_FACTOR = '/auth/account/second-factor';

/** The reason why a way into the audit log needs no guard, and how many entries `TRIES` uses of it add at most. */
interface Way {
  boundedBy: string;
  /** One use. Absent if `routes` names the test for the limit, or if only the operator can use it. */
  use?: (n: number) => Promise<unknown>;
  most?: number;
}

/**
 * Every statement that writes an entry, by its file and function. `guarded` means that only routes with
 * `ChangeQuotaGuard` call it. Other words are ways in `ways()`. A new statement fails the test until it is listed
 * with its limit.
 */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  'alert/acknowledgement/acknowledgement.service remove': ['guarded'],
  'alert/acknowledgement/acknowledgement.service write': ['guarded', 'POST /ack/:token'],
  'alert/acknowledgement/incident-acknowledgement.service write': ['guarded', 'POST /ack/:token'],
  'alert/alert.service update': ['guarded'],
  'alert/alert.service remove': ['guarded'],
  'alert/contact/contact-alerts.service add': ['guarded'],
  'alert/contact/default-alerts record': ['guarded', 'pings with create=1'],
  'alert/declared-alerts.service add': ['guarded'],
  'alert/declared-alerts.service change': ['guarded'],
  'alert/test-alert.service lease': ['guarded'],
  'alert/test-new-alert.service send': ['guarded'],
  'contact/contact.service remove': ['guarded'],
  'contact/contact.service insert': ['guarded'],
  'contact/contact.service save': ['guarded'],
  'contact/test-contact.service sendNew': ['guarded'],
  'contact/test-contact.service send': ['guarded'],
  'delivery/delivery.service redeliver': ['guarded'],
  'endpoint/endpoint.service add': ['guarded', 'pings with create=1'],
  'endpoint/endpoint.service change': ['guarded'],
  'endpoint/endpoint.service delete': ['guarded'],
  'endpoint/sitemap/sitemap.service read': ['guarded'],
  'heartbeat/heartbeat.service rotate': ['guarded'],
  'identity/api-key/api-key.service create': ['guarded'],
  'identity/api-key/api-key.service accept': ['POST /auth/session'],
  'identity/api-key/api-key.service remove': ['guarded'],
  'identity/api-key/api-key.service removeMadeBy': ['guarded'],
  'identity/organization/organization.service create': ['operator'],
  'identity/organization/organization.service update': ['operator'],
  'identity/organization/organization.service remove': ['operator'],
  'identity/organization/organization.service updateCurrent': ['guarded'],
  'identity/people/account.service eraseIn': ['DELETE /auth/account'],
  'identity/people/account.service recordOwn': [
    'PUT /auth/account',
    'POST /auth/account/second-factor/confirm',
    'POST /auth/account/second-factor/recovery-codes',
    'POST /auth/account/second-factor/remove',
  ],
  'identity/people/group-memberships applyOperator': ['GET /auth/oidc/callback', 'the proxy in front'],
  'identity/people/installation-people.service record': ['operator'],
  'identity/people/identities.service recordHidden': ['guarded', 'DELETE /auth/account/identities'],
  'identity/people/invitations.service make': ['guarded', 'operator'],
  'identity/people/invitations.service remove': ['guarded'],
  'identity/people/memberships join': ['POST /auth/account', 'POST /auth/join', 'GET /auth/oidc/callback', 'operator'],
  'identity/people/memberships leave': [
    'guarded',
    'DELETE /auth/account',
    'GET /auth/oidc/callback',
    'the proxy in front',
  ],
  'identity/people/memberships setRole': ['guarded', 'GET /auth/oidc/callback', 'the proxy in front'],
  // At most one per open invitation, which guarded routes create.
  'identity/people/open-links end': [
    'guarded',
    'DELETE /auth/account',
    'GET /auth/oidc/callback',
    'the proxy in front',
  ],
  'identity/people/own-sessions.service endSome': ['DELETE /auth/sessions'],
  'identity/session/person-sign-in useSecondFactor': ['POST /auth/session', 'POST /auth/password'],
  'identity/session/session.service record': [
    'POST /auth/session',
    'wrong passwords',
    'PUT /auth/session',
    'DELETE /auth/session',
    'POST /auth/account',
    'POST /auth/password',
    'GET /auth/oidc/callback',
    'the proxy in front',
  ],
  'identity/single-sign-on/arrivals recordConnection': ['GET /auth/oidc/callback'],
  'incident/incident-regrouping.service split': ['guarded'],
  'incident/incident-regrouping.service merge': ['guarded'],
  'incident/incident-updates.service told': ['guarded'],
  'incident/incident.service create': ['guarded'],
  'incident/incident.service update': ['guarded'],
  'incident/incident.service remove': ['guarded'],
  'maintenance/maintenance-window.service createSome': ['guarded'],
  'maintenance/maintenance-window.service end': ['guarded'],
  'maintenance/maintenance-window.service remove': ['guarded'],
  'maintenance/maintenance-window.service change': ['guarded'],
  'monitoring/source/on-demand/check-now.service audit': ['guarded'],
  'monitoring/source/on-demand/test-endpoint.service audit': ['guarded'],
  'probe/probe.service record': ['guarded', 'operator'],
  'report/link/report-link.service create': ['guarded'],
  'report/link/report-link.service remove': ['guarded'],
  'status-page/settings/public-page.service remove': ['guarded'],
  'status-page/settings/public-page.service save': ['guarded'],
  'status-page/settings/website-page.service save': ['guarded'],
  'website/website.service rotatePingKey': ['guarded'],
  'website/website.service addSome': ['guarded'],
  'website/website.service markRemoved': ['guarded'],
  'website/website.service change': ['guarded'],
};

/** The permissions that change something, which `ChangeQuotaGuard` guards. */
const GUARDED = new Set<AccessRule | undefined>(['incidents.respond', 'alerts.mute', 'write', 'admin']);

const SRC = join(__dirname, '../../../src');
const WRITES = /^(recordChange|recordChanges|recordOperatorAct)$/;

/** Returns every call that writes an entry, by its file and function. */
function writersIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(SRC, file), 'utf8'), ts.ScriptTarget.ES2022, true);
  const found = new Set<string>();
  const visit = (node: ts.Node, inside: string): void => {
    const isNamed = (ts.isMethodDeclaration(node) || ts.isFunctionDeclaration(node)) && node.name !== undefined;
    const name = isNamed ? (node.name?.getText() ?? inside) : inside;
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && WRITES.test(node.expression.text))
      found.add(`${file.replace(/\.ts$/, '')} ${name}`);
    ts.forEachChild(node, (child) => visit(child, name));
  };
  visit(source, '');
  return [...found];
}

describe('routes that write into the audit log', () => {
  it('are listed with what bounds them', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && file !== 'audit/audit-log.ts',
    );
    expect(files.flatMap(writersIn).sort()).toEqual(Object.keys(WRITERS).sort());
  });
});

describe('once the changes of an organization have reached their daily limit', () => {
  let app: TestApp;
  let clock: MovingClock;
  let member: Member;
  let routes: Route[];
  let heartbeatKey = '';
  let alertId = '';

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', quotaChangedBytesPerDay: LIMIT, rateLimitPerSecond: 0 });
    clock = MovingClock.frozenIn(app.app);
    routes = routesOf(app.app);
    member = await newMember(app, 'admin');
    const website = await newWebsite(app.admin);
    heartbeatKey = (await app.admin.get<{ ping_key: string }>(`/websites/${website}`)).body.ping_key;
    alertId = await newAlert(app.admin, await newEndpoint(app.admin, website));
    invitations.push(await newInvitation(app), await newInvitation(app));
    links.push((await app.admin.post<{ token: string }>(`/people/${member.id}/password-link`)).body.token);
    await useUp();
  });
  afterAll(() => app.close());
  const invitations: string[] = [];
  const links: string[] = [];

  const useUp = async (): Promise<void> => {
    await app.app.get(ChangedBytes).write();
    await app.app
      .get(Database)
      .query('UPDATE organization_change SET bytes = $2, day = $3::date WHERE org_id = $1', [
        app.orgId,
        LIMIT,
        app.app.get(DatabaseClock).now().toISOString().slice(0, 10),
      ]);
    clock.advance(6000);
  };
  const entries = async (): Promise<number> => {
    const [row] = await app.app
      .get(Database)
      .query<{ count: number }>('SELECT count(*)::int AS count FROM audit_log WHERE org_id = $1', [app.orgId]);
    return row?.count ?? 0;
  };
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const asMember = async (method: string, path: string, body?: object, cookie = member.browser.cookie) =>
    fetch(app.url + path, {
      method,
      headers: { ...fromDashboard(app.url, cookie), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  /** Sends a request in a new session. */
  const asNewcomer = async (method: string, path: string) =>
    asMember(method, path, undefined, (await signIn(app.url, { email: member.email, password: PASSWORD })).cookie);

  /** The ways around the guard, by their routes or in words. */
  const ways = (): Record<string, Way> => ({
    'POST /auth/session': {
      boundedBy: 'RateLimits.countSignIn: 20 at once of a key, then one in ten seconds, and an entry a minute',
      use: () => signIn(app.url, { api_key: app.admin.key ?? '' }),
      most: 2,
    },
    'wrong passwords': {
      boundedBy:
        'RateLimits.guess: ten of an e-mail from one network, a hundred from all that it has not signed in from',
      use: () => signIn(app.url, { email: member.email, password: 'not three wise monkeys' }),
      most: 13,
    },
    'PUT /auth/session': {
      boundedBy: 'RateLimits.countSignIn, of the person',
      use: () => asMember('PUT', '/auth/session', { organization_id: formatId('organization', app.orgId) }),
      most: SIGN_INS,
    },
    'DELETE /auth/session': {
      boundedBy: 'one for each sign-in',
      use: () => asNewcomer('DELETE', '/auth/session'),
      most: 2 * SIGN_INS,
    },
    'DELETE /auth/sessions': {
      boundedBy: 'one for each sign-in, 50 sessions of a person',
      use: () => asNewcomer('DELETE', '/auth/sessions'),
      most: 2 * SIGN_INS,
    },
    'PUT /auth/account': {
      boundedBy: 'RateLimits.countSignIn, of the person',
      use: (n) => asMember('PUT', '/auth/account', { name: `Name ${n}` }),
      most: SIGN_INS,
    },
    'POST /auth/account/second-factor': {
      boundedBy: 'RateLimits.countSignIn, of the person; a draft writes no entry',
      use: () => asMember('POST', SECOND_FACTOR, { current_password: PASSWORD }),
      most: 0,
    },
    'POST /auth/account/second-factor/confirm': {
      boundedBy: 'RateLimits.countSignIn, of the person; a draft is confirmed once',
      use: async () => {
        const { secret } = (await (await asMember('POST', SECOND_FACTOR, { current_password: PASSWORD })).json()) as {
          secret?: string;
        };
        if (secret === undefined) return;
        const code = codeAt(fromBase32(secret), stepAt(app.app.get(Clock).now()));
        await asMember('POST', `${SECOND_FACTOR}/confirm`, { code });
      },
      most: 1,
    },
    'POST /auth/account/second-factor/recovery-codes': { boundedBy: 'RateLimits.countSignIn, of the person' },
    'POST /auth/account/second-factor/remove': { boundedBy: 'there is one second factor to be removed' },
    'DELETE /auth/account': { boundedBy: 'there is one account to be deleted' },
    'DELETE /auth/account/identities': {
      boundedBy: 'each identity is removed once, and came by a sign-in with the provider',
    },
    'POST /auth/account': {
      boundedBy: 'single use of an invitation, which a guarded route makes and a quota counts',
      use: () => post('/auth/account', { token: invitations[0], name: 'Ada', password: PASSWORD }),
      most: 2,
    },
    'POST /auth/join': {
      boundedBy: 'single use of an invitation, which a guarded route makes and a quota counts',
      use: () => asMember('POST', '/auth/join', { token: invitations[1] }),
      most: 2,
    },
    'POST /auth/password': {
      boundedBy: 'single use of a link, which a guarded route makes',
      use: () => post('/auth/password', { token: links[0], password: PASSWORD }),
      most: 2,
    },
    'POST /ack/:token': {
      boundedBy: 'one entry for an open incident: what somebody has taken in hand the link does not take again',
      use: async (n) => {
        const key = app.app.get(ServerSecrets).get('acknowledge_link');
        const expiresAt = new Date(Date.now() + 60_000_000_000);
        const token = signClaim(key, { alertId, episodeNo: 1, expiresAt });
        return post(`/ack/${token}`, { note: `${n}` });
      },
      most: 1,
    },
    'pings with create=1': {
      boundedBy: 'ChangeQuota.require, one a second and a hundred a day of a website',
      use: (n) => fetch(`${app.url}/ping/${heartbeatKey}/made-${n}?create=1`),
      most: 0,
    },
    'GET /auth/oidc/callback': {
      boundedBy: 'as sign-ins: RateLimits.countSignIn, of the person; the provider asks first',
    },
    'the proxy in front': {
      boundedBy: 'a session for each user that the proxy names, and changes of their groups once a minute',
    },
    operator: { boundedBy: 'the operator' },
    // Both name the place where they store something.
    'POST /auth/link': { boundedBy: 'reads', use: () => post('/auth/link', { token: invitations[0] }), most: 0 },
    'POST /auth/oidc': { boundedBy: 'reads', use: () => post('/auth/oidc', {}), most: 0 },
    'DELETE /auth/sessions/:id': { boundedBy: 'one for each sign-in, 50 sessions of a person' },
    'POST /api/v1/probe/poll': { boundedBy: 'writes no entry' },
    'POST /api/v1/probe/results': { boundedBy: 'writes no entry' },
  });

  it('every way to write is in the list', () => {
    const known = new Set([...Object.keys(ways()), 'guarded']);
    expect(Object.values(WRITERS).flatMap((by) => by.filter((way) => !known.has(way)))).toEqual([]);
    const unguarded = routes.filter(
      ({ method, access }) => method !== 'GET' && access !== 'read' && !GUARDED.has(access),
    );
    const unlisted = unguarded.filter(({ access, name }) => access !== 'operator' && !known.has(name));
    expect(unlisted.map(({ name }) => name)).toEqual([]);
  });

  it('every changing route for keys is refused, and after the extra allowance is used up, the exempt routes are refused as well', async () => {
    for (let n = 0; n < BEYOND; n++) await app.admin.delete('/websites/ws_00000000000000000000000000');
    const before = await entries();
    const served: string[] = [];
    for (const { name, method, path, access } of routes) {
      if (method === 'GET' || !GUARDED.has(access)) continue;
      const url = app.url + path.replace(/:\w+/g, 'ws_00000000000000000000000000');
      const { status } = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${app.admin.key}`,
          'content-type': 'application/json',
        },
        ...(method === 'DELETE' ? {} : { body: '{}' }),
      });
      if (status !== 429) served.push(`${name}: ${status}`);
    }
    expect(served).toEqual([]);
    expect(await entries()).toBe(before);
  });

  it('every other way adds few entries, no matter how often it is used', async () => {
    const added: Record<string, number> = {};
    const most: Record<string, number> = {};
    for (const [name, { use, most: allowed = 0 }] of Object.entries(ways())) {
      if (!use) continue;
      // Refills the budget that the previous way has used up.
      clock.advance(3_600_000);
      await useUp();
      const before = await entries();
      for (let n = 0; n < TRIES; n++) {
        await use(n);
        clock.advance(1000);
      }
      added[name] = (await entries()) - before;
      most[name] = allowed;
    }
    expect(Object.entries(added).filter(([name, count]) => count > (most[name] ?? 0))).toEqual([]);
  }, 300_000);
});
