import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import type { Assertion } from '../../../src/checker/assertion/assertion';
import { assertionProblems } from '../../../src/checker/assertion/assertion-rules';
import type { Checker } from '../../../src/checker/checker';
import { DnsChecker } from '../../../src/checker/dns/dns.checker';
import { HttpChecker, HttpsChecker } from '../../../src/checker/http/http.checker';
import { IcmpChecker } from '../../../src/checker/icmp/icmp.checker';
import { headerProblem } from '../../../src/checker/request-headers';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { unverifiedProblem } from '../../../src/checker/tls-settings';
import { Problem } from '../../../src/platform/problem/problem';
import { parseWebsiteUrl } from '../../../src/website/website-url';
import type { ConfigurationDocument, DeclaredEndpoint } from '../../../src/configuration/document/document';
import { shapeOf } from '../../../src/configuration/document/document-shape';
import { resolveSecrets } from '../../../src/configuration/document/secrets';
import { CHANNEL_RULES } from '../../../src/configuration/convert/channel-rules';
import type { Conversion } from '../conversion';
import { convertUptimeKuma as convertWith } from './convert-uptime-kuma';

const convertUptimeKuma = (text: string): Conversion => convertWith(text, CHANNEL_RULES);

// Parsing targets and naming assertion sources don't need the dependencies that running checks needs.
const nothing = undefined as never;
const CHECKERS: Readonly<Record<string, Pick<Checker, 'parseTarget' | 'assertionSources'>>> = {
  HTTP: new HttpChecker(nothing),
  HTTPS: new HttpsChecker(nothing),
  TCP: new TcpChecker(nothing),
  DNS: new DnsChecker(nothing, nothing),
  ICMP: new IcmpChecker(nothing, nothing),
};

const fixture = (name: string): string =>
  readFileSync(join(__dirname, '../../../test/fixtures/moving-in', name), 'utf8');

const convert = (monitors: object[], notifications: object[] = []): Conversion =>
  convertUptimeKuma(JSON.stringify({ version: '1.23.16', notificationList: notifications, monitorList: monitors }));

const endpointsOf = ({ document }: Pick<Conversion, 'document'>): DeclaredEndpoint[] =>
  (document.websites ?? []).flatMap(({ endpoints = [] }) => endpoints);

const http = { id: 1, name: 'Shop', type: 'http', url: 'https://shop.example.com/', active: true, interval: 60 };

/** Returns the only endpoint and its monitor's report entry. */
function converted(monitor: object, notifications: object[] = []) {
  const conversion = convert([{ ...http, ...monitor }], notifications);
  const [endpoint] = endpointsOf({ document: resolveSecrets(conversion.document).document });
  return { endpoint, entry: conversion.report.find(({ at }) => at === '/monitorList/0') };
}

/** Returns what the API would refuse. */
async function refusals(document: ConfigurationDocument): Promise<string[]> {
  await shapeOf([{ value: document, lineOf: () => null }]);
  const { document: resolved, missing } = resolveSecrets(document);
  const contacts = new Set(resolved.contacts?.map(({ key }) => key));
  const ofEndpoint = ({ type, url, headers = [], body, assertions, tls, alerts }: DeclaredEndpoint): string[] => {
    const checker = CHECKERS[type];
    const sent = (headers ?? []) as { key: string; value: string }[];
    checker?.parseTarget(url as string);
    const unsafe = unverifiedProblem(
      { verify: tls?.verify ?? true, ca: null, serverName: null },
      { url: url as string, headers: sent, body: (body ?? null) as string | null },
    );
    return [
      ...assertionProblems((assertions ?? []) as Assertion[], checker?.assertionSources ?? []).map(
        (one) => one.message,
      ),
      ...sent.flatMap(({ key, value }) => headerProblem(key, value)?.message ?? []),
      ...(unsafe ? [unsafe.message] : []),
      ...(alerts ?? []).filter(({ contact = '' }) => !contacts.has(contact)).map(({ key }) => `${key} has no contact`),
    ];
  };
  return [
    ...missing.map(({ name }) => `${name} is missing`),
    ...(resolved.websites ?? []).flatMap(({ url }) => ('url' in parseWebsiteUrl(url) ? [] : [url])),
    ...endpointsOf({ document: resolved }).flatMap(ofEndpoint),
  ];
}

