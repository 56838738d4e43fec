/** @lane slow @databases both */
import { SESSION_RETENTION } from '../../../src/identity/session/session-life';
import { Database } from '../../../src/platform/database/database';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { Clock } from '../../../src/platform/time/clock';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/time/time-units';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { type SignedIn, signIn, signOut } from '../../harness/app/browser-session';
import { hashCheaply, newMember, PASSWORD } from '../../harness/app/person';

describe('the sessions of a key', () => {
  let app: TestApp;
  let clock: MovingClock;
  let keyId: string;

  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);
  const count = async (): Promise<number> => (await sql('SELECT FROM session WHERE key_id = $1', [keyId])).length;
  const withKey = () => signIn(app.url, { api_key: app.read.key });
  const entriesOf = async (action: string): Promise<number> =>
    (await sql('SELECT FROM audit_log WHERE resource_id = $1 AND action = $2', [keyId, action])).length;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: 0 });
    // Frozen, so that no bucket refills on a slow machine.
    clock = MovingClock.frozenIn(app.app);
    hashCheaply(app);
    const [key] = await sql<{ id: string }>("SELECT id FROM api_key WHERE role = 'read'");
    keyId = key?.id ?? '';
  });
  beforeEach(async () => {
    clock.advance(10 * MINUTE_MS);
    await sql('DELETE FROM session');
  });
  afterAll(() => app.close());

  /** Inserts sessions of the key that were last used this many hours ago. */
  const older = (hours: number, howMany: number, via = 'api_key') =>
    sql(
      `INSERT INTO session (hash, id, key_id, via, created_at, last_seen_at)
       SELECT sha256(n::text::bytea), gen_random_uuid(), $1, $2, $3, $3 FROM generate_series(1, $4::int) AS n`,
      [keyId, via, new Date(app.app.get(Clock).now().getTime() - hours * HOUR_MS), howMany],
    );

  it('are 50 at most, and a sign-in ends those that were not used for longest', async () => {
    const wall = await withKey();
    await older(1, 80);
    expect((await withKey()).status).toBe(201);
    expect(await count()).toBe(50);
    const seen = await fetch(`${app.url}/auth/session`, { headers: { cookie: wall.cookie } });
    expect(seen.status).toBe(200);
  });

  it('are in the audit log once a minute, no matter how often a program signs in and out', async () => {
    const actions = ['sign_in', 'sign_out'];
    const before = await Promise.all(actions.map(entriesOf));
    const more = async () => (await Promise.all(actions.map(entriesOf))).map((now, i) => now - (before[i] ?? 0));
    for (let n = 0; n < 5; n++) expect(await signOut(app.url, (await withKey()).cookie)).toBe(204);
    expect(await more()).toEqual([1, 1]);
    clock.advance(61_000);
    for (let n = 0; n < 5; n++) expect(await signOut(app.url, (await withKey()).cookie)).toBe(204);
    expect(await more()).toEqual([2, 2]);
  });

  it('are deleted by a job after they expire, and kept for a wall display that was off for less than a week', async () => {
    const run = () => app.app.get(RetentionJob).run(SESSION_RETENTION);
    await older(24 * 6, 3);
    await run();
    expect(await count()).toBe(3);
    await sql('DELETE FROM session');
    await older(24 * 8, 2100);
    await run();
    expect(await count()).toBe(0);
    await sql("UPDATE api_key SET role = 'write' WHERE id = $1", [keyId]);
    await older(13, 2);
    await run();
    await sql("UPDATE api_key SET role = 'read' WHERE id = $1", [keyId]);
    expect(await count()).toBe(0);
  });

  it('are counted like the sign-ins of a person: 20 at once, then one in ten seconds', async () => {
    const { email } = await newMember(app);
    for (const credentials of [{ api_key: app.read.key }, { email, password: PASSWORD }]) {
      const attempts: SignedIn[] = [];
      for (let n = 0; n < 22; n++) attempts.push(await signIn(app.url, credentials));
      expect(attempts.map(({ status }) => status)).toEqual([...Array(20).fill(201), 429, 429]);
      clock.advance(11_000);
      expect((await signIn(app.url, credentials)).status).toBe(201);
      clock.advance(10 * MINUTE_MS);
    }
  });

  it('of a person are also limited if an account change creates them: such changes count the same', async () => {
    const { browser } = await newMember(app);
    const statuses: number[] = [];
    for (let n = 0; n < 22; n++) statuses.push((await browser.send('PUT', '/auth/account', { name: `N${n}` })).status);
    expect(statuses).toEqual([...Array(20).fill(200), 429, 429]);
    expect((await browser.send('DELETE', '/auth/sessions')).status).toBe(429);
  });
});
