/** @lane slow @databases both */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InstallationPeople } from '../../../src/identity/people/installation-people.service';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { hashCheaply } from '../../harness/app/person';

type Headers = Record<string, string | string[]>;
interface Reply<Body = Record<string, unknown>> {
  status: number;
  body: Body;
  headers: NodeJS.Dict<string | string[]>;
}
interface Sent {
  method?: string;
  headers?: Headers;
  body?: object;
  /** The local address that the connection comes from, by default the trusted proxy's. */
  from?: string;
  /** Uses an IPv6 socket, on which IPv4 addresses are mapped. */
  isMapped?: boolean;
}
interface Session {
  organization: { id: string; name: string } | null;
  role: string | null;
  operator: boolean;
  person: { id: string; name: string; email: string | null } | null;
}

const PROXY = '127.0.0.1';
const STRANGER = '127.0.0.2';
const OWN = { origin: 'https://uptime.example.com', 'sec-fetch-site': 'same-origin' };
const SHOP = { name: 'Shop', url: 'http://shop.example' };

describe('signing in through a reverse proxy', () => {
  let app: TestApp;
  let clock: MovingClock;
  let mapped: Server;
  beforeAll(async () => {
    app = await startOwnApp({
      trustedProxies: [`${PROXY}/32`],
      proxyUserHeader: 'Remote-User',
      proxyNameHeader: 'Remote-Name',
      proxyGroupsHeader: 'Remote-Groups',
      groupRoles: ['ops=Default:admin', 'staff=Default:read', 'shop-*=Shop:write', 'root=operator'],
      publicUrl: 'https://uptime.example.com',
      statusRateLimitPerSecond: 1,
      role: 'api',
    });
    hashCheaply(app);
    clock = MovingClock.frozenIn(app.app);
    await app.organization('Shop');
    mapped = createServer(app.app.getHttpAdapter().getInstance());
    await new Promise<void>((done) => mapped.listen(0, '::', done));
  });
  afterAll(async () => {
    mapped.close();
    await app.close();
  });
  // Refills the budgets that the previous test has used up, and applies groups again.
  beforeEach(() => clock.advance(600_000));

  const ask = <Body = Record<string, unknown>>(path: string, sent: Sent = {}): Promise<Reply<Body>> =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers = {}, body, from = PROXY, isMapped = false } = sent;
      const port = isMapped ? (mapped.address() as AddressInfo).port : Number(new URL(app.url).port);
      const to = { host: from === '::1' ? '::1' : '127.0.0.1', port, localAddress: from, agent: false as const };
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      const asked = request({ ...to, path, method, headers: { ...json, ...headers } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {}) as Body,
            headers: response.headers,
          }),
        );
      });
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const user = (name: string, groups = '', more: Headers = {}): Headers => ({
    'remote-user': name,
    ...(groups === '' ? {} : { 'remote-groups': groups }),
    ...more,
  });
  const session = (headers: Headers, more: Sent = {}) => ask<Session>('/auth/session', { ...more, headers });
  /** Without the fields that differ with each request. */
  const problemOf = ({ status, body }: Reply) => ({ status, ...body, instance: '', request_id: '' });

  it('gives the user the rights of their groups, and sets no cookie', async () => {
    const ada = await session(
      user('ada', 'ops,root', { 'remote-name': Buffer.from('Ada Løvelace').toString('latin1') }),
    );
    expect(ada).toMatchObject({
      status: 200,
      body: {
        organization: { name: 'Default' },
        role: 'admin',
        operator: true,
        person: { name: 'Ada Løvelace', email: null },
      },
    });
    expect(ada.headers).not.toHaveProperty('set-cookie');
    expect((await ask('/api/v1/people', { headers: user('ada', 'ops,root') })).status).toBe(200);
    expect((await ask('/api/v1/organizations', { headers: user('ada', 'ops,root') })).status).toBe(200);
  });

  it("allows changes from the service's own pages, also under PUBLIC_URL", async () => {
    const post = (more: Headers) =>
      ask('/api/v1/websites', { method: 'POST', headers: user('ada', 'ops', more), body: SHOP });
    expect((await post({})).status).toBe(403);
    expect((await post({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ ...OWN, origin: 'http://uptime.example.com' })).status).toBe(403);
    expect((await post(OWN)).status).toBe(201);
    const log = await app.admin.get<{ author: object }[]>('/audit-log?resource=website');
    expect(log.body).toMatchObject([{ author: { via: 'session', person_name: 'Ada Løvelace', key_id: null } }]);
  });

  it('removes a user who leaves a group with the next request, and adds them again with it; other rights stay', async () => {
    expect((await session(user('bo', 'staff'))).body.role).toBe('read');
    expect((await session(user('bo', 'ops'))).body.role).toBe('admin');
    expect((await session(user('bo'))).body).toMatchObject({ organization: null, role: null, person: { name: 'bo' } });
    expect((await ask('/api/v1/websites', { headers: user('bo') })).status).toBe(403);
    expect((await session(user('bo', 'shop-berlin'))).body).toMatchObject({
      organization: { name: 'Shop' },
      role: 'write',
    });
  });

  it('does not know a user without a group, and responds as to an anonymous request', async () => {
    const [unknown, nobody] = [
      await ask('/api/v1/websites', { headers: user('eve', 'guests') }),
      await ask('/api/v1/websites'),
    ];
    expect(unknown.status).toBe(401);
    expect(problemOf(unknown)).toEqual(problemOf(nobody));
    for (let n = 0; n < 25; n++) expect((await session(user('eve'))).status).toBe(401);
    expect(JSON.stringify((await app.admin.get('/people')).body)).not.toContain('eve');
  });

  it.each<[string, Headers]>([
    ['empty', { 'remote-user': '' }],
    ['sent twice', { 'remote-user': ['ada', 'bo'] }],
    ['longer than 255 characters', { 'remote-user': 'a'.repeat(256) }],
    ['not printable', { 'remote-user': 'a\u0080b' }],
  ])('refuses a user that is %s, regardless of other credentials', async (_, headers) => {
    const cookie = await cookieOf(app.admin.key);
    for (const path of ['/auth/session', '/api/v1/websites', '/auth/account'])
      expect((await ask(path, { headers: { ...headers, cookie } })).status).toBe(401);
  });

  it.each<[string, Sent]>([
    ['IPv4', { from: STRANGER }],
    ['IPv4 on a socket of IPv6', { from: STRANGER, isMapped: true }],
    ['IPv6', { from: '::1', isMapped: true }],
    ['IPv4, as if for the proxy', { from: STRANGER, headers: { 'x-forwarded-for': PROXY } }],
    [
      'IPv6, as if for the proxy',
      { from: '::1', isMapped: true, headers: { 'x-forwarded-for': `${PROXY}, ::ffff:${PROXY}` } },
    ],
    ['IPv4, as forwarded', { from: STRANGER, headers: { forwarded: `for=${PROXY}`, 'x-real-ip': PROXY } }],
  ])('ignores the header of any other client: over %s', async (_, sent) => {
    const spoofed = { ...sent.headers, ...user('ada', 'ops,root', { ...OWN, 'remote-name': 'Ada' }) };
    for (const [path, method] of [
      ['/api/v1/websites', 'GET'],
      ['/api/v1/websites', 'POST'],
      ['/api/v1/organizations', 'GET'],
      ['/auth/account', 'GET'],
      ['/auth/session', 'GET'],
    ] as const) {
      const plain = await ask(path, { ...sent, method, headers: { ...sent.headers, ...OWN } });
      expect([path, problemOf(await ask(path, { ...sent, method, headers: spoofed }))]).toEqual([
        path,
        problemOf(plain),
      ]);
      expect([401, 204]).toContain(plain.status);
    }
    // Even an invalid header is ignored.
    expect((await session({ 'remote-user': '' }, sent)).status).toBe(204);
    const cookie = await cookieOf(app.read.key);
    expect((await session({ ...spoofed, cookie }, sent)).body).toMatchObject({ role: 'read', person: null });
  });

  it('also recognizes the proxy over an IPv6 socket', async () => {
    expect((await session(user('ada', 'ops'), { isMapped: true })).body.role).toBe('admin');
  });

  it('counts the ignored headers', async () => {
    const ignored = async () =>
      Number(/uptime_proxy_headers_ignored_total (\d+)/.exec(await (await fetch(`${app.url}/metrics`)).text())?.[1]);
    const before = await ignored();
    await session(user('ada', 'ops'), { from: STRANGER });
    expect(await ignored()).toBe(before + 1);
  });

  it('prefers a key to the header, and the header to a cookie', async () => {
    const headers = user('ada', 'ops', { authorization: `Bearer ${app.read.key}` });
    expect((await ask('/api/v1/organization', { headers })).body).toMatchObject({ role: 'read' });
    const cookie = await cookieOf(app.read.key);
    expect((await session(user('ada', 'ops', { cookie }))).body).toMatchObject({ role: 'admin', key_name: null });
  });

  it("uses a name that is an email as the account's email, unless another account has it: no account is linked by it", async () => {
    const first = await session(user('Cy@example.com', 'staff'));
    expect(first.body.person).toMatchObject({ email: 'cy@example.com' });
    const second = await session(user('CY@example.com', 'staff'));
    expect(second.body.person).toMatchObject({ name: 'CY@example.com', email: null });
    expect(second.body.person?.id).not.toBe(first.body.person?.id);
  });

  it('lets the user switch to another organization and stay there', async () => {
    const both = user('di', 'ops,shop-a');
    const { body: before } = await session(both);
    expect(before.organization?.name).toBe('Default');
    const listed = await ask<{ organizations: { id: string; name: string }[] }>('/auth/account', { headers: both });
    const shop = listed.body.organizations.find(({ name }) => name === 'Shop');
    const move = { method: 'PUT', headers: { ...both, ...OWN }, body: { organization_id: shop?.id } };
    expect((await ask('/auth/session', move)).body).toMatchObject({ organization: { name: 'Shop' }, role: 'write' });
    clock.advance(120_000);
    expect((await session(both)).body.organization?.name).toBe('Shop');
    const stale = { ...both, 'x-organization': before.organization?.id ?? '' };
    expect((await ask('/api/v1/websites', { headers: stale })).status).toBe(409);
  });

  it('creates one person and one session for many requests of a new user', async () => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => (await session(user('flo', 'staff'))).body.person?.id),
    );
    expect([new Set(ids).size, ids[0]]).toEqual([1, expect.stringMatching(/^per_/)]);
    const sessions = await ask<{ via: string; address: string; current: boolean }[]>('/auth/sessions', {
      headers: user('flo', 'staff'),
    });
    expect(sessions.body).toMatchObject([{ via: 'proxy', address: PROXY, current: true }]);
  });

  it('treats a disconnected user as unknown at once', async () => {
    const people = app.app.get(InstallationPeople);
    const { body } = await session(user('gil', 'staff'));
    const gil = await people.find(body.person?.id ?? '');
    await people.disconnect(gil?.id ?? '');
    expect((await session(user('gil'))).status).toBe(401);
    await people.connect(gil?.id ?? '', 'proxy', 'gil');
    expect((await session(user('gil'))).body.person?.id).toBe(body.person?.id);
  });

  describe('the address from the proxy', () => {
    const client = (address: string): Headers => ({ 'x-forwarded-for': `198.51.100.9, ${address}` });

    it('is used in sessions and in the audit log', async () => {
      const hal = user('hal', 'staff', client('203.0.113.7'));
      await session(hal);
      expect((await ask('/auth/sessions', { headers: hal })).body).toMatchObject([{ address: '203.0.113.7' }]);
      const log = await app.admin.get<object[]>('/audit-log?resource=person&limit=1');
      expect(log.body).toMatchObject([{ action: 'sign_in', author: { via: 'proxy', ip: '203.0.113.7' } }]);
    });

    it.each<[string, string, Headers]>([
      ['for wrong credentials', '/api/v1/websites', { authorization: 'Bearer wrong' }],
      ['for status pages', '/status/nothing', {}],
      ['for routes that need no key', '/auth/methods', {}],
    ])('is used for the request limits %s, and an unknown client cannot choose it', async (_, path, headers) => {
      const times = 60;
      const limited = async (address: string, from?: string) => {
        const sent = { headers: { ...headers, ...client(address) }, ...(from === undefined ? {} : { from }) };
        for (let n = 0; n < times; n++) if ((await ask(path, sent)).status === 429) return true;
        return false;
      };
      expect(await limited('203.0.113.7')).toBe(true);
      expect((await ask(path, { headers: { ...headers, ...client('203.0.113.8') } })).status).not.toBe(429);
      const strangers = [];
      for (let n = 0; n < times; n++)
        strangers.push(
          (await ask(path, { headers: { ...headers, ...client(`203.0.113.${n}`) }, from: STRANGER })).status,
        );
      expect(strangers).toContain(429);
    });
  });

  async function cookieOf(key: string | null): Promise<string> {
    const reply = await ask('/auth/session', { method: 'POST', headers: OWN, body: { api_key: key } });
    return reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  }
});
