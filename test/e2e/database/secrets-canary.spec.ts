/** @lane slow */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AlertView } from '../../../src/alert/alert.dto';
import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { declaredConfigs } from '../../harness/app/declared-configs';
import { Browser } from '../../harness/app/browser';
import { hashCheaply } from '../../harness/app/person';
import type { ApiResponse, Api } from '../../../packages/testing/service/api';
import { eventually } from '../../../packages/testing/eventually';
import { newWebsite } from '../../harness/app/resources';
import { HostileIssuer } from '../../harness/servers/hostile-issuer';

// Nine alerts times several requests, one after the other.
jest.setTimeout(120_000);

/** Returns a unique value of letters and digits, so that every channel accepts it and no escaping hides it. */
const canary = (length = 32): string => `C4N4RY${randomBytes(length).toString('hex')}`.slice(0, length);

/** Values that must never be shown again, and values that only keys with the role `write` may read. */
const secrets: string[] = [];
const confidential: string[] = [];
const secret = (value: string = canary()): string => {
  secrets.push(value);
  return value;
};
const hidden = (value: string = canary()): string => {
  confidential.push(value);
  return value;
};

const TWILIO_ACCOUNT = `AC${randomBytes(16).toString('hex')}`;

/** A password for basic authentication. It must not be shown in plain or encoded form. */
function basicSecret(username: string): string {
  const password = secret();
  secret(Buffer.from(`${username}:${password}`).toString('base64'));
  return password;
}

const found = (body: string, values: readonly string[]): string[] => values.filter((value) => body.includes(value));

/** Collects the output of the process on its standard streams. */
class Output {
  text = '';
  private readonly restores: (() => void)[] = [];

  start(): void {
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream);
      this.restores.push(() => (stream.write = write));
      stream.write = (chunk: string | Uint8Array): boolean => {
        this.text += String(chunk);
        return true;
      };
    }
  }

  stop(): void {
    for (const restore of this.restores) restore();
  }
}

