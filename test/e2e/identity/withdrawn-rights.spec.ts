/** @lane slow */
import { InstallationPeople } from '../../../src/identity/people/installation-people.service';
import type { MembershipSource } from '../../../src/identity/person/person-row';
import { PersonStore } from '../../../src/identity/person/person-store';
import { SIGN_INS, type SignIn } from '../../../src/identity/person/sign-ins';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { hashCheaply, PASSWORD } from '../../harness/app/person';
import { HostileIssuer } from '../../harness/servers/hostile-issuer';

const HOME = 'https://uptime.example.com';

interface Session {
  organization: { name: string } | null;
  operator: boolean;
  organizations: { name: string; role: string }[];
  needs_single_sign_on: boolean;
  person: { id: string };
}
/** The accessible organizations, and "operator". */
type Rights = string[];

/** The organization that each source of rights opens. Groups also grant the rights of an operator. */
const PLACES = { invited: 'Default', groups: 'Shop' } as const satisfies Record<MembershipSource, string>;

describe('the rights of a person, when their source withdraws them', () => {
  let app: TestApp;
  let issuer: HostileIssuer;

  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);
  const go = async (browser: Browser, sub: string, groups: string[], body: object = {}) => {
    issuer.person = { sub, name: sub, groups };
    const begun = await browser.send<{ location: string }>('POST', '/auth/oidc', body);
    expect(begun.status).toBe(200);
    const { location } = await browser.comeBack(issuer.signIn(begun.body.location));
    return location.slice(HOME.length);
  };
  const rightsOf = ({ organizations, operator }: Session): Rights => [
    ...organizations.map(({ name }) => name),
    ...(operator ? ['operator'] : []),
  ];
  const NOTHING: Rights = [];

  beforeAll(async () => {
    issuer = await HostileIssuer.start();
    app = await startOwnApp({
      role: 'api',
      publicUrl: HOME,
      oidcIssuer: issuer.url,
      oidcClientId: 'uptime',
      trustedProxies: ['127.0.0.0/8'],
      proxyUserHeader: 'Remote-User',
      proxyGroupsHeader: 'Remote-Groups',
      groupRoles: ['shop=Shop:admin', 'root=operator', 'staff=Default:read'],
    });
    hashCheaply(app);
    await app.organization('Shop');
  });
  // Refills the limits of one user and one address.
  beforeEach(() => app.advance('10 min'));
  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  /**
   * Creates a user who was invited to Default, and has Shop and the rights of an operator from groups of the provider
   * and the proxy.
   */
  async function newPerson(name: string): Promise<{ email: string; uuid: string }> {
    const email = `${name}@example.com`;
    const { body } = await app.admin.post<{ token: string }>('/invitations', { email, role: 'read' });
    const browser = new Browser(app);
    expect(await go(browser, name, ['shop', 'root'], { token: body.token })).toBe('/');
    expect((await browser.send('PUT', '/auth/account', { password: PASSWORD })).status).toBe(200);
    const { person } = (await browser.send<Session>('GET', '/auth/session')).body;
    const uuid = parseId('person', person.id) ?? '';
    await app.app.get(InstallationPeople).connect(uuid, 'proxy', name);
    return { email, uuid };
  }

  type Person = Awaited<ReturnType<typeof newPerson>>;
  /** Returns the session of a browser, or null if no one is signed in. */
  type Look = () => Promise<Session | null>;
  const lookOf =
    (browser: Browser, headers: Record<string, string> = {}): Look =>
    async () => {
      const { status, body } = await browser.send<Session>('GET', '/auth/session', undefined, headers);
      return status === 200 ? body : null;
    };
  const signedIn = async (credentials: object): Promise<Look> => {
    const browser = new Browser(app);
    const { status } = await browser.send('POST', '/auth/session', credentials);
    return status === 201 ? lookOf(browser) : () => Promise.resolve(null);
  };

  /** Signs in by each way, while the source does or does not know the user. null if users do not sign in this way. */
  const WAYS: Readonly<Record<SignIn, ((person: Person, isKnown: boolean) => Promise<Look>) | null>> = {
    // A key belongs to its organization.
    api_key: null,
    password: ({ email }) => signedIn({ email, password: PASSWORD }),
    sign_in_link: async ({ uuid }) => {
      const { token } = await app.app.get(InstallationPeople).signInLink(uuid);
      return signedIn({ sign_in_token: token });
    },
    // It signs in once, with the new account. Afterwards, only the session is left.
    invitation: async ({ email, uuid }, isKnown) => {
      if (!isKnown) return () => Promise.resolve(null);
      const look = await signedIn({ email, password: PASSWORD });
      await sql(`UPDATE session SET via = 'invitation' WHERE person_id = $1 AND via = 'password'`, [uuid]);
      return look;
    },
    single_sign_on: async ({ email }, isKnown) => {
      const browser = new Browser(app);
      const name = email.split('@')[0] ?? '';
      if (isKnown) expect(await go(browser, name, ['shop', 'root'])).toBe('/');
      return lookOf(browser);
    },
    proxy: async ({ email }, isKnown) => {
      const headers = { 'remote-user': email.split('@')[0] ?? '', 'remote-groups': 'shop,root' };
      return lookOf(new Browser(app), isKnown ? headers : {});
    },
  };
  const ways = SIGN_INS.flatMap((via) => {
    const enter = WAYS[via];
    return enter === null ? [] : [{ via, enter }];
  });

  it.each(ways)(
    'a session by $via has the rights from groups only if it proves them, and loses them a day after they were withdrawn',
    async ({ via, enter }) => {
      const person = await newPerson(`vi-${via.replaceAll('_', '-')}`);
      const isSource = via === 'single_sign_on' || via === 'proxy';
      const look = await enter(person, true);
      const before = await look();
      const all = [...Object.values(PLACES), 'operator'];
      expect(before && rightsOf(before)).toEqual(isSource ? all : [PLACES.invited]);
      expect(before?.needs_single_sign_on).toBe(!isSource);

      await app.advance('11 h');
      await look();
      await app.advance('13 h');
      // A session of the proxy exists only with its header.
      const after = via === 'proxy' ? null : await look();
      expect(after ? rightsOf(after) : NOTHING).not.toEqual(expect.arrayContaining([PLACES.groups]));
      expect(after?.operator ?? false).toBe(false);
      const again = await (await enter(person, false))();
      expect(again ? rightsOf(again) : NOTHING).toEqual(isSource || via === 'invitation' ? NOTHING : [PLACES.invited]);
    },
  );

  it('a session that does not prove the groups cannot use API, stream, or operator routes with their rights', async () => {
    const person = await newPerson('mo');
    const browser = new Browser(app);
    await browser.send('POST', '/auth/session', { email: person.email, password: PASSWORD });
    const [shop] = await sql<{ id: string }>("SELECT id FROM organization WHERE name = 'Shop'");
    await sql('UPDATE session SET org_id = $2 WHERE person_id = $1', [person.uuid, shop?.id]);
    const read = await browser.send<{ code: string; detail: string }>('GET', '/api/v1/websites');
    expect([read.status, read.body.code]).toEqual([403, 'insufficient_role']);
    expect(read.body.detail).toContain('sign in with single sign-on');
    expect((await browser.send('GET', '/api/v1/stream')).status).toBe(403);
    expect((await browser.send('GET', '/api/v1/organizations')).status).toBe(403);
    const own = await browser.send<Session>('GET', '/auth/session');
    expect(own.body).toMatchObject({ organization: null, operator: false, needs_single_sign_on: true });
    const store = app.app.get(PersonStore);
    const open = await store.openTo(app.app.get(Database), person.uuid, { via: 'password', hasSecondFactor: true });
    expect(open.map(({ orgName }) => orgName)).toEqual(['Default']);
  });

  describe('no new way to sign in is left behind', () => {
    const FRESH = '9 min';
    const STALE = '2 min';

    it('by a first password that is set later than ten minutes after the sign-in', async () => {
      const browser = new Browser(app);
      expect(await go(browser, 'ned', ['staff'])).toBe('/');
      await app.advance(FRESH);
      await app.advance(STALE);
      const late = await browser.send<{ code: string; detail: string }>('PUT', '/auth/account', { password: PASSWORD });
      expect([late.status, late.body.code]).toEqual([409, 'conflict']);
      expect(late.body.detail).toContain('less than ten minutes old');
      expect((await browser.send('PUT', '/auth/account', { name: 'Ned' })).status).toBe(200);
      expect(await go(browser, 'ned', ['staff'])).toBe('/');
      await app.advance(FRESH);
      expect((await browser.send('PUT', '/auth/account', { password: PASSWORD })).status).toBe(200);
    });

    it('by a first password, or a connection, behind the proxy, if no one can sign in again', async () => {
      const headers = { 'remote-user': 'pam', 'remote-groups': 'staff' };
      const browser = new Browser(app);
      expect((await browser.send('GET', '/auth/session', undefined, headers)).status).toBe(200);
      const set = await browser.send<{ detail: string }>('PUT', '/auth/account', { password: PASSWORD }, headers);
      expect(set.status).toBe(409);
      expect(set.body.detail).toContain('Ask an administrator');
      expect((await browser.send('POST', '/auth/oidc', { connect: true }, headers)).status).toBe(409);
    });

    it('by an identity that is connected later than ten minutes after the sign-in', async () => {
      const { email } = await newPerson('quin');
      const browser = new Browser(app);
      await browser.send('POST', '/auth/session', { email, password: PASSWORD });
      await app.advance(FRESH);
      await app.advance(STALE);
      const late = await browser.send<{ detail: string }>('POST', '/auth/oidc', { connect: true });
      expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('less than ten minutes old')]);
    });
  });
});
