import { type ChannelBench, openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import { FakeProvider } from '../../../packages/testing/servers/fake-provider';

/** Channels whose config can name another server than the vendor's, with the smallest config that does so. */
const CONFIGS: Readonly<Record<string, (url: string) => object>> = {
  slack: (url) => ({ webhook_url: `${url}/hooks/x` }),
  discord: (url) => ({ webhook_url: `${url}/hooks/x` }),
  teams: (url) => ({ webhook_url: `${url}/hooks/x` }),
  telegram: (url) => ({ bot_token: '123456789:canary-telegram-token-0000000000000', chat_id: '-100', api_url: url }),
  pagerduty: (url) => ({ routing_key: 'R0123456789ABCDEFGHIJKLMNOPQRSTU', api_url: url }),
  opsgenie: (url) => ({ api_key: 'canary-opsgenie-key', api_url: url }),
  twilio: (url) => ({
    account_sid: `AC${'0'.repeat(32)}`,
    auth_token: 'canary-twilio-token',
    from: '+15005550006',
    to: '+15005550009',
    api_url: url,
  }),
  webhook: (url) => ({ url: `${url}/hooks/x` }),
};

type Answer = readonly [number, string];

/** A channel that reads what its own service answers: such an answer, and a 200 of another server if that isn't enough. */
interface OwnAnswer {
  config: (url: string) => object;
  taken: Answer;
  refused?: Answer;
}

const SOMETHING_ELSE = [200, '{}'] as const;
const OWN_ANSWERS: Readonly<Record<string, OwnAnswer>> = {
  alertmanager: { config: (url) => ({ server_url: url }), taken: [200, ''] },
  apprise: {
    config: (url) => ({ server_url: url, config_key: 'canary-apprise' }),
    taken: [200, ''],
    refused: [204, ''],
  },
  bark: {
    config: (url) => ({ server_url: url, device_key: 'canary-bark-device' }),
    taken: [200, '{"code":200}'],
    refused: SOMETHING_ELSE,
  },
  dingtalk: {
    config: (url) => ({ webhook_url: `${url}/robot/send?access_token=canary` }),
    taken: [200, '{"errcode":0}'],
    refused: SOMETHING_ELSE,
  },
  feishu: { config: (url) => ({ webhook_url: `${url}/hook/x` }), taken: [200, '{"code":0}'], refused: SOMETHING_ELSE },
  google_chat: {
    config: (url) => ({ webhook_url: `${url}/v1/spaces/AAAA/messages?key=x&token=y` }),
    taken: [200, '{"name":"spaces/AAAA/messages/1"}'],
    refused: SOMETHING_ELSE,
  },
  gotify: { config: (url) => ({ server_url: url, app_token: 'canary-gotify' }), taken: [200, '{"id":1}'] },
  home_assistant: { config: (url) => ({ server_url: url, access_token: 'canary-home' }), taken: [200, '[]'] },
  ilert: { config: (url) => ({ integration_key: 'il1api0123456789', api_url: url }), taken: [202, ''] },
  line: {
    config: (url) => ({ channel_access_token: 'canary-line', to: 'C0123456789abcdef', api_url: url }),
    taken: [200, '{"sentMessages":[]}'],
  },
  matrix: {
    config: (url) => ({ homeserver: url, access_token: 'canary-matrix', room_id: '!ops:example.com' }),
    taken: [200, '{"event_id":"$x"}'],
    refused: SOMETHING_ELSE,
  },
  mattermost: {
    config: (url) => ({ webhook_url: `${url}/hooks/x` }),
    taken: [200, 'ok'],
    refused: [200, '{"ok":false}'],
  },
  ntfy: {
    config: (url) => ({ server_url: url, topic: 'uptime' }),
    taken: [200, '{"id":"x"}'],
    refused: SOMETHING_ELSE,
  },
  pushbullet: { config: (url) => ({ access_token: 'canary-pushbullet', api_url: url }), taken: [200, '{"iden":"x"}'] },
  pushover: {
    config: (url) => ({ app_token: 'a'.repeat(30), user_key: 'u'.repeat(30), api_url: url }),
    taken: [200, '{"status":1}'],
    refused: SOMETHING_ELSE,
  },
  rocketchat: {
    config: (url) => ({ webhook_url: `${url}/hooks/x/y` }),
    taken: [200, '{"success":true}'],
    refused: SOMETHING_ELSE,
  },
  signal: {
    config: (url) => ({ server_url: url, number: '+15005550006', recipients: ['+15005550009'] }),
    taken: [201, '{"timestamp":"1"}'],
  },
  splunk_oncall: {
    config: (url) => ({ api_key: 'canary-splunk', routing_key: 'operations', api_url: url }),
    taken: [200, '{"result":"success"}'],
    refused: SOMETHING_ELSE,
  },
  wecom: {
    config: (url) => ({ webhook_url: `${url}/cgi-bin/webhook/send?key=canary` }),
    taken: [200, '{"errcode":0}'],
    refused: SOMETHING_ELSE,
  },
  zulip: {
    config: (url) => ({ site: url, bot_email: 'bot@example.com', api_key: 'canary-zulip', channel: 'operations' }),
    taken: [200, '{"result":"success"}'],
    refused: SOMETHING_ELSE,
  },
};
const OWN = Object.entries(OWN_ANSWERS);

/** Telegram's response states explicitly whether it accepted the message, even on a self-hosted server. */
const TAKEN_BY_ALL = [
  [200, '{"ok":true}'],
  [201, '{"ok":true,"success":true,"error":null}'],
  [202, '{"ok":true,"status":"queued"}'],
] as const;
const TAKEN = [
  [200, ''],
  [200, 'OK'],
  [200, '{"success":true}'],
  [202, 'accepted'],
  [204, ''],
] as const;
const REFUSED = [
  [200, '{"ok":false}'],
  [200, '{"ok":false,"error":"channel_not_found"}'],
  [400, 'invalid_payload'],
] as const;
/** A webhook confirms by its status alone. */
const REFUSED_IN_WORDS = [
  [200, '{"success":false}'],
  [200, 'no_text'],
  [200, '<!doctype html><title>Sign in</title>'],
] as const;

const rows = (types: readonly string[], answers: readonly Answer[]) =>
  types.flatMap((type) => answers.map((answer) => [type, ...answer] as const));
const ALL = Object.keys(CONFIGS);
const without = (...types: string[]) => ALL.filter((type) => !types.includes(type));

describe('a server that is compatible with the vendor of a channel', () => {
  let bench: ChannelBench;
  let server: FakeProvider;

  beforeAll(async () => {
    bench = await openChannelBench();
    server = await FakeProvider.start();
  });
  afterAll(async () => {
    await server.stop();
    await bench.close();
  });
  afterEach(() => server.verify());

  const send = (type: string, [status, body]: Answer) => {
    server.expect({ status, body });
    const config = (CONFIGS[type] ?? OWN_ANSWERS[type]?.config)?.(server.url) ?? {};
    expect(bench.configs.validate(type, config)).toHaveProperty('config');
    const signal = new AbortController().signal;
    return bench.registry.send(type, notificationOf('triggered'), config, { egress: bench.trusted, signal });
  };

  it('can be named in each channel that sends over HTTP', () => {
    expect([...ALL, ...Object.keys(OWN_ANSWERS), 'email'].sort()).toEqual([...bench.registry.types()].sort());
  });

  it.each([
    ...rows(ALL, TAKEN_BY_ALL),
    ...rows(without('telegram'), TAKEN),
    ...OWN.map(([type, { taken }]) => [type, ...taken] as const),
  ])('%s: %i with %j confirms the message, which is sent once', async (type, status, body) => {
    expect(await send(type, [status, body])).toMatchObject({ result: 'delivered', status });
  });

  it.each([
    ...rows(without('webhook'), REFUSED),
    ...rows(without('webhook', 'telegram'), REFUSED_IN_WORDS),
    ...OWN.map(([type]) => [type, 400, 'invalid_payload'] as const),
    ...OWN.flatMap(([type, { refused }]) => (refused ? [[type, ...refused] as const] : [])),
  ])('%s: %i with %j reports that the message was not accepted', async (type, status, body) => {
    expect(await send(type, [status, body])).toMatchObject({ result: 'rejected', status });
  });
});
