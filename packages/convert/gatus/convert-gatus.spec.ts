import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import type { Assertion } from '../../../src/checker/assertion/assertion';
import { assertionProblems } from '../../../src/checker/assertion/assertion-rules';
import type { Checker } from '../../../src/checker/checker';
import { DnsChecker } from '../../../src/checker/dns/dns.checker';
import { HttpChecker, HttpsChecker } from '../../../src/checker/http/http.checker';
import { IcmpChecker } from '../../../src/checker/icmp/icmp.checker';
import { SshChecker } from '../../../src/checker/ssh/ssh.checker';
import { GrpcChecker } from '../../../src/checker/grpc/grpc.checker';
import { settingsProblems } from '../../../src/checker/settings-problems';
import { UdpChecker } from '../../../src/checker/udp/udp.checker';
import { WebSocketChecker } from '../../../src/checker/websocket/websocket.checker';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { HeartbeatChecker } from '../../../src/heartbeat/heartbeat.checker';
import { problemsOfFields, problemsOfTimes } from '../../../src/maintenance/window-rules';
import { Problem } from '../../../src/platform/problem/problem';
import { parseWebsiteUrl } from '../../../src/website/website-url';
import { headerProblem } from '../../../src/checker/request-headers';
import { unverifiedProblem } from '../../../src/checker/tls-settings';
import type { DeclaredEndpoint, DeclaredWebsite, DeclaredWindow } from '../../../src/configuration/document/document';
import { shapeOf } from '../../../src/configuration/document/document-shape';
import { CHANNEL_RULES } from '../../../src/configuration/convert/channel-rules';
import type { Conversion } from '../conversion';
import { convertGatus as convertWith } from './convert-gatus';

const convertGatus = (text: string): Conversion => convertWith(text, CHANNEL_RULES);

// Parsing targets and naming assertion sources don't need the dependencies that running checks needs.
const nothing = undefined as never;
const CHECKERS: Readonly<Record<string, Checker>> = {
  HTTP: new HttpChecker(nothing),
  HTTPS: new HttpsChecker(nothing),
  TCP: new TcpChecker(nothing),
  DNS: new DnsChecker(nothing, nothing),
  ICMP: new IcmpChecker(nothing, nothing),
  SSH: new SshChecker(nothing),
  UDP: new UdpChecker(nothing),
  WEBSOCKET: new WebSocketChecker(nothing),
  GRPC: new GrpcChecker(nothing),
  HEARTBEAT: new HeartbeatChecker(),
};

const FIXTURE = join(__dirname, '../../../test/fixtures/moving-in/gatus.yaml');
const fixture = (): Conversion => convertGatus(readFileSync(FIXTURE, 'utf8'));

const websitesOf = ({ document }: Conversion): DeclaredWebsite[] => document.websites ?? [];
const endpointsOf = (conversion: Conversion): DeclaredEndpoint[] =>
  websitesOf(conversion).flatMap(({ endpoints }) => endpoints ?? []);
const endpoint = (conversion: Conversion, name: string): DeclaredEndpoint => {
  const found = endpointsOf(conversion).find((one) => one.name === name);
  if (!found) throw new Error(`there is no endpoint ${name}: ${JSON.stringify(conversion.report)}`);
  return found;
};
const entry = ({ report }: Conversion, name: string) => report.find((one) => one.name === name);

/** Converts a single endpoint with these fields. */
const single = (fields: object, rest: object = {}): Conversion =>
  convertGatus(
    stringify({
      endpoints: [{ name: 'one', url: 'https://example.org', conditions: ['[STATUS] == 200'], ...fields }],
      ...rest,
    }),
  );

