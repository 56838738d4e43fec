/**
 * @lane slow
 * @databases both
 */
import { SignInLinks } from '../../../src/identity/session/sign-in-links';
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { hashCheaply } from '../../harness/app/person';
import { HostileIssuer } from '../../harness/servers/hostile-issuer';

const HOME = 'https://uptime.example.com';
const PASSWORD = 'three wise monkeys';

interface Session {
  organization: { id: string; name: string } | null;
  role: string | null;
  person: { id: string; name: string; email: string | null };
  operator: boolean;
  organizations: { name: string; role: string }[];
}

describe('a person with single sign-on', () => {
  let app: TestApp;
  let issuer: HostileIssuer;

  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);
  const invite = async (email: string, role = 'write') =>
    (await app.admin.post<{ token: string }>('/invitations', { email, role })).body.token;
  /** Goes to the provider and comes back as this user. */
  const go = async (browser: Browser, person: { sub: string; [claim: string]: unknown }, body: object = {}) => {
    issuer.person = person;
    const begun = await browser.send<{ location: string }>('POST', '/auth/oidc', body);
    expect(begun.status).toBe(200);
    const { location } = await browser.comeBack(issuer.signIn(begun.body.location));
    return location.slice(HOME.length);
  };
  const session = async (browser: Browser) => (await browser.send<Session>('GET', '/auth/session')).body;
  const rolesOf = async (browser: Browser) =>
    (await session(browser)).organizations.map(({ name, role }) => `${name} ${role}`);
  const withPassword = async (email: string, name: string): Promise<Browser> => {
    const browser = new Browser(app);
    const { status } = await browser.send('POST', '/auth/account', {
      token: await invite(email),
      name,
      password: PASSWORD,
    });
    expect(status).toBe(201);
    return browser;
  };

  beforeAll(async () => {
    issuer = await HostileIssuer.start();
    app = await startOwnApp({
      role: 'api',
      publicUrl: HOME,
      oidcIssuer: issuer.url,
      oidcClientId: 'uptime',
      oidcName: 'Example login',
      groupRoles: ['ops=Default:admin', 'shop-*=Shop:write', 'readers=Shop:read', 'root=operator', 'x=Gone:admin'],
    });
    hashCheaply(app);
    await app.organization('Shop');
  });
  beforeEach(() => app.advance('5 s'));
  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  it('sees this option, and goes to the provider with proof of who started the sign-in', async () => {
    const browser = new Browser(app);
    expect((await browser.send('GET', '/auth/methods')).body).toMatchObject({
      password: true,
      single_sign_on: { name: 'Example login' },
    });
    const { body } = await browser.send<{ location: string }>('POST', '/auth/oidc', {});
    const address = new URL(body.location);
    expect(`${address.origin}${address.pathname}`).toBe(`${issuer.url}/authorize`);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: 'uptime',
      response_type: 'code',
      scope: 'openid profile email',
      redirect_uri: `${HOME}/auth/oidc/callback`,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('joins by an invitation, with its email, and has the same account from then on', async () => {
    const bo = new Browser(app);
    const token = await invite('bo@example.com');
    expect(await go(bo, { sub: 'bo', name: 'Bo', email: 'other@example.com', email_verified: true }, { token })).toBe(
      '/',
    );
    const { person, organization, role } = await session(bo);
    expect([person.name, person.email, organization?.name, role]).toEqual(['Bo', 'bo@example.com', 'Default', 'write']);
    const again = new Browser(app);
    expect(await go(again, { sub: 'bo', name: 'Robert', email: 'ada@example.com', email_verified: true })).toBe('/');
    expect((await session(again)).person).toEqual(person);
    const { body } = await again.send('GET', '/auth/account');
    expect(body).toMatchObject({ has_password: false, identities: [{ issuer: issuer.url, subject: 'bo' }] });
    expect(await go(new Browser(app), { sub: 'eve' })).toBe('/#/sign-in/problem/not_invited');
    const used = await new Browser(app).send('POST', '/auth/oidc', { token });
    expect(used.status).toBe(401);
    const { body: entries } = await app.admin.get<object[]>(`/audit-log?person_id=${person.id}`);
    expect(entries).toMatchObject([{ action: 'sign_in' }, { action: 'sign_in' }, { action: 'create' }]);
    for (const secret of [token, 'bo@example.com', '"bo"']) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it('is an operator by an invitation of the command line', async () => {
    const token = await invite('op@example.com', 'admin');
    await sql("UPDATE invitation SET is_operator = true WHERE email = 'op@example.com'");
    const op = new Browser(app);
    expect(await go(op, { sub: 'op' }, { token })).toBe('/');
    expect((await session(op)).operator).toBe(true);
  });

  it('does not join by an invitation that is used up during the sign-in', async () => {
    const late = new Browser(app);
    const token = await invite('late@example.com');
    issuer.person = { sub: 'late' };
    const { body } = await late.send<{ location: string }>('POST', '/auth/oidc', { token });
    await invite('late@example.com');
    expect((await late.comeBack(issuer.signIn(body.location))).location).toBe(`${HOME}/#/sign-in/problem/expired`);
    expect(await sql("SELECT FROM identity WHERE subject = 'late'")).toEqual([]);
  });

  it('has the organizations and rights that their groups give, in both directions', async () => {
    const cy = new Browser(app);
    const claims = { sub: 'cy', name: 'Cy', email: 'cy@example.com', email_verified: true };
    expect(await go(cy, { ...claims, groups: ['ops', 'shop-eu', 'x'] })).toBe('/');
    expect(await rolesOf(cy)).toEqual(['Default admin', 'Shop write']);
    const id = (await session(cy)).person.id;
    expect((await app.admin.put(`/people/${id}`, { role: 'read' })).status).toBe(409);
    expect(await go(cy, { ...claims, groups: ['readers', 'root'] })).toBe('/');
    expect([await rolesOf(cy), (await session(cy)).operator]).toEqual([['Shop read'], true]);
    expect((await cy.send('GET', '/operator/organizations')).status).not.toBe(500);
    expect(await go(cy, { ...claims, groups: 'ops' })).toBe('/');
    expect([await rolesOf(cy), (await session(cy)).operator]).toEqual([['Default admin'], false]);
    const { body } = await app.admin.get<{ action: string }[]>(`/audit-log?person_id=${id}&resource=person`);
    expect(body.map(({ action }) => action).filter((action) => !action.startsWith('sign'))).toEqual([
      'create',
      'delete',
      'create',
    ]);
  });

  it.each<[string, object]>([
    ['an empty list', { groups: [] }],
    ['no claim at all, like providers that omit empty lists', {}],
    ['a reference to groups that are stored elsewhere', { _claim_names: { groups: 'src1' } }],
    ['groups that are not a list', { groups: { ops: true } }],
  ])("loses the rights from groups, including an operator's rights, when the provider sends %s", async (_, lost) => {
    const lou = new Browser(app);
    expect(await go(lou, { sub: 'lou', groups: ['ops', 'root'] })).toBe('/');
    expect([await rolesOf(lou), (await session(lou)).operator]).toEqual([['Default admin'], true]);
    expect(await go(lou, { sub: 'lou', ...lost })).toBe('/');
    const { operator, organization } = await session(lou);
    expect([await rolesOf(lou), operator, organization]).toEqual([[], false, null]);
    expect((await lou.send('GET', '/api/v1/websites')).status).toBe(403);
  });

  it('keeps the rights from an invitation, regardless of the groups', async () => {
    const di = new Browser(app);
    expect(await go(di, { sub: 'di', groups: ['ops'] }, { token: await invite('di@example.com', 'read') })).toBe('/');
    expect(await rolesOf(di)).toEqual(['Default read']);
    expect(await go(di, { sub: 'di', groups: [] })).toBe('/');
    expect(await rolesOf(di)).toEqual(['Default read']);
  });

  it('keeps the role permanently if an invitation replaces the one that a group gave', async () => {
    const eli = new Browser(app);
    const claims = { sub: 'eli', email: 'eli@example.com', email_verified: true };
    expect(await go(eli, { ...claims, groups: ['ops'] })).toBe('/');
    const token = await invite('eli@example.com', 'read');
    expect((await eli.send('POST', '/auth/join', { token })).status).toBe(201);
    expect(await go(eli, { ...claims, groups: ['readers'] })).toBe('/');
    expect(await rolesOf(eli)).toEqual(['Default read', 'Shop read']);
    const again = await app.admin.post('/invitations', { email: 'eli@example.com', role: 'read' });
    expect(again.status).toBe(409);
  });

  it('is never found by an email, and keeps the one that the provider verified if another account claims it', async () => {
    const ed = await withPassword('ed@example.com', 'Ed');
    const claims = { groups: ['ops'], email: 'ED@example.com', email_verified: true };
    const verified = new Browser(app);
    expect(await go(verified, { ...claims, sub: 'verified' })).toBe('/');
    const { person } = await session(verified);
    expect(person.email).toBe('ed@example.com');
    expect(person.id).not.toBe((await session(ed)).person.id);
    // A verified email belongs to one account.
    expect(await go(new Browser(app), { ...claims, sub: 'another' })).toBe('/#/sign-in/problem/email_taken');
    const unverified = new Browser(app);
    expect(await go(unverified, { ...claims, sub: 'unverified', email_verified: false })).toBe('/');
    expect((await session(unverified)).person.email).toBeNull();
    // The account with the unverified email still signs in.
    const credentials = { email: 'ed@example.com', password: PASSWORD };
    expect((await new Browser(app).send<Session>('POST', '/auth/session', credentials)).body.person.name).toBe('Ed');
  });

  it('verifies the email of the account by connecting it, if the provider has verified it', async () => {
    const fay = await withPassword('fay@example.com', 'Fay');
    const claims = { groups: ['ops'], email: 'fay@example.com', email_verified: true };
    expect(await go(fay, { ...claims, sub: 'fay' }, { connect: true })).toBe('/#/settings/account');
    expect(await go(new Browser(app), { ...claims, sub: 'not-fay' })).toBe('/#/sign-in/problem/email_taken');
  });

  it('can connect an existing account, and then signs in either way', async () => {
    const flo = await withPassword('flo@example.com', 'Flo');
    const { person } = await session(flo);
    expect(await go(flo, { sub: 'flo' }, { connect: true })).toBe('/#/settings/account');
    expect((await session(flo)).person).toEqual(person);
    const { body: entries } = await app.admin.get<{ action: string }[]>(`/audit-log?person_id=${person.id}`);
    expect(entries.filter(({ action }) => action === 'update')).toMatchObject([
      { resource: 'person', changed: ['single_sign_on'] },
    ]);
    const elsewhere = new Browser(app);
    expect(await go(elsewhere, { sub: 'flo' })).toBe('/');
    expect((await session(elsewhere)).person).toEqual(person);
    const gus = await withPassword('gus@example.com', 'Gus');
    expect(await go(gus, { sub: 'flo' }, { connect: true })).toBe('/#/sign-in/problem/refused');
    const { body } = await gus.send<{ location: string }>('POST', '/auth/oidc', { connect: true });
    await gus.send('DELETE', '/auth/session');
    issuer.person = { sub: 'gus' };
    expect((await gus.comeBack(issuer.signIn(body.location))).location).toBe(`${HOME}/#/sign-in/problem/expired`);
    expect(await sql("SELECT FROM identity WHERE subject = 'gus'")).toEqual([]);
    const key = new Browser(app);
    await key.send('POST', '/auth/session', { api_key: app.admin.key });
    expect((await key.send('POST', '/auth/oidc', { connect: true })).status).toBe(409);
    expect((await new Browser(app).send('POST', '/auth/oidc', { connect: true })).status).toBe(401);
  });

  it('gets one account if they sign in for the first time twice at once', async () => {
    const both = [new Browser(app), new Browser(app)];
    const places = await Promise.all(both.map((browser) => go(browser, { sub: 'hal', groups: ['ops'] })));
    expect(places).toEqual(['/', '/']);
    expect(await sql("SELECT FROM identity WHERE subject = 'hal'")).toHaveLength(1);
  });

  it('gets no account if there is no organization left to join', async () => {
    const before = await sql('SELECT FROM person');
    const shop = await sql<{ id: string }>("SELECT id FROM organization WHERE name = 'Shop'");
    await sql(`UPDATE organization SET quotas = '{"people": 0}' WHERE id = $1`, [shop[0]?.id]);
    expect(await go(new Browser(app), { sub: 'ida', groups: ['shop-eu'] })).toBe('/#/sign-in/problem/refused');
    await sql(`UPDATE organization SET quotas = '{}' WHERE id = $1`, [shop[0]?.id]);
    expect(await sql('SELECT FROM person')).toHaveLength(before.length);
  });

  it('is signed out after a day at the latest', async () => {
    const jo = new Browser(app);
    expect(await go(jo, { sub: 'jo', groups: ['ops'] })).toBe('/');
    for (const hours of [11, 11]) {
      await app.advance(`${hours} h`);
      expect((await jo.send('GET', '/auth/session')).status).toBe(200);
    }
    await app.advance('3 h');
    expect((await jo.send('GET', '/auth/session')).status).toBe(204);
  });

  it('signs in with a password, a link or a key while the provider is away', async () => {
    await withPassword('kim@example.com', 'Kim');
    await app.advance('61 min');
    issuer.isAway = true;
    const { status, headers, body } = await new Browser(app).send('POST', '/auth/oidc', {});
    expect([status, headers.get('retry-after'), body['code']]).toEqual([503, '30', 'temporarily_unavailable']);
    for (const credentials of [
      { email: 'kim@example.com', password: PASSWORD },
      { api_key: app.admin.key },
      { sign_in_token: await app.app.get(SignInLinks).create() },
    ])
      expect((await new Browser(app).send('POST', '/auth/session', credentials)).status).toBe(201);
    issuer.isAway = false;
    expect(await go(new Browser(app), { sub: 'flo' })).toBe('/');
  });
});

describe('a person without passwords', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', passwordLogin: false });
  });
  afterAll(() => app.close());

  it('cannot set or use a password, and signs in by key or link', async () => {
    const browser = new Browser(app);
    expect((await browser.send('GET', '/auth/methods')).body).toMatchObject({ password: false, single_sign_on: null });
    const { body } = await app.admin.post<{ token: string }>('/invitations', { email: 'bo@example.com', role: 'read' });
    const fields = { token: body.token, name: 'Bo', password: PASSWORD };
    expect((await browser.send('POST', '/auth/account', fields)).status).toBe(409);
    const credentials = { email: 'bo@example.com', password: PASSWORD };
    expect((await browser.send('POST', '/auth/session', credentials)).status).toBe(401);
    expect((await browser.send('POST', '/auth/session', { api_key: app.admin.key })).status).toBe(201);
    const sign_in_token = await app.app.get(SignInLinks).create();
    expect((await new Browser(app).send('POST', '/auth/session', { sign_in_token })).status).toBe(201);
    expect((await browser.send('POST', '/auth/oidc', {})).status).toBe(404);
    expect((await browser.send('GET', '/auth/oidc/callback?code=x')).status).toBe(404);
  });
});

