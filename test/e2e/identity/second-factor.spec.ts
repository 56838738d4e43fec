/** @lane slow @databases both */
import { InstallationPeople } from '../../../src/identity/people/installation-people.service';
import { codeAt, stepAt } from '../../../src/identity/person/totp';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { Clock } from '../../../src/platform/time/clock';
import { MINUTE_MS, SECOND_MS } from '../../../src/platform/time/time-units';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { fromBase32, hashCheaply, type Member, newMember, PASSWORD } from '../../harness/app/person';

interface Session {
  organization: { name: string } | null;
  needs_second_factor: boolean;
}
interface Account {
  second_factor: { since: string; recovery_codes_left: number } | null;
}
interface Reply {
  code?: string;
  errors?: { pointer: string }[];
}

describe('the second factor of a person', () => {
  let app: TestApp;
  let clock: MovingClock;

  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);
  const FACTOR = '/auth/account/second-factor';

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', publicUrl: 'http://nas.lan:3000' });
    hashCheaply(app);
    clock = MovingClock.frozenIn(app.app);
  });
  // Codes of a used step, and the limits of one address, are in the past.
  beforeEach(() => clock.advance(20 * MINUTE_MS));
  afterAll(() => app.close());

  interface WithApp extends Member {
    secret: Buffer;
    codes: string[];
  }
  const codeOf = ({ secret }: Pick<WithApp, 'secret'>, steps = 0): string =>
    codeAt(secret, stepAt(app.app.get(Clock).now()) + steps);
  const nextStep = () => clock.advance(30 * SECOND_MS);

  async function withApp(role = 'write'): Promise<WithApp> {
    const member = await newMember(app, role);
    const drafted = await member.browser.send<{ secret: string; uri: string }>('POST', FACTOR, {
      current_password: PASSWORD,
    });
    expect([drafted.status, drafted.body.uri]).toEqual([
      201,
      expect.stringMatching(/^otpauth:\/\/totp\/Uptime%20nas\.lan:.+\?secret=[A-Z2-7]{32}&issuer=Uptime%20nas\.lan$/),
    ]);
    const secret = fromBase32(drafted.body.secret);
    const confirmed = await member.browser.send<{ recovery_codes: string[] }>('POST', `${FACTOR}/confirm`, {
      code: codeOf({ secret }),
    });
    expect(confirmed.status).toBe(201);
    nextStep();
    return { ...member, secret, codes: confirmed.body.recovery_codes };
  }
  const signIn = async (credentials: object) => {
    const browser = new Browser(app);
    const { status, body } = await browser.send<Reply & Session>('POST', '/auth/session', credentials);
    return { browser, status, code: body.code, session: body };
  };
  const withPassword = ({ email }: Member, second_factor?: string) =>
    signIn({ email, password: PASSWORD, ...(second_factor !== undefined && { second_factor }) });
  const account = async (browser: Browser) => (await browser.send<Account>('GET', '/auth/account')).body;
  const entriesOf = async ({ id }: Member) => {
    const { body } = await app.admin.get<{ action: string; changed: string[] }[]>(`/audit-log?resource_id=${id}`);
    return body.map(({ action, changed }) => [action, ...changed].join(' '));
  };

  it('is required only after the right password, and signs in once for each code', async () => {
    const ada = await withApp();
    const wrong = await signIn({ email: ada.email, password: 'a mill by the river' });
    expect([wrong.status, wrong.code]).toEqual([401, 'unauthenticated']);
    const without = await withPassword(ada);
    expect([without.status, without.code]).toEqual([401, 'second_factor_required']);
    const code = codeOf(ada);
    expect((await withPassword(ada, ` ${code.slice(0, 3)} ${code.slice(3)} `)).status).toBe(201);
    const replayed = await withPassword(ada, code);
    expect([replayed.status, replayed.code]).toEqual([401, 'unauthenticated']);
    expect((await withPassword(ada, codeOf(ada, -1))).status).toBe(401);
    nextStep();
    expect((await withPassword(ada, codeOf(ada))).status).toBe(201);
  });

  it('signs in one of two simultaneous requests with one code', async () => {
    const bea = await withApp();
    const code = codeOf(bea);
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => withPassword(bea, code)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  });

  it('may be a recovery code, each once, in any notation', async () => {
    const cal = await withApp();
    expect([cal.codes.length, new Set(cal.codes).size]).toEqual([10, 10]);
    const [first = '', second = ''] = cal.codes;
    const inside = await withPassword(cal, first.toUpperCase().replaceAll('-', ' '));
    expect(inside.status).toBe(201);
    expect((await withPassword(cal, first)).status).toBe(401);
    expect((await account(inside.browser)).second_factor).toMatchObject({ recovery_codes_left: 9 });
    expect(await entriesOf(cal)).toContain('update recovery_codes');
    expect((await withPassword(cal, second)).status).toBe(201);
  });

  it('is limited like passwords: ten wrong codes, then one in 30 seconds', async () => {
    const dan = await withApp();
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push((await withPassword(dan, '000000')).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await withPassword(dan, codeOf(dan))).status).toBe(429);
    clock.advance(30 * SECOND_MS);
    expect((await withPassword(dan, codeOf(dan))).status).toBe(201);
    expect(await entriesOf(dan)).toContain('sign_in_failed');
  });

  it('is also required by links, which are not used up by the prompt', async () => {
    const eve = await withApp();
    const people = app.app.get(InstallationPeople);
    const { token } = await people.signInLink(parseId('person', eve.id) ?? '');
    expect((await signIn({ sign_in_token: token })).code).toBe('second_factor_required');
    expect((await signIn({ sign_in_token: token, second_factor: codeOf(eve) })).status).toBe(201);
    expect((await signIn({ sign_in_token: token, second_factor: codeOf(eve, 1) })).status).toBe(401);
    nextStep();
    const link = (await app.admin.post<{ token: string }>(`/people/${eve.id}/password-link`, {})).body;
    const reset = { token: link.token, password: 'a river by the mill' };
    const browser = new Browser(app);
    expect((await browser.send<Reply>('POST', '/auth/password', reset)).body.code).toBe('second_factor_required');
    const done = await browser.send('POST', '/auth/password', { ...reset, second_factor: codeOf(eve) });
    expect(done.status).toBe(201);
  });

  it('is set up with the password and a code, ends other sessions, and is stored encrypted', async () => {
    const fay = await newMember(app);
    const elsewhere = await withPassword(fay);
    const refused = await fay.browser.send<Reply>('POST', FACTOR, { current_password: 'wrong' });
    expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([400, '/current_password']);
    const { body } = await fay.browser.send<{ secret: string }>('POST', FACTOR, { current_password: PASSWORD });
    expect((await account(fay.browser)).second_factor).toBeNull();
    expect((await withPassword(fay)).status).toBe(201);
    const secret = fromBase32(body.secret);
    const wrong = await fay.browser.send<Reply>('POST', `${FACTOR}/confirm`, { code: '000000' });
    expect([wrong.status, wrong.body.errors?.[0]?.pointer]).toEqual([400, '/code']);
    const done = await fay.browser.send<{ recovery_codes: string[] }>('POST', `${FACTOR}/confirm`, {
      code: codeOf({ secret }),
    });
    expect(done.status).toBe(201);
    expect((await elsewhere.browser.send('GET', '/auth/session')).status).toBe(204);
    expect((await fay.browser.send('GET', '/auth/session')).status).toBe(200);
    expect((await fay.browser.send('POST', FACTOR, { current_password: PASSWORD })).status).toBe(409);
    expect(await entriesOf(fay)).toContain('update second_factor');
    const rows = await sql<{ row: string }>(
      'SELECT f::text AS row FROM second_factor f UNION ALL SELECT c::text FROM recovery_code c UNION ALL SELECT a::text FROM audit_log a',
    );
    const stored = rows.map(({ row }) => row).join('\n');
    for (const code of done.body.recovery_codes) expect(stored).not.toContain(code);
  });

  it('waits ten minutes for its first code, and no longer', async () => {
    const { browser } = await newMember(app);
    const { body } = await browser.send<{ secret: string }>('POST', FACTOR, { current_password: PASSWORD });
    clock.advance(11 * MINUTE_MS);
    const secret = fromBase32(body.secret);
    expect((await browser.send('POST', `${FACTOR}/confirm`, { code: codeOf({ secret }) })).status).toBe(400);
  });

  it('is turned off, and gets new recovery codes, with the password and a code', async () => {
    const gil = await withApp();
    const proven = (more: object = {}) => ({ current_password: PASSWORD, second_factor: codeOf(gil), ...more });
    const renew = (body: object) => gil.browser.send<Reply>('POST', `${FACTOR}/recovery-codes`, body);
    expect((await renew(proven({ second_factor: '000000' }))).body.errors?.[0]?.pointer).toBe('/second_factor');
    expect((await renew(proven({ current_password: 'x' }))).body.errors?.[0]?.pointer).toBe('/current_password');
    expect((await renew(proven())).status).toBe(201);
    expect((await withPassword(gil, gil.codes[0])).status).toBe(401);
    nextStep();
    expect((await gil.browser.send('POST', `${FACTOR}/remove`, proven())).status).toBe(204);
    expect((await withPassword(gil)).status).toBe(201);
    expect(await entriesOf(gil)).toEqual(expect.arrayContaining(['update recovery_codes', 'update second_factor']));
    expect((await renew(proven())).status).toBe(409);
  });

  it('can be reset only by the operator, through the API or the command line', async () => {
    const hal = await withApp();
    expect((await app.admin.delete(`/people/${hal.id}/second-factor`)).status).toBe(403);
    expect((await app.operator.delete(`/people/${hal.id}/second-factor`)).status).toBe(204);
    expect((await withPassword(hal)).status).toBe(201);
    expect(await entriesOf(hal)).toContain('update second_factor');
    expect((await app.operator.delete(`/people/${hal.id}/second-factor`)).status).toBe(404);
    const [act] = await sql<{ changed: string[] }>(
      'SELECT changed FROM operator_audit_log WHERE resource_id = $1 ORDER BY id DESC LIMIT 1',
      [parseId('person', hal.id)],
    );
    expect(act?.changed).toEqual(['second_factor']);
  });

  describe('if the organization requires it', () => {
    afterEach(() => app.admin.put('/organization', { requires_second_factor: false }));

    it('opens the organization to keys and to password sessions with a second factor, and requires others to set it up', async () => {
      const [ivy, jon] = [await withApp(), await newMember(app)];
      expect((await app.admin.put('/organization', { requires_second_factor: true })).status).toBe(200);
      expect((await app.read.get('/websites')).status).toBe(200);
      const open = await withPassword(ivy, codeOf(ivy));
      expect(open.session).toMatchObject({ organization: { name: 'Default' }, needs_second_factor: false });
      const closed = await withPassword(jon);
      expect(closed.session).toMatchObject({ organization: null, needs_second_factor: true });
      // This also affects older sessions, at once.
      expect((await jon.browser.send('GET', '/api/v1/websites')).status).toBe(403);
      const { body } = await jon.browser.send<{ secret: string }>('POST', FACTOR, { current_password: PASSWORD });
      const code = codeOf({ secret: fromBase32(body.secret) });
      expect((await jon.browser.send('POST', `${FACTOR}/confirm`, { code })).status).toBe(201);
      expect((await jon.browser.send('GET', '/api/v1/websites')).status).toBe(200);
      const people = await app.admin.get<{ id: string; second_factor: boolean }[]>('/people');
      expect(people.body.find(({ id }) => id === jon.id)?.second_factor).toBe(true);
    });

    it('cannot be required by an administrator who would lock themselves out', async () => {
      const { browser } = await newMember(app, 'admin');
      const body = { requires_second_factor: true };
      expect((await browser.send('PUT', '/api/v1/organization', body)).status).toBe(409);
      const kim = await withApp('admin');
      expect((await kim.browser.send('PUT', '/api/v1/organization', body)).status).toBe(200);
      const log = await app.admin.get<object[]>('/audit-log?resource=organization&limit=1');
      expect(log.body).toMatchObject([{ action: 'update', changed: ['requires_second_factor'] }]);
    });
  });
});

describe('with SECOND_FACTOR=off', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', secondFactor: false });
    hashCheaply(app);
  });
  afterAll(() => app.close());

  it('no one is prompted for a second factor, or can set one up', async () => {
    const { browser, email } = await newMember(app);
    await app.app
      .get(Database)
      .query(
        `INSERT INTO second_factor SELECT id, '{"sealed": "plain:"}', 0, now(), now() FROM person WHERE email = $1`,
        [email],
      );
    await app.admin.put('/organization', { requires_second_factor: true });
    const signedIn = await new Browser(app).send<Session>('POST', '/auth/session', { email, password: PASSWORD });
    expect([signedIn.status, signedIn.body.organization?.name]).toEqual([201, 'Default']);
    const draft = await browser.send('POST', '/auth/account/second-factor', { current_password: PASSWORD });
    expect(draft.status).toBe(409);
  });
});