/** Returns everything in a document that the API would refuse, based on its structure and the services' validation. */
async function refusals(conversion: Conversion): Promise<string[]> {
  const { document } = conversion;
  const value: unknown = JSON.parse(JSON.stringify(document));
  const shape = await shapeOf([{ value, lineOf: () => null }]).then(
    () => [],
    (error: unknown) => (error as Problem).errors,
  );
  const { contacts = [], maintenance_windows: windows = [] } = document;
  const websites = websitesOf(conversion);
  const contactKeys = new Set(contacts.map(({ key }) => key));
  const paths = new Set(websites.flatMap(({ key, endpoints = [] }) => endpoints.map((own) => `${key}/${own.key}`)));
  const isRefused = ({ cron = null, timezone = null, duration = null, scope }: DeclaredWindow) => {
    const times = { startsAt: null, endsAt: null, cron, timezone, durationSeconds: duration };
    const isUnknown = 'endpoints' in scope && scope.endpoints?.some((path) => !paths.has(path)) === true;
    const found = [...problemsOfFields({ cron, timezone }), ...problemsOfTimes(times, NOW, null)];
    return isUnknown || found.length > 0;
  };
  return [
    ...shape.map(({ pointer, message }) => `${pointer} ${message}`),
    ...windows.filter(isRefused).map(({ key }) => `window ${key}`),
    ...websites.filter(({ url }) => !('url' in parseWebsiteUrl(url))).map(({ key }) => `website ${key}`),
    ...endpointsOf(conversion).flatMap((one) => refusalsOf(one, contactKeys)),
  ];
}

const NOW = new Date('2026-11-23T20:00:00Z');

function refusalsOf(
  { name, type, url, headers, body, tls, settings, assertions, alerts = [] }: DeclaredEndpoint,
  contacts: Set<string>,
): string[] {
  const checker = CHECKERS[type];
  if (!checker) return [`type ${type}`];
  if (typeof url === 'string') checker.parseTarget(url);
  const problems = assertionProblems((assertions ?? []) as Assertion[], checker.assertionSources);
  const plain = (text: unknown): string => (typeof text === 'string' ? text : 'secret');
  const sent = {
    url: plain(url),
    headers: (headers ?? []).map(({ key, value }) => ({ key, value: plain(value) })),
    body: body === undefined || body === null ? null : plain(body),
  };
  const unverified = unverifiedProblem({ verify: tls?.verify ?? true, ca: null, serverName: null }, sent);
  return [
    ...problems.map(({ pointer, message }) => `${name} ${pointer} ${message}`),
    ...settingsProblems(checker, settings ?? {}, sent.url).map(
      ({ pointer, message }) => `${name} ${pointer} ${message}`,
    ),
    ...sent.headers.flatMap(({ key, value }) => headerProblem(key, value)?.message ?? []),
    ...(unverified ? [unverified.message] : []),
    ...alerts.filter(({ contact }) => !contacts.has(contact ?? '')).map(({ key }) => `contact of ${key}`),
  ];
}