describe('the first account if there are no passwords', () => {
  let app: TestApp;
  let issuer: HostileIssuer;
  beforeAll(async () => {
    issuer = await HostileIssuer.start();
    const provider = { publicUrl: HOME, oidcIssuer: issuer.url, oidcClientId: 'uptime' };
    app = await startOwnApp({ role: 'api', passwordLogin: false, ...provider });
  });
  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  it("is the provider's user who opens one of the start links", async () => {
    const links = app.app.get(SignInLinks);
    const begin = async (browser: Browser, token: string) => {
      const { status, body } = await browser.send<{ location: string }>('POST', '/auth/oidc', { token });
      return { status, come: async () => (await browser.comeBack(issuer.signIn(body.location))).location };
    };
    const [token, second, third] = [await links.create(), await links.create(), await links.create()];
    const [ada, bo] = [new Browser(app), new Browser(app)];
    const fields = { token, name: 'Ada', email: 'ada@example.com', password: PASSWORD };
    expect((await ada.send('POST', '/auth/account', fields)).status).toBe(409);
    const [first, late] = [await begin(ada, token), await begin(bo, second)];
    issuer.person = { sub: 'ada', name: 'Ada', email: 'ada@example.com', email_verified: true };
    expect(await first.come()).toBe(`${HOME}/`);
    expect((await ada.send<Session>('GET', '/auth/session')).body).toMatchObject({
      person: { name: 'Ada', email: 'ada@example.com' },
      organization: { name: 'Default' },
      role: 'admin',
      operator: true,
    });
    issuer.person = { sub: 'bo' };
    expect(await late.come()).toBe(`${HOME}/#/sign-in/problem/expired`);
    expect((await begin(new Browser(app), third)).status).toBe(401);
  });
});
