import { createHmac } from 'node:crypto';
import { NOW } from '../../../packages/testing/channel/channel-bench';
import { type WebhookSink, webhookSink } from '../../../packages/testing/providers/webhook-sink';
import {
  type BrokenRequest,
  describeStrictness,
  type RawRequest,
  realRequest,
  send,
  withHeaders,
  withPath,
} from './strictness';

const nowSeconds = NOW.getTime() / 1000;

/** Standard Webhooks, implemented independently of the sink. */
const signature = (secret: string, id: string, timestamp: string, body: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')}`;

const SECRET = `whsec_${Buffer.from('canary-webhook-secret-32-bytes!!').toString('base64')}`;
const ANOTHER = `whsec_${Buffer.from('another-webhook-secret-32-bytes!').toString('base64')}`;

/** Returns the request with another ID, time, or body, signed again. */
const signed =
  ({ id, timestamp, body, secret = SECRET }: { id?: string; timestamp?: number; body?: string; secret?: string }) =>
  (request: RawRequest): RawRequest => {
    const { 'webhook-id': oldId = '', 'webhook-timestamp': oldTime = '' } = request.headers;
    const [newId, newTime] = [id ?? oldId, timestamp === undefined ? oldTime : String(timestamp)];
    const newBody = body ?? request.body;
    const headers = {
      ...request.headers,
      'webhook-id': newId,
      'webhook-timestamp': newTime,
      'webhook-signature': signature(secret, newId, newTime, newBody),
    };
    return { ...request, headers, body: newBody };
  };

const unsigned = { status: 401, body: 'no valid signature' } as const;
const broken: readonly BrokenRequest[] = [
  {
    what: 'a body that was changed after it was signed',
    change: (request) => ({ ...request, body: request.body.replace('"down"', '"up"') }),
    ...unsigned,
    sentence: 'Webhook: "webhook-signature" must be a v1 signature of id, timestamp and body, not "v1,',
  },
  {
    what: 'an id that was changed after it was signed',
    change: withHeaders({ 'webhook-id': 'ev_another' }),
    ...unsigned,
    sentence: '"webhook-signature" must be a v1 signature',
  },
  {
    what: 'a timestamp that was changed after it was signed',
    change: withHeaders({ 'webhook-timestamp': String(nowSeconds + 1) }),
    ...unsigned,
    sentence: '"webhook-signature" must be a v1 signature',
  },
  {
    what: 'the signature of another secret',
    change: signed({ secret: ANOTHER }),
    ...unsigned,
    sentence: '"webhook-signature" must be a v1 signature',
  },
  {
    what: 'a signature of another version',
    change: (request) =>
      withHeaders({ 'webhook-signature': (request.headers['webhook-signature'] ?? '').replace('v1,', 'v2,') })(request),
    ...unsigned,
    sentence: '"webhook-signature" must be a v1 signature of id, timestamp and body, not "v2,',
  },
  {
    what: 'a request without a signature',
    change: withHeaders({ 'webhook-signature': '' }),
    ...unsigned,
    sentence: 'Webhook: "webhook-signature" is required',
  },
  {
    what: 'a timestamp more than five minutes ago',
    change: signed({ timestamp: nowSeconds - 301 }),
    ...unsigned,
    sentence: 'Webhook: "webhook-timestamp" must be within 300 s of now, not "301 s off"',
  },
  {
    what: 'a timestamp more than five minutes ahead',
    change: signed({ timestamp: nowSeconds + 301 }),
    ...unsigned,
    sentence: '"webhook-timestamp" must be within 300 s of now, not "301 s off"',
  },
  {
    what: 'a timestamp in milliseconds',
    change: signed({ timestamp: nowSeconds * 1000 }),
    ...unsigned,
    sentence: '"webhook-timestamp" must be',
  },
  {
    what: 'a request without the header of its config',
    change: withHeaders({ 'x-token': 'another' }),
    ...unsigned,
    sentence: 'Webhook: "X-Token" must be the value of the config\'s header, not "another"',
  },
  {
    what: 'another path',
    change: withPath('/hook/another'),
    status: 404,
    body: 'not found',
    sentence: 'Webhook: the request must be to the sink\'s own path, not "/hook/another"',
  },
  {
    what: 'a DELETE',
    change: (request) => ({ ...request, method: 'DELETE' }),
    status: 405,
    body: 'method not allowed',
    sentence: 'Webhook: the request must be a POST, PUT or PATCH, not "DELETE"',
  },
  {
    what: 'a body that is not JSON, however well it is signed',
    change: signed({ body: 'it is down' }),
    status: 400,
    body: 'invalid payload',
    sentence: 'Webhook: the request must be a JSON object, not "it is down"',
  },
  {
    what: 'an unknown type of event',
    change: (request) => signed({ body: request.body.replace('alert.triggered', 'alert.exploded') })(request),
    status: 400,
    body: 'invalid payload',
    sentence: '"type" must be one of "alert.triggered", "alert.resolved"',
  },
  {
    what: 'an event whose id is not the webhook-id',
    change: signed({ id: 'ev_another' }),
    status: 400,
    body: 'invalid payload',
    sentence: '"data.event.id" must be the webhook-id "ev_another", not "ev_01jd4trigger0000000000000a"',
  },
];

describeStrictness('webhook', () => webhookSink({ now: () => NOW }), 204, broken);

describe('a webhook sink', () => {
  let sink: WebhookSink;
  let trigger: RawRequest;
  let resolve: RawRequest;
  beforeAll(async () => {
    sink = await webhookSink({ now: () => NOW });
    trigger = await realRequest('webhook', sink);
    resolve = await realRequest('webhook', sink, 'resolved');
  });
  beforeEach(() => sink.acceptAll());
  afterEach(() => sink.verify());
  afterAll(() => sink.stop());

  it('returns the events in their order, each once, and counts repeated ones', async () => {
    for (const request of [trigger, trigger, resolve, trigger]) await send(sink, request);
    expect(sink.events().map(({ type }) => type)).toEqual(['alert.triggered', 'alert.resolved']);
    expect(sink.repeats()).toBe(2);
  });

  it('counts an event that it did not accept as new when it comes again', async () => {
    sink.fail(500);
    await send(sink, trigger);
    expect(sink.events()).toEqual([]);
    await send(sink, trigger);
    expect([sink.events().length, sink.repeats()]).toEqual([1, 0]);
  });

  it('is content with one valid signature of several', async () => {
    const { 'webhook-signature': valid = '' } = trigger.headers;
    const invalid = signed({ secret: ANOTHER })(trigger).headers['webhook-signature'] ?? '';
    const both = withHeaders({ 'webhook-signature': `${invalid} ${valid}` })(trigger);
    expect((await send(sink, both)).status).toBe(204);
  });

  it('accepts any timestamp if configured to, for a test that moves the clock of the service', async () => {
    const patient = await webhookSink({ now: () => NOW, toleranceSeconds: Infinity });
    patient.acceptAll();
    const response = await send(patient, signed({ timestamp: nowSeconds + 86_400 })(trigger));
    patient.verify();
    await patient.stop();
    expect(response.status).toBe(204);
  });
});