describe('a Gatus configuration', () => {
  it('becomes a document that the API accepts, and the report lists everything else', async () => {
    const conversion = fixture();
    expect(await refusals(conversion)).toEqual([]);
    const named = (result: string) => conversion.report.filter((one) => one.result === result).map(({ name }) => name);
    expect(named('skipped')).toEqual([
      'metrics',
      'storage',
      'ui',
      'connectivity',
      'x-defaults',
      'vault',
      'old port',
      'shop / buy a loaf',
      'shop / buy a loaf / put into the basket',
      'shop / buy a loaf / pay',
    ]);
    expect(named('mapped')).toEqual(
      expect.arrayContaining([
        'slack',
        'maintenance',
        'shop / orders',
        'kitchen / mixer',
        'kitchen / till',
        'network / name server',
      ]),
    );
  });

  it('becomes one website per group, with the URL of the first endpoint that has one', () => {
    const websites = websitesOf(fixture()).map(({ key, url, endpoints = [] }) => [
      key,
      url,
      endpoints.map((own) => own.key),
    ]);
    expect(websites).toEqual([
      ['shop', 'https://shop.bakery.example', ['front', 'api', 'orders', 'nightly-backup']],
      ['kitchen', 'https://oven.kitchen.example:8443', ['oven', 'mixer', 'till']],
      ['network', 'https://network.invalid', ['name-server', 'shell']],
      ['bakery.example', 'https://bakery.example', ['domain']],
      [expect.any(String), 'https://home-host.invalid', ['home']],
      ['flour.bakery.example', 'https://flour-bakery-example.invalid', ['flour']],
    ]);
    expect(entry(fixture(), 'network')).toMatchObject({
      result: 'approximated',
      why: expect.stringContaining('must have a URL'),
    });
  });

  it('merges the settings of an alert, the defaults of its provider, and the defaults of Gatus', () => {
    expect(endpoint(fixture(), 'front').alerts).toEqual([
      {
        key: 'slack',
        contact: 'slack',
        condition: 'degraded',
        failure_threshold: 2,
        success_threshold: 1,
        send_on_resolved: true,
        remind_every: 3600,
      },
      {
        key: 'pagerduty',
        contact: 'pagerduty',
        condition: 'degraded',
        failure_threshold: 5,
        success_threshold: 2,
        send_on_resolved: false,
        description: 'the $5 shop is closed',
      },
    ]);
  });

  it('gets a separate contact for a group and for an alert with their own settings', () => {
    const conversion = fixture();
    expect(endpoint(conversion, 'oven').alerts?.map(({ contact }) => contact)).toEqual([
      'slack-kitchen-oven',
      'slack-kitchen',
    ]);
    const urls = (conversion.document.contacts ?? []).flatMap(({ type, config }) =>
      type === 'slack' ? [config['webhook_url']] : [],
    );
    expect(urls).toEqual([
      { $secret: 'SLACK_URL' },
      'https://hooks.slack.com/services/T0/B0/kitchen',
      'https://hooks.slack.com/services/T0/B0/oven',
    ]);
  });

  it('gets secrets for its variables, and the report explains their values', () => {
    const conversion = fixture();
    expect(endpoint(conversion, 'api').headers?.[0]).toEqual({ key: 'Authorization', value: { $secret: 'API_TOKEN' } });
    expect(entry(conversion, 'shop / api')?.why).toContain(
      'the secret API_TOKEN replaces the whole value "Bearer ${API_TOKEN}"',
    );
    expect(endpoint(conversion, 'home').url).toEqual({ $secret: 'HOME_URL' });
    expect(JSON.stringify(conversion)).not.toMatch(/[\u{10FFF0}\u{10FFF1}]/u);
  });

  it('gets one secret name for each distinct value', () => {
    const headers = { A: 'Bearer ${X}', B: '${X}', C: '${X}', D: '$X and ${Y}' };
    const { headers: sent = [] } = endpoint(single({ headers }), 'one');
    expect(sent?.map(({ value }) => value)).toEqual(['X', 'X_2', 'X_2', 'X_Y'].map((name) => ({ $secret: name })));
  });

  it('keeps a variable instead of a secret if everyone can see the value, and reports it', () => {
    const conversion = single({ headers: { 'User-Agent': 'probe ${VERSION}' } });
    expect(endpoint(conversion, 'one').headers).toEqual([{ key: 'User-Agent', value: 'probe ${VERSION}' }]);
    expect(JSON.stringify(conversion.report)).toMatch(/headers\.User-Agent contains a variable/);
    const discord = { 'webhook-url': '${URL}', 'message-content': '${WHO}' };
    expect(single({}, { alerting: { discord } }).document.contacts?.[0]?.config).toEqual({
      webhook_url: { $secret: 'URL' },
      content: '${WHO}',
    });
  });

  it.each<[string, object, Partial<DeclaredEndpoint>]>([
    ['a method', { method: 'head' }, { method: 'HEAD' }],
    [
      'a GraphQL query',
      { graphql: true, body: '{a}' },
      { body: '{"query":"{a}"}', headers: [{ key: 'Content-Type', value: 'application/json' }] },
    ],
    ['a body with its own names', { group: 'g', body: '[ENDPOINT_GROUP]/[ENDPOINT_NAME]' }, { body: 'g/one' }],
    ['a duration of Go', { interval: '1h2m3.5s' }, { interval: 3724 }],
    ['a short timeout', { client: { timeout: '500ms' } }, { timeout: 1 }],
    ['a long timeout', { client: { timeout: '10m' } }, { timeout: 300 }],
    ['an interval without unit', { interval: 30 }, { interval: 30 }],
    ['a boolean of YAML 1.1', { enabled: 'no' }, { enabled: false }],
    ['TLS that is not verified', { client: { insecure: true } }, { tls: { verify: false } }],
    ['redirects that stay', { client: { 'ignore-redirect': true } }, { follow_redirects: false }],
    ['ICMP to an address', { url: 'icmp://2001:db8::1' }, { type: 'ICMP', url: 'icmp://[2001:db8::1]' }],
    [
      'STARTTLS',
      { url: 'starttls://mail.example.org:587', conditions: ['[CONNECTED] == true'] },
      { type: 'TCP', url: 'tcp://mail.example.org:587', settings: { starttls: 'smtp' } },
    ],
    [
      'TLS of another protocol',
      { url: 'tls://ldap.example.org:636', conditions: ['[CERTIFICATE_EXPIRATION] > 48h'] },
      { type: 'TCP', url: 'tcp://ldap.example.org:636', settings: { tls: true } },
    ],
    [
      'a datagram',
      { url: 'udp://example.org:9', body: 'a\\b', conditions: [] },
      { type: 'UDP', url: 'udp://example.org:9', settings: { send: 'a\\\\b' } },
    ],
    [
      'a WebSocket',
      { url: 'wss://example.org/live', body: 'ping', client: { network: 'ip6' }, conditions: [] },
      { type: 'WEBSOCKET', url: 'wss://example.org/live', settings: { ip: '6', send: 'ping' } },
    ],
    ['gRPC', { url: 'grpcs://example.org:1', conditions: [] }, { type: 'GRPC', url: 'grpcs://example.org:1' }],
    [
      'DNS of an address',
      { url: '8.8.8.8:53', dns: { 'query-name': '192.0.2.7', 'query-type': 'PTR' }, conditions: [] },
      { type: 'DNS', url: 'dns://8.8.8.8:53/7.2.0.192.in-addr.arpa?type=PTR' },
    ],
    [
      'credentials in the URL',
      { url: 'https://me:p%40ss@example.org/a' },
      { url: 'https://example.org/a', headers: [{ key: 'Authorization', value: 'Basic bWU6cEBzcw==' }] },
    ],
    [
      'credentials in the URL that are variables',
      { url: 'https://me:${PW}@example.org/a' },
      { url: 'https://example.org/a', headers: [{ key: 'Authorization', value: { $secret: 'PW_BASIC' } }] },
    ],
    ['a URL with a fragment', { url: 'https://example.org/a#b' }, { url: 'https://example.org/a' }],
  ])('keeps %s', async (_, fields, expected) => {
    const conversion = single(fields);
    expect(endpoint(conversion, 'one')).toMatchObject(expected);
    expect(await refusals(conversion)).toEqual([]);
  });

  it.each<[object, RegExp]>([
    [{ url: 'ws://me:p@example.org' }, /credentials/],
    [{ url: 'sctp://example.org:1' }, /SCTP/],
    [{ url: 'example.org' }, /no scheme/],
    [{ url: 'https://' }, /scheme and a host/],
    [{ url: 'tcp://example.org' }, /a host and a port/],
    [{ url: '8.8.8.8', dns: { 'query-name': 'a.example', 'query-type': 'HINFO' } }, /HINFO/],
    [{ method: 'PROPFIND' }, /PROPFIND/],
    [{ headers: { Host: 'other.example' } }, /Host/],
    [{ client: { oauth2: { 'token-url': 'https://x' } } }, /oauth2/],
    [{ client: { tls: { 'certificate-file': 'a.pem' } } }, /client certificate/],
    [{ client: { tunnel: 'jump' } }, /SSH/],
    [{ client: { insecure: true }, headers: { Authorization: 'x' } }, /client.insecure/],
    [{ client: { insecure: true }, url: 'https://${HOST}/?token=${TOKEN}' }, /client.insecure.*token/],
    [{ body: 'x'.repeat(40_000) }, /too large/],
  ])('skips endpoints that the service cannot check, with a reason: %j', (fields, reason) => {
    const conversion = single(fields);
    expect(endpointsOf(conversion)).toEqual([]);
    expect(entry(conversion, 'one')).toMatchObject({ result: 'skipped', why: expect.stringMatching(reason) });
  });

  it.each<[object, RegExp]>([
    [{ client: { 'proxy-url': 'http://proxy' } }, /client.proxy-url is not used/],
    [{ client: { 'dns-resolver': 'tcp://1.1.1.1:53' } }, /client.dns-resolver/],
    [{ client: { colour: 'red' } }, /client.colour is not converted \(red\)/],
    [{ 'no-such-field': [1] }, /no-such-field is not converted/],
    [{ interval: 'often' }, /interval is left out because often is not a duration/],
    [{ interval: '${EVERY}' }, /interval is left out because \$\{EVERY\} is not a duration/],
    [{ name: 'one', ui: { 'hide-hostname': true } }, /ui \(hide-hostname\)/],
    [{ alerts: [{ type: 'slack' }] }, /alerts\[0\] \(slack\) is not converted: alerting.slack is not configured/],
    [{ conditions: [5] }, /conditions\[0\] is 5/],
    [{ 'maintenance-windows': [{ start: '25:00', duration: '1h' }] }, /maintenance-windows\[0\] is not converted/],
  ])('reports each difference: %j', (fields, words) => {
    expect(entry(single(fields), 'one')).toMatchObject({ result: 'approximated', why: expect.stringMatching(words) });
  });

  it.each<[object, object | RegExp]>([
    [
      { start: '23:00', duration: '1h' },
      { cron: '0 23 * * *', timezone: 'UTC', duration: 3600 },
    ],
    [
      { start: '00:05', duration: '2h', timezone: 'Asia/Tokyo', every: ['Monday', 'Sunday'] },
      { cron: '5 0 * * SUN,MON', timezone: 'Asia/Tokyo' },
    ],
    [{ start: '08:00', duration: '24h', timezone: 'Europe/Paris' }, { duration: 82_740 }],
    [{ start: '08:00', duration: '24h', every: ['Friday'] }, { duration: 86_400 }],
    [{ enabled: false, start: '08:00', duration: '1h' }, /not enabled/],
    [{ start: '8', duration: '1h' }, /not a time/],
    [{ start: '08:00', duration: '1h', timezone: 'Mars/Base' }, /IANA/],
    [{ start: '08:00', duration: '1h', every: ['Mon'] }, /not a list of days/],
  ])('turns its maintenance into a window: %j', async (maintenance, expected) => {
    const conversion = single({}, { maintenance });
    const [window] = conversion.document.maintenance_windows ?? [];
    if (expected instanceof RegExp)
      expect(entry(conversion, 'maintenance')).toMatchObject({
        result: 'skipped',
        why: expect.stringMatching(expected),
      });
    else expect(window).toMatchObject({ ...expected, scope: { all: true } });
    expect(await refusals(conversion)).toEqual([]);
  });

  it.each<[string, object, object | RegExp]>([
    [
      'opsgenie',
      { 'api-key': 'k', tags: ['a'] },
      { type: 'opsgenie', config: { api_key: 'k', priority: 'P1', tags: ['a'] } },
    ],
    [
      'twilio',
      { sid: 'AC1', token: 't', from: '+15005550006', to: '+1 500-555-0009' },
      { type: 'twilio', config: { account_sid: 'AC1', auth_token: 't', from: '+15005550006', to: '+15005550009' } },
    ],
    [
      'teams-workflows',
      { 'webhook-url': 'https://prod.example.org/x' },
      { type: 'teams', config: { webhook_url: 'https://prod.example.org/x' } },
    ],
    [
      'teams',
      { 'webhook-url': 'https://x.webhook.office.com/y' },
      { type: 'teams', config: { webhook_url: { $secret: 'TEAMS_WEBHOOK_URL' } } },
    ],
    ['pagerduty', { 'integration-key': '****' }, { config: { routing_key: { $secret: 'PAGERDUTY_ROUTING_KEY' } } }],
    [
      'slack',
      { 'webhook-url': 'https://hooks.slack.com/services/**********/**********' },
      { config: { webhook_url: { $secret: 'SLACK_WEBHOOK_URL' } } },
    ],
    [
      'custom',
      { url: 'https://example.org/hook', method: 'POST', headers: { 'X-Key': '********' } },
      { config: { headers: [{ key: 'X-Key', value: { $secret: 'CUSTOM_MASKED' } }] } },
    ],
    [
      'telegram',
      { token: '1:a', id: '-5', 'topic-id': '7' },
      { config: { bot_token: '1:a', chat_id: '-5', message_thread_id: 7 } },
    ],
    [
      'email',
      { from: 'a@example.org', host: 'mx', port: 25, to: 'b@example.org' },
      { config: { to: ['b@example.org'], from: 'a@example.org', smtp: { host: 'mx', port: 25, secure: false } } },
    ],
    [
      'custom',
      { url: 'https://example.org/hook' },
      { type: 'webhook', config: { url: 'https://example.org/hook', method: 'POST' } },
    ],
    [
      'email',
      { from: '${FROM}', host: '${HOST}', username: '${NAME}', password: '${PASSWORD}', to: '${TO}' },
      {
        config: {
          from: '${FROM}',
          to: [{ $secret: 'TO' }],
          smtp: { host: '${HOST}', username: '${NAME}', password: { $secret: 'PASSWORD' } },
        },
      },
    ],
    [
      'twilio',
      { sid: '${SID}', token: '${TOKEN}', from: '${FROM}', to: '${TO}' },
      {
        config: {
          account_sid: '${SID}',
          auth_token: { $secret: 'TOKEN' },
          from: '${FROM}',
          to: { $secret: 'TO' },
        },
      },
    ],
    ['ntfy', { topic: 'x' }, { type: 'ntfy', config: { topic: 'x' } }],
    [
      'ntfy',
      { topic: '${TOPIC}', url: 'https://ntfy.example.org', priority: 4, token: 'tk_${TOKEN}' },
      { config: { topic: { $secret: 'TOPIC' }, server_url: 'https://ntfy.example.org', priority: 4 } },
    ],
    [
      'gotify',
      { 'server-url': 'https://gotify.example.org', token: 'AbC', priority: 5 },
      { type: 'gotify', config: { server_url: 'https://gotify.example.org', app_token: 'AbC', priority: 5 } },
    ],
    [
      'pushover',
      { 'application-token': 'a'.repeat(30), 'user-key': 'b'.repeat(30), priority: 2 },
      { type: 'pushover', config: { app_token: 'a'.repeat(30), user_key: 'b'.repeat(30), priority: 2 } },
    ],
    [
      'mattermost',
      { 'webhook-url': 'http://mattermost:8065/hooks/token' },
      { type: 'mattermost', config: { webhook_url: 'http://mattermost:8065/hooks/token' } },
    ],
    [
      'matrix',
      { 'access-token': 'syt_x', 'internal-room-id': '!a:example.org' },
      { type: 'matrix', config: { homeserver: 'https://matrix-client.matrix.org', room_id: '!a:example.org' } },
    ],
    [
      'zulip',
      { 'bot-email': 'bot@example.org', 'bot-api-key': 'k', domain: 'example.zulipchat.com', 'channel-id': '42' },
      { type: 'zulip', config: { site: 'https://example.zulipchat.com', channel: '42' } },
    ],
    [
      'homeassistant',
      { url: 'http://ha:8123', token: 'ey' },
      { type: 'home_assistant', config: { server_url: 'http://ha:8123', access_token: 'ey' } },
    ],
    ['ilert', { 'integration-key': 'il1' }, { type: 'ilert', config: { integration_key: 'il1' } }],
    [
      'custom',
      {
        url: 'https://example.org/[ENDPOINT_NAME]',
        method: 'PUT',
        body: '{"text": "[ENDPOINT_GROUP]/[ENDPOINT_NAME]: [RESULT_ERRORS]", "state": "[ALERT_TRIGGERED_OR_RESOLVED]"}',
        placeholders: { ALERT_TRIGGERED_OR_RESOLVED: { TRIGGERED: 'down', RESOLVED: 'ok' } },
      },
      {
        config: {
          url: 'https://example.org/{{data.endpoint.name}}',
          method: 'PUT',
          audience: 'people',
          body: {
            text: '{{data.website.name}}/{{data.endpoint.name}}: {{data.event.error.message}}',
            state: { $switch: 'type', 'alert.resolved': 'ok', default: 'down' },
          },
        },
      },
    ],
    ['jetbrainsspace', { project: 'x' }, /no channel for jetbrainsspace/],
    ['slack', {}, /webhook_url is required/],
    ['email', { from: 'a@example.org', host: 'mx', port: 25, to: 'nobody' }, /to\/0 must be/],
  ])('turns its provider %s into a contact, or reports why not: %j', (provider, settings, expected) => {
    const conversion = single({}, { alerting: { [provider]: settings } });
    if (expected instanceof RegExp)
      expect(entry(conversion, provider)).toMatchObject({ result: 'skipped', why: expect.stringMatching(expected) });
    else expect(conversion.document.contacts).toMatchObject([{ key: provider, ...expected }]);
  });
});