/** Returns each `website/endpoint` with its type, its URL, and its alert contacts. */
const placesOf = ({ websites = [] }: ConfigurationDocument): string[] =>
  websites.flatMap(({ key, endpoints = [] }) =>
    endpoints.map((one) =>
      [`${key}/${one.key}`, one.type, one.url as string, ...(one.alerts ?? []).map(({ contact }) => contact)].join(' '),
    ),
  );

const skipped = (report: Conversion['report']): string[] =>
  report.filter(({ result }) => result === 'skipped').map(({ name }) => name);

const FILES = ['uptime-kuma-1.json', 'uptime-kuma-2.jsonl'];

describe('an Uptime Kuma backup', () => {
  it.each(FILES)('becomes a document that the API accepts, with the same keys each time (%s)', async (file) => {
    const conversion = convertUptimeKuma(fixture(file));
    expect(await refusals(conversion.document)).toEqual([]);
    expect(convertUptimeKuma(fixture(file))).toEqual(conversion);
  });

  it('keeps its groups, monitors, and contacts if it has version 1', () => {
    const { document, report } = convertUptimeKuma(fixture('uptime-kuma-1.json'));
    expect(placesOf(document)).toEqual([
      'production/shop HTTPS https://shop.example.com/ ops-chat phone',
      'production/search HTTPS https://shop.example.com/search?q=tea mail',
      'production/health HTTP http://shop.example.com:8080/health',
      'production/stock-count HTTPS https://shop.example.com/stock',
      'production-databases/postgresql TCP tcp://10.0.0.5:5432',
      '10.0.0.1/gateway ICMP icmp://10.0.0.1',
      'example.com/mail-records DNS dns://1.1.1.1/example.com?type=MX',
      'heartbeats/nightly-backup HEARTBEAT ',
      'printer.example.com/printer HTTPS https://printer.example.com/',
      'api.example.com/api HTTPS https://api.example.com/v1/ping',
      'www.example.com/fancy-page HTTPS https://www.example.com/',
    ]);
    expect(document.websites?.slice(0, 3).map(({ name, url, enabled }) => [name, url, enabled])).toEqual([
      ['Production', 'https://shop.example.com/', undefined],
      ['Production / Databases', 'https://production-databases.invalid/', false],
      ['10.0.0.1', 'https://10.0.0.1/', undefined],
    ]);
    expect(document.contacts?.map(({ key, type }) => `${key} ${type}`)).toEqual([
      'ops-chat slack',
      'mail email',
      'on-call pagerduty',
      'phone ntfy',
      'telegram telegram',
      'hook webhook',
    ]);
    expect(document.contacts?.[2]).toMatchObject({ alert_defaults: { send_on_resolved: false } });
    expect(skipped(report)).toEqual(['Old Teams', 'nginx', 'Must stay closed', 'Router', 'Queue', 'Later']);
  });

  it('keeps notifications, tags, maintenance, and status pages, which version 2 has in tables', () => {
    const { document, report } = convertUptimeKuma(fixture('uptime-kuma-2.jsonl'));
    expect(placesOf(document)).toEqual([
      'web/home HTTPS https://www.example.org/ hook',
      'web/stock HTTPS https://www.example.org/stock',
      'example.org/name-server DNS dns://1.1.1.1/example.org?type=NS',
      'old.example.org/old HTTPS https://old.example.org/',
    ]);
    const [home, stock] = endpointsOf({ document });
    expect(home).toMatchObject({ tags: ['prod'], timeout: 16 });
    expect(stock?.assertions).toEqual([
      { source: 'json', property: '$.items[0].count', comparison: 'greater_than', target: '4.999999' },
    ]);
    expect(document.maintenance_windows).toEqual([
      {
        key: 'patches',
        name: 'Patches',
        description: 'We update.',
        cron: '0 2 * * 1,3',
        timezone: 'Europe/Berlin',
        duration: 5400,
        scope: { websites: ['web'], endpoints: ['example.org/name-server'] },
      },
    ]);
    expect(document.status_pages?.[0]?.groups).toEqual([
      { name: 'Sites', endpoints: ['example.org/name-server', 'web/home'] },
    ]);
    expect(skipped(report)).toEqual(['Cache', 'http://proxy.example.org:3128', 'By hand', 'api_key']);
    expect(report.find(({ name }) => name === 'Stock')).toMatchObject({ at: 'line 3', result: 'approximated' });
  });

  it('becomes a document with credentials only in its secrets', () => {
    for (const file of FILES) {
      const { document, report } = convertUptimeKuma(fixture(file));
      const { secrets = {}, ...rest } = document;
      const text = JSON.stringify({ rest, report });
      expect(Object.values(secrets).filter((value) => value.length > 2 && text.includes(value))).toEqual([]);
      expect(text).not.toMatch(/hunter2|pässword|xyz/);
    }
  });

  it.each([
    ['empty', ''],
    ['a list', '[]'],
    ['another JSON document', '{"endpoints": []}'],
    ['cut off', fixture('uptime-kuma-1.json').slice(0, 5000)],
    ['YAML of another program', 'endpoints:\n  - name: a\n'],
    ['a table that is cut off', '{"table": "monitor", "rows": [{"id": 1}'],
  ])('is refused with an explanation if it is %s', (_, text) => {
    expect(() => convertUptimeKuma(text)).toThrow(Problem);
  });

  it('names the line of a table that cannot be read', () => {
    const text = '{"table": "monitor", "rows": []}\n{"table": "tag" "rows": []}\n';
    const problem = errorOf(() => convertUptimeKuma(text));
    expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ line: 2 }] });
  });
});

