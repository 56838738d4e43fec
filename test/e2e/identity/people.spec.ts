/**
 * @lane slow
 * @databases both
 */
import { SignInLinks } from '../../../src/identity/session/sign-in-links';
import { Database } from '../../../src/platform/database/database';
import { formatId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { hashCheaply, newMember, PASSWORD } from '../../harness/app/person';

const OTHER = 'a mill by the river';

interface Session {
  organization: { id: string; name: string } | null;
  role: string | null;
  person: { id: string; name: string; email: string } | null;
  operator: boolean;
  organizations: { id: string; name: string; role: string }[];
  code?: string;
}

describe('people', () => {
  let app: TestApp;
  let ada: Browser;
  let adaId: string;

  const browser = () => new Browser(app);
  const link = () => app.app.get(SignInLinks).create();
  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);
  const invite = async (email: string, role = 'write') =>
    (await app.admin.post<{ id: string; token: string }>('/invitations', { email, role })).body;
  const account = (token: string, name: string, more: object = {}) =>
    browser().send<Session>('POST', '/auth/account', { token, name, password: PASSWORD, ...more });
  const joined = async (email: string, role = 'write'): Promise<Browser> => (await newMember(app, role, email)).browser;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: 0 });
    hashCheaply(app);
    ada = browser();
  });
  afterAll(() => app.close());

  it('start with the one who opens the link of the start, who is operator and admin of Default; of two that race, one wins', async () => {
    expect((await browser().send('GET', '/auth/methods')).body).toMatchObject({ needs_account: true, password: true });
    const token = await link();
    expect((await browser().send('POST', '/auth/link', { token })).body).toMatchObject({
      kind: 'first_account',
      organization: { name: 'Default' },
      role: 'admin',
      email: null,
    });
    const fields = { token, name: 'Ada', email: ' Ada@Example.com ', password: PASSWORD };
    const second = browser();
    const both = [
      await link().then((other) => second.send<Session>('POST', '/auth/account', { ...fields, token: other })),
      await ada.send<Session>('POST', '/auth/account', fields),
    ];
    expect(both.map(({ status }) => status)).toEqual([201, 401]);
    ada = second;
    const { body } = await ada.send<Session>('GET', '/auth/session');
    expect(body).toMatchObject({
      organization: { name: 'Default' },
      role: 'admin',
      person: { name: 'Ada', email: 'ada@example.com' },
      operator: true,
      key_name: null,
      organizations: [{ name: 'Default', role: 'admin' }],
    });
    adaId = body.person?.id ?? '';
    expect((await browser().send('POST', '/auth/link', { token })).body).toMatchObject({ kind: 'sign_in' });
    expect((await browser().send('GET', '/auth/methods')).body).toMatchObject({ needs_account: false });
  });

  it('sign in with email and password, and do not learn what was wrong', async () => {
    const right = await browser().send<Session>('POST', '/auth/session', {
      email: 'ADA@example.com',
      password: PASSWORD,
    });
    expect([right.status, right.body.person?.name]).toEqual([201, 'Ada']);
    const wrong = [
      { email: 'ada@example.com', password: 'three wise monkey' },
      { email: 'nobody@example.com', password: PASSWORD },
      { email: '', password: '' },
    ];
    const bodies = new Set<string>();
    for (const credentials of wrong) {
      const { status, body } = await browser().send<{ code: string; detail: string }>(
        'POST',
        '/auth/session',
        credentials,
      );
      bodies.add(`${status} ${body.code} ${body.detail}`);
    }
    expect([...bodies]).toEqual([expect.stringMatching(/^401 unauthenticated /)]);
    const mixed = [{ email: 'ada@example.com' }, { password: PASSWORD }, { api_key: 'x', sign_in_token: 'y' }];
    for (const body of mixed) expect((await browser().send('POST', '/auth/session', body)).status).toBe(400);
  });

  it('cannot choose a password that is short or easy to guess', async () => {
    const { token } = await invite('weak@example.com');
    for (const [password, code] of [
      ['short', 'out_of_range'],
      ['x'.repeat(257), 'out_of_range'],
      ['qwertyuiopasdfgh', 'too_weak'],
      ['weak.example.com', 'too_weak'],
    ] as const)
      expect(await account(token, 'Weak', { password })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/password', code }] },
      });
  });

  it('are invited by a link that works once, for its email, and is in no log', async () => {
    const invited = await invite('Bo@example.com');
    expect((await browser().send('POST', '/auth/link', { token: invited.token })).body).toMatchObject({
      kind: 'invitation',
      organization: { name: 'Default' },
      role: 'write',
      email: 'bo@example.com',
      has_account: false,
    });
    expect((await account(invited.token, 'Bo', { email: 'eve@example.com' })).body).toMatchObject({
      errors: [{ pointer: '/email', code: 'immutable' }],
    });
    const [one, two] = await Promise.all([account(invited.token, 'Bo'), account(invited.token, 'Bo')]);
    expect([one.status, two.status].toSorted((a, b) => a - b)).toEqual([201, 401]);
    expect((await app.admin.post('/invitations', { email: 'bo@example.com', role: 'read' })).status).toBe(409);
    const log = JSON.stringify((await app.admin.get('/audit-log')).body);
    for (const secret of [invited.token, 'bo@example.com', PASSWORD]) expect(log).not.toContain(secret);
    expect(log).toContain('"person_name":"Bo"');
  });

  it('can use only the newer link if they are invited again', async () => {
    const older = await invite('twice@example.com', 'read');
    const newer = await invite('TWICE@example.com', 'write');
    expect((await account(older.token, 'Twice')).status).toBe(401);
    expect((await account(newer.token, 'Twice')).body).toMatchObject({ role: 'write' });
  });

  it('may do what their current role allows, and leave their name', async () => {
    const cy = await joined('cy@example.com', 'read');
    const { body: session } = await cy.send<Session>('GET', '/auth/session');
    const id = session.person?.id ?? '';
    const website = { name: 'Shop', url: 'http://shop.example' };
    expect((await cy.send('POST', '/api/v1/websites', website)).status).toBe(403);
    const { body } = await ada.send('PUT', `/api/v1/people/${id}`, { role: 'write' });
    expect(body).toMatchObject({
      role: 'write',
      name: 'cy',
      email: 'cy@example.com',
      source: 'invited',
      has_password: true,
    });
    expect((await cy.send('POST', '/api/v1/websites', website)).status).toBe(201);
    const { body: entries } = await app.admin.get<{ resource: string; author: object }[]>(
      `/audit-log?person_id=${id}&resource=website`,
    );
    expect(entries).toMatchObject([{ author: { via: 'session', person_id: id, person_name: 'cy', key_id: null } }]);
    expect((await ada.send('DELETE', `/api/v1/people/${id}`)).status).toBe(204);
    expect((await cy.send('GET', '/api/v1/websites')).status).toBe(403);
    expect((await cy.send<Session>('GET', '/auth/session')).body).toMatchObject({
      organization: null,
      role: null,
      organizations: [],
    });
  });

  it('always include an administrator, no matter who requests the change', async () => {
    expect(await ada.send('PUT', `/api/v1/people/${adaId}`, { role: 'read' })).toMatchObject({ status: 409 });
    expect(await ada.send('DELETE', `/api/v1/people/${adaId}`)).toMatchObject({ status: 409 });
    expect(await ada.send('DELETE', '/auth/account')).toMatchObject({ status: 409 });
  });

  it('join a second organization and switch to it, and a page of the first one can do nothing there', async () => {
    const other = await app.organization('Other');
    const di = await joined('di@example.com', 'read');
    const { body: before } = await di.send<Session>('GET', '/auth/session');
    const { body: invited } = await other.admin.post<{ token: string }>('/invitations', {
      email: 'di@example.com',
      role: 'admin',
    });
    expect((await account(invited.token, 'Di')).status).toBe(409);
    const { body: after } = await di.send<Session>('POST', '/auth/join', { token: invited.token });
    expect(after).toMatchObject({
      organization: { name: 'Other' },
      role: 'admin',
      organizations: [{ name: 'Default' }, { name: 'Other' }],
    });
    const stale = { 'x-organization': before.organization?.id ?? '' };
    expect((await di.send('POST', '/api/v1/websites', { name: 'a', url: 'http://a.example' }, stale)).status).toBe(409);
    expect((await di.send('PUT', '/auth/session', { organization_id: before.organization?.id })).body).toMatchObject({
      role: 'read',
    });
    expect((await di.send('GET', '/api/v1/websites', undefined, stale)).status).toBe(200);
    const foreign = await app.organization('Third');
    expect(
      (await di.send('PUT', '/auth/session', { organization_id: formatId('organization', foreign.orgId) })).status,
    ).toBe(404);
    const key = browser();
    await key.send('POST', '/auth/session', { api_key: app.read.key });
    expect(
      (await key.send('PUT', '/auth/session', { organization_id: formatId('organization', foreign.orgId) })).status,
    ).toBe(409);
  });

  it('change their name and, with the old one, their password, which ends their other sessions', async () => {
    const ed = await joined('ed@example.com');
    const elsewhere = browser();
    await elsewhere.send('POST', '/auth/session', { email: 'ed@example.com', password: PASSWORD });
    expect((await ed.send('PUT', '/auth/account', { name: ' Edith ' })).body).toMatchObject({
      name: 'Edith',
      has_password: true,
    });
    for (const current_password of [undefined, OTHER])
      expect((await ed.send('PUT', '/auth/account', { password: OTHER, current_password })).body).toMatchObject({
        errors: [{ pointer: '/current_password' }],
      });
    expect((await ed.send('PUT', '/auth/account', { password: OTHER, current_password: PASSWORD })).status).toBe(200);
    expect((await elsewhere.send('GET', '/auth/account')).status).toBe(401);
    expect((await ed.send('GET', '/auth/account')).status).toBe(200);
    expect((await browser().send('POST', '/auth/session', { email: 'ed@example.com', password: OTHER })).status).toBe(
      201,
    );
  });

  it('see their sessions and end them, and no sessions of other people', async () => {
    const flo = await joined('flo@example.com');
    const elsewhere = browser();
    await elsewhere.send('POST', '/auth/session', { email: 'flo@example.com', password: PASSWORD });
    const list = async (one: Browser) =>
      (await one.send<{ id: string; current: boolean; via: string }[]>('GET', '/auth/sessions')).body;
    const [newest, oldest] = await list(flo);
    expect([newest?.via, newest?.current, oldest?.via, oldest?.current]).toEqual([
      'password',
      false,
      'invitation',
      true,
    ]);
    expect((await ada.send('DELETE', `/auth/sessions/${newest?.id}`)).status).toBe(404);
    expect((await flo.send('DELETE', `/auth/sessions/${newest?.id}`)).status).toBe(204);
    expect((await elsewhere.send('GET', '/auth/account')).status).toBe(401);
    await elsewhere.send('POST', '/auth/session', { email: 'flo@example.com', password: PASSWORD });
    expect((await elsewhere.send('DELETE', '/auth/sessions')).status).toBe(204);
    expect([(await list(elsewhere)).length, (await flo.send('GET', '/auth/account')).status]).toEqual([1, 401]);
  });

  it('get a link if they forgot their password and have no other way to sign in', async () => {
    const gil = await joined('gil@example.com');
    const id = (await gil.send<Session>('GET', '/auth/session')).body.person?.id;
    const { body: made } = await app.admin.post<{ token: string; url: null }>(`/people/${id}/password-link`);
    expect((await browser().send('POST', '/auth/link', { token: made.token })).body).toMatchObject({
      kind: 'password',
      email: 'gil@example.com',
    });
    expect((await browser().send('POST', '/auth/session', { sign_in_token: made.token })).status).toBe(401);
    expect((await browser().send('POST', '/auth/password', { token: made.token, password: OTHER })).status).toBe(201);
    expect((await gil.send('GET', '/auth/account')).status).toBe(401);
    expect((await browser().send('POST', '/auth/password', { token: made.token, password: OTHER })).status).toBe(401);
    expect((await app.admin.post(`/people/${adaId}/password-link`)).status).toBe(409);
  });

  it('leave nothing but their actions, without a name, when they erase themselves', async () => {
    const hal = await joined('hal@example.com');
    const { body: session } = await hal.send<Session>('GET', '/auth/session');
    await hal.send('POST', '/api/v1/websites', { name: 'Left', url: 'http://left.example' });
    expect((await hal.send('DELETE', '/auth/account')).status).toBe(204);
    expect((await hal.send('GET', '/auth/session')).status).toBe(204);
    expect(
      (await browser().send('POST', '/auth/session', { email: 'hal@example.com', password: PASSWORD })).status,
    ).toBe(401);
    const { body } = await app.admin.get(`/audit-log?person_id=${session.person?.id}&resource=website`);
    expect(body).toMatchObject([{ author: { person_name: 'deleted person' } }]);
    expect(await sql("SELECT FROM person WHERE email = 'hal@example.com' OR name = 'hal'")).toEqual([]);
  });

  it('are counted by a quota, their invitations included', async () => {
    const small = await app.organization('Small');
    await app.operator.put(`/organizations/${formatId('organization', small.orgId)}`, { quotas: { people: 1 } });
    const { body } = await small.admin.post<{ id: string; token: string }>('/invitations', {
      email: 'one@example.com',
      role: 'admin',
    });
    expect((await small.admin.post('/invitations', { email: 'two@example.com', role: 'read' })).body).toMatchObject({
      code: 'quota_exceeded',
    });
    expect((await account(body.token, 'One')).status).toBe(201);
    expect((await small.admin.get('/organization')).body).toMatchObject({ quotas: { people: { limit: 1, used: 1 } } });
  });

  it('of one organization are unknown to another, and a key has no account', async () => {
    const foreign = await app.organization('Foreign');
    for (const path of [`/people/${adaId}`, `/people/${adaId}/password-link`])
      expect((await foreign.admin.post(path)).status === 404 || (await foreign.admin.get(path)).status === 404).toBe(
        true,
      );
    const key = browser();
    await key.send('POST', '/auth/session', { api_key: app.admin.key });
    for (const path of ['/auth/account', '/auth/sessions']) expect((await key.send('GET', path)).status).toBe(404);
    expect((await app.read.get('/people')).status).toBe(403);
  });

  it('are protected from long guessing of their password', async () => {
    const ivy = await joined('ivy@example.com');
    await ivy.send('POST', '/auth/session', { email: 'ivy@example.com', password: PASSWORD });
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++)
      statuses.push(
        (await browser().send('POST', '/auth/session', { email: 'ivy@example.com', password: OTHER })).status,
      );
    expect(statuses.slice(0, 10).every((status) => status === 401 || status === 429)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });
});