describe('the files of a Gatus configuration', () => {
  const file = (name: string) =>
    `endpoints:\n  - name: ${name}\n    url: https://${name}.example\n    conditions: ["[STATUS] == 200"]\n`;

  it('are merged like the files of a directory, and line numbers continue across them', () => {
    const alerting = (key: string, value: string) => `alerting:\n  discord:\n    ${key}: ${value}\n`;
    const text = [
      file('a') + alerting('webhook-url', 'https://discord.example/hook'),
      file('b') + alerting('message-content', 'hello'),
    ].join('---\n');
    const conversion = convertGatus(text);
    expect(endpointsOf(conversion).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(conversion.document.contacts?.[0]?.config).toEqual({
      webhook_url: 'https://discord.example/hook',
      content: 'hello',
    });
    expect(entry(conversion, 'b')?.at).toBe('line 10');
  });

  it('can be in a Kubernetes ConfigMap, next to other files', () => {
    const inner = file('a').replace(/^/gm, '    ').trimEnd();
    const map = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: gatus}\ndata:\n  config.yaml: |\n${inner}\n  notes.txt: hi\n`;
    const conversion = convertGatus(`${map}---\napiVersion: v1\nkind: Service\n`);
    expect(entry(conversion, 'a')).toEqual({ at: 'line 7', name: 'a', result: 'mapped', why: null });
    expect(entry(conversion, 'Service')?.result).toBe('skipped');
    expect(entry(conversion, 'notes.txt')?.result).toBe('skipped');
  });

  it('can be the values of its Helm chart', () => {
    const conversion = convertGatus(`image: {tag: latest}\nconfig:\n${file('a').replace(/^/gm, '  ')}`);
    expect(endpointsOf(conversion)).toHaveLength(1);
    expect(entry(conversion, 'image')?.result).toBe('skipped');
  });

  it('can be the values of a release of that chart', () => {
    const values = `config:\n${file('a').replace(/^/gm, '  ')}`.replace(/^/gm, '    ').trimEnd();
    const release = `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  values:\n${values}\n`;
    expect(entry(convertGatus(release), 'a')).toMatchObject({ at: 'line 7', result: 'mapped' });
  });

  it('can have variables in places where they are not valid YAML', () => {
    const conversion = convertGatus(
      'endpoints: [{name: a, url: https://a.example, headers: {X-Key: ${KEY}}, conditions: []}]',
    );
    expect(endpoint(conversion, 'a').headers).toEqual([{ key: 'X-Key', value: { $secret: 'KEY' } }]);
  });

  it('are refused if they have more resources than a document can declare', () => {
    const many = (fields: string, times: number) => `endpoints: [${`{name: a, ${fields}},`.repeat(times)}]`;
    expect(() => convertGatus(many('url: "tcp://a:1"', 5001))).toThrow(Problem);
    expect(() => convertGatus(many(`alerts: [${'a,'.repeat(100)}]`, 60))).toThrow(Problem);
    expect(() => convertGatus(many(`conditions: [${'a,'.repeat(10_000)}]`, 3))).toThrow(Problem);
  });

  it.each(['', 'metrics: true', '- a', 'just text', 'kind: Deployment\napiVersion: apps/v1\n'])(
    "are refused with an explanation if they aren't a Gatus configuration: %j",
    (text) => {
      expect(() => convertGatus(text)).toThrow(Problem);
    },
  );
});

describe('any Gatus configuration', () => {
  // A text with this key is rejected entirely.
  const key = (maxLength?: number) => fc.string({ maxLength }).filter((text) => text !== '__proto__');
  const junk = fc.oneof(
    fc.constant(null),
    fc.integer(),
    fc.boolean(),
    fc.string(),
    fc.array(fc.string(), { maxLength: 2 }),
    fc.dictionary(key(), fc.string(), { maxKeys: 2 }),
  );
  const orJunk = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: junk });
  const url = fc.oneof(
    fc.webUrl(),
    fc.constantFrom(
      'tcp://a.example:1',
      'icmp://a.example',
      'ssh://a.example:22',
      'udp://a:1',
      'dns',
      '${URL}',
      'https://${H}/x',
      'tls://a:443',
      'wss://a',
    ),
    fc.string(),
  );
  const place = fc.constantFrom(
    '[STATUS]',
    '[BODY]',
    '[BODY].a',
    '[BODY][0].b',
    'len([BODY].a)',
    'has([BODY].a)',
    '[IP]',
    '[CONNECTED]',
    '[CERTIFICATE_EXPIRATION]',
    '[DNS_RCODE]',
    '[RESPONSE_TIME]',
  );
  const operator = fc.constantFrom('==', '!=', '<', '<=', '>', '>=', '=');
  const operand = fc.oneof(
    fc.constantFrom('200', 'true', '48h', 'any(1, 2)', 'pat(*x*)', 'pat([)', '${X}', '', 'NOERROR'),
    fc.string(),
  );
  const condition = fc.tuple(place, operator, operand).map((parts) => parts.join(' '));
  const alert = fc.record(
    {
      type: fc.constantFrom('slack', 'email', 'ntfy'),
      'failure-threshold': orJunk(fc.integer({ min: -1, max: 200 })),
      'minimum-reminder-interval': orJunk(fc.constantFrom('5m', '1s', '900h')),
    },
    { requiredKeys: ['type'] },
  );
  const fields = fc.record(
    {
      group: orJunk(fc.string()),
      url: orJunk(url),
      interval: orJunk(fc.constantFrom('1s', '0', '5m', '9000h', '1.5s')),
      conditions: orJunk(fc.array(orJunk(condition), { maxLength: 4 })),
      headers: orJunk(fc.dictionary(key(5), fc.string({ maxLength: 5 }), { maxKeys: 2 })),
      client: orJunk(
        fc.record(
          { insecure: orJunk(fc.boolean()), timeout: orJunk(fc.constantFrom('1s', '1ns')) },
          { requiredKeys: [] },
        ),
      ),
      alerts: orJunk(fc.array(orJunk(alert), { maxLength: 2 })),
      dns: fc.option(
        orJunk(
          fc.record({
            'query-name': orJunk(fc.constantFrom('a.example', '${N}')),
            'query-type': orJunk(fc.constantFrom('A', 'MX', 'XX')),
          }),
        ),
        { freq: 9 },
      ),
      'maintenance-windows': orJunk(
        fc.array(
          orJunk(fc.record({ start: orJunk(fc.constant('10:00')), duration: orJunk(fc.constantFrom('1h', '99h')) })),
          { maxLength: 1 },
        ),
      ),
      'extra-labels': orJunk(fc.dictionary(key(), fc.string(), { maxKeys: 2 })),
    },
    { requiredKeys: ['url'] },
  );

  it('has each of its endpoints in the document or in the report, and the API accepts the document', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fields, { minLength: 1, maxLength: 5 }),
        orJunk(fc.constant({ 'webhook-url': 'https://hooks.example/x' })),
        async (list, slack) => {
          const named = list.map((one, i) => ({ name: `endpoint ${i}`, ...one }));
          const conversion = convertGatus(stringify({ endpoints: named, alerting: { slack } }));
          expect(await refusals(conversion)).toEqual([]);
          for (const { name } of named) {
            const isDeclared = endpointsOf(conversion).some((one) => one.name === name);
            const entries = conversion.report.filter((one) => one.name === name || one.name.endsWith(` / ${name}`));
            expect(entries.filter(({ result }) => (result === 'skipped') !== isDeclared)).toHaveLength(1);
            expect(entries.every(({ result, why }) => (why === null) === (result === 'mapped'))).toBe(true);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
