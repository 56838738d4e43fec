import type { OpenAPIObject } from '@nestjs/swagger';
import { startApp, type TestApp } from '../../harness/app/app';
import { newIncident } from '../../harness/app/incidents';
import { newAlert, newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

interface Refusal {
  code: string;
  errors: { pointer: string; message: string }[];
}

/** A body with one error in its shape and another that only the service can detect. */
interface Wrong {
  path: () => string;
  body: () => object;
  pointers: string[];
}

const ENDPOINT = { name: 'Front', type: 'HTTPS', url: 'https://shop.example/' };
const CLOUD = 'http://169.254.169.254/latest';

/**
 * Routes that judge only the shape of a body (not even that for a page's form). Their other refusals aren't about a
 * field: a conflict, a limit, a key.
 */
const ONLY_SHAPE = [
  'POST /api/v1/organizations',
  'PUT /api/v1/organization',
  'PUT /api/v1/organizations/{id}',
  'PUT /api/v1/websites/{id}/status-page',
  'POST /api/v1/incidents/{id}/updates',
  'PUT /api/v1/incidents/{id}/updates/{updateId}',
  'POST /api/v1/incidents/{id}/split',
  'POST /api/v1/incidents/{id}/merge',
  'PUT /api/v1/people/{id}',
  'POST /api/v1/probes',
  'POST /api/v1/probes/{id}/rotate',
  'POST /api/v1/probe/poll',
  'POST /api/v1/probe/results',
  'POST /api/v1/shared-probes',
  'PUT /api/v1/shared-probes/{id}',
  'POST /api/v1/shared-probes/{id}/rotate',
  'POST /auth/link',
  'POST /auth/account',
  'PUT /auth/account',
  'POST /auth/account/second-factor',
  'POST /auth/account/second-factor/confirm',
  'POST /auth/account/second-factor/recovery-codes',
  'POST /auth/account/second-factor/remove',
  'POST /auth/join',
  'POST /auth/password',
  'POST /auth/oidc',
  'POST /auth/session',
  'PUT /auth/session',
  'POST /ack/{token}',
];

describe('a body with several wrong fields', () => {
  let app: TestApp;
  let website: string;
  let endpoint: string;
  let alert: string;
  let contact: string;
  let contactAlert: string;
  let page: string;

  let maintenance: string;
  let incident: string;
  let probe: string;

  const wrongWindow = (path: string): Wrong => ({
    path: () => path,
    body: () => ({
      name: 7,
      scope: { all: true, tags: ['shop'] },
      cron: '@daily',
      timezone: 'Mars/Base',
      duration: 5,
      colour: 'red',
    }),
    pointers: ['/colour', '/cron', '/duration', '/name', '/scope/all', '/timezone'],
  });

  const wrongDocument = (path: string): Wrong => ({
    path: () => path,
    body: () => ({
      version: 1,
      contacts: [{ key: 'chat', name: 'Chat', type: 'slack', config: { webhook_url: 'ftp://x' } }],
      websites: [
        {
          key: 'shop',
          name: 'Shop',
          url: 'https://shop.example.com',
          endpoints: [
            { key: 'front', name: 'Front', type: 'TCP', url: 'no port', depends_on: ['shop/back'] },
            { key: 'cart', name: 'Cart', type: 'HTTPS', url: 'nothing', alerts: [{ key: 'a', contact: 'nobody' }] },
          ],
        },
      ],
      maintenance_windows: [{ key: 'patch', name: 'Other', cron: '@daily', scope: { all: true } }],
    }),
    pointers: [
      '/contacts/0/config/webhook_url',
      '/maintenance_windows/0/cron',
      '/maintenance_windows/0/duration',
      '/maintenance_windows/0/timezone',
      '/websites/0/endpoints/0/depends_on/0',
      '/websites/0/endpoints/0/url',
      '/websites/0/endpoints/1/alerts/0/contact',
      '/websites/0/endpoints/1/url',
    ],
  });

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    website = await newWebsite(app.admin);
    endpoint = await newEndpoint(app.admin, website);
    alert = await newAlert(app.admin, endpoint);
    contact = await newContact(app.admin);
    contactAlert = (await app.admin.post<{ id: string }>('/alerts', { endpoint_id: endpoint, contact_id: contact }))
      .body.id;
    page = (await app.admin.post<{ id: string }>('/status-pages', { title: 'Status', groups: [] })).body.id;
    incident = await newIncident(app.admin);
    probe = (await app.admin.post<{ id: string }>('/probes', { key: 'fra' })).body.id;
    const nightly = { name: 'Patches', scope: { all: true }, cron: '0 2 * * *', timezone: 'UTC', duration: 3600 };
    maintenance = (await app.admin.post<{ id: string }>('/maintenance-windows', nightly)).body.id;
  });
  afterAll(() => app.close());

  const cases: Readonly<Record<string, Wrong[]>> = {
    'POST /api/v1/websites': [
      {
        path: () => '/websites',
        body: () => ({ name: '', url: 'shop.example', colour: 'red' }),
        pointers: ['/colour', '/name', '/url'],
      },
      {
        path: () => '/websites',
        body: () => ({
          name: 7,
          url: 'ftp://shop.example',
          endpoints: [
            { ...ENDPOINT, interval: 0, url: 'nowhere' },
            { ...ENDPOINT, type: 'GOPHER', colour: 'red' },
            { ...ENDPOINT, name: '', type: 'HTTP', url: CLOUD },
            { name: 'no more' },
          ],
        }),
        pointers: [
          '/endpoints/0/interval',
          '/endpoints/0/url',
          '/endpoints/1/colour',
          '/endpoints/1/type',
          '/endpoints/2/name',
          '/endpoints/2/url',
          '/endpoints/3/type',
          '/endpoints/3/url',
          '/name',
          '/url',
        ],
      },
    ],
    'PUT /api/v1/websites/{id}': [
      {
        path: () => `/websites/${website}`,
        body: () => ({ name: '', url: 'https://other.example', tags: ['a b'] }),
        pointers: ['/name', '/tags', '/url'],
      },
    ],
    'POST /api/v1/websites/{websiteId}/endpoints': [
      {
        path: () => `/websites/${website}/endpoints`,
        body: () => ({
          name: '',
          type: 'TCP',
          url: '127.0.0.1:99999',
          website_id: 'ws_00000000000000000000000000',
          headers: [{ key: 'Host', value: 'x' }, { key: 'X-Fine' }],
          assertions: [
            { source: 'body', comparison: 'contains', target: 'x' },
            { source: 'response_time', comparison: 'near', target: '5' },
            { source: 'response_time', comparison: 'less_than', target: 'soon', severity: 'fatal' },
            { source: 'colour' },
          ],
        }),
        pointers: [
          '/assertions/0/source',
          '/assertions/1/comparison',
          '/assertions/2/severity',
          '/assertions/2/target',
          '/assertions/3/comparison',
          '/assertions/3/source',
          '/assertions/3/target',
          '/headers/0/key',
          '/headers/1/value',
          '/name',
          '/url',
          '/website_id',
        ],
      },
      {
        path: () => `/websites/${website}/endpoints`,
        body: () => ({ ...ENDPOINT, type: 'HTTP', url: CLOUD, timeout: 'long' }),
        pointers: ['/timeout', '/url'],
      },
      {
        path: () => `/websites/${website}/endpoints`,
        body: () => ({ name: 'a\0b', type: 'GOPHER', interval: 0.5 }),
        pointers: ['/interval', '/name', '/type', '/url'],
      },
    ],
    'PUT /api/v1/endpoints/{id}': [
      {
        path: () => `/endpoints/${endpoint}`,
        body: () => ({
          interval: 100_000,
          url: 'ftp://x',
          website_id: 'al_00000000000000000000000000',
          tags: 'web',
          depends_on: [endpoint],
          assertions: [{ source: 'banner', comparison: 'exists', target: '' }],
        }),
        pointers: ['/assertions/0/source', '/depends_on', '/interval', '/tags', '/url', '/website_id'],
      },
    ],
    'POST /api/v1/endpoints/test': [
      {
        path: () => '/endpoints/test',
        body: () => ({ name: 'x', type: 'SSH', url: 'ssh://', timeout: 0 }),
        pointers: ['/timeout', '/url'],
      },
    ],
    'POST /api/v1/endpoints/sitemap': [
      { path: () => '/endpoints/sitemap', body: () => ({ url: 'ftp://x', depth: 2 }), pointers: ['/depth', '/url'] },
    ],
    'PUT /api/v1/endpoints/{id}/acknowledgement': [
      {
        path: () => `/endpoints/${endpoint}/acknowledgement`,
        body: () => ({ note: 7, until: '2020-01-01T00:00:00Z', by: 'me', colour: 'red' }),
        pointers: ['/colour', '/note', '/until'],
      },
    ],
    'POST /api/v1/alerts': [
      {
        path: () => '/alerts',
        body: () => ({ endpoint_id: '', failure_threshold: 0, type: 'slack', config: {} }),
        pointers: ['/config/webhook_url', '/endpoint_id', '/failure_threshold'],
      },
      {
        path: () => '/alerts',
        body: () => ({ endpoint_id: endpoint, type: 'pigeon', success_threshold: 'x' }),
        pointers: ['/config', '/success_threshold', '/type'],
      },
      {
        path: () => '/alerts',
        body: () => ({ type: 'webhook', config: { url: CLOUD }, enabled: 'yes' }),
        pointers: ['/config/url', '/enabled', '/endpoint_id'],
      },
      {
        path: () => '/alerts',
        body: () => ({ endpoint_id: 7, contact_id: contact, type: 'slack' }),
        pointers: ['/contact_id', '/endpoint_id'],
      },
      {
        path: () => '/alerts',
        body: () => ({ contact_id: endpoint, condition: 'late' }),
        pointers: ['/condition', '/contact_id', '/endpoint_id'],
      },
      { path: () => '/alerts', body: () => ({}), pointers: ['/config', '/endpoint_id', '/type'] },
    ],
    'POST /api/v1/alerts/test': [
      {
        path: () => '/alerts/test',
        body: () => ({ endpoint_id: endpoint, contact_id: contact, config: {}, after: 'soon' }),
        pointers: ['/after', '/contact_id'],
      },
      {
        path: () => '/alerts/test',
        body: () => ({ endpoint_id: 7, type: 'slack', config: { webhook_url: 'x' } }),
        pointers: ['/config/webhook_url', '/endpoint_id'],
      },
    ],
    'PUT /api/v1/alerts/{id}': [
      {
        path: () => `/alerts/${contactAlert}`,
        body: () => ({ enabled: 'no', config: { webhook_url: 'https://other.example' } }),
        pointers: ['/config', '/enabled'],
      },
      {
        path: () => `/alerts/${alert}`,
        body: () => ({ endpoint_id: 'ep_00000000000000000000000000', type: 'email', failure_threshold: 101 }),
        pointers: ['/config', '/endpoint_id', '/failure_threshold'],
      },
      {
        path: () => `/alerts/${alert}`,
        body: () => ({ description: 5, condition: 'late', config: { webhook_url: 'x', colour: 'red' } }),
        pointers: ['/condition', '/config/colour', '/config/webhook_url', '/description'],
      },
    ],
    'POST /api/v1/contacts/test': [
      {
        path: () => '/contacts/test',
        body: () => ({ name: ' ', type: 'slack', config: {} }),
        pointers: ['/config/webhook_url', '/name'],
      },
    ],
    'POST /api/v1/contacts/preview': [
      {
        path: () => '/contacts/preview',
        body: () => ({ type: 'webhook', config: { url: 'x', body: { a: '{{nothing}}' } } }),
        pointers: ['/config/body/a', '/config/url'],
      },
    ],
    'POST /api/v1/contacts': [
      {
        path: () => '/contacts',
        body: () => ({
          name: ' ',
          type: 'slack',
          config: {},
          default: 1,
          alert_defaults: { after: -1, enabled: true },
        }),
        pointers: ['/alert_defaults/after', '/alert_defaults/enabled', '/config/webhook_url', '/default', '/name'],
      },
      {
        path: () => '/contacts',
        body: () => ({ name: 'a\0b', type: 'webhook', config: { url: CLOUD }, colour: 'red' }),
        pointers: ['/colour', '/config/url', '/name'],
      },
    ],
    'PUT /api/v1/contacts/{id}': [
      {
        path: () => `/contacts/${contact}`,
        body: () => ({ name: 7, type: 'email', alert_defaults: { condition: 'late', remind_every: 1 } }),
        pointers: ['/alert_defaults/condition', '/alert_defaults/remind_every', '/config', '/name'],
      },
    ],
    'POST /api/v1/contacts/{id}/alerts': [
      {
        path: () => `/contacts/${contact}/alerts`,
        body: () => ({ scope: { all: true, tags: ['shop'] }, condition: 'late', remind_every: 5, enabled: true }),
        pointers: ['/condition', '/enabled', '/remind_every', '/scope/all'],
      },
    ],
    'POST /api/v1/incidents': [
      {
        path: () => '/incidents',
        body: () => ({
          title: ' ',
          scope: { all: true, tags: ['a'] },
          status: 'resolved',
          public: true,
          colour: 'red',
        }),
        pointers: ['/colour', '/scope/all', '/status', '/text', '/title'],
      },
    ],
    'PUT /api/v1/incidents/{id}': [
      {
        path: () => `/incidents/${incident}`,
        body: () => ({ title: 'a\nb', scope: {}, colour: 'red' }),
        pointers: ['/colour', '/scope', '/title'],
      },
    ],
    'PUT /api/v1/incidents/{id}/acknowledgement': [
      {
        path: () => `/incidents/${incident}/acknowledgement`,
        body: () => ({ note: 7, until: '2020-01-01T00:00:00Z', by: 'me', colour: 'red' }),
        pointers: ['/colour', '/note', '/until'],
      },
    ],
    'POST /api/v1/maintenance-windows': [wrongWindow('/maintenance-windows')],
    'POST /api/v1/maintenance-windows/preview': [wrongWindow('/maintenance-windows/preview')],
    'POST /api/v1/endpoints/heartbeat/preview': [
      {
        path: () => '/endpoints/heartbeat/preview',
        body: () => ({ heartbeat: { every: 1, cron: 7, grace: 'x' } }),
        pointers: ['/heartbeat/cron', '/heartbeat/every', '/heartbeat/grace'],
      },
    ],
    'POST /api/v1/configuration/plan': [wrongDocument('/configuration/plan')],
    'PUT /api/v1/configuration': [wrongDocument('/configuration')],
    'POST /api/v1/configuration/convert': [
      { path: () => '/configuration/convert?from=healthchecks', body: () => ({ checks: 1 }), pointers: [''] },
    ],
    'PUT /api/v1/maintenance-windows/{id}': [
      {
        path: () => `/maintenance-windows/${maintenance}`,
        body: () => ({ name: '', cron: 'daily', timezone: 'Europe/Gotham', scope: {}, mute: 'yes' }),
        pointers: ['/cron', '/mute', '/name', '/scope', '/timezone'],
      },
    ],
    'POST /api/v1/status-pages': [
      {
        path: () => '/status-pages',
        body: () => ({
          title: '',
          accent: 'red',
          domain: '127.0.0.1',
          groups: [{ name: 'Core', websites: ['ws_00000000000000000000000000'] }],
        }),
        pointers: ['/accent', '/domain', '/groups/0/websites/0', '/title'],
      },
    ],
    'PUT /api/v1/status-pages/{id}': [
      {
        path: () => `/status-pages/${page}`,
        body: () => ({ enabled: 'yes', groups: [{ endpoints: ['ep_00000000000000000000000000'] }] }),
        pointers: ['/enabled', '/groups/0/endpoints/0'],
      },
    ],
    'PUT /api/v1/probes/{id}': [
      {
        path: () => `/probes/${probe}`,
        body: () => ({ key: 'another', name: ' ', region: 'a\nb', enabled: null, allow_private: 1, colour: 'red' }),
        pointers: ['/allow_private', '/colour', '/enabled', '/key', '/name', '/region'],
      },
    ],
    'POST /api/v1/api-keys': [
      {
        path: () => '/api-keys',
        body: () => ({ name: '', role: 'king', expires_at: '2020-01-01T00:00:00Z' }),
        pointers: ['/expires_at', '/name', '/role'],
      },
    ],
    'POST /api/v1/reports/links': [
      {
        path: () => '/reports/links',
        body: () => ({
          title: '',
          month: 'May',
          timezone: 'Mars',
          target: 101,
          website_id: 'ep_1',
          tag: 'a b',
          expires_in_days: 0,
        }),
        pointers: ['/expires_in_days', '/month', '/tag', '/target', '/timezone', '/title', '/website_id'],
      },
    ],
    'POST /api/v1/invitations': [
      { path: () => '/invitations', body: () => ({ email: 'bo', role: 'king' }), pointers: ['/email', '/role'] },
    ],
  };
  const table = Object.entries(cases).flatMap(([route, wrong]) =>
    wrong.map((one) => [`${route}: ${one.pointers.join(' ')}`, route, one] as const),
  );

  it.each(table)('names each of them once: %s', async (_, route, { path, body, pointers }) => {
    const [url, sent] = [path(), body()];
    const { status, body: refusal } = await (route.startsWith('PUT')
      ? app.admin.put<Refusal>(url, sent)
      : app.admin.post<Refusal>(url, sent));
    expect([status, refusal.code]).toEqual([400, 'validation_failed']);
    expect(refusal.errors.map(({ pointer }) => pointer).sort()).toEqual(pointers);
  });

  it('is tested for every route that takes a body', async () => {
    const { paths } = (await app.anonymous.get<OpenAPIObject>('/openapi.json')).body;
    const routes = Object.entries(paths).flatMap(([path, item]) =>
      (['post', 'put'] as const)
        .filter((method) => item[method]?.requestBody !== undefined)
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.sort()).toEqual([...Object.keys(cases), ...ONLY_SHAPE].sort());
  });

  it('of a website that does not exist is refused for its shape, and a correct one with 404', async () => {
    const unknown = '/websites/ws_00000000000000000000000000';
    expect((await app.admin.put(unknown, { name: '', url: 'x' })).status).toBe(400);
    expect((await app.admin.put(unknown, { name: 'Shop', url: 'x' })).status).toBe(404);
  });

  it('gets an error in plain words', async () => {
    const body = { ...ENDPOINT, interval: 0.5, timeout: 0, enabled: 'yes', method: 'FETCH' };
    const { errors } = (await app.admin.post<Refusal>(`/websites/${website}/endpoints`, body)).body;
    expect(errors.map(({ message }) => message).sort()).toEqual([
      'enabled must be true or false',
      'interval must be a whole number',
      'method must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'timeout must be at least 1',
    ]);
  });
});
