import { createHmac } from 'node:crypto';
import { describeChannel, httpStatuses } from '../../../packages/testing/channel/describe-channel';
import { type ChannelBench, NOW, openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import type { ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { FakeProvider } from '../../../packages/testing/servers/fake-provider';
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

  describe('with a custom body', () => {
    const BODY = { text: '{{title}}', state: { $switch: 'state', down: 1, default: 0 } };
    let receiver: FakeProvider;
    beforeAll(async () => {
      receiver = await FakeProvider.start();
    });
    afterAll(() => receiver.stop());
    afterEach(() => receiver.verify());

    const custom = async (changes: object) => {
      receiver.expect({ status: 204 });
      const outcome = await bench.registry.send(
        'webhook',
        notificationOf('triggered'),
        { url: receiver.url, body: BODY, ...changes },
        { egress: bench.trusted, signal: new AbortController().signal },
      );
      expect(outcome).toMatchObject({ result: 'delivered' });
      const [request] = receiver.requests.slice(-1);
      if (!request) throw new Error('nothing arrived');
      return request;
    };

    it('sends the body as JSON, without a signature', async () => {
      const { headers, body } = await custom({});
      expect(body).toBe('{"text":"Checkout API is down","state":1}');
      expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
      expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
    });

    it('sends the body as a form, to a URL with encoded values', async () => {
      const { url } = receiver;
      const { headers, body, path } = await custom({
        encoding: 'form',
        url: `${url}/{{data.endpoint.name}}?s={{state}}`,
      });
      expect(body).toBe('text=Checkout+API+is+down&state=1');
      expect(headers['content-type']).toBe('application/x-www-form-urlencoded; charset=utf-8');
      expect(path).toMatch(/\/Checkout%20API\?s=down$/);
    });

    it('signs the body if there is a secret', async () => {
      const secret = `whsec_${Buffer.from('a-secret-of-thirty-two-bytes-.-.').toString('base64')}`;
      const { headers, body } = await custom({ secret });
      const { 'webhook-id': id = '', 'webhook-timestamp': at = '' } = headers;
      expect(headers['webhook-signature']).toBe(sign(secret, id, at, body));
    });

    it('generates no secret', () => {
      const { url } = receiver;
      expect(bench.configs.validate('webhook', { url, body: BODY })).toEqual({
        config: { url, body: BODY },
        generatedKeys: [],
      });
    });

    it.each([
      ['people', 'chat'],
      ['pager', 'pager'],
      ['machine', 'webhook'],
    ] as const)('has the audience "%s" in its destination', (audience, expected) => {
      const { url } = receiver;
      const destination = bench.registry.destination('webhook', { url, body: BODY, audience });
      expect(bench.registry.receiver('webhook', destination).audience).toBe(expected);
      expect(destination.length).toBeLessThanOrEqual(64);
    });
  });
});
