import { SignInLinks } from '../../src/identity/session/sign-in-links';
import { Database } from '../../src/platform/database/database';
import type { FailpointName } from '../../src/platform/observability/failpoints';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { Browser } from '../harness/app/browser';
import { hashCheaply, newPerson, PASSWORD } from '../harness/app/person';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { KILL_DATABASES, type KillScene } from '../harness/processes/kill-scene';
import type { ServiceProcess } from '../harness/processes/service-process';
import { HostileIssuer } from '../harness/servers/hostile-issuer';

/** The points at which the process is killed, and whether the change is complete at that point. */
const MADE: readonly [point: FailpointName, happened: boolean][] = [
  ['account.token_used', false],
  ['account.joined', false],
  ['account.signed_in', false],
  ['account.committed', true],
];
const JOINED = MADE.filter(([point]) => point !== 'account.signed_in');
const ERASED: typeof MADE = [
  ['account.erased', false],
  ['account.erasure_committed', true],
];
const ARRIVED: typeof MADE = [
  ['single_sign_on.person_made', false],
  ['single_sign_on.joined', false],
  ['single_sign_on.committed', true],
];

const HOME = 'https://uptime.example.com';

describe.each(KILL_DATABASES)('kill -9 at every line of an account, on %s', (_name, begin) => {
  let scene: KillScene;
  let issuer: HostileIssuer;
  let victim: ServiceProcess;
  let people = 0;

  beforeAll(async () => {
    issuer = await HostileIssuer.start();
    scene = await begin({
      config: { publicUrl: HOME, oidcIssuer: issuer.url, oidcClientId: 'uptime' },
      env: { PUBLIC_URL: HOME, OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: 'uptime' },
    });
  }, 180_000);
  afterAll(async () => {
    await scene.remove();
    await issuer.close();
  }, 60_000);
  afterEach(() => scene.end());

  async function open(): Promise<TestApp> {
    const app = await scene.survivor();
    hashCheaply(app);
    return app;
  }
  async function launch(point: FailpointName): Promise<ServiceProcess> {
    victim = await scene.launch('api', `${point}=kill`);
    return victim;
  }
  const invite = async (email: string): Promise<string> =>
    (await (await open()).admin.post<{ token: string }>('/invitations', { email, role: 'read' })).body.token;
  /** Returns everything stored about the users with this email: all of it or nothing. */
  async function stored(email: string) {
    const [row] = await (await open()).app.get(Database).query<Record<string, number>>(
      `SELECT (SELECT count(*)::int FROM invitation WHERE email = $1) AS invitations, count(p.id)::int AS people,
              (SELECT count(*)::int FROM membership m WHERE m.person_id = ANY (array_agg(p.id))) AS memberships,
              (SELECT count(*)::int FROM identity i WHERE i.person_id = ANY (array_agg(p.id))) AS identities,
              (SELECT count(*)::int FROM session s WHERE s.person_id = ANY (array_agg(p.id))) AS sessions,
              (SELECT count(*)::int FROM audit_log a WHERE a.resource = 'person' AND a.action = 'delete'
                 AND a.resource_id = ANY (array_agg(p.id))) AS erasures
         FROM person p WHERE p.email = $1`,
      [email],
    );
    return row;
  }
  const used = async (): Promise<number> =>
    (await (await open()).admin.get<{ quotas: { people: { used: number } } }>('/organization')).body.quotas.people.used;
  const killedBy = async (request: Promise<unknown>): Promise<void> => {
    await expect(request).rejects.toThrow();
    await victim.killed();
  };

  // This must be the first test, because no user may exist.
  it('the first one is complete or does not exist after a kill at any line, and the link of the start works exactly once', async () => {
    const email = 'first@example.com';
    const token = await (await open()).app.get(SignInLinks).create();
    const fields = { token, name: 'First', email, password: PASSWORD };
    const whole = { invitations: 0, people: 1, memberships: 1, identities: 0, sessions: 1, erasures: 0 };
    for (const [point, happened] of MADE) {
      await killedBy(new Browser(await launch(point)).send('POST', '/auth/account', fields));
      expect([point, await stored(email)]).toEqual([
        point,
        happened ? whole : { ...whole, people: 0, memberships: 0, sessions: 0 },
      ]);
    }
    expect((await new Browser(await open()).send('POST', '/auth/account', fields)).status).toBe(401);
    expect(await stored(email)).toEqual(whole);
  }, 300_000);

  it.each(MADE)(
    'one that is created from an invitation is complete or does not exist after a kill at %s, and the token works exactly once',
    async (point, happened) => {
      const email = `made.${++people}@example.com`;
      const fields = { token: await invite(email), name: 'Made', password: PASSWORD };
      const before = await used();
      await killedBy(new Browser(await launch(point)).send('POST', '/auth/account', fields));
      const whole = { invitations: 0, people: 1, memberships: 1, identities: 0, sessions: 1, erasures: 0 };
      const nothing = { invitations: 1, people: 0, memberships: 0, identities: 0, sessions: 0, erasures: 0 };
      expect(await stored(email)).toEqual(happened ? whole : nothing);
      const again = await new Browser(await open()).send('POST', '/auth/account', fields);
      expect(again.status).toBe(happened ? 401 : 201);
      expect(await stored(email)).toEqual(whole);
      expect(await used()).toBe(before);
    },
    120_000,
  );

  it.each(JOINED)(
    'one that joins a second organization has joined it or not after a kill at %s',
    async (point, happened) => {
      const name = `Joins ${++people}`;
      const email = `joins.${people}@example.com`;
      const person = await newPerson((await open()).admin, name);
      const second = await (await open()).organization(`Second ${people}`);
      const { body } = await second.admin.post<{ token: string }>('/invitations', { email, role: 'read' });
      const browser = new Browser(await launch(point)).copy(person);
      await killedBy(browser.send('POST', '/auth/join', { token: body.token }));
      expect(await stored(email)).toMatchObject({ invitations: happened ? 0 : 1, memberships: happened ? 2 : 1 });
      const later = new Browser(await open()).copy(person);
      expect((await later.send('POST', '/auth/join', { token: body.token })).status).toBe(happened ? 401 : 201);
      expect(await stored(email)).toMatchObject({ invitations: 0, people: 1, memberships: 2 });
    },
    120_000,
  );

  it.each(ARRIVED)(
    'one that comes back from the provider with an invitation is complete or does not exist after a kill at %s',
    async (point, happened) => {
      const subject = `arrives.${++people}`;
      const email = `${subject}@example.com`;
      const token = await invite(email);
      issuer.person = { sub: subject };
      const signIn = async (browser: Browser, body: object) => {
        const begun = await browser.send<{ location: string }>('POST', '/auth/oidc', body);
        return browser.comeBack(issuer.signIn(begun.body.location));
      };
      await killedBy(signIn(new Browser(await launch(point)), { token }));
      const whole = { invitations: 0, people: 1, memberships: 1, identities: 1, sessions: 1, erasures: 0 };
      const nothing = { invitations: 1, people: 0, memberships: 0, identities: 0, sessions: 0, erasures: 0 };
      expect(await stored(email)).toEqual(happened ? { ...whole, sessions: 0 } : nothing);
      const { location } = await signIn(new Browser(await open()), happened ? {} : { token });
      expect(location).toBe(`${HOME}/`);
      expect(await stored(email)).toEqual(whole);
    },
    120_000,
  );

  it.each(ERASED)(
    'one that is being erased is deleted or complete after a kill at %s',
    async (point, happened) => {
      const name = `Erased ${++people}`;
      const email = `erased.${people}@example.com`;
      const person = await newPerson((await open()).admin, name);
      const browser = new Browser(await launch(point)).copy(person);
      await killedBy(browser.send('DELETE', '/auth/account'));
      expect(await stored(email)).toMatchObject(
        happened ? { people: 0, memberships: 0, sessions: 0 } : { people: 1, memberships: 1, sessions: 1, erasures: 0 },
      );
      const later = new Browser(await open()).copy(person);
      expect((await later.send('DELETE', '/auth/account')).status).toBe(happened ? 401 : 204);
      expect(await stored(email)).toMatchObject({ people: 0, memberships: 0, sessions: 0 });
    },
    120_000,
  );
});

