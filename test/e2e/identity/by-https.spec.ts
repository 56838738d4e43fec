import { request } from 'node:http';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { fromDashboard } from '../../harness/app/browser-session';
import { newMember } from '../../harness/app/person';
import { routesOf } from '../../harness/app/routes';

const HOME = 'https://uptime.example.com';

interface Reply {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  setCookie: string[];
  text: string;
}

describe('a service with an https PUBLIC_URL', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', publicUrl: HOME, securityContact: 'mailto:security@example.com' });
  });
  beforeEach(() => app.advance('10 min'));
  afterAll(() => app.close());

  function send(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${app.url}${path}`,
        { method, headers: { 'content-type': 'application/json', ...headers } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              setCookie: response.headers['set-cookie'] ?? [],
              text,
            }),
          );
        },
      );
      sent.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
  /** The headers of a request through nginx with only a `proxy_pass`. */
  const viaBareProxy = (host = new URL(app.url).host) => ({ host, origin: HOME, 'sec-fetch-site': 'same-origin' });
  const signedIn = (headers: Record<string, string>, key = app.read.key) =>
    send('POST', '/auth/session', headers, { api_key: key });

  it('sets the cookie that no other host can set behind a proxy that sends no headers, and accepts no other for changes', async () => {
    const { status, setCookie } = await signedIn(viaBareProxy());
    expect(status).toBe(201);
    expect(setCookie).toEqual([
      expect.stringMatching(/^__Host-uptime_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ]);
    const tossed = (await signedIn({}, app.admin.key)).setCookie[0]?.split(';')[0] ?? '';
    expect(tossed).toMatch(/^uptime_session=/);
    const change = { ...viaBareProxy(), cookie: tossed };
    expect((await send('POST', '/api/v1/websites', change, { name: 'x', url: 'https://x.example' })).status).toBe(401);
  });

  it('sets a plain cookie for a browser on this machine, and deletes the one of the other name', async () => {
    const secure = (await signedIn(viaBareProxy())).setCookie[0]?.split(';')[0] ?? '';
    const { setCookie } = await signedIn({ origin: app.url, 'sec-fetch-site': 'same-origin', cookie: secure });
    expect(setCookie.map((one) => one.split(';')[0]).sort()).toEqual([
      '__Host-uptime_session=',
      expect.stringMatching(/^uptime_session=[\w-]{43}$/),
    ]);
  });

  it('requires https from then on, may not be in a frame, and states this in every response', async () => {
    for (const path of ['/', '/auth/methods', '/api/v1/websites', '/nowhere']) {
      const { headers } = await send('GET', path, { host: 'uptime.example.com' });
      expect([path, headers['strict-transport-security'], headers['x-frame-options']]).toEqual([
        path,
        'max-age=31536000',
        'DENY',
      ]);
    }
  });

  it('does not mention https under the host name of a status page, which may have none', async () => {
    const page = { title: 'Shop', groups: [], slug: 'shop', domain: 'status.example.com', enabled: true };
    expect((await app.admin.post('/status-pages', page)).status).toBe(201);
    const { status, headers } = await send('GET', '/', { host: 'status.example.com' });
    expect([status, headers['strict-transport-security']]).toEqual([200, undefined]);
  });

  it('shows browsers where to sign in, and where to report a vulnerability', async () => {
    expect(JSON.parse((await send('GET', '/auth/methods', {})).text)).toMatchObject({ secure_url: HOME });
    const { status, text } = await send('GET', '/.well-known/security.txt', {});
    expect([status, text]).toEqual([
      200,
      expect.stringMatching(
        /^Contact: mailto:security@example\.com\nExpires: \d{4}-\d\d-\d\dT00:00:00\.000Z\nCanonical: https:\/\/uptime\.example\.com\/\.well-known\/security\.txt\n$/,
      ),
    ]);
  });

  it('lets no cache keep a response of any route of the API or of signing in, for any caller', async () => {
    const member = (await newMember(app, 'admin')).browser.cookie;
    const callers = [{}, fromDashboard(app.url, member)];
    const routes = routesOf(app.app).filter(({ path }) => /^\/(auth|api)\//.test(path));
    expect(routes.length).toBeGreaterThan(100);
    for (const { name, method, path } of routes.filter((one) => !one.path.endsWith('/stream'))) {
      // These would end the session.
      if (method === 'DELETE' && path.startsWith('/auth/')) continue;
      for (const headers of callers) {
        const of = path.replace(/:\w+/g, 'ws_00000000000000000000000000');
        const reply = await send(method, of, headers, method === 'GET' || method === 'DELETE' ? undefined : {});
        expect([name, reply.headers['cache-control']]).toEqual([name, 'no-store']);
      }
    }
  });
});

describe('a service without an https PUBLIC_URL', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', publicUrl: 'http://nas.lan:3000' });
  });
  afterAll(() => app.close());

  it('does not require https, and has no security.txt until its contact is configured', async () => {
    const { headers } = await fetch(`${app.url}/auth/methods`);
    expect([headers.get('strict-transport-security'), headers.get('x-frame-options')]).toEqual([null, 'DENY']);
    expect((await fetch(`${app.url}/.well-known/security.txt`)).status).toBe(404);
  });
});
