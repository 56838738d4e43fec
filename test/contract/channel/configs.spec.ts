import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import type { ValidConfig } from '../../../src/channel/config/channel-configs';
import { MASK } from '../../../src/platform/secrets/mask';
import { type ChannelBench, openChannelBench } from '../../../packages/testing/channel/channel-bench';

const HOOK = 'https://hooks.example.com/services/T00/B00/canary-path-token';
const SECRET = `whsec_${Buffer.from('canary-webhook-secret-32-bytes!!').toString('base64')}`;

/** A config of each type with every known key. */
const COMPLETE: Readonly<Record<string, Record<string, unknown>>> = {
  email: {
    to: ['ops@example.com', 'night@example.com'],
    cc: ['team@example.com'],
    from: 'Uptime <uptime@example.com>',
    smtp: { host: 'smtp.example.com', port: 587, secure: true, username: 'uptime', password: 'canary-password-1' },
  },
  webhook: {
    url: HOOK,
    method: 'PUT',
    headers: [{ key: 'X-Token', value: 'canary-header-value-1' }],
    secret: SECRET,
    body: { text: '{{text}}', priority: { $switch: 'state', down: 5, default: 3 } },
    encoding: 'json',
    audience: 'people',
    success: { status: [200], json: { path: 'code', equals: 0 } },
  },
  slack: { webhook_url: HOOK, channel: '#ops', username: 'Uptime', mention: '@here' },
  discord: { webhook_url: HOOK, username: 'Uptime', thread_id: '1100', content: '<@&42>' },
  teams: { webhook_url: `${HOOK}?sig=canary-signature` },
  telegram: {
    bot_token: '123456789:AAcanary-bot-token',
    chat_id: -1001234567890,
    message_thread_id: 7,
    api_url: 'https://telegram.example.com',
    silent: true,
  },
  pagerduty: { routing_key: 'canary0123456789abcdef0123456789', severity: 'error', region: 'eu' },
  opsgenie: {
    api_key: 'canary-0000-0000-0000-000000000000',
    region: 'jsm',
    priority: 'P1',
    tags: ['uptime'],
    responders: [{ type: 'team', name: 'Operations' }],
  },
  twilio: {
    account_sid: 'AC0123456789abcdef',
    auth_token: 'canary-auth-token-0123456789',
    api_key_sid: 'SK0123456789abcdef',
    from: '+15005550006',
    to: ['+15005550009', '+15005550010'],
  },
  ntfy: {
    server_url: 'https://ntfy.example.com',
    topic: 'canary-topic',
    username: 'uptime',
    password: 'canary-password-2',
    priority: 5,
  },
  gotify: { server_url: 'https://gotify.example.com', app_token: 'canary-gotify-token', priority: 10 },
  pushover: {
    app_token: 'canary0123456789abcdef01234567',
    user_key: 'canary0123456789abcdef76543210',
    device: 'phone',
    sound: 'siren',
    priority: 2,
    retry: 30,
    expire: 600,
    api_url: 'https://pushover.example.com',
  },
  pushbullet: {
    access_token: 'o.canary-pushbullet',
    device_iden: 'ujpah72o0sjAoRtnM0jc',
    channel_tag: 'operations',
    api_url: 'https://pushbullet.example.com',
  },
  bark: { server_url: 'https://bark.example.com', device_key: 'canary-bark-key', sound: 'alarm', level: 'critical' },
  mattermost: { webhook_url: HOOK, channel: 'operations', username: 'Uptime', mention: '@channel' },
  google_chat: { webhook_url: HOOK },
  rocketchat: { webhook_url: HOOK, channel: '#operations', alias: 'Uptime' },
  matrix: { homeserver: 'https://matrix.example.com', access_token: 'syt_canary', room_id: '!ops:example.com' },
  zulip: {
    site: 'https://zulip.example.com',
    bot_email: 'canary-bot@example.com',
    api_key: 'canary-zulip-key',
    channel: 'operations',
    topic: 'Uptime',
  },
  signal: {
    server_url: 'https://signal.example.com',
    number: '+15005550006',
    recipients: ['+15005550009', 'group.canary'],
  },
  feishu: { webhook_url: HOOK, secret: 'canary-feishu-secret' },
  dingtalk: { webhook_url: HOOK, secret: 'SECcanary-dingtalk' },
  wecom: { webhook_url: HOOK },
  line: {
    channel_access_token: 'canary-line-token',
    to: 'Ccanary00000000000000000000000000',
    api_url: 'https://line.example.com',
  },
  apprise: { server_url: 'https://apprise.example.com', config_key: 'canary-apprise-key', tag: 'oncall' },
  home_assistant: {
    server_url: 'https://home.example.com',
    access_token: 'canary-home-token',
    service: 'mobile_app_phone',
  },
  alertmanager: {
    server_url: 'https://alertmanager.example.com',
    severity: 'page',
    labels: [{ name: 'team', value: 'operations' }],
    username: 'uptime',
    password: 'canary-password-3',
  },
  splunk_oncall: { api_key: 'canary-splunk-key', routing_key: 'operations', api_url: 'https://oncall.example.com' },
  ilert: { integration_key: 'il1canary', api_url: 'https://ilert.example.com' },
};

