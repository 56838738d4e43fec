import { request as httpRequest } from 'node:http';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { routesOf } from '../../harness/app/routes';
import { ProtocolClient } from '../../../packages/testing/probe/protocol-client';
import { Api } from '../../../packages/testing/service/api';
import { loadConfig } from '../../../src/platform/config/config';
import { POLL_PATH } from '../../../src/probe-protocol/protocol';

describe('the API with AUTH=off', () => {
  let app: TestApp;
  let port: string;

  beforeAll(async () => {
    app = await startOwnApp({
      role: 'api',
      auth: false,
      allowedHosts: ['nas.lan'],
      publicUrl: 'https://uptime.example.com/monitor',
    });
    ({ port } = new URL(app.url));
  });
  afterAll(() => app.close());

  function send(
    method: string,
    path: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; code: string }> {
    const body = method === 'POST' ? JSON.stringify({ name: 'a', url: 'https://a.example' }) : '';
    return new Promise((resolve, reject) => {
      const sent = { 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...headers };
      const request = httpRequest(`${app.url}${path}`, { method, headers: sent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const { code = '' } = (text === '' ? {} : JSON.parse(text)) as { code?: string };
          resolve({ status: response.statusCode ?? 0, code });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }
  const REFUSED = { status: 403, code: 'origin_not_allowed' };

  it.each(['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'uptime.localhost', 'nas.lan:PORT', 'uptime.example.com'])(
    'serves requests sent to %s',
    async (name) => {
      const Host = name.replace('PORT', port);
      expect((await send('GET', '/api/v1/websites', { Host })).status).toBe(200);
      expect((await send('GET', '/auth/session', { Host })).status).toBe(200);
      expect((await send('POST', '/api/v1/websites', { Host, Origin: `http://${Host}` })).status).toBe(201);
      expect((await send('POST', '/api/v1/websites', { Host })).status).toBe(201);
    },
  );

  it.each(['evil.example:PORT', 'localhost.evil.example', '192.0.2.1:PORT'])(
    'refuses requests sent to %s, a name that a page may have pointed at this machine',
    async (name) => {
      const Host = name.replace('PORT', port);
      expect(await send('GET', '/api/v1/websites', { Host })).toEqual(REFUSED);
      expect(await send('GET', '/auth/session', { Host })).toEqual(REFUSED);
      expect(await send('POST', '/api/v1/websites', { Host, Origin: `http://${Host}` })).toEqual(REFUSED);
    },
  );

  it.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['a page without an origin', { Origin: 'null' }],
    ['another site without an origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another port of this machine', { 'Sec-Fetch-Site': 'same-site' }],
  ])('refuses a change that a browser sends from %s', async (_, headers: Record<string, string>) => {
    expect(await send('POST', '/api/v1/websites', headers)).toEqual(REFUSED);
    expect((await send('GET', '/api/v1/websites', headers)).status).toBe(200);
  });

  it('has no accounts: every route about people is 409, and the sign-in page gets this answer', async () => {
    // PUT /auth/session is also for users. The purpose of a start link is requested with a token.
    const routes = routesOf(app.app).filter(({ name, access }) =>
      access === 'person'
        ? true
        : /\/(people|invitations|link|account|password)(\/|$)|^PUT \/auth\/session$/.test(name),
    );
    expect(routes.length).toBeGreaterThan(15);
    for (const { name, method, path } of routes) {
      const address = `${app.url}${path.replace(':id', 'per_00000000000000000000000000')}`;
      const { status } = await fetch(address, { method, headers: { 'content-type': 'application/json' } });
      expect([name, status]).toEqual([name, 409]);
    }
    const methods = await fetch(`${app.url}/auth/methods`);
    expect([methods.status, await methods.json()]).toEqual([
      200,
      {
        password: false,
        api_key: true,
        single_sign_on: null,
        needs_account: false,
        secure_url: 'https://uptime.example.com/monitor',
      },
    ]);
    expect((await fetch(`${app.url}/auth/session`)).status).toBe(200);
  });

  it('still requires the token of a probe on its two routes, under any host name, and accepts it nowhere else', async () => {
    const { body } = await app.anonymous.post<{ token: string }>('/probes', { key: 'fra' });
    const pollWith = async (token: string, headers = {}) => {
      const request = { protocol: 1, session: 'a-process-of-fra-1' };
      return (await new ProtocolClient(app.url, token).post(POLL_PATH, request, headers)).status;
    };
    expect([await pollWith(body.token), await pollWith(body.token, { host: 'uptime.lan' })]).toEqual([200, 200]);
    expect([await pollWith(''), await pollWith(String(app.admin.key))]).toEqual([401, 401]);
    expect((await app.anonymous.post('/probe/poll', { protocol: 1, session: 'a-process-of-fra-1' })).status).toBe(401);
    expect((await app.anonymous.post('/probe/results', { protocol: 1, results: [] })).status).toBe(401);
    expect((await new Api(app.url, body.token).get('/websites')).status).toBe(401);
  });
});

describe('the settings with AUTH=off', () => {
  it.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])('may listen on %s', (HOST) => {
    expect(loadConfig({ AUTH: 'off', HOST }).auth).toBe(false);
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'nas.lan', '127.evil.example'])(
    'refuse to listen on %s without AUTH_OFF_ANYWHERE',
    (HOST) => {
      expect(() => loadConfig({ AUTH: 'off', HOST })).toThrow(/AUTH_OFF_ANYWHERE/);
      expect(loadConfig({ AUTH: 'off', AUTH_OFF_ANYWHERE: 'on', HOST }).auth).toBe(false);
      expect(loadConfig({ HOST }).auth).toBe(true);
    },
  );
});