/** The worst provider: it fails, and its error repeats everything that it received. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = `${request.url} ${JSON.stringify(request.headers)} ${await text(request)}`;
  const body = request.headers['content-type']?.includes('json')
    ? JSON.stringify({ message: sent, description: sent })
    : sent;
  response.writeHead(500, { 'content-type': 'text/plain' }).end(body);
}

describe('secrets in every field', () => {
  const output = new Output();
  const responses: { role: string; path: string; body: string }[] = [];
  let service: TestApp;
  let provider: Server;
  let base: string;
  let websiteId: string;
  let endpointId: string;
  const alertIds: string[] = [];
  const contactIds: string[] = [];

  beforeAll(async () => {
    output.start();
    provider = createServer((request, response) => void echo(request, response));
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    // A durable database is migrated at its start, so the log contains more than the deliveries.
    service = await startOwnApp(
      {
        logLevel: 'trace',
        egressPrivate: 'allow',
        secretsKeys: [`canary:${randomBytes(32).toString('base64')}`],
      },
      { durable: true },
    );
    for (const api of [service.read, service.write, service.admin]) if (api.key !== null) secrets.push(api.key);
    websiteId = await newWebsite(service.write);
    endpointId = await createEndpoint();
    const { id: probe, token } = (await service.admin.post<{ id: string; token: string }>('/probes', { key: 'fra' }))
      .body;
    const rotated = await service.admin.post<{ token: string }>(`/probes/${probe}/rotate`, {});
    for (const shown of [token, rotated.body.token]) expect(secret(shown)).toMatch(/^ump_/);
    for (const [type, config] of Object.entries(configs())) alertIds.push(await createAlert(type, config));
    for (const [type, config] of Object.entries(configs())) contactIds.push(await createContact(type, config));
  });
  afterAll(async () => {
    await service.close();
    provider.close();
    output.stop();
  });

  const configs = (): Record<string, object> => ({
    email: {
      to: [`${hidden()}@example.com`],
      from: 'uptime@example.com',
      smtp: { host: '127.0.0.1', port: 9, username: 'mailer', password: secret() },
    },
    webhook: {
      url: `${base}/${hidden()}?token=${hidden()}`,
      headers: [{ key: 'Authorization', value: `Bearer ${hidden()}` }],
      secret: secret(`whsec_${randomBytes(32).toString('base64')}`),
    },
    slack: { webhook_url: `${base}/services/${hidden()}` },
    discord: { webhook_url: `${base}/api/webhooks/1/${hidden()}` },
    teams: { webhook_url: `${base}/workflows/x?sig=${hidden()}` },
    telegram: { bot_token: secret(`1234567890:${canary(35)}`), chat_id: `@${hidden()}`, api_url: base },
    pagerduty: { routing_key: secret(), api_url: base },
    opsgenie: { api_key: secret(), api_url: base },
    twilio: {
      account_sid: TWILIO_ACCOUNT,
      auth_token: basicSecret(TWILIO_ACCOUNT),
      from: '+15005550006',
      to: hidden(`+1500${String(randomBytes(4).readUInt32BE() % 10_000_000).padStart(7, '0')}`),
      api_url: base,
    },
    ...declaredConfigs(base, { secret, hidden }),
  });

  function keep<Body>(role: string, path: string, response: ApiResponse<Body>): ApiResponse<Body> {
    responses.push({ role, path, body: `${JSON.stringify(response.headers)}\n${response.text}` });
    return response;
  }

  async function createEndpoint(): Promise<string> {
    const body = {
      name: 'Checkout',
      url: 'http://127.0.0.1:9/',
      type: 'HTTP',
      interval: 1,
      timeout: 1,
      headers: [
        { key: 'Authorization', value: `Bearer ${hidden()}` },
        { key: 'X-API-Key', value: hidden() },
        { key: 'Cookie', value: `session=${hidden()}` },
      ],
    };
    const response = await service.write.post<{ id: string }>(`/websites/${websiteId}/endpoints`, body);
    expect(response.status).toBe(201);
    return keep('write', 'create endpoint', response).body.id;
  }

  async function createAlert(type: string, config: object): Promise<string> {
    const body = { endpoint_id: endpointId, type, config, failure_threshold: 1 };
    const response = await service.write.post<AlertView>('/alerts', body);
    expect([type, response.status]).toEqual([type, 201]);
    return keep('write', `create ${type} alert`, response).body.id;
  }

  async function createContact(type: string, config: object): Promise<string> {
    const response = await service.write.post<{ id: string }>('/contacts', { name: 'Operations', type, config });
    expect([type, response.status]).toEqual([type, 201]);
    return keep('write', `create ${type} contact`, response).body.id;
  }

  it('puts secrets into every channel', () => {
    expect(Object.keys(configs()).sort()).toEqual([...SPEC_CHANNEL_TYPES].sort());
  });

  it('shows no secret in refusals', async () => {
    for (const [type, config] of Object.entries(configs())) {
      const broken = {
        endpoint_id: endpointId,
        type,
        config: { ...config, unknown: secret() },
        failure_threshold: 'x',
      };
      const refused = keep('write', `refused ${type} alert`, await service.write.post('/alerts', broken));
      expect(refused.status).toBe(400);
      const contact = { name: 'Operations', type, config: broken.config };
      keep('write', `refused ${type} contact`, await service.write.post('/contacts', contact));
    }
    for (const type of SPEC_CHANNEL_TYPES) {
      const config = { webhook_url: secret(), routing_key: { value: secret() }, bot_token: [secret()], to: secret() };
      keep(
        'write',
        `nonsense ${type} alert`,
        await service.write.post('/alerts', { endpoint_id: endpointId, type, config }),
      );
    }
    const withCredentials = { webhook_url: `https://user:${secret()}@hooks.slack.com/x` };
    keep(
      'write',
      'credentials in url',
      await service.write.post('/alerts', { endpoint_id: endpointId, type: 'slack', config: withCredentials }),
    );
    for (const key of [secret(), secret(`ums_w_${canary(36)}`), secret(`ump_${canary(36)}`)]) {
      const response = await fetch(`${service.url}/api/v1/alerts`, { headers: { authorization: `Bearer ${key}` } });
      responses.push({ role: 'stranger', path: '/alerts', body: await response.text() });
      expect(response.status).toBe(401);
    }
    const malformed = await fetch(`${service.url}/api/v1/alerts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.write.key}`, 'content-type': 'application/json' },
      body: `{"config": "${secret()}"`,
    });
    responses.push({ role: 'write', path: 'malformed', body: await malformed.text() });
    expect(malformed.status).toBe(400);
  });

  it('shows no secret after failed deliveries', async () => {
    for (const id of alertIds) {
      keep('write', 'test delivery', await service.write.post(`/alerts/${id}/test`));
      const attempted = await eventually(`an attempt of ${id}`, async () => {
        const { body } = await service.read.get<{ kind: string; attempts: number; error: string | null }[]>(
          `/alerts/${id}/deliveries`,
        );
        return body.find(({ kind, attempts, error }) => kind === 'triggered' && attempts > 0 && error !== null);
      });
      expect(attempted.error).toEqual(expect.any(String));
    }
  });

  it('shows no secret after failed tests of contacts, and changes of them', async () => {
    for (const [n, id] of contactIds.entries()) {
      const tested = await service.write.post<{ error: string | null }>(`/contacts/${id}/test`);
      expect(keep('write', 'test of a contact', tested).body.error).toEqual(expect.any(String));
      const config = Object.values(configs())[n];
      expect(keep('write', 'change', await service.write.put(`/contacts/${id}`, { config })).status).toBe(200);
    }
  });

  it('shows no secret in any response, for any role', async () => {
    const paths = [
      '/websites',
      `/websites/${websiteId}`,
      `/websites/${websiteId}/endpoints`,
      `/endpoints/${endpointId}`,
      `/endpoints/${endpointId}/checks`,
      `/endpoints/${endpointId}/uptime`,
      '/overview',
      '/alerts',
      '/alerts/events',
      ...alertIds.flatMap((id) => [`/alerts/${id}`, `/alerts/${id}/deliveries`]),
      '/configuration',
      '/contacts',
      ...contactIds.map((id) => `/contacts/${id}`),
      '/organization',
      '/api-keys',
      '/probes',
      '/openapi.json',
    ];
    const readers: [string, Api][] = [
      ['read', service.read],
      ['write', service.write],
      ['admin', service.admin],
    ];
    for (const [role, api] of readers) for (const path of paths) keep(role, path, await api.get(path));
    // Only admins read the audit log. It contains the same values that read keys see.
    keep('read', '/audit-log', await service.admin.get('/audit-log?limit=1000'));
    for (const path of ['/metrics', '/health/live', '/health/ready']) {
      const response = await fetch(service.url + path);
      responses.push({ role: 'read', path, body: await response.text() });
    }
    for (const { role, path, body } of responses) {
      expect({ role, path, found: found(body, secrets) }).toEqual({ role, path, found: [] });
      if (role === 'read') expect({ role, path, found: found(body, confidential) }).toEqual({ role, path, found: [] });
    }
    const shown = responses.filter(({ role }) => role === 'admin').map(({ body }) => body);
    expect(confidential.some((value) => shown.join().includes(value))).toBe(true);
  });

  it('logs no secret', () => {
    expect(output.text).toContain('gave up a webhook delivery');
    for (const value of [...secrets, ...confidential]) expect(output.text).not.toContain(value);
  });

  it('stores no secret readable in the database', async () => {
    const database = service.app.get(Database);
    const tables = await database.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['alert', 'contact', 'endpoint', 'notification', 'api_key']),
    );
    for (const { name } of tables) {
      const rows = await database.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`);
      const content = rows.map(({ row }) => row).join('\n');
      const found = [...secrets, ...confidential].filter((value) => content.includes(value));
      expect({ table: name, found }).toEqual({ table: name, found: [] });
    }
  });
});

/** Secrets that look like something else to masks and redaction, with the pieces that may be recognized. */
const AWKWARD = [
  { value: 'P@ss w0rd!', pieces: ['P@ss', '0rd!'] },
  { value: 'http://u:p@h/x', pieces: ['u:p@', '@h/x'] },
  { value: 'k3y!', pieces: ['k3y!'] },
  { value: `Qz~9${'long'.repeat(998)}y8#Q`, pieces: ['Qz~9', 'y8#Q', 'longlong'] },
];