const complete = (type: string): Record<string, unknown> => ({ ...COMPLETE[type] });

/** An invalid config, as its difference from the complete one. `undefined` removes a key. */
const WRONG: readonly { type: string; change: Record<string, unknown>; pointer: string; code: string }[] = [
  ...['slack', 'discord', 'teams'].flatMap((type) => [
    { type, change: { webhook_url: undefined }, pointer: '/config/webhook_url', code: 'required' },
    { type, change: { webhook_url: '' }, pointer: '/config/webhook_url', code: 'required' },
    { type, change: { webhook_url: null }, pointer: '/config/webhook_url', code: 'wrong_type' },
    { type, change: { webhook_url: 7 }, pointer: '/config/webhook_url', code: 'wrong_type' },
    { type, change: { webhook_url: 'not a url' }, pointer: '/config/webhook_url', code: 'invalid_characters' },
    { type, change: { webhook_url: '/relative' }, pointer: '/config/webhook_url', code: 'invalid_format' },
    { type, change: { webhook_url: 'http:example.com' }, pointer: '/config/webhook_url', code: 'invalid_format' },
    { type, change: { webhook_url: 'file:///etc/passwd' }, pointer: '/config/webhook_url', code: 'unsupported_scheme' },
    {
      type,
      change: { webhook_url: 'javascript:alert(1)' },
      pointer: '/config/webhook_url',
      code: 'unsupported_scheme',
    },
    {
      type,
      change: { webhook_url: 'https://u:p@example.com/' },
      pointer: '/config/webhook_url',
      code: 'credentials_in_url',
    },
    {
      type,
      change: { webhook_url: 'https://example.com/\n' },
      pointer: '/config/webhook_url',
      code: 'invalid_characters',
    },
    {
      type,
      change: { webhook_url: `https://example.com/${'a'.repeat(2048)}` },
      pointer: '/config/webhook_url',
      code: 'too_long',
    },
  ]),
  ...SPEC_CHANNEL_TYPES.map((type) => ({
    type,
    change: { surprise: true },
    pointer: '/config/surprise',
    code: 'unknown_field',
  })),
  { type: 'slack', change: { 'a/b~c': 1 }, pointer: '/config/a~1b~0c', code: 'unknown_field' },
  { type: 'slack', change: { mention: '<http://evil|x>' }, pointer: '/config/mention', code: 'invalid_format' },
  { type: 'slack', change: { channel: '#ops\r\n' }, pointer: '/config/channel', code: 'invalid_characters' },
  { type: 'discord', change: { thread_id: '12a' }, pointer: '/config/thread_id', code: 'invalid_format' },
  { type: 'discord', change: { username: 'x'.repeat(81) }, pointer: '/config/username', code: 'too_long' },
  {
    type: 'teams',
    change: { webhook_url: 'https://acme.webhook.office.com/webhookb2/x' },
    pointer: '/config/webhook_url',
    code: 'invalid_config',
  },
  { type: 'email', change: { to: undefined }, pointer: '/config/to', code: 'required' },
  { type: 'email', change: { to: [] }, pointer: '/config/to', code: 'required' },
  { type: 'email', change: { to: 'ops@example.com' }, pointer: '/config/to', code: 'wrong_type' },
  ...[
    'no-at-sign',
    'a@example.com,evil@example.com',
    'a@example.com;evil@example.com',
    'Ops <ops@example.com>',
    '"a,b"@example.com',
    'a@example.com\r\nBcc: evil@example.com',
    'a@exa\u0000mple.com',
    'group: evil@example.com;',
  ].map((address) => ({
    type: 'email',
    change: { to: ['ops@example.com', address] },
    pointer: '/config/to/1',
    // oxlint-disable-next-line no-control-regex -- which code it is depends on them
    code: /[\u0000-\u001f]/.test(address) ? 'invalid_characters' : 'invalid_format',
  })),
  { type: 'email', change: { from: 'a@example.com, b@example.com' }, pointer: '/config/from', code: 'invalid_format' },
  { type: 'email', change: { smtp: {} }, pointer: '/config/smtp/host', code: 'required' },
  { type: 'email', change: { smtp: [] }, pointer: '/config/smtp', code: 'wrong_type' },
  { type: 'email', change: { smtp: { host: 'a b' } }, pointer: '/config/smtp/host', code: 'invalid_format' },
  {
    type: 'email',
    change: { smtp: { host: 'smtp.example.com', port: 70_000 } },
    pointer: '/config/smtp/port',
    code: 'out_of_range',
  },
  {
    type: 'email',
    change: { smtp: { host: 'smtp.example.com', secure: 'yes' } },
    pointer: '/config/smtp/secure',
    code: 'wrong_type',
  },
  {
    type: 'email',
    change: { smtp: { host: 'smtp.example.com', username: 'u' } },
    pointer: '/config/smtp/password',
    code: 'required',
  },
  {
    type: 'email',
    change: { smtp: { host: 'smtp.example.com', tls: 1 } },
    pointer: '/config/smtp/tls',
    code: 'unknown_field',
  },
  { type: 'webhook', change: { url: undefined }, pointer: '/config/url', code: 'required' },
  { type: 'webhook', change: { webhook_url: HOOK }, pointer: '/config/webhook_url', code: 'invalid_config' },
  { type: 'webhook', change: { method: 'GET' }, pointer: '/config/method', code: 'invalid_format' },
  { type: 'webhook', change: { secret: 'whsec_short' }, pointer: '/config/secret', code: 'invalid_format' },
  { type: 'webhook', change: { headers: {} }, pointer: '/config/headers', code: 'wrong_type' },
  { type: 'webhook', change: { headers: [null] }, pointer: '/config/headers/0', code: 'wrong_type' },
  { type: 'webhook', change: { headers: [[]] }, pointer: '/config/headers/0', code: 'wrong_type' },
  { type: 'webhook', change: { headers: ['a'] }, pointer: '/config/headers/0', code: 'wrong_type' },
  { type: 'webhook', change: { headers: [{ key: 'A' }] }, pointer: '/config/headers/0/value', code: 'required' },
  ...[
    { key: 'Host', code: 'forbidden_header' },
    { key: 'Content-Length', code: 'forbidden_header' },
    { key: 'Transfer-Encoding', code: 'forbidden_header' },
    { key: 'Webhook-Signature', code: 'forbidden_header' },
    { key: 'a b', code: 'invalid_format' },
    { key: 'a:b', code: 'invalid_format' },
  ].map(({ key, code }) => ({
    type: 'webhook',
    change: { headers: [{ key, value: 'x' }] },
    pointer: '/config/headers/0/key',
    code,
  })),
  {
    type: 'webhook',
    change: { headers: [{ key: 'A', value: 'x\r\nB: y' }] },
    pointer: '/config/headers/0/value',
    code: 'invalid_characters',
  },
  ...[
    { body: { text: '{{titel}}' }, at: '/text', code: 'unknown_placeholder' },
    { body: { list: ['ok', '{{title'] }, at: '/list/1', code: 'invalid_template' },
    { body: { a: { $switch: 'state' } }, at: '/a', code: 'invalid_template' },
    { body: { a: { $switch: 'stat', down: 1 } }, at: '/a/$switch', code: 'unknown_placeholder' },
    { body: { a: { $switch: 7, down: 1 } }, at: '/a/$switch', code: 'invalid_template' },
    { body: { a: { $switch: 'state', down: '{{x}}' } }, at: '/a/down', code: 'unknown_placeholder' },
    { body: { $switch: 'state', down: 1 }, at: '', code: 'invalid_template' },
    { body: { text: 'x'.repeat(16_384) }, at: '', code: 'invalid_template' },
    { body: JSON.parse(`${'['.repeat(16)}1${']'.repeat(16)}`) as unknown, at: '', code: 'invalid_template' },
  ].map(({ body, at, code }) => ({ type: 'webhook', change: { body }, pointer: `/config/body${at}`, code })),
  {
    type: 'webhook',
    change: { url: 'https://{{data.endpoint.name}}.example.com/' },
    pointer: '/config/url',
    code: 'forbidden_placeholder',
  },
  {
    type: 'webhook',
    change: { url: 'https://example.com/{{nam}}' },
    pointer: '/config/url',
    code: 'unknown_placeholder',
  },
  {
    type: 'webhook',
    change: { encoding: 'form', body: { a: { b: 'c' } } },
    pointer: '/config/body/a',
    code: 'invalid_template',
  },
  {
    type: 'webhook',
    change: { encoding: 'form', body: undefined },
    pointer: '/config/encoding',
    code: 'invalid_config',
  },
  { type: 'webhook', change: { audience: 'everyone' }, pointer: '/config/audience', code: 'invalid_format' },
  { type: 'webhook', change: { success: { status: [99] } }, pointer: '/config/success/status/0', code: 'out_of_range' },
  {
    type: 'webhook',
    change: { success: { json: { path: 'a b', equals: 0 } } },
    pointer: '/config/success/json/path',
    code: 'invalid_format',
  },
  {
    type: 'webhook',
    change: { success: { json: { path: 'code', equals: [] } } },
    pointer: '/config/success/json/equals',
    code: 'wrong_type',
  },
  {
    type: 'ntfy',
    change: { password: undefined },
    pointer: '/config/password',
    code: 'required',
  },
  { type: 'ntfy', change: { access_token: 'tk_x' }, pointer: '/config/access_token', code: 'invalid_config' },
  { type: 'ntfy', change: { topic: 'a b' }, pointer: '/config/topic', code: 'invalid_format' },
  { type: 'pushover', change: { priority: 3 }, pointer: '/config/priority', code: 'out_of_range' },
  { type: 'matrix', change: { room_id: '#ops:example.com' }, pointer: '/config/room_id', code: 'invalid_format' },
  { type: 'line', change: { to: 'someone' }, pointer: '/config/to', code: 'invalid_format' },
  { type: 'apprise', change: { config_key: undefined }, pointer: '/config/config_key', code: 'required' },
  { type: 'apprise', change: { urls: 'json://a' }, pointer: '/config/urls', code: 'invalid_config' },
  { type: 'home_assistant', change: { service: 'a/b' }, pointer: '/config/service', code: 'invalid_format' },
  {
    type: 'alertmanager',
    change: { labels: [{ name: 'severity', value: 'x' }] },
    pointer: '/config/labels/0/name',
    code: 'invalid_format',
  },
  { type: 'telegram', change: { bot_token: undefined }, pointer: '/config/bot_token', code: 'required' },
  { type: 'telegram', change: { bot_token: '../getMe?' }, pointer: '/config/bot_token', code: 'invalid_format' },
  { type: 'telegram', change: { chat_id: 'my channel' }, pointer: '/config/chat_id', code: 'invalid_format' },
  { type: 'telegram', change: { chat_id: 1.5 }, pointer: '/config/chat_id', code: 'wrong_type' },
  { type: 'telegram', change: { message_thread_id: 0 }, pointer: '/config/message_thread_id', code: 'out_of_range' },
  { type: 'telegram', change: { silent: 'no' }, pointer: '/config/silent', code: 'wrong_type' },
  { type: 'pagerduty', change: { routing_key: undefined }, pointer: '/config/routing_key', code: 'required' },
  { type: 'pagerduty', change: { integration_key: 'x' }, pointer: '/config/integration_key', code: 'invalid_config' },
  { type: 'pagerduty', change: { severity: 'bad' }, pointer: '/config/severity', code: 'invalid_format' },
  { type: 'opsgenie', change: { api_key: 'a b' }, pointer: '/config/api_key', code: 'invalid_format' },
  { type: 'opsgenie', change: { priority: 'P9' }, pointer: '/config/priority', code: 'invalid_format' },
  { type: 'opsgenie', change: { responders: [{ type: 'team' }] }, pointer: '/config/responders/0', code: 'required' },
  {
    type: 'opsgenie',
    change: { responders: [{ type: 'dog', name: 'x' }] },
    pointer: '/config/responders/0/type',
    code: 'invalid_format',
  },
  { type: 'twilio', change: { to: '15005550006' }, pointer: '/config/to', code: 'invalid_format' },
  { type: 'twilio', change: { to: '+1500LETTERS' }, pointer: '/config/to', code: 'invalid_format' },
  { type: 'twilio', change: { to: `+${'1'.repeat(30)}` }, pointer: '/config/to', code: 'too_long' },
  { type: 'twilio', change: { to: ['+15005550006', 'x'] }, pointer: '/config/to/1', code: 'invalid_format' },
  { type: 'twilio', change: { from: undefined }, pointer: '/config/from', code: 'required' },
  {
    type: 'twilio',
    change: { messaging_service_sid: 'MG1' },
    pointer: '/config/messaging_service_sid',
    code: 'invalid_config',
  },
  { type: 'twilio', change: { account_sid: '../AC1' }, pointer: '/config/account_sid', code: 'invalid_format' },
];

