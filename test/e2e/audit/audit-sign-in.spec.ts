/** @lane slow */
import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/time/time-units';
import { SignInLinks } from '../../../src/identity/session/sign-in-links';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { type SignedIn, signIn, signOut } from '../../harness/app/browser-session';

interface Key {
  id: string;
  name: string;
  key: string;
}

describe('the audit log of sessions', () => {
  let app: TestApp;
  let other: ServiceOrganization;
  let clock: MovingClock;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    // Frozen, so that no bucket refills on a slow machine.
    clock = MovingClock.frozenIn(app.app);
    other = await app.organization('Other');
  });
  afterAll(() => app.close());
  // Refills the budget of the address and of every key.
  beforeEach(() => clock.advance(HOUR_MS));

  const newKey = async (more: object = {}, api: Api = app.admin): Promise<Key> =>
    (await api.post<Key>('/api-keys', { name: 'Laptop', role: 'read', ...more })).body;
  /** Returns the entries of a key's sessions, oldest first. */
  const of = async (keyId: string, api: Api = app.admin): Promise<AuditEntryView[]> =>
    (await api.get<AuditEntryView[]>(`/audit-log?resource=session&resource_id=${keyId}&limit=1000`)).body.reverse();
  const count = async (): Promise<number> =>
    (await app.app.get(Database).query<object>('SELECT 1 FROM audit_log')).length;

  it('records who signed in with which key, from where, and who signed out', async () => {
    const key = await newKey();
    const { status, cookie, requestId } = await signIn(app.url, { api_key: key.key });
    expect([status, await signOut(app.url, cookie), await signOut(app.url, cookie)]).toEqual([201, 204, 204]);
    const [signedIn, signedOut, ...more] = await of(key.id);
    const author = { key_id: key.id, key_name: 'Laptop', person_id: null, person_name: null, ip: '127.0.0.1' };
    expect(signedIn).toEqual({
      id: expect.stringMatching(/^au_/),
      created_at: expect.stringMatching(/^20.*Z$/),
      action: 'sign_in',
      resource: 'session',
      resource_id: key.id,
      changed: [],
      before: null,
      after: null,
      author: { via: 'api_key', ...author },
      request_id: requestId,
    });
    expect(signedOut).toMatchObject({ action: 'sign_out', resource_id: key.id, author: { via: 'session', ...author } });
    expect(more).toEqual([]);
  });

  it('records a sign-in by link with the key of the link', async () => {
    const { requestId } = await signIn(app.url, { sign_in_token: await app.app.get(SignInLinks).create() });
    const { body } = await app.admin.get<AuditEntryView[]>('/audit-log?resource=session&limit=1');
    expect(body).toMatchObject([
      {
        action: 'sign_in',
        author: { via: 'sign_in_link', key_name: 'First admin key', ip: '127.0.0.1' },
        request_id: requestId,
      },
    ]);
    expect(body[0]?.resource_id).toBe(body[0]?.author.key_id);
  });

  it('records for each organization only its own part when a browser switches between them', async () => {
    const [mine, theirs] = [await newKey(), await newKey({ name: 'Theirs' }, other.admin)];
    const { cookie } = await signIn(app.url, { api_key: mine.key });
    const { requestId } = await signIn(app.url, { api_key: theirs.key }, cookie);
    const entries = await of(mine.id);
    expect(entries.map(({ action, author }) => [action, author.key_name])).toEqual([
      ['sign_in', 'Laptop'],
      ['sign_out', 'Laptop'],
    ]);
    expect(entries[1]?.request_id).toBe(requestId);
    expect(await of(theirs.id, other.admin)).toMatchObject([{ action: 'sign_in', author: { key_name: 'Theirs' } }]);
    expect([await of(theirs.id), await of(mine.id, other.admin)]).toEqual([[], []]);
  });

  it('records a failed sign-in with an expired key', async () => {
    const key = await newKey();
    await expire(app, key);
    const { status, cookie, requestId } = await signIn(app.url, { api_key: key.key });
    expect([status, cookie]).toEqual([401, '']);
    expect(await of(key.id)).toMatchObject([
      {
        action: 'sign_in_failed',
        author: { via: 'api_key', key_id: key.id, ip: '127.0.0.1' },
        request_id: requestId,
      },
    ]);
  });

  it('records a failed sign-in with an expired link', async () => {
    const token = await app.app.get(SignInLinks).create();
    clock.advance(15 * MINUTE_MS);
    const { status, requestId } = await signIn(app.url, { sign_in_token: token });
    expect(status).toBe(401);
    const { body } = await app.admin.get<AuditEntryView[]>('/audit-log?resource=session&limit=1');
    expect(body).toMatchObject([
      {
        action: 'sign_in_failed',
        author: { via: 'sign_in_link', key_name: 'First admin key' },
        request_id: requestId,
      },
    ]);
  });

  it('records neither sign-ins with unknown credentials nor reading by cookie', async () => {
    const { cookie } = await signIn(app.url, { api_key: app.read.key });
    const before = await count();
    for (const credentials of [{ api_key: 'ums_r_wrong' }, { sign_in_token: 'x'.repeat(43) }, {}]) {
      expect((await signIn(app.url, credentials)).status).toBe(401);
    }
    expect((await fetch(`${app.url}/auth/session`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${app.url}/api/v1/websites`, { headers: { cookie } })).status).toBe(200);
    expect(await count()).toBe(before);
  });

  it('records no sign-out of a session that had expired', async () => {
    const key = await newKey({ role: 'write' });
    const { cookie } = await signIn(app.url, { api_key: key.key });
    clock.advance(13 * HOUR_MS);
    await signIn(app.url, { api_key: key.key }, cookie);
    expect((await of(key.id)).map(({ action }) => action)).toEqual(['sign_in', 'sign_in']);
  });

  it('holds neither keys nor session cookies nor tokens of sign-in links', async () => {
    const key = await newKey();
    const token = await app.app.get(SignInLinks).create();
    const cookies = [await signIn(app.url, { api_key: key.key }), await signIn(app.url, { sign_in_token: token })];
    const rows = await app.app.get(Database).query<{ row: string }>('SELECT a::text AS row FROM audit_log a');
    const log = rows.map(({ row }) => row).join('\n');
    for (const value of [key.key, token, ...cookies.map(({ cookie }) => cookie.split('=')[1] ?? '')]) {
      expect([value.length > 20, log.includes(value)]).toEqual([true, false]);
    }
  });

  it.each([
    ['a valid key', false, 201],
    ['an expired key', true, 401],
  ])('repeated sign-ins with %s add one entry a minute to the audit log', async (_, isExpired, expected) => {
    const key = (await app.admin.post<Key>('/api-keys', { name: 'Loop', role: 'read' })).body;
    if (isExpired) await expire(app, key);
    const attempts: SignedIn[] = [];
    for (let n = 0; n < 30; n++) attempts.push(await signIn(app.url, { api_key: key.key }));
    clock.advance(11_000);
    attempts.push(await signIn(app.url, { api_key: key.key }));

    const statuses = attempts.map(({ status }) => status);
    expect(statuses).toEqual([...Array(20).fill(expected), ...Array(10).fill(429), expected]);
    expect(attempts[20]?.retryAfter).toBe('10');
    const entries = await app.admin.get<object[]>(`/audit-log?resource=session&resource_id=${key.id}`);
    expect(entries.body).toHaveLength(1);
    clock.advance(MINUTE_MS);
    await signIn(app.url, { api_key: key.key });
    expect((await of(key.id)).map(({ created_at }) => created_at)).toHaveLength(2);
    expect((await signIn(app.url, { api_key: app.write.key })).status).toBe(201);
  });
});

/** No key can be created that has already expired. */
async function expire(app: TestApp, { id }: Key): Promise<void> {
  await app.app
    .get(Database)
    .query(`UPDATE api_key SET expires_at = '2020-01-01' WHERE id = $1`, [parseId('apiKey', id)]);
}
