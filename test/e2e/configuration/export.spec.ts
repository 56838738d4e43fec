import { createHash, randomBytes } from 'node:crypto';
import { parse } from 'yaml';
import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import type { ConfigurationDocument } from '../../../src/configuration/document/document';
import type { ConfigurationPlanView } from '../../../src/configuration/plan/plan.dto';
import { startApp, type TestApp } from '../../harness/app/app';
import { declaredConfigs } from '../../harness/app/declared-configs';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newAlert, newContact, newEndpoint, newMaintenanceWindow, newWebsite } from '../../harness/app/resources';

/** Values that no export may contain. */
const secrets: string[] = [];
const secret = (value = `C4N4RY${randomBytes(13).toString('hex')}`): string => {
  secrets.push(value);
  return value;
};

const ACCOUNT = `AC${createHash('md5').update('twilio').digest('hex')}`;

/** A valid config of each channel, with a secret in every possible place. */
const configs = (): Record<string, object> => ({
  email: {
    to: [`${secret()}@example.com`],
    smtp: { host: 'mail.example.com', port: 465, username: 'mailer', password: secret() },
  },
  webhook: {
    url: `https://hooks.example.com/${secret()}?token=${secret()}`,
    headers: [{ key: 'Authorization', value: `Bearer ${secret()}` }],
    secret: secret(`whsec_${randomBytes(32).toString('base64')}`),
  },
  slack: { webhook_url: `https://hooks.slack.com/services/T0/B0/${secret()}` },
  discord: { webhook_url: `https://discord.com/api/webhooks/1/${secret()}` },
  teams: { webhook_url: `https://teams.example.com/workflows/x?sig=${secret()}` },
  telegram: {
    bot_token: secret(`1234567890:${randomBytes(18).toString('hex').slice(0, 35)}`),
    chat_id: `@${secret()}`,
  },
  pagerduty: { routing_key: secret(randomBytes(16).toString('hex')) },
  opsgenie: { api_key: secret() },
  ...declaredConfigs('https://receiver.example.com', { secret, hidden: secret }),
  twilio: { account_sid: ACCOUNT, auth_token: secret(), from: '+15005550006', to: secret('+15005559321') },
});

/** An endpoint with a secret in each field that may contain one. */
const guarded = () => ({
  url: `https://shop.example.com/checkout?token=${secret()}`,
  method: 'POST',
  headers: [
    { key: 'Accept', value: 'text/html' },
    { key: 'Authorization', value: `Bearer ${secret()}` },
    { key: 'X-Token', value: secret() },
    { key: 'X-Token', value: secret() },
  ],
  body: `{"password": "${secret()}"}`,
  assertions: [
    { source: 'status_code', comparison: 'in', target: '200-299' },
    { source: 'header', property: 'X-Session', comparison: 'contains', target: secret() },
  ],
});