/** Every way in which a text may repeat a value or a revealing piece of it. */
const spellings = AWKWARD.flatMap(({ value, pieces }) => [value, ...pieces]).flatMap((text) => [
  text,
  encodeURIComponent(text),
  new URLSearchParams({ '': text }).toString().slice(1),
  JSON.stringify(text).slice(1, -1),
  ...(text.length > 4 ? [Buffer.from(text).toString('base64')] : []),
]);

/** A valid config of each type, and the places in it that contain secrets. */
const WITH_SECRETS: Record<string, { config: (secret: string) => object }[]> = {
  email: [
    {
      config: (secret) => ({
        to: ['ops@example.com'],
        from: 'uptime@example.com',
        smtp: { host: '127.0.0.1', port: 9, username: 'mailer', password: secret },
      }),
    },
    { config: (secret) => ({ to: [secret] }) },
  ],
  webhook: [
    { config: (value) => ({ url: 'http://127.0.0.1:9/', headers: [{ key: 'X-Anything', value }] }) },
    { config: (secret) => ({ url: `http://127.0.0.1:9/${encodeURIComponent(secret)}` }) },
    { config: (secret) => ({ url: 'http://127.0.0.1:9/', secret }) },
  ],
  slack: [{ config: (secret) => ({ webhook_url: `http://127.0.0.1:9/?token=${encodeURIComponent(secret)}` }) }],
  discord: [{ config: (secret) => ({ webhook_url: `http://127.0.0.1:9/${encodeURIComponent(secret)}` }) }],
  teams: [{ config: (secret) => ({ webhook_url: `http://127.0.0.1:9/?sig=${encodeURIComponent(secret)}` }) }],
  telegram: [
    { config: (bot_token) => ({ bot_token, chat_id: '@ops', api_url: 'http://127.0.0.1:9' }) },
    { config: (chat_id) => ({ bot_token: `1234567890:${'a'.repeat(35)}`, chat_id, api_url: 'http://127.0.0.1:9' }) },
  ],
  pagerduty: [
    { config: (routing_key) => ({ routing_key, api_url: 'http://127.0.0.1:9' }) },
    { config: (integration_key) => ({ integration_key, api_url: 'http://127.0.0.1:9' }) },
  ],
  opsgenie: [{ config: (api_key) => ({ api_key, api_url: 'http://127.0.0.1:9' }) }],
  twilio: [
    {
      config: (auth_token) => ({
        account_sid: 'AC0123456789abcdef',
        auth_token,
        from: '+15005550006',
        to: '+15005550009',
        api_url: 'http://127.0.0.1:9',
      }),
    },
  ],
};

