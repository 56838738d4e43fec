import { describeChannel, httpStatuses } from '../../../packages/testing/channel/describe-channel';
import { type ChannelBench, openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import type { HttpProviderFake, ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { DISCORD_SECRETS, fakeDiscord } from '../../../packages/testing/providers/discord';

interface DiscordBody {
  content?: string;
  allowed_mentions: { parse: string[]; roles?: string[]; users?: string[] };
  embeds: { title: string; description?: string; fields: { name: string; value: string }[] }[];
}

const bodyOf = (message: ReceivedMessage): DiscordBody => message.data as unknown as DiscordBody;

const textsOf = (message: ReceivedMessage) =>
  bodyOf(message).embeds.flatMap((embed) => [
    { name: 'title', text: embed.title, max: 256 },
    ...(embed.description === undefined ? [] : [{ name: 'description', text: embed.description, max: 4096 }]),
    ...embed.fields.flatMap(({ name, value }) => [
      { name: 'field name', text: name, max: 256 },
      { name: 'field value', text: value, max: 1024 },
    ]),
  ]);

describeChannel({
  type: 'discord',
  open: fakeDiscord,
  secrets: DISCORD_SECRETS,
  statuses: httpStatuses({ status: 404, result: 'rejected', gone: true }),
  limits: (message) => {
    const texts = textsOf(message);
    return [...texts, { name: 'embed', text: texts.map(({ text }) => text).join(''), max: 6000 }];
  },
  expectHarmless: (message) => {
    expect(bodyOf(message).content).toBeUndefined();
    expect(bodyOf(message).allowed_mentions).toEqual({ parse: [] });
    for (const { text } of textsOf(message))
      expect(text.replace(/\\[^A-Za-z0-9\s]/g, '')).not.toMatch(/[<>@[\]()*_`|~]/);
  },
});

describe('channel discord, beyond the contract', () => {
  let bench: ChannelBench;
  let provider: HttpProviderFake;

  beforeAll(async () => {
    bench = await openChannelBench();
    provider = await fakeDiscord();
  });
  afterAll(async () => {
    await provider.stop();
    await bench.close();
  });
  afterEach(() => provider.verify());

  const send = (config: object, kind: 'triggered' | 'resolved' = 'triggered') =>
    bench.registry.send('discord', notificationOf(kind), config, {
      egress: bench.trusted,
      signal: new AbortController().signal,
    });

  it('waits the fractional seconds in the body of a 429', async () => {
    provider.respond({ status: 429, body: '{"message":"You are being rate limited.","retry_after":64.57}' });
    expect(await send(provider.config())).toMatchObject({ result: 'retry', retryAfterMs: 64_570 });
  });

  it('waits for the saved message and posts to the thread', async () => {
    provider.succeed();
    await send({ ...provider.config(), thread_id: '1100000000000000000' });
    expect(provider.messages()[0]?.path).toBe(
      `/api/webhooks/110000000000000001/canary-discord-token?wait=true&thread_id=1100000000000000000`,
    );
  });

  it('lets the configured mention ping, and nothing else, and only when an alert triggers', async () => {
    provider.succeed();
    provider.succeed();
    const config = { ...provider.config(), content: 'wake up <@&1100000000000000009> <@42>' };
    await send(config);
    await send(config, 'resolved');
    const [trigger, resolve] = provider.messages().map(bodyOf);
    expect(trigger?.content).toBe(config.content);
    expect(trigger?.allowed_mentions).toEqual({ parse: [], users: ['42'], roles: ['1100000000000000009'] });
    expect(resolve?.content).toBeUndefined();
  });
});
