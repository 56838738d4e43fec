import { segmentsOf } from '../../../src/channel/vendor/sms-text';
import { describeChannel, httpStatuses } from '../../../packages/testing/channel/describe-channel';
import { type ChannelBench, openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import type { HttpProviderFake, ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { fakeTwilio, TWILIO_API_KEY, TWILIO_SECRETS, TWILIO_SERVICE } from '../../../packages/testing/providers/twilio';

const TOKEN = 'canary-twilio-auth-token';

const textOf = (message: ReceivedMessage): string => String(message.data['Body']);

describeChannel({
  type: 'twilio',
  open: fakeTwilio,
  secrets: TWILIO_SECRETS,
  statuses: [
    ...httpStatuses(
      ...[500, 502, 503, 504].map((status) => ({ status, result: 'retry', mayHaveArrived: true }) as const),
    ),
  ],
  limits: (message) => [{ name: 'Body', text: textOf(message), max: 1600 }],
  expectHarmless: (message) => {
    expect(textOf(message).split('\n').length).toBeLessThanOrEqual(2);
    expect(segmentsOf(textOf(message))).toBeLessThanOrEqual(4);
    expect(message.data).toMatchObject({ To: '+15005550009', From: '+15005550006' });
  },
});

describe('channel twilio, beyond the contract', () => {
  let bench: ChannelBench;
  let provider: HttpProviderFake;

  beforeAll(async () => {
    bench = await openChannelBench();
    provider = await fakeTwilio();
  });
  afterAll(async () => {
    await provider.stop();
    await bench.close();
  });
  afterEach(() => provider.verify());

  const send = (changes: object = {}) =>
    bench.registry.send(
      'twilio',
      notificationOf('triggered'),
      { ...provider.config(), ...changes },
      { egress: bench.trusted, signal: new AbortController().signal },
    );
  const two = { to: ['+15005550001', '+15005550002'] };

  it('sends one message to each recipient', async () => {
    provider.succeed();
    provider.succeed();
    expect(await send(two)).toEqual({ result: 'delivered', status: 201 });
    expect(provider.messages().map(({ data }) => data['To'])).toEqual(two.to);
  });

  it('warns about a refused number when another one was accepted', async () => {
    provider.fail(400, "Invalid 'To' Phone Number");
    provider.succeed();
    expect(await send(two)).toEqual({
      result: 'delivered',
      status: 201,
      warning: '1 of 2 recipients: Twilio answered 400',
    });
  });

  it('retries all recipients when one of them may work later', async () => {
    provider.succeed();
    provider.fail(429);
    expect(await send(two)).toMatchObject({ result: 'retry', mayHaveArrived: true });
  });

  it('authenticates with an API key and lets a messaging service choose the sender', async () => {
    provider.succeed();
    await send({ from: undefined, messaging_service_sid: TWILIO_SERVICE, api_key_sid: TWILIO_API_KEY });
    const [message] = provider.messages();
    expect(message?.headers['authorization']).toBe(
      `Basic ${Buffer.from(`${TWILIO_API_KEY}:${TOKEN}`).toString('base64')}`,
    );
    expect(message?.data).toMatchObject({ MessagingServiceSid: TWILIO_SERVICE });
    expect(message?.data).not.toHaveProperty('From');
  });

  it('limits how long Twilio may queue a message', async () => {
    provider.succeed();
    await send();
    expect(provider.messages()[0]?.data['ValidityPeriod']).toBe('300');
  });
});