/** Every field of every resource, each with a value other than its default. */
const everything = (): ConfigurationDocument => ({
  version: 1,
  owner: 'full',
  contacts: [
    {
      key: 'chat',
      name: 'Chat',
      type: 'slack',
      config: { webhook_url: { $secret: 'CONTACT_CHAT_WEBHOOK_URL' }, channel: '#ops' },
      default: true,
      alert_defaults: { after: 60, condition: 'degraded', failure_threshold: 4 },
    },
  ],
  probes: [
    { key: 'fra', name: 'Frankfurt', region: 'eu', allow_private: true },
    { key: 'old', enabled: false },
  ],
  websites: [
    {
      key: 'shop',
      name: 'Shop',
      url: 'https://shop.example.com/',
      enabled: false,
      tags: ['prod'],
      status_page: { enabled: true, slug: 'full-shop' },
      endpoints: [
        { key: 'base', name: 'Base', type: 'ICMP', url: 'shop.example.com', alerts: [] },
        {
          key: 'front',
          name: 'Front',
          type: 'HTTPS',
          url: 'https://shop.example.com/',
          method: 'PUT',
          interval: 90,
          timeout: 20,
          enabled: false,
          headers: [{ key: 'Accept', value: '*/*' }],
          body: { $secret: 'ENDPOINT_SHOP_FRONT_BODY' },
          follow_redirects: false,
          assertions: [{ source: 'json', property: '$.ok', comparison: 'equals', target: 'true', severity: 'warning' }],
          locations: ['fra', 'local'],
          quorum: 2,
          tags: ['a', 'b'],
          depends_on: ['shop/base'],
          settings: {
            ip: '4',
            basic: { user: 'monitor', password: { $secret: 'ENDPOINT_SHOP_FRONT_SETTINGS_BASIC_PASSWORD' } },
          },
          tls: { server_name: 'shop.example.com' },
          alerts: [
            {
              key: 'through-chat',
              contact: 'chat',
              enabled: false,
              condition: 'down',
              failure_threshold: 3,
              success_threshold: 5,
              send_on_resolved: false,
              after: 0,
              remind_every: 600,
              description: 'Call Ann.',
            },
            { key: 'own', type: 'pagerduty', config: { routing_key: { $secret: 'ALERT_SHOP_FRONT_OWN_ROUTING_KEY' } } },
          ],
        },
        {
          key: 'job',
          name: 'Job',
          type: 'HEARTBEAT',
          heartbeat: { cron: '30 2 * * *', timezone: 'Europe/Berlin', grace: 900 },
          alerts: [],
        },
      ],
    },
  ],
  maintenance_windows: [
    {
      key: 'nightly',
      name: 'Nightly',
      description: 'Backups.',
      starts_at: '2031-01-01T00:00:00.000Z',
      ends_at: '2032-01-01T00:00:00.000Z',
      cron: '0 2 * * *',
      timezone: 'Europe/Berlin',
      duration: 3600,
      mute: false,
      exclude_from_uptime: false,
      public: false,
      scope: { all: true },
    },
  ],
  status_pages: [
    {
      key: 'all',
      title: 'Everything',
      slug: 'full-all',
      description: 'What runs.',
      accent: '#7a3ff2',
      domain: 'status.example.com',
      down_after_minutes: 5,
      indexed: false,
      support_url: 'https://example.com/support',
      enabled: true,
      groups: [{ name: 'Shop', endpoints: ['shop/front'], websites: ['shop'] }],
    },
  ],
});

const exported = async (by: Api, query = ''): Promise<ConfigurationDocument> => {
  const { status, body } = await by.get<ConfigurationDocument>(`/configuration${query}`);
  expect(status).toBe(200);
  return body;
};
const planOf = (org: ServiceOrganization, document: object) =>
  org.write.post<ConfigurationPlanView>('/configuration/plan', document);
const asYaml = (by: Api, query = '') =>
  fetch(`${by.url}/api/v1/configuration${query}`, {
    headers: { accept: 'application/yaml', authorization: `Bearer ${by.key}` },
  });

