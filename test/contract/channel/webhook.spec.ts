import { createHmac } from 'node:crypto';
import { describeChannel, httpStatuses } from '../../../packages/testing/channel/describe-channel';
import { type ChannelBench, NOW, openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import type { ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { WEBHOOK_SECRETS, type WebhookSink, webhookSink } from '../../../packages/testing/providers/webhook-sink';

interface WebhookBody {
  type: string;
  data: { event: { id: string; message: string }; endpoint: { name: string } };
}

const bodyOf = (message: ReceivedMessage): WebhookBody => message.data as unknown as WebhookBody;

/** The attempts of the bench use a stopped clock. */
const openDouble = () => webhookSink({ now: () => NOW });

describeChannel({
  type: 'webhook',
  open: openDouble,
  secrets: WEBHOOK_SECRETS,
  statuses: httpStatuses(),
  limits: (message) => [
    { name: 'sentence', text: bodyOf(message).data.event.message, max: 1200 },
    { name: 'body', text: JSON.stringify(message.data), max: 64_000 },
  ],
  expectHarmless: (message) => {
    expect(bodyOf(message).data.event.message).toMatch(/^[^\r\n]+$/);
    expect(message.headers).not.toHaveProperty('bcc');
  },
  keyOf: (message) => message.headers['webhook-id'] ?? '',
});

/** Standard Webhooks, implemented independently of the channel. */
const sign = (secret: string, id: string, timestamp: string, body: string): string => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
};

describe('channel webhook, beyond the contract', () => {
  let bench: ChannelBench;
  let provider: WebhookSink;

  beforeAll(async () => {
    bench = await openChannelBench();
    provider = await openDouble();
  });
  afterAll(async () => {
    await provider.stop();
    await bench.close();
  });
  afterEach(() => provider.verify());

  const send = (changes: object = {}, repeat = false) =>
    bench.registry.send(
      'webhook',
      notificationOf('triggered', { repeat }),
      { ...provider.config(), ...changes },
      { egress: bench.trusted, signal: new AbortController().signal },
    );

  it('signs the bytes it sends, with the id of the event and the time of the attempt', async () => {
    provider.succeed();
    await send();
    const [request] = provider.requests;
    const timestamp = String(NOW.getTime() / 1000);
    expect(request?.headers).toMatchObject({
      'webhook-id': notificationOf('triggered').id,
      'webhook-timestamp': timestamp,
    });
    expect(request?.headers['webhook-signature']).toBe(
      sign(provider.secret, notificationOf('triggered').id, timestamp, request?.body ?? ''),
    );
  });

  it('signs with both secrets while one replaces the other', async () => {
    provider.succeed();
    const next = `whsec_${Buffer.from('another-webhook-secret-32-bytes!').toString('base64')}`;
    await send({ secret: `${next} ${provider.secret}` });
    const [request] = provider.requests;
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '' } = request?.headers ?? {};
    expect(request?.headers['webhook-signature']).toBe(
      [next, provider.secret].map((secret) => sign(secret, id, timestamp, request?.body ?? '')).join(' '),
    );
  });

  it('sends the same body on every attempt', async () => {
    provider.succeed();
    provider.succeed();
    await send();
    await send({}, true);
    const [first, second] = provider.requests.map(({ body }) => body);
    expect(second).toBe(first);
  });

  it.each([200, 201, 202, 204, 299])('counts %i as delivered', async (status) => {
    provider.fail(status);
    expect(await send()).toEqual({ result: 'delivered', status });
  });

  it('uses the configured method and headers, and webhook_url as another name of url', async () => {
    provider.succeed();
    await send({ url: undefined, webhook_url: `${provider.url}/hook/canary-webhook-path`, method: 'PUT' });
    expect(provider.requests[0]).toMatchObject({
      method: 'PUT',
      path: '/hook/canary-webhook-path',
      headers: { 'x-token': 'canary-header-value', 'content-type': 'application/json; charset=utf-8' },
    });
  });
});
