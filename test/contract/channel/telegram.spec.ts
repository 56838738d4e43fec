import { describeChannel, httpStatuses } from '../../../packages/testing/channel/describe-channel';
import { type ChannelBench, openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import type { ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { fakeTelegram, type TelegramFake, TELEGRAM_SECRETS } from '../../../packages/testing/providers/telegram';

const textOf = (message: ReceivedMessage): string => String(message.data['text']);

/** Returns the text that Telegram counts: without markup, with decoded entities. */
const shownText = (html: string): string =>
  html
    .replace(/<\/?b>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

describeChannel({
  type: 'telegram',
  open: fakeTelegram,
  secrets: TELEGRAM_SECRETS,
  statuses: httpStatuses(),
  limits: (message) => [{ name: 'text', text: shownText(textOf(message)), max: 4096 }],
  expectHarmless: (message) => {
    expect(message.data['parse_mode']).toBe('HTML');
    const [, sentence, rest] = /^\p{Emoji} <b>([^<>]*)<\/b>([^<>]*)$/u.exec(textOf(message)) ?? [];
    expect(sentence).toContain('&lt;script&gt;');
    for (const text of [sentence, rest]) expect(text).not.toMatch(/&(?!amp;|lt;|gt;)/);
  },
});

describe('channel telegram, beyond the contract', () => {
  let bench: ChannelBench;
  let provider: TelegramFake;

  beforeAll(async () => {
    bench = await openChannelBench();
    provider = await fakeTelegram();
  });
  afterAll(async () => {
    await provider.stop();
    await bench.close();
  });
  afterEach(() => provider.verify());

  const send = (config: object = provider.config()) =>
    bench.registry.send('telegram', notificationOf('triggered'), config, {
      egress: bench.trusted,
      signal: new AbortController().signal,
    });

  const answer = (status: number, body: object) => provider.respond({ status, body: JSON.stringify(body) });

  it('does not count 200 with "ok: false" as delivered', async () => {
    answer(200, { ok: false, error_code: 400, description: 'Bad Request: message is too long' });
    expect(await send()).toMatchObject({ result: 'rejected', error: expect.stringContaining('does not mean success') });
  });

  it('waits the seconds in the parameters of a 429', async () => {
    answer(429, { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 35 } });
    expect(await send()).toMatchObject({ result: 'retry', retryAfterMs: 35_000, mayHaveArrived: false });
  });

  it.each([
    'Bad Request: chat not found',
    'Forbidden: bot was blocked by the user',
    'Forbidden: bot was kicked from the group chat',
    'Forbidden: the group chat was deleted',
    'Forbidden: user is deactivated',
  ])('marks the destination as gone on "%s"', async (description) => {
    answer(description.startsWith('Bad') ? 400 : 403, { ok: false, error_code: 403, description });
    expect(await send()).toMatchObject({ result: 'rejected', gone: true });
  });

  it('sends to the supergroup that a group became, and warns that the config must be corrected', async () => {
    provider.becomeSupergroup(-1009876543210);
    provider.succeed();
    provider.succeed();
    expect(await send()).toEqual({
      result: 'delivered',
      status: 200,
      warning: 'the group became a supergroup: its chat_id is now -1009876543210',
    });
    expect(provider.messages().map(({ data }) => data['chat_id'])).toEqual(['-1001234567890', -1009876543210]);
  });

  it('posts to the topic, silently, if the config says so', async () => {
    provider.succeed();
    await send({ ...provider.config(), message_thread_id: 42, silent: true });
    expect(provider.messages()[0]?.data).toMatchObject({ message_thread_id: 42, disable_notification: true });
  });
});