const HEADER_NAMES = ['Authorization', 'DD-API-KEY', 'X-Goog-Api-Key', 'X-RapidAPI-Key', 'Referer', 'X-Anything'];

describe('secrets of awkward shapes', () => {
  const output = new Output();
  let service: TestApp;
  const alertIds: string[] = [];
  const endpointIds: string[] = [];
  const refusals: string[] = [];

  beforeAll(async () => {
    output.start();
    service = await startOwnApp({ role: 'api', logLevel: 'trace', egressPrivate: 'allow' });
    const websiteId = await newWebsite(service.write);
    for (const { value } of AWKWARD) {
      const { body } = await service.write.post<{ id: string }>(`/websites/${websiteId}/endpoints`, {
        name: 'Checkout',
        type: 'HTTP',
        method: 'POST',
        url: `http://127.0.0.1:9/?key=${encodeURIComponent(value.slice(0, 1000))}`,
        headers: HEADER_NAMES.slice(0, value.length > 1000 ? 3 : 6).map((key) => ({ key, value })),
        body: value,
      });
      endpointIds.push(body.id);
      for (const [type, places] of Object.entries(WITH_SECRETS))
        for (const { config } of places) {
          const alert = { endpoint_id: body.id, type, config: config(value) };
          const response = await service.write.post<{ id: string }>('/alerts', alert);
          expect([201, 400]).toContain(response.status);
          if (response.status === 201) alertIds.push(response.body.id);
          else refusals.push(response.text);
        }
    }
  });
  afterAll(async () => {
    await service.close();
    output.stop();
  });

  const shownIn = (text: string): string[] => spellings.filter((spelling) => text.includes(spelling));

  it('are accepted by most of the fields', () => {
    expect(endpointIds).not.toContain(undefined);
    expect(alertIds.length).toBeGreaterThan(20);
  });

  it('are repeated by no refusal', () => {
    expect(refusals.length).toBeGreaterThan(5);
    expect(shownIn(refusals.join('\n'))).toEqual([]);
  });

  it('are shown to no read key, before and after failures that involve them', async () => {
    for (const id of endpointIds) expect((await service.write.post(`/endpoints/${id}/checks`)).status).toBe(201);
    for (const id of alertIds) await service.write.post(`/alerts/${id}/test`);
    const paths = [
      '/alerts',
      '/overview',
      '/alerts/events',
      ...endpointIds.flatMap((id) => [`/endpoints/${id}`, `/endpoints/${id}/checks`]),
      ...alertIds.flatMap((id) => [`/alerts/${id}`, `/alerts/${id}/deliveries`]),
    ];
    for (const path of paths) {
      const { status, text: body } = await service.read.get(path);
      expect({ path, status, shown: shownIn(body) }).toEqual({ path, status: 200, shown: [] });
    }
  });

  it('are in no entry of the audit log and in no line of the log', async () => {
    for (const id of [...alertIds, ...endpointIds])
      await service.write.delete(`${id.startsWith('al') ? '/alerts' : '/endpoints'}/${id}`);
    const { text: entries } = await service.admin.get('/audit-log?limit=1000');
    expect(entries).toContain('X-RapidAPI-Key');
    expect(shownIn(entries)).toEqual([]);
    expect(shownIn(output.text)).toEqual([]);
  });
});