describe('a notification', () => {
  const contactOf = (config: object) => {
    const { document, report } = convert([], [{ id: 1, name: 'Ops', active: true, config: JSON.stringify(config) }]);
    const [contact] = document.contacts ?? [];
    const text = JSON.stringify(contact?.config ?? null).replace(/\{"\$secret":"(\w+)"\}/g, (_found, name: string) =>
      JSON.stringify(document.secrets?.[name] ?? name),
    );
    return { type: contact?.type, config: JSON.parse(text) as unknown, why: report[0]?.why ?? null };
  };

  it.each([
    [
      { type: 'ntfy', ntfyserverurl: 'https://ntfy.sh/', ntfytopic: 'x', ntfyPriority: 3, ntfyusername: '' },
      { type: 'ntfy', config: { server_url: 'https://ntfy.sh', topic: 'x', priority: 4 } },
    ],
    [
      { type: 'gotify', gotifyserverurl: 'https://g.example.com/', gotifyapplicationToken: 'A', gotifyPriority: 8 },
      { type: 'gotify', config: { server_url: 'https://g.example.com', app_token: 'A', priority: 8 } },
    ],
    [
      { type: 'bark', barkEndpoint: 'https://api.day.app/KEY/', barkSound: 'alarm' },
      { type: 'bark', config: { device_key: 'KEY', sound: 'alarm' } },
    ],
    [
      { type: 'matrix', homeserverUrl: 'https://m.example.com', internalRoomId: '!a:m', accessToken: 't' },
      { type: 'matrix', config: { homeserver: 'https://m.example.com', access_token: 't', room_id: '!a:m' } },
    ],
    [
      { type: 'GoogleChat', googleChatWebhookURL: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k' },
      { type: 'google_chat', config: { webhook_url: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k' } },
    ],
    [
      {
        type: 'signal',
        signalURL: 'http://s:8080/v2/send',
        signalNumber: '+15005550006',
        signalRecipients: '+15005550009, group.a',
      },
      {
        type: 'signal',
        config: { server_url: 'http://s:8080', number: '+15005550006', recipients: ['+15005550009', 'group.a'] },
      },
    ],
    [
      { type: 'WeCom', weComBotKey: 'abc' },
      { type: 'wecom', config: { webhook_url: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=abc' } },
    ],
    [
      { type: 'Splunk', splunkRestURL: 'https://alert.victorops.com/integrations/generic/20131114/alert/k/ops' },
      { type: 'splunk_oncall', config: { api_key: 'k', routing_key: 'ops' } },
    ],
    [
      {
        type: 'webhook',
        webhookURL: 'https://h.example.com/',
        webhookContentType: 'custom',
        webhookCustomBody: '{"text": "{{ msg }}", "name": "{{ monitorJSON[\'name\'] }}"}',
      },
      {
        type: 'webhook',
        config: {
          url: 'https://h.example.com/',
          audience: 'people',
          body: { text: '{{text}}', name: '{{data.endpoint.name}}' },
        },
      },
    ],
  ])('of a type that exists here becomes a contact without differences: %j', (config, expected) => {
    expect(contactOf(config)).toEqual({ ...expected, why: null });
  });

  it.each([
    ['{% if a %}{"a": 1}{% endif %}', /conditions or loops/],
    ['{"a": "{{ monitorJSON.tags | json }}"}', /no counterpart here \(monitorJSON\.tags \| json\)/],
    ['text={{ msg }}', /not JSON/],
  ])('with a body that has no counterpart sends the signed JSON, and the report has the reason: %s', (body, why) => {
    const config = { type: 'webhook', webhookURL: 'https://h.example.com/', webhookContentType: 'custom' };
    const contact = contactOf({ ...config, webhookCustomBody: body });
    expect(contact).toMatchObject({
      config: { url: 'https://h.example.com/' },
      why: expect.stringMatching(why) as string,
    });
    expect(contact.config).not.toHaveProperty('body');
  });
});

describe('a notification with masked credentials', () => {
  it('becomes a contact, and the report asks for its secret', () => {
    const config = { type: 'slack', slackwebhookURL: 'https://hooks.slack.com/services/********' };
    const stored = { id: 1, name: 'Ops', active: true, config: JSON.stringify(config) };
    const { document, report } = convert([], [stored]);
    expect(document).toMatchObject({ contacts: [{ config: { webhook_url: { $secret: 'CONTACT_OPS_WEBHOOK_URL' } } }] });
    expect(document.secrets).toBeUndefined();
    expect(report).toMatchObject([{ result: 'approximated', why: expect.stringMatching(/CONTACT_OPS_WEBHOOK_URL/) }]);
  });
});

function errorOf(act: () => unknown): unknown {
  try {
    act();
    return null;
  } catch (error) {
    return error;
  }
}

describe('a monitor', () => {
  it.each([
    ['a timeout with fractions', { timeout: 19.2 }, { timeout: 20 }, /not 19\.2/],
    ['no timeout', { timeout: 0, interval: 50 }, { timeout: 40 }, null],
    ['an interval that is too long', { interval: 2_073_600, timeout: 10 }, { interval: 86_400 }, /not 2073600/],
    [
      'accepted codes',
      { accepted_statuscodes: ['200-299', '250-301', '404'] },
      { assertions: [{ source: 'status_code', comparison: 'in', target: '200-301,404' }] },
      null,
    ],
    ['codes that no server answers', { accepted_statuscodes: ['200-299', '700-999'] }, {}, /100 to 599/],
    [
      'an inverted keyword',
      { type: 'keyword', keyword: 'error', invertKeyword: true },
      { assertions: [{ source: 'body', comparison: 'not_contains', target: 'error' }] },
      null,
    ],
    ['redirects that are not followed', { maxredirects: 0 }, { follow_redirects: false }, null],
    ['IPv6 only', { ipFamily: 'ipv6' }, { settings: { ip: '6' } }, null],
    [
      'a Redis server',
      { type: 'redis', databaseConnectionString: 'redis://bob:p%40ss@cache.example.com:6380/0' },
      { type: 'REDIS', url: 'redis://cache.example.com:6380', settings: { user: 'bob' } },
      null,
    ],
    [
      'a PostgreSQL server',
      { type: 'postgres', databaseConnectionString: 'postgres://bob:p@db.example.com/shop?sslmode=disable' },
      { type: 'POSTGRES', url: 'postgres://db.example.com/shop', settings: { user: 'bob', tls: 'off' } },
      null,
    ],
    [
      'a WebSocket',
      { type: 'websocket-upgrade', url: 'wss://shop.example.com/live', wsSubprotocol: 'mqtt, other' },
      { type: 'WEBSOCKET', url: 'wss://shop.example.com/live', settings: { subprotocol: 'mqtt' } },
      /only the first of its subprotocols/,
    ],
    [
      'a mail server',
      { type: 'smtp', hostname: 'mx.example.com', port: 587, smtpSecurity: 'starttls' },
      { type: 'TCP', url: 'tcp://mx.example.com:587', settings: { starttls: 'smtp' } },
      null,
    ],
    [
      'OAuth 2',
      {
        authMethod: 'oauth2-cc',
        oauth_token_url: 'https://login.example.com/token',
        oauth_client_id: 'monitor',
        oauth_client_secret: 's',
        oauth_auth_method: 'client_secret_basic',
      },
      { settings: { oauth2: { token_url: 'https://login.example.com/token', client_id: 'monitor' } } },
      null,
    ],
    ['a switch that is off', { active: 0 }, { enabled: false }, null],
    ['a proxy', { proxyId: 3 }, {}, /proxy #3/],
    [
      'a bearer token',
      { authMethod: 'bearer', bearer_token: 't' },
      { headers: [{ key: 'Authorization', value: 'Bearer t' }] },
      null,
    ],
    [
      'a user in its URL',
      { url: 'https://bob:p%40ss@shop.example.com/x' },
      { url: 'https://shop.example.com/x', headers: [{ key: 'Authorization', value: 'Basic Ym9iOnBAc3M=' }] },
      null,
    ],
    [
      'a user of the time before methods',
      { basic_auth_user: 'a', basic_auth_pass: 'b' },
      { headers: [{ key: 'Authorization', value: 'Basic YTpi' }] },
      null,
    ],
    ['a user that it no longer sends', { authMethod: null, basic_auth_user: 'a', basic_auth_pass: 'b' }, {}, null],
    [
      'its own header',
      { headers: '{"authorization": "mine"}', authMethod: 'bearer', bearer_token: 't' },
      { headers: [{ key: 'authorization', value: 'mine' }] },
      null,
    ],
    ['a header that cannot be sent', { headers: '{"Content-Length": "1"}' }, {}, /header "Content-Length" is left out/],
    ['headers that are no JSON', { headers: 'X-A: b' }, {}, /not a JSON object/],
    [
      'an XML body',
      { method: 'POST', body: '<a/>', httpBodyEncoding: 'xml' },
      { method: 'POST', body: '<a/>', headers: [{ key: 'Content-Type', value: 'text/xml; charset=utf-8' }] },
      null,
    ],
    ['a faster pace when it fails', { maxretries: 2, retryInterval: 20 }, {}, /every 20 seconds/],
    ['a description', { description: 'The till.' }, {}, /"The till\."/],
    [
      'a tag with other letters',
      { tags: [{ name: 'Büro Nord', value: '' }] },
      { tags: ['buro-nord'] },
      /"Büro Nord" becomes buro-nord/,
    ],
    ['a name that is too long', { name: 'x'.repeat(300) }, { name: `${'x'.repeat(254)}…` }, /shortened to 255/],
    [
      'a token in its URL',
      { url: 'https://shop.example.com/?token=abc' },
      { url: 'https://shop.example.com/?token=abc' },
      null,
    ],
  ] as const)('with %s becomes an endpoint', (_, monitor, expected, why) => {
    const { endpoint, entry } = converted(monitor);
    expect(endpoint).toMatchObject(expected);
    if (why === null) expect(entry).toMatchObject({ result: 'mapped', why: null });
    else expect(entry).toMatchObject({ result: 'approximated', why: expect.stringMatching(why) as string });
  });

  it.each([
    ['is upside down', { upsideDown: 1 }, /upside down/],
    ['has no URL', { url: 'https://' }, /URL/],
    ['has a URL of another scheme', { url: 'ftp://shop.example.com/' }, /http/],
    ['signs in with OAuth', { authMethod: 'oauth2-cc' }, /OAuth/],
    ['signs in with NTLM', { authMethod: 'ntlm' }, /NTLM/],
    ['shows a certificate', { authMethod: 'mtls' }, /certificate/],
    [
      'sends a password to any server that responds',
      { ignoreTls: true, authMethod: 'basic', basic_auth_user: 'a' },
      /TLS/,
    ],
    ['accepts nothing', { accepted_statuscodes: [] }, /status code/],
    ['checks another site at its address', { headers: '{"host": "a.example.com"}' }, /"Host" cannot be sent/],
    ['has no port', { type: 'port', hostname: 'a.example.com' }, /port/],
    ['has no host', { type: 'ping', hostname: null }, /host/],
    ['waits for calls with an invalid token', { type: 'push', pushToken: 'a b' }, /push_token .* "a b"/],
    ['has an unknown type', { type: 'constructor' }, /"constructor"/],
    ['is too large', { body: 'x'.repeat(40_000), method: 'POST' }, /bytes/],
  ])('is skipped with a reason if it %s', (_, monitor, why) => {
    const { endpoint, entry } = converted(monitor);
    expect(endpoint).toBeUndefined();
    expect(entry).toMatchObject({ result: 'skipped', why: expect.stringMatching(why) as string });
  });

  it.each([
    ['192.0.2.7', 'PTR', 'dns://1.1.1.1/7.2.0.192.in-addr.arpa?type=PTR'],
    ['2001:db8::1', 'PTR', `dns://1.1.1.1/1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa?type=PTR`],
    ['example.com', 'AAAA', 'dns://1.1.1.1/example.com?type=AAAA'],
  ])('with the name %s and the type %s becomes a check of %s', (hostname, type, url) => {
    const dns = { type: 'dns', hostname, dns_resolve_type: type, dns_resolve_server: '1.1.1.1' };
    expect(converted(dns).endpoint?.url).toBe(url);
  });

  it.each([
    [{}, { every: 60, grace: 0, push_token: 'hV8mQ2xT5rNc0b' }, null],
    [{ interval: 3600, maxretries: 3, retryInterval: 120 }, { every: 3600, grace: 360 }, null],
    [{ interval: 20 }, { every: 60 }, /due every 60 seconds, not every 20/],
    [{ pushToken: '' }, { every: 60, grace: 0 }, /its jobs must be changed/],
  ])('of the type push with %j becomes a heartbeat that keeps its token', (monitor, heartbeat, why) => {
    const push = {
      type: 'push',
      name: 'Job',
      hostname: null,
      url: null,
      interval: 60,
      pushToken: 'hV8mQ2xT5rNc0b',
      ...monitor,
    };
    const { endpoint, entry } = converted(push);
    expect(endpoint).toMatchObject({ type: 'HEARTBEAT', heartbeat });
    expect([endpoint?.url, endpoint?.interval]).toEqual([undefined, undefined]);
    if (why === null) expect(entry).toMatchObject({ result: 'mapped', why: null });
    else expect(entry?.why).toMatch(why);
  });

  it('sends reminders as often as Uptime Kuma would, within limits, and triggers after its retries', () => {
    const slack = { id: 1, name: 'Chat', config: '{"type":"slack","slackwebhookURL":"https://hooks.example.com/a"}' };
    const alertOf = (monitor: object) => converted({ notificationIDList: { 1: true, 9: true }, ...monitor }, [slack]);
    expect(alertOf({ maxretries: 4, resendInterval: 10 }).endpoint?.alerts).toEqual([
      { key: 'chat', contact: 'chat', failure_threshold: 5, success_threshold: 1, remind_every: 600 },
    ]);
    const { endpoint, entry } = alertOf({ resendInterval: 1, maxretries: 200 });
    expect(endpoint?.alerts).toMatchObject([{ failure_threshold: 100, remind_every: 300 }]);
    expect(entry?.why).toMatch(/#9.*100 failures.*every 300 seconds, not every 60/);
  });

  it('is converted even if its group contains itself', () => {
    const group = { type: 'group', url: 'https://' };
    const { document, report } = convert([
      { ...group, id: 1, name: 'A', parent: 2 },
      { ...group, id: 2, name: 'B', parent: 1 },
      { ...http, id: 3, parent: 1 },
    ]);
    expect(document.websites?.map(({ name }) => name)).toEqual(['B / A']);
    expect(report).toHaveLength(3);
  });
});

describe('any backup', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('https://a.example.com/', '', '[]', '{}', '1.1.1.1'),
  );
  const value = fc.oneof(
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const FIELDS =
    'url hostname port interval timeout maxretries resendInterval keyword headers body method tags parent active accepted_statuscodes jsonPath jsonPathOperator expectedValue dns_resolve_type dns_resolve_server ignoreTls authMethod basic_auth_user notificationIDList proxyId description conditions maxredirects expiryNotification'.split(
      ' ',
    );
  const TYPES = 'http keyword json-query port ping dns push group docker real-browser mqtt other'.split(' ');
  const monitor = fc.record({
    type: fc.constantFrom(...TYPES),
    fields: fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 8 }),
  });
  const KINDS = 'slack smtp webhook discord teams telegram PagerDuty Opsgenie twilio ntfy'.split(' ');
  const SETTINGS =
    'slackwebhookURL smtpHost smtpTo smtpPort webhookURL webhookAdditionalHeaders discordWebhookUrl webhookUrl telegramBotToken telegramChatID pagerdutyIntegrationKey opsgenieApiKey twilioAccountSID'.split(
      ' ',
    );
  const notification = fc.record({
    type: fc.constantFrom(...KINDS),
    fields: fc.dictionary(fc.constantFrom(...SETTINGS), value),
  });

  it('has one line in the report for each monitor and notification, which are in the document unless they are skipped', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(monitor, { maxLength: 8 }),
        fc.array(notification, { maxLength: 4 }),
        async (some, others) => {
          const usual = { url: 'https://a.example.com/', hostname: 'b.example.com', port: 80 };
          const monitors = some.map(({ type, fields }, i) => ({ ...usual, ...fields, type, id: i + 1, name: `m${i}` }));
          const notifications = others.map(({ type, fields }, i) => ({
            id: i + 1,
            name: `n${i}`,
            config: JSON.stringify({ ...fields, type }),
          }));
          const conversion = convert(monitors, notifications);
          expect(await refusals(conversion.document)).toEqual([]);
          for (const [i, { name, type }] of monitors.entries()) {
            const lines = conversion.report.filter(({ at }) => at === `/monitorList/${i}`);
            expect(lines).toHaveLength(1);
            const isDeclared =
              type === 'group'
                ? (conversion.document.websites ?? []).some((one) => one.name.split(' / ').at(-1) === name)
                : endpointsOf(conversion).some((one) => one.name === name);
            expect(isDeclared).toBe(lines[0]?.result !== 'skipped');
            expect(lines[0]?.why === null).toBe(lines[0]?.result === 'mapped');
          }
          for (const [i, { name }] of notifications.entries()) {
            const lines = conversion.report.filter(({ at }) => at === `/notificationList/${i}`);
            expect(lines).toHaveLength(1);
            expect((conversion.document.contacts ?? []).some((one) => one.name === name)).toBe(
              lines[0]?.result !== 'skipped',
            );
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