describe('The export of an organization', () => {
  let app: TestApp;
  /** Created manually, without any keys. */
  let clicked: ServiceOrganization;

  beforeAll(async () => {
    app = await startApp({ role: 'api', statusPageDomains: 'allow', allowedHosts: ['uptime.example.com'] });
    clicked = await app.organization('clicked');
    const by = clicked.write;
    const [shop, blog] = [await newWebsite(by, 'Shop'), await newWebsite(by, 'Blög & more')];
    await by.put(`/websites/${shop}`, { tags: ['prod'], enabled: false });
    await by.put(`/websites/${shop}/status-page`, { enabled: true, slug: 'clicked-shop' });
    const contacts: Record<string, string> = {};
    for (const [type, config] of Object.entries(configs()))
      contacts[type] = await newContact(by, { name: `By ${type}`, type, config });
    await by.put(`/contacts/${contacts['slack']}`, {
      default: true,
      alert_defaults: { failure_threshold: 5, remind_every: 3600 },
    });
    const front = await newEndpoint(by, shop, { name: 'Front page', interval: 30, tags: ['web'] });
    const checkout = await newEndpoint(by, shop, { name: 'Checkout', ...guarded(), depends_on: [front] });
    await newEndpoint(by, blog, {
      name: 'Mail',
      type: 'TCP',
      url: 'mail.example.com:25',
      interval: 86_400,
      tls: { server_name: 'mx.example.com' },
    });
    for (const [type, config] of Object.entries(configs())) await newAlert(by, checkout, { type, config });
    await newAlert(by, front, {
      contact_id: contacts['email'],
      type: undefined,
      config: undefined,
      failure_threshold: 1,
      description: 'Look: here # there',
    });
    const [, throughSlack] = (
      await by.get<{ id: string; contact_id: string }[]>(`/alerts?endpoint_id=${checkout}`)
    ).body
      .filter(({ contact_id: id }) => id === contacts['slack'])
      .flatMap(({ id }) => [id, id]);
    await by.put(`/alerts/${throughSlack}`, { remind_every: null });
    const weekly = { cron: '0 2 * * SUN', timezone: 'Europe/Berlin', duration: 7200 };
    const window = { ...weekly, starts_at: undefined, ends_at: undefined };
    await newMaintenanceWindow(by, {
      ...window,
      scope: { website_ids: [blog], endpoint_ids: [front], tags: ['prod'] },
    });
    await by.post('/status-pages', {
      title: 'All of it',
      slug: 'clicked-all',
      groups: [{ name: 'Both', endpoints: [checkout, front], websites: [blog] }, {}],
    });
  });
  afterAll(() => app.close());

  it('is the same YAML for every role, and shows nothing secret', async () => {
    expect(Object.keys(configs()).sort()).toEqual([...SPEC_CHANNEL_TYPES].sort());
    const texts = await Promise.all(
      [clicked.read, clicked.write, clicked.admin].map(async (by) => (await asYaml(by)).text()),
    );
    const shown = secrets.filter((value) => texts.some((text) => text.includes(value)));
    expect([shown, texts.filter((text) => text.includes('****'))]).toEqual([[], []]);
    expect(new Set(texts.map((text) => text.replace(/exported at .*/, ''))).size).toBe(1);
  });

  it('is a readable document with an explanation at the top', async () => {
    const response = await asYaml(clicked.read);
    expect([
      response.headers.get('content-type'),
      response.headers.get('vary'),
      response.headers.get('x-notes'),
    ]).toEqual(['application/yaml; charset=utf-8', 'Accept', '0']);
    const text = await response.text();
    expect(text).toMatch(/^# Configuration of clicked, exported at 20.*Z\.\n/);
    expect(text).toMatch(/^# {3}CONTACT_BY_SLACK_WEBHOOK_URL$/m);
    expect(text).toContain('      webhook_url: { $secret: CONTACT_BY_SLACK_WEBHOOK_URL }\n');
    expect(parse(text)).toEqual(await exported(clicked.read));
  });

  it('names everything by keys made of names, and omits defaults', async () => {
    const { websites, maintenance_windows: windows, status_pages: pages } = await exported(clicked.read);
    const named = (name: string) => ({ $secret: `ENDPOINT_SHOP_CHECKOUT_${name}` });
    expect(websites?.map((website) => ({ ...website, endpoints: undefined }))).toEqual([
      {
        key: 'shop',
        name: 'Shop',
        url: 'https://shop.example.com/',
        enabled: false,
        tags: ['prod'],
        status_page: { enabled: true, slug: 'clicked-shop' },
      },
      { key: 'blog-more', name: 'Blög & more', url: 'https://shop.example.com/' },
    ]);
    const [front, checkout, mail] = websites?.flatMap(({ endpoints = [] }) => endpoints) ?? [];
    expect(front).toEqual({
      key: 'front-page',
      name: 'Front page',
      type: 'HTTPS',
      url: 'https://shop.example.com/checkout',
      interval: 30,
      tags: ['web'],
      alerts: [
        { key: 'by-slack', contact: 'by-slack' },
        { key: 'by-email', contact: 'by-email', failure_threshold: 1, description: 'Look: here # there' },
      ],
    });
    expect({ ...checkout, alerts: checkout?.alerts?.slice(0, 2) }).toEqual({
      key: 'checkout',
      name: 'Checkout',
      type: 'HTTPS',
      url: named('URL'),
      method: 'POST',
      headers: [
        { key: 'Accept', value: 'text/html' },
        { key: 'Authorization', value: named('HEADER_AUTHORIZATION') },
        { key: 'X-Token', value: named('HEADER_X_TOKEN') },
        { key: 'X-Token', value: named('HEADER_X_TOKEN_2') },
      ],
      body: named('BODY'),
      assertions: [
        { source: 'status_code', comparison: 'in', target: '200-299' },
        { source: 'header', property: 'X-Session', comparison: 'contains', target: named('ASSERTION_2_TARGET') },
      ],
      depends_on: ['shop/front-page'],
      alerts: [
        { key: 'by-slack', contact: 'by-slack', remind_every: null },
        {
          key: 'email',
          type: 'email',
          config: {
            to: [{ $secret: 'ALERT_SHOP_CHECKOUT_EMAIL_TO_0' }],
            smtp: {
              host: 'mail.example.com',
              port: 465,
              username: 'mailer',
              password: { $secret: 'ALERT_SHOP_CHECKOUT_EMAIL_SMTP_PASSWORD' },
            },
          },
        },
      ],
    });
    expect([mail?.tls, mail?.interval]).toEqual([{ server_name: 'mx.example.com' }, 86_400]);
    expect(windows).toEqual([
      {
        key: 'patches',
        name: 'Patches',
        cron: '0 2 * * SUN',
        timezone: 'Europe/Berlin',
        duration: 7200,
        scope: { websites: ['blog-more'], endpoints: ['shop/front-page'], tags: ['prod'] },
      },
    ]);
    expect(pages).toEqual([
      {
        key: 'all-of-it',
        title: 'All of it',
        slug: 'clicked-all',
        groups: [{ name: 'Both', endpoints: ['shop/checkout', 'shop/front-page'], websites: ['blog-more'] }, {}],
      },
    ]);
  });

  it('adopts resources without a key when it is planned in the same organization, and changes nothing else', async () => {
    const { status, body } = await planOf(clicked, await exported(clicked.read));
    expect([status, body.summary, body.notes]).toEqual([
      200,
      { create: 0, update: 0, adopt: 69, delete: 0, unchanged: 0 },
      [],
    ]);
    expect(new Set(body.changes.flatMap(({ fields }) => fields.map(({ pointer }) => pointer)))).toEqual(
      new Set(['/key']),
    );
  });

  it('gives the same export after it is applied to an empty organization', async () => {
    const elsewhere = await app.organization('elsewhere');
    // The URL of a status page is unique in an installation.
    const renamed = JSON.stringify(await exported(clicked.read)).replaceAll('clicked-', 'elsewhere-');
    const document = JSON.parse(renamed) as ConfigurationDocument;
    const missing = await elsewhere.write.put<{ errors: { code: string }[] }>('/configuration', document);
    expect([missing.status, new Set(missing.body.errors.map(({ code }) => code))]).toEqual([
      400,
      new Set(['missing_secret']),
    ]);
    const applied = await elsewhere.write.put<ConfigurationPlanView>('/configuration', {
      ...document,
      secrets: valuesFor(renamed),
    });
    expect([applied.status, applied.body.summary]).toEqual([
      200,
      { create: 69, update: 0, adopt: 0, delete: 0, unchanged: 0 },
    ]);
    expect(await exported(elsewhere.read)).toEqual(document);
    const { body } = await planOf(elsewhere, document);
    expect([body.changes, body.notes]).toEqual([[], []]);
    expect(await exported((await app.organization('empty')).read)).toEqual({ version: 1 });
  });

  it('has every setting in the full form: it changes nothing, creates the same elsewhere, and each later change is drift', async () => {
    const elsewhere = await app.organization('in full');
    const renamed = JSON.stringify(await exported(clicked.read, '?full=true')).replaceAll('clicked-', 'in-full-');
    const document = JSON.parse(renamed) as ConfigurationDocument;
    const [front] = document.websites?.[0]?.endpoints ?? [];
    expect(front).toMatchObject({ method: 'GET', timeout: 10, enabled: true, assertions: [], body: null });
    expect(front?.tls).toEqual({ verify: true, ca: null, server_name: null, warn_days: 14 });
    const here = (await planOf(clicked, await exported(clicked.read, '?full=true'))).body;
    expect([here.summary, here.notes]).toEqual([{ create: 0, update: 0, adopt: 69, delete: 0, unchanged: 0 }, []]);
    const applied = await elsewhere.write.put('/configuration', { ...document, secrets: valuesFor(renamed) });
    expect([applied.status, applied.status === 200 ? '' : applied.text]).toEqual([200, '']);
    expect(await exported(elsewhere.read, '?full=true')).toEqual(document);
    const short = await exported(elsewhere.read);
    expect(JSON.stringify(short).length).toBeLessThan(renamed.length);

    const { body: endpoints } = await elsewhere.read.get<{ id: string; name: string }[]>('/endpoints');
    const { id = '' } = endpoints.find(({ name }) => name === 'Front page') ?? {};
    await elsewhere.write.put(`/endpoints/${id}`, { timeout: 30, follow_redirects: false });
    const drift = (await planOf(elsewhere, document)).body.changes;
    expect(drift.map(({ key, fields }) => [key, fields.map(({ pointer }) => pointer).sort()])).toEqual([
      ['shop/front-page', ['/follow_redirects', '/timeout']],
    ]);
    expect((await planOf(elsewhere, short)).body.changes).toEqual([]);
  });

  it('shows a URL with a query to anyone who sees it elsewhere, unless it may contain a credential', async () => {
    const org = await app.organization('queries');
    const shop = await newWebsite(org.write, 'Shop');
    const urls = [
      'https://a.example/?page=1',
      'https://a.example/?page=2',
      'https://a.example/?api_key=x',
      'https://a.example/',
    ];
    for (const url of urls) await newEndpoint(org.write, shop, { name: 'Page', url });
    const urlsFor = async (by: Api) =>
      (await exported(by)).websites?.[0]?.endpoints?.map(({ url }) => (typeof url === 'string' ? url : null));
    expect(await urlsFor(org.read)).toEqual([null, null, null, urls[3]]);
    for (const by of [org.write, org.admin]) expect(await urlsFor(by)).toEqual([urls[0], urls[1], null, urls[3]]);
    const notes = async (by: Api) => (await asYaml(by)).headers.get('x-notes');
    expect([await notes(org.read), await notes(org.write)]).toEqual(['1', '0']);
    const { body } = await planOf(org, await exported(org.write));
    expect([body.summary, body.notes]).toMatchObject([{ create: 0, adopt: 5 }, []]);
  });

  it('has every field of the API', async () => {
    const document = everything();
    const [website] = document.websites ?? [];
    const endpoint = website?.endpoints?.[1];
    const declared: Record<string, object | undefined> = {
      UpdateWebsite: website,
      UpdateEndpoint: { ...website?.endpoints?.[2], ...endpoint },
      UpdateAlert: { ...endpoint?.alerts?.[1], ...endpoint?.alerts?.[0] },
      UpdateContact: document.contacts?.[0],
      UpdateProbe: { ...document.probes?.[0], ...document.probes?.[1] },
      UpdateMaintenanceWindow: document.maintenance_windows?.[0],
      UpdatePublicPage: document.status_pages?.[0],
    };
    const { body: api } = await app.anonymous.get<{
      components: { schemas: Record<string, { properties: Record<string, object> }> };
    }>('/openapi.json');
    const missing = Object.entries(declared).flatMap(([schema, resource]) =>
      Object.keys(api.components.schemas[schema]?.properties ?? { [schema]: {} })
        .filter((field) => !/^(website|endpoint|contact)_id$|^logo$/.test(field) && !(field in (resource ?? {})))
        .map((field) => `${schema}.${field}`),
    );
    expect(missing).toEqual([]);
    const full = await app.organization('full');
    const values = valuesFor(JSON.stringify(document));
    const applied = await full.admin.put('/configuration', { ...document, secrets: values });
    expect([applied.status, applied.status === 200 ? '' : applied.text]).toEqual([200, '']);
    expect(await exported(full.read, '?owner=full')).toEqual(document);
    const { owner: _owner, ...rest } = document;
    expect(await exported(full.read)).toEqual(rest);
  });

  it('by owner has what the owner declares, and lists what it omits', async () => {
    const shared = await app.organization('shared');
    const endpoint = { key: 'front', name: 'Front', type: 'TCP', url: 'shop.example.com:443', alerts: [] };
    const website = { key: 'shop', name: 'Shop', url: 'https://shop.example.com/', endpoints: [endpoint] };
    const document = { version: 1, owner: 'shop-repo', websites: [website] };
    expect((await shared.write.put('/configuration', document)).status).toBe(200);
    const other = await newWebsite(shared.write, 'Other');
    await newContact(shared.write);
    expect(await exported(shared.read, '?owner=shop-repo')).toEqual(document);
    expect(await exported(shared.read, '?owner=nobody')).toEqual({ version: 1, owner: 'nobody' });
    const [moved] = (await shared.read.get<{ id: string }[]>('/endpoints?key=front')).body;
    await shared.write.put(`/endpoints/${moved?.id}`, { website_id: other });
    const text = await (await asYaml(shared.read, '?owner=shop-repo')).text();
    expect(text).toMatch(/^# Left out, because their website has another owner or no owner: other\/front$/m);
    expect((await shared.read.get('/configuration?owner=Shop')).status).toBe(400);
  });
});

function valuesFor(text: string): Record<string, string> {
  const names = [...text.matchAll(/"\$secret":"(\w+)"/g)].flatMap(([, name]) => name ?? []);
  return Object.fromEntries(names.map((name) => [name, valueFor(name)]));
}

function valueFor(name: string): string {
  const forms: [RegExp, string][] = [
    [/TWILIO_TO$/, '+15005559321'],
    [/LINE_TO$/, `C${'0'.repeat(32)}`],
    [/BOT_EMAIL$/, 'bot@example.com'],
    [/SIGNAL_NUMBER$/, '+15005550006'],
    [/(?:PUSHOVER_APP_TOKEN|PUSHOVER_USER_KEY|ONCALL_API_KEY)$/, 'f'.repeat(30)],
    [/_TO_\d$/, 'ops@example.com'],
    [/URL$/, `https://hooks.example.com/x?from=${name}`],
    [/WEBHOOK_SECRET$/, `whsec_${Buffer.alloc(32, name).toString('base64')}`],
    [/BOT_TOKEN$/, `1234567890:${'a'.repeat(35)}`],
    [/CHAT_ID$/, '@operations'],
    [/ROUTING_KEY$/, 'f'.repeat(32)],
  ];
  return forms.find(([form]) => form.test(name))?.[1] ?? `value-of-${name.toLowerCase()}`;
}
