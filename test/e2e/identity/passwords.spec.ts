/**
 * @lane slow
 * @databases both
 */
import { HASH_COST, hashPassword, comparePassword } from '../../../src/identity/person/password-hash';
import { Passwords } from '../../../src/identity/person/passwords.service';
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { hashCheaply, newPerson, PASSWORD } from '../../harness/app/person';

const WRONG = 'a mill by the river';

describe('the password of a person', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: 0, trustedProxies: ['127.0.0.0/8'] });
    hashCheaply(app);
  });
  afterAll(() => app.close());

  /** One sign-in from an address; the bytes of the response. */
  async function signIn(
    email: string,
    password: string,
    from = '198.51.100.1',
  ): Promise<{ status: number; text: string }> {
    const response = await fetch(`${app.url}/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from, 'x-request-id': 'the-same' },
      body: JSON.stringify({ email, password }),
    });
    return { status: response.status, text: await response.text() };
  }
  const storedOf = async (email: string): Promise<string> => {
    const [row] = await app.app
      .get(Database)
      .query<{ password: string }>('SELECT password FROM person WHERE email = $1', [email]);
    return row?.password ?? '';
  };

  it('is refused with the same bytes for an unknown email, a wrong password, and an account without one', async () => {
    await newPerson(app.admin, 'Ada');
    await newPerson(app.admin, 'Noel');
    await app.app.get(Database).query(`UPDATE person SET password = NULL WHERE email = 'noel@example.com'`);
    const answers = [
      await signIn('nobody@example.com', PASSWORD),
      await signIn('ada@example.com', WRONG),
      await signIn('noel@example.com', PASSWORD),
      await signIn('noel@example.com', ''),
      await signIn('no e-mail at all', PASSWORD),
    ];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
  });

  it('is hashed again by a sign-in once hashing costs more, and by nothing else', async () => {
    await newPerson(app.admin, 'Bo');
    const before = await storedOf('bo@example.com');
    expect((await signIn('bo@example.com', PASSWORD)).status).toBe(201);
    expect(await storedOf('bo@example.com')).toBe(before);
    app.app.get(Passwords).cost = { ln: 5, r: 8, p: 1 };
    expect((await signIn('bo@example.com', WRONG)).status).toBe(401);
    expect(await storedOf('bo@example.com')).toBe(before);
    expect((await signIn('bo@example.com', PASSWORD)).status).toBe(201);
    expect(await storedOf('bo@example.com')).toMatch(/^\$scrypt\$ln=5,r=8,p=1\$/);
    expect((await signIn('bo@example.com', PASSWORD)).status).toBe(201);
    hashCheaply(app);
  });

  it('costs 32 MiB and three rounds in the running service', async () => {
    const stored = await hashPassword(PASSWORD, HASH_COST);
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect(await comparePassword(PASSWORD, stored, HASH_COST)).toEqual({ isRight: true, isOutdated: false });
  });

  it('still signs in from the network where the account was created while strangers guess', async () => {
    const home = '203.0.113.9';
    const email = 'dee@example.com';
    const { body } = await app.admin.post<{ token: string }>('/invitations', { email, role: 'read' });
    const created = await fetch(`${app.url}/auth/account`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': home },
      body: JSON.stringify({ token: body.token, name: 'Dee', password: PASSWORD }),
    });
    expect(created.status).toBe(201);
    // Before any test that uses up what all strangers together may look up: refused look-ups don't count as guesses.
    for (let round = 0; round < 13; round++)
      await Promise.all(Array.from({ length: 9 }, () => signIn(email, WRONG, `192.0.2.${100 + round}`)));
    expect((await signIn(email, PASSWORD, '192.0.2.201')).status).toBe(429);
    expect((await signIn(email, PASSWORD, home)).status).toBe(201);
  });

  it('still signs its owner in from their usual network while others guess a thousand times from a hundred addresses', async () => {
    await newPerson(app.admin, 'Cy');
    const home = '203.0.113.7';
    expect((await signIn('cy@example.com', PASSWORD, home)).status).toBe(201);
    const statuses = new Map<number, number>();
    // Twenty at once: more would be refused because they wait for each other.
    for (let round = 0; round < 50; round++) {
      const guesses = Array.from({ length: 20 }, (_, n) =>
        signIn('cy@example.com', `${WRONG} ${round}`, `192.0.2.${(round * 20 + n) % 100}`),
      );
      for (const { status } of await Promise.all(guesses)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([401, 429]);
    expect(statuses.get(401)).toBeLessThanOrEqual(120);
    expect((await signIn('cy@example.com', PASSWORD, '192.0.2.200')).status).toBe(429);
    expect((await signIn('cy@example.com', PASSWORD, home)).status).toBe(201);
  });

  // By one client through a proxy that writes its port, brackets, or nothing of it at all.
  it.each([
    ['203.0.113.7:51234', '203.0.113.8:40112'],
    ['[2001:db8::7]:443', '[2001:db8:1::8]:443'],
    ['unknown', 'unknown'],
  ])('that %s has guessed wrong thirty times still lets its owner in from %s', async (guesser, owner) => {
    const name = `Gu ${guesser}`.replace(/[^a-z0-9]/gi, '');
    await newPerson(app.admin, name);
    const email = `${name.toLowerCase()}@example.com`;
    for (let n = 0; n < 30; n++) await signIn(email, WRONG, guesser);
    expect((await signIn(email, PASSWORD, owner)).status).toBe(201);
  });

  it('is in the metrics as the result of a sign-in, without a name', async () => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    for (const result of ['accepted', 'refused', 'limited'])
      expect(text).toMatch(new RegExp(`^uptime_sign_ins_total\\{via="password",result="${result}"\\} [1-9]`, 'm'));
    expect(text).toMatch(/^uptime_password_hashes_waiting 0$/m);
    expect(text).not.toContain('example.com');
  });
});