describe('channel configs', () => {
  let bench: ChannelBench;

  beforeAll(async () => {
    bench = await openChannelBench();
  });
  afterAll(() => bench.close());

  const valid = (type: string, input: unknown, stored?: object): ValidConfig => {
    const result = bench.configs.validate(type, input, stored);
    if (Array.isArray(result)) throw new Error(`refused: ${JSON.stringify(result)}`);
    return result;
  };

  it('lists the built-in channel types in their order', () => {
    expect(bench.registry.types()).toEqual([...SPEC_CHANNEL_TYPES]);
  });

  it.each([...SPEC_CHANNEL_TYPES])('stores a complete %s config as it was sent', (type) => {
    expect(valid(type, complete(type))).toEqual({ config: complete(type), generatedKeys: [] });
  });

  it.each(WRONG)('refuses $type with $change: $code at $pointer', ({ type, change, pointer, code }) => {
    const input = JSON.parse(JSON.stringify({ ...complete(type), ...change })) as object;
    expect(bench.configs.validate(type, input)).toEqual([{ pointer, code, message: expect.any(String) }]);
  });

  it.each(['text', 7, null, [], true].map((input) => ({ input })))(
    'refuses $input as a channel config',
    ({ input }) => {
      expect(bench.configs.validate('slack', input)).toEqual([
        { pointer: '/config', code: 'wrong_type', message: 'must be an object' },
      ]);
    },
  );

  it('names everything that is wrong with a config at once', () => {
    const problems = bench.configs.validate('twilio', { auth_token: 7, to: [], x: 1 });
    expect(problems).toMatchObject([
      { pointer: '/config/x' },
      { pointer: '/config/account_sid' },
      { pointer: '/config/auth_token' },
      { pointer: '/config/to' },
    ]);
  });

  it('refuses config keys that would change the prototype', () => {
    const input: unknown = JSON.parse('{"webhook_url":"https://example.com/","__proto__":{"x":1},"constructor":1}');
    expect(bench.configs.validate('slack', input)).toMatchObject([
      { pointer: '/config/__proto__', code: 'unknown_field' },
      { pointer: '/config/constructor', code: 'unknown_field' },
    ]);
    expect({}).not.toHaveProperty('x');
  });

  it('does not repeat a secret in the problem about it', () => {
    const problems = bench.configs.validate('telegram', { bot_token: 'canary token', chat_id: 'canary chat' });
    expect(problems).toHaveLength(2);
    expect(JSON.stringify(problems)).not.toContain('canary');
  });

  it('describes every key of every config, with an example', () => {
    for (const type of bench.registry.types()) {
      const schema = bench.configs.schema(type);
      for (const key of Object.keys(complete(type))) {
        const documented: unknown = Reflect.getMetadata('swagger/apiModelProperties', schema.prototype, key);
        expect([type, key, documented]).toEqual([
          type,
          key,
          expect.objectContaining({ description: expect.any(String), example: expect.anything() }),
        ]);
      }
    }
  });

  describe('presented to an API key', () => {
    it.each([...SPEC_CHANNEL_TYPES])('never presents a credential of a %s config', (type) => {
      const shown = JSON.stringify(bench.configs.present(type, complete(type), 'read'));
      expect(shown).not.toMatch(/canary|ops@|\+15005550009|-1001234567890/);
      expect(shown).toContain(MASK);
    });

    it.each(['write', 'admin'] as const)('presents URLs and addresses to %s keys, and credentials to none', (role) => {
      expect(bench.configs.present('slack', complete('slack'), role)).toEqual(complete('slack'));
      expect(bench.configs.present('email', complete('email'), role)).toMatchObject({
        to: ['ops@example.com', 'night@example.com'],
        smtp: { username: 'uptime', password: MASK },
      });
      expect(bench.configs.present('webhook', complete('webhook'), role)).toMatchObject({
        url: HOOK,
        headers: [{ key: 'X-Token', value: 'canary-header-value-1' }],
        secret: MASK,
      });
    });

    it.each([
      { name: 'with an @', password: 'P@ssw0rd-Prod2026' },
      { name: 'with spaces', password: 'correct horse battery staple' },
      { name: 'that looks like a URL', password: 'http://u:p@h/x' },
      { name: 'of 4 characters', password: 'k3y!' },
      { name: 'of 500 characters', password: 'x'.repeat(500) },
    ])('shows no part of a password $name in any presentation', ({ password }) => {
      const config = { ...complete('email'), smtp: { host: 'smtp.example.com', username: 'uptime', password } };
      for (const role of ['read', 'write', 'admin'] as const)
        expect(bench.configs.present('email', config, role)).toMatchObject({ smtp: { password: MASK } });
    });

    it.each([
      { name: 'with an @', value: 'P@ss w0rd!' },
      { name: 'that looks like a URL', value: 'http://u:p@h/x' },
      { name: 'that looks like an address', value: 'a@b.example' },
      { name: 'of 4000 characters', value: 'x'.repeat(4000) },
    ])('presents no part of a header value $name to a read key', ({ value }) => {
      const shown = bench.configs.present('webhook', { url: HOOK, headers: [{ key: 'X-Token', value }] }, 'read');
      expect(shown).toMatchObject({ headers: [{ key: 'X-Token', value: MASK }] });
    });

    it('keeps enough of a masked value to recognize it', () => {
      expect(bench.configs.present('slack', complete('slack'), 'read')).toMatchObject({
        webhook_url: `https://hooks.example.com/${MASK}`,
      });
      expect(bench.configs.present('email', complete('email'), 'read')).toMatchObject({
        to: [`${MASK}@example.com`, `${MASK}@example.com`],
      });
    });

    it('shows a generated secret in full only on request', () => {
      const { config, generatedKeys } = valid('webhook', { url: HOOK });
      expect(generatedKeys).toEqual(['secret']);
      expect(bench.configs.present('webhook', config, 'write', generatedKeys)).toEqual(config);
      expect(bench.configs.present('webhook', config, 'write')).not.toEqual(config);
    });

    it('presents nothing of a channel type that no longer exists', () => {
      expect(bench.configs.present('pigeon', { token: 'canary' }, 'admin')).toEqual({});
    });
  });

  describe('sent back', () => {
    it.each([...SPEC_CHANNEL_TYPES])('keeps the stored values if the masks of a %s config are sent back', (type) => {
      for (const role of ['read', 'write'] as const) {
        const shown = bench.configs.present(type, complete(type), role);
        expect(valid(type, shown, complete(type))).toEqual({ config: complete(type), generatedKeys: [] });
      }
    });

    it('finds a masked recipient again when the list was reordered', () => {
      const stored = { to: ['a@one.example', 'b@two.example'] };
      const input = { to: [`${MASK}@two.example`, 'c@three.example', `${MASK}@one.example`] };
      expect(valid('email', input, stored).config).toEqual({
        to: ['b@two.example', 'c@three.example', 'a@one.example'],
      });
    });

    it.each([
      { name: 'nothing is stored', stored: undefined },
      { name: 'something else is stored', stored: { bot_token: '1:another-token-than-that', chat_id: 1 } },
    ])('refuses a mask when $name', ({ stored }) => {
      const input = { bot_token: `${MASK}oken`, chat_id: 1 };
      expect(bench.configs.validate('telegram', input, stored)).toEqual([
        { pointer: '/config/bot_token', code: 'invalid_config', message: expect.stringContaining('masked') },
      ]);
    });

    it.each([
      { type: 'telegram', changes: { api_url: 'https://evil.example' }, pointer: '/config/bot_token' },
      { type: 'pagerduty', changes: { api_url: 'https://evil.example' }, pointer: '/config/routing_key' },
      { type: 'opsgenie', changes: { api_url: 'https://evil.example' }, pointer: '/config/api_key' },
      { type: 'twilio', changes: { api_url: 'https://evil.example' }, pointer: '/config/auth_token' },
      {
        type: 'email',
        changes: { smtp: { host: 'evil.example', username: 'uptime', password: MASK } },
        pointer: '/config/smtp/password',
      },
    ])('does not send a masked credential of a $type config to another host', ({ type, changes, pointer }) => {
      const shown = bench.configs.present(type, complete(type), 'write');
      expect(bench.configs.validate(type, { ...shown, ...changes }, complete(type))).toEqual([
        { pointer, code: 'invalid_config', message: expect.stringContaining('a different server') },
      ]);
    });

    const stored = {
      telegram: { ...COMPLETE['telegram'], api_url: 'https://telegram.example.com:8443' },
      email: COMPLETE['email'] as { smtp: object },
    };
    it.each([
      { type: 'telegram', name: 'without TLS', changes: { api_url: 'http://telegram.example.com:8443' } },
      { type: 'telegram', name: 'to another port', changes: { api_url: 'https://telegram.example.com' } },
      {
        type: 'email',
        name: 'without TLS',
        changes: { smtp: { ...stored.email.smtp, password: MASK, secure: false } },
      },
      { type: 'email', name: 'to another port', changes: { smtp: { ...stored.email.smtp, password: MASK, port: 25 } } },
    ] as const)('does not send a masked credential of a $type config $name', ({ type, changes }) => {
      const shown = bench.configs.present(type, stored[type], 'write');
      expect(bench.configs.validate(type, { ...shown, ...changes }, stored[type])).toEqual([
        {
          pointer: type === 'email' ? '/config/smtp/password' : '/config/bot_token',
          code: 'invalid_config',
          message: expect.stringContaining('a different server'),
        },
      ]);
    });

    it('keeps a masked password if defaults of the config are written out', () => {
      const before = { to: ['a@example.com'], smtp: { host: 'SMTP.example.com', username: 'u', password: 'canary' } };
      const smtp = { host: 'smtp.example.com', port: 587, secure: true, username: 'u', password: MASK };
      expect(valid('email', { ...before, smtp }, before).config).toMatchObject({ smtp: { password: 'canary' } });
    });

    it('restores a masked header value only to the header of the same name, in any order of the headers', () => {
      const before = { url: HOOK, headers: ['One', 'Two'].map((key) => ({ key, value: `of ${key}` })) };
      const swapped = { url: HOOK, headers: ['Two', 'One'].map((key) => ({ key, value: MASK })) };
      expect(valid('webhook', swapped, before).config).toMatchObject({
        headers: [
          { key: 'Two', value: 'of Two' },
          { key: 'One', value: 'of One' },
        ],
      });
      const renamed = { url: HOOK, headers: [{ key: 'Three', value: MASK }] };
      expect(bench.configs.validate('webhook', renamed, before)).toMatchObject([
        { pointer: '/config/headers/0/value' },
      ]);
    });

    it('keeps a masked signing secret when the URL of the webhook changes: it is never sent', () => {
      const shown = bench.configs.present('webhook', complete('webhook'), 'write');
      const moved = { ...shown, url: 'https://moved.example.com/' };
      expect(valid('webhook', moved, complete('webhook')).config).toMatchObject({ secret: SECRET });
    });

    it('keeps a masked credential when only the path of the URL changes', () => {
      const shown = bench.configs.present('telegram', complete('telegram'), 'write');
      const input = { ...shown, api_url: 'https://telegram.example.com/v2' };
      expect(valid('telegram', input, complete('telegram')).config).toMatchObject({
        bot_token: '123456789:AAcanary-bot-token',
      });
    });

    it('keeps a generated secret when the new config has none', () => {
      const first = valid('webhook', { url: HOOK });
      const second = valid('webhook', { url: `${HOOK}/moved` }, first.config);
      expect(second).toEqual({ config: { ...first.config, url: `${HOOK}/moved` }, generatedKeys: [] });
    });
  });

  it('names the hosts that a config dials, for the egress policy', () => {
    const smtp = { to: ['a@example.com'], smtp: { host: '10.0.0.1' } };
    expect(bench.configs.dialed('email', smtp)).toEqual([{ pointer: '/config/smtp/host', value: '10.0.0.1' }]);
    expect(bench.configs.dialed('webhook', { url: HOOK })).toEqual([{ pointer: '/config/url', value: HOOK }]);
    expect(bench.configs.dialed('pagerduty', complete('pagerduty'))).toEqual([]);
  });
});
