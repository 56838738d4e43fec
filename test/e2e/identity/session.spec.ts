/** @lane slow */
import { request as httpRequest } from 'node:http';
import { SignInLinks } from '../../../src/identity/session/sign-in-links';
import { Clock } from '../../../src/platform/time/clock';
import { Database } from '../../../src/platform/database/database';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/time/time-units';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { type SignedIn, signIn as attempt } from '../../harness/app/browser-session';

interface Reply {
  status: number;
  body: { code?: string; role?: string; organization?: { name: string }; is_default?: boolean };
  setCookie: string[];
}

const cookieOf = (reply: Reply): string => reply.setCookie[0]?.split(';')[0] ?? '';

function moveClock({ app }: TestApp, ms: number): void {
  const moved = Date.now() + ms;
  jest.spyOn(app.get(Clock), 'now').mockImplementation(() => new Date(moved));
}

describe('browser sessions', () => {
  let app: TestApp;
  let passedMs = 0;

  beforeAll(async () => {
    app = await startOwnApp();
    const clock = app.app.get(Clock);
    const monotonic = clock.monotonic.bind(clock);
    clock.monotonic = () => monotonic() + passedMs;
  });
  afterAll(() => app.close());
  // The tests sign in more often per second than an address may.
  beforeEach(() => {
    passedMs += 2000;
  });
  afterEach(() => jest.restoreAllMocks());

  function send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        `${app.url}${path}`,
        { method, headers: { 'Content-Type': 'application/json', ...headers } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              body: text === '' ? {} : (JSON.parse(text) as Reply['body']),
              setCookie: response.headers['set-cookie'] ?? [],
            }),
          );
        },
      );
      request.on('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  const keyOf = (role: 'admin' | 'write' | 'read'): string => app[role].key ?? '';
  const signIn = async (role: 'admin' | 'write' | 'read'): Promise<string> =>
    cookieOf(await send('POST', '/auth/session', {}, { api_key: keyOf(role) }));

  it('exchanges a key for an opaque cookie that scripts cannot read', async () => {
    const reply = await send('POST', '/auth/session', { Origin: app.url }, { api_key: keyOf('read') });

    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ role: 'read', is_default: true, organization: { name: 'Default' } });
    expect(reply.setCookie).toHaveLength(1);
    expect(reply.setCookie[0]).toMatch(/^uptime_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(reply.setCookie[0]).not.toContain(keyOf('read'));
  });

  it('uses the __Host- prefix and Secure if the browser uses https', async () => {
    const { host } = new URL(app.url);
    const reply = await send('POST', '/auth/session', { Origin: `https://${host}` }, { api_key: keyOf('read') });

    expect(reply.setCookie[0]).toMatch(/^__Host-uptime_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect((await send('GET', '/api/v1/websites', { Cookie: cookieOf(reply) })).status).toBe(200);
  });

  it.each([
    ['an unknown key', { api_key: 'ums_a_0000000000000000000000000000000000000' }, 401, 'unauthenticated'],
    ['an unknown link', { sign_in_token: 'x'.repeat(43) }, 401, 'unauthenticated'],
    ['nothing', {}, 401, 'unauthenticated'],
    ['an unknown field', { password: 'x' }, 400, 'validation_failed'],
    ['a number', { api_key: 1 }, 400, 'validation_failed'],
  ])('refuses to sign in with %s', async (_, body, status, code) => {
    const reply = await send('POST', '/auth/session', {}, body);
    expect({ status: reply.status, code: reply.body.code, cookies: reply.setCookie }).toEqual({
      status,
      code,
      cookies: [],
    });
  });

  it('slows down an address with many wrong credentials, but not its valid sign-ins', async () => {
    const busy = await startOwnApp({ role: 'api' });
    jest.spyOn(busy.app.get(Clock), 'monotonic').mockReturnValue(1_000_000);
    const attempts: SignedIn[] = [];
    for (let n = 0; n < 30; n++) attempts.push(await attempt(busy.url, { api_key: 'ums_a_wrong' }));
    expect(attempts.map(({ status }) => status)).toEqual([...Array(20).fill(401), ...Array(10).fill(429)]);
    expect(attempts[20]?.retryAfter).toBe('3');
    expect((await attempt(busy.url, { api_key: busy.read.key })).status).toBe(201);
    await busy.close();
  });

  it('refuses a sign-in from another site', async () => {
    const reply = await send('POST', '/auth/session', { Origin: 'https://evil.example' }, { api_key: keyOf('read') });
    expect([reply.status, reply.body.code]).toEqual([403, 'origin_not_allowed']);
  });

  it('gives a session exactly the rights of its key', async () => {
    const Cookie = await signIn('read');
    const created = await send(
      'POST',
      '/api/v1/websites',
      { Cookie, Origin: app.url },
      { name: 'x', url: 'https://x.example' },
    );

    expect((await send('GET', '/auth/session', { Cookie })).body.role).toBe('read');
    expect([created.status, created.body.code]).toEqual([403, 'insufficient_role']);
  });

  it.each([
    ['without an Origin', {}],
    ['with another Origin', { Origin: 'https://evil.example' }],
    ['with the right Origin but from another site', { Origin: 'same', 'Sec-Fetch-Site': 'cross-site' }],
  ])('refuses a change by cookie %s', async (_, headers: Record<string, string>) => {
    const Cookie = await signIn('write');
    const given = headers['Origin'] === 'same' ? { ...headers, Origin: app.url } : headers;
    const reply = await send('POST', '/api/v1/websites', { Cookie, ...given }, { name: 'x', url: 'https://x.example' });
    expect([reply.status, reply.body.code]).toEqual([403, 'origin_not_allowed']);
  });

  describe('over https, where a sibling host can set only the cookie without the prefix', () => {
    const cookies = async () => {
      const own = cookieOf(await send('POST', '/auth/session', { Origin: `https://${new URL(app.url).host}` }, read()));
      const tossed = cookieOf(await send('POST', '/auth/session', {}, { api_key: keyOf('admin') }));
      return { own, tossed };
    };
    const read = () => ({ api_key: keyOf('read') });
    const roleWith = async (headers: Record<string, string>) =>
      (await send('GET', '/auth/session', headers)).body.role ?? null;

    it('takes the prefixed cookie at any position in the header', async () => {
      const { own, tossed } = await cookies();
      expect(await roleWith({ Cookie: `${tossed}; ${own}` })).toBe('read');
      expect(await roleWith({ Cookie: `${own}; ${tossed}` })).toBe('read');
    });

    it.each([
      ['a proxy reports https', { 'X-Forwarded-Proto': 'https' }],
      ['a proxy reports https with the standard header', { Forwarded: 'for=192.0.2.1;proto=https' }],
      ['the browser sends its origin', { 'Sec-Fetch-Site': 'same-origin', Host: 'uptime.example' }],
    ])('accepts no other cookie when %s', async (_, headers: Record<string, string>) => {
      const { own, tossed } = await cookies();
      expect(await roleWith({ Cookie: tossed, ...headers })).toBeNull();
      expect(await roleWith({ Cookie: own, ...headers })).toBe('read');
    });

    it('still accepts the plain cookie over http on this machine and in a trusted network', async () => {
      const { tossed } = await cookies();
      expect(await roleWith({ Cookie: tossed, 'Sec-Fetch-Site': 'same-origin', Host: 'localhost:3000' })).toBe('admin');
      expect(await roleWith({ Cookie: tossed, Host: 'nas.lan:3000' })).toBe('admin');
    });
  });

  it('responds with 204 to GET /auth/session without a session', async () => {
    const reply = await send('GET', '/auth/session', {});
    expect([reply.status, reply.body]).toEqual([204, {}]);
  });

  it('ends a session by signing out', async () => {
    const Cookie = await signIn('write');
    const out = await send('DELETE', '/auth/session', { Cookie, Origin: app.url });

    expect(out.status).toBe(204);
    expect((await send('GET', '/auth/session', { Cookie })).status).toBe(204);
    expect((await send('GET', '/api/v1/websites', { Cookie })).status).toBe(401);
  });

  it('ends a session when its key is revoked', async () => {
    const { body: made } = await app.admin.post<{ id: string; key: string }>('/api-keys', {
      name: 'short',
      role: 'read',
    });
    const Cookie = cookieOf(await send('POST', '/auth/session', {}, { api_key: made.key }));
    expect((await send('GET', '/auth/session', { Cookie })).status).toBe(200);

    await app.admin.delete(`/api-keys/${made.id}`);
    expect((await send('GET', '/api/v1/websites', { Cookie })).status).toBe(401);
  });

  describe('with a moved clock', () => {
    it('ends a session after 12 hours without use', async () => {
      const Cookie = await signIn('write');
      moveClock(app, 12 * HOUR_MS - 60_000);
      expect((await send('GET', '/auth/session', { Cookie })).status).toBe(200);
      moveClock(app, 24 * HOUR_MS - 180_000);
      expect((await send('GET', '/auth/session', { Cookie })).status).toBe(200);
      moveClock(app, 36 * HOUR_MS);
      expect((await send('GET', '/api/v1/websites', { Cookie })).status).toBe(401);
    });

    it('ends a session after 7 days although it is used', async () => {
      const Cookie = await signIn('write');
      for (let hours = 11; hours < 7 * 24; hours += 11) {
        moveClock(app, hours * HOUR_MS);
        expect((await send('GET', '/auth/session', { Cookie })).status).toBe(200);
      }
      moveClock(app, 7 * 24 * HOUR_MS + 1);
      expect((await send('GET', '/api/v1/websites', { Cookie })).status).toBe(401);
    });

    it('keeps a session with a read key unless the screen is off for 7 days', async () => {
      const Cookie = await signIn('read');
      for (let days = 6; days <= 30; days += 6) {
        moveClock(app, days * DAY_MS);
        expect((await send('GET', '/auth/session', { Cookie })).status).toBe(200);
      }
      moveClock(app, 37 * DAY_MS + MINUTE_MS);
      expect((await send('GET', '/api/v1/websites', { Cookie })).status).toBe(401);
    });

    it('refuses a sign-in link after 15 minutes', async () => {
      const token = await app.app.get(SignInLinks).create();
      moveClock(app, 15 * MINUTE_MS);
      expect((await send('POST', '/auth/session', {}, { sign_in_token: token })).status).toBe(401);
    });
  });

  it('signs in once by a sign-in link, as an administrator', async () => {
    const token = await app.app.get(SignInLinks).create();
    const first = await send('POST', '/auth/session', { Origin: app.url }, { sign_in_token: token });
    const second = await send('POST', '/auth/session', { Origin: app.url }, { sign_in_token: token });

    expect([first.status, first.body.role, second.status]).toEqual([201, 'admin', 401]);
  });

  it('stores neither session cookies nor link tokens', async () => {
    const cookie = (await signIn('read')).split('=')[1] ?? '';
    const token = await app.app.get(SignInLinks).create();
    const rows = await app.app
      .get(Database)
      .query<{ hash: Buffer }>('SELECT hash FROM session UNION ALL SELECT hash FROM sign_in_link');

    expect(rows.length).toBeGreaterThan(1);
    for (const { hash } of rows) {
      expect(hash).toHaveLength(32);
      expect([Buffer.from(cookie, 'base64url'), Buffer.from(token, 'base64url')]).not.toContainEqual(hash);
    }
  });
});