/**
 * Personal data appears only where it is needed. Emails and names never appear in anything that is kept permanently.
 */
describe('secrets and personal data of people', () => {
  const output = new Output();
  const [name, email, password, wrong] = [canary(), `${canary().toLowerCase()}@example.com`, canary(40), canary(40)];
  const clientSecret = canary(40);
  const sent: string[] = [password, wrong, clientSecret, Buffer.from(`uptime:${clientSecret}`).toString('base64')];
  const responses: { path: string; body: string }[] = [];
  let issuer: HostileIssuer;
  let service: TestApp;

  beforeAll(async () => {
    output.start();
    issuer = await HostileIssuer.start();
    const provider = { publicUrl: 'https://uptime.example.com', oidcIssuer: issuer.url, oidcClientId: 'uptime' };
    service = await startOwnApp({ role: 'api', logLevel: 'trace', ...provider, oidcClientSecret: clientSecret });
    hashCheaply(service);
  });
  afterAll(async () => {
    await service.close();
    await issuer.close();
    output.stop();
  });

  /** Keeps everything that a browser receives, and its cookie as one more secret. */
  async function send<Body>(browser: Browser, method: string, path: string, body?: object): Promise<Body> {
    const response = await browser.send<Body>(method, path, body);
    responses.push({ path, body: JSON.stringify(response.body) });
    const cookie = browser.cookie.split('=')[1];
    if (cookie !== undefined && !sent.includes(cookie)) sent.push(cookie);
    return response.body;
  }

  it('are repeated by no response: password, token, cookie', async () => {
    const { body: invited } = await service.admin.post<{ token: string }>('/invitations', { email, role: 'admin' });
    const ann = new Browser(service);
    await send(ann, 'POST', '/auth/link', { token: invited.token });
    for (const weak of ['short', `${canary(20)} `.repeat(20), email])
      await send(ann, 'POST', '/auth/account', { token: invited.token, name, password: weak });
    await send(ann, 'POST', '/auth/account', { token: [invited.token], name, password: { is: password } });
    const made = await send<{ person: { id: string } }>(ann, 'POST', '/auth/account', {
      token: invited.token,
      name,
      password,
    });
    for (const credentials of [
      { email, password: wrong },
      { email, password, api_key: wrong },
      { email, password: [wrong] },
    ])
      await send(new Browser(service), 'POST', '/auth/session', credentials);
    await send(new Browser(service), 'POST', '/auth/session', { email, password });
    await send(ann, 'PUT', '/auth/account', { password: wrong, current_password: `${wrong}!` });
    const { body: other } = await service.admin.post<{ token: string }>(`/people/${made.person.id}/password-link`);
    await send(new Browser(service), 'POST', '/auth/session', { sign_in_token: other.token });
    await send(ann, 'POST', '/auth/password', { token: other.token, password });
    for (const path of ['/auth/session', '/auth/account', '/auth/sessions', '/api/v1/people', '/api/v1/invitations'])
      await send(ann, 'GET', path);
    await send(ann, 'POST', '/api/v1/websites', { name: 'Shop', url: 'https://shop.example.com' });
    sent.push(invited.token, other.token);
    for (const { path, body } of responses) expect({ path, found: found(body, sent) }).toEqual({ path, found: [] });
    expect(JSON.stringify(responses)).toContain(email);
  });

  it('are repeated by no page after single sign-on, though the provider repeats the client secret', async () => {
    const { body } = await service.admin.post<{ token: string }>('/invitations', {
      email: 'bo@example.com',
      role: 'read',
    });
    sent.push(body.token);
    const arrive = async (): Promise<string> => {
      const bo = new Browser(service);
      const begun = await send<{ location: string }>(bo, 'POST', '/auth/oidc', { token: body.token });
      const { location } = await bo.comeBack(issuer.signIn(begun.location));
      responses.push({ path: '/auth/oidc/callback', body: location });
      return location.split('/#')[1] ?? 'in';
    };
    const error = { error: 'invalid_client', error_description: `The secret of uptime is not ${clientSecret}.` };
    issuer.twist = { tokens: () => ({ status: 400, body: error }) };
    expect(await arrive()).toBe('/sign-in/problem/refused');
    issuer.twist = {};
    expect(await arrive()).toBe('in');
    for (const { path, body: shown } of responses)
      expect({ path, found: found(shown, sent) }).toEqual({ path, found: [] });
    expect(output.text).toContain('single sign-on failed with');
  });

  it('are in no line of the log, no metric, no export, and no entry of the audit log, including the email', async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const { text: configuration } = await service.admin.get('/configuration');
    const rows = await service.app
      .get(Database)
      .query<{ row: string }>(
        'SELECT a::text AS row FROM audit_log a UNION ALL SELECT o::text FROM operator_audit_log o',
      );
    const places = { log: output.text, metrics, configuration, audit: rows.map(({ row }) => row).join('\n') };
    expect(rows.length).toBeGreaterThan(3);
    for (const [place, text] of Object.entries(places))
      expect({ place, found: found(text, [...sent, email, name]) }).toEqual({ place, found: [] });
  });

  it('are stored nowhere but in email and name, each in its column', async () => {
    const database = service.app.get(Database);
    const tables = await database.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
    );
    const holding: string[] = [];
    for (const table of tables) {
      const rows = await database.query<{ row: string }>(`SELECT t::text AS row FROM "${table.name}" t`);
      const content = rows.map(({ row }) => row).join('\n');
      expect({ table, found: found(content, sent) }).toEqual({ table, found: [] });
      if (found(content, [email, name]).length > 0) holding.push(table.name);
    }
    expect(holding).toEqual(['person']);
  });
});