const suite = findPostgres() === null ? describe.skip : describe;

suite('two instances on one database (needs PostgreSQL)', () => {
  let cluster: PostgresCluster;
  let instances: TestApp[] = [];

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    for (let n = 0; n < 2; n++)
      instances.push(await startOwnApp({ role: 'api', databaseUrl: cluster.url, trustedProxies: ['127.0.0.0/8'] }));
    instances.forEach(hashCheaply);
  }, 180_000);
  afterAll(async () => {
    for (const instance of instances) await instance.close();
    await cluster.remove();
  }, 60_000);

  /**
   * Returns the responses of each instance to the same request, sent to all at once several times. An address may be
   * wrong 20 times.
   */
  const atOnce = async (from: string, body: (n: number) => object): Promise<number[]> => {
    const answers = Array.from({ length: 6 }, (_, n) =>
      new Browser(instances[n % 2] ?? { url: '' }).send('POST', '/auth/account', body(n), { 'x-forwarded-for': from }),
    );
    return (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b);
  };
  const peopleWith = async (email: string): Promise<number> =>
    (await instances[0]?.app.get(Database).query('SELECT FROM person WHERE email LIKE $1', [email]))?.length ?? 0;

  it('create one first account from several links of the start', async () => {
    const tokens: string[] = [];
    for (let n = 0; n < 6; n++) tokens.push((await instances[n % 2]?.app.get(SignInLinks).create()) ?? '');
    const statuses = await atOnce('192.0.2.100', (n) => ({
      token: tokens[n],
      name: 'First',
      email: `first.${n}@example.com`,
      password: PASSWORD,
    }));
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.every((status) => [201, 401, 409].includes(status))).toBe(true);
    expect(await peopleWith('first.%')).toBe(1);
  });

  it('create one account from one invitation, ten times over', async () => {
    for (let round = 0; round < 10; round++) {
      const email = `raced.${round}@example.com`;
      const { body } = (await instances[round % 2]?.admin.post<{ token: string }>('/invitations', {
        email,
        role: 'write',
      })) ?? { body: { token: '' } };
      expect(
        await atOnce(`192.0.2.${round}`, () => ({ token: body.token, name: 'Raced', password: PASSWORD })),
      ).toEqual([201, 401, 401, 401, 401, 401]);
      expect(await peopleWith(email)).toBe(1);
    }
  });
});
