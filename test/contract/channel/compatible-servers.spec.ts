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

type Answer = readonly [number, string];

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
    const config = CONFIGS[type]?.(server.url) ?? {};
    expect(bench.configs.validate(type, config)).toHaveProperty('config');
    const signal = new AbortController().signal;
    return bench.registry.send(type, notificationOf('triggered'), config, { egress: bench.trusted, signal });
  };

  it('can be named in each channel that sends over HTTP', () => {
    expect([...ALL, 'email'].sort()).toEqual([...bench.registry.types()].sort());
  });

  it.each([...rows(ALL, TAKEN_BY_ALL), ...rows(without('telegram'), TAKEN)])(
    '%s: %i with %j confirms the message, which is sent once',
    async (type, status, body) => {
      expect(await send(type, [status, body])).toMatchObject({ result: 'delivered', status });
    },
  );

  it.each([...rows(without('webhook'), REFUSED), ...rows(without('webhook', 'telegram'), REFUSED_IN_WORDS)])(
    '%s: %i with %j reports that the message was not accepted',
    async (type, status, body) => {
      expect(await send(type, [status, body])).toMatchObject({ result: 'rejected', status });
    },
  );
});
