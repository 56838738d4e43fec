import { createHmac, timingSafeEqual } from 'node:crypto';
import { type BrokenRule, httpDouble, type HttpProviderFake, recordOf } from '../channel/provider-double';
import type { ReceivedRequest } from '../servers/fake-provider';
import { type Data, Rules } from './rules';

const SECRET = `whsec_${Buffer.from('canary-webhook-secret-32-bytes!!').toString('base64')}`;
const PATH = '/hook/canary-webhook-path';
const HEADER = { key: 'X-Token', value: 'canary-header-value' } as const;

/** Every credential in a webhook sink's config. */
export const WEBHOOK_SECRETS: readonly string[] = [SECRET, 'canary-webhook-path', HEADER.value];

/** How a webhook sink validates timestamps. */
export interface WebhookSinkOptions {
  /**
   * The receiver's clock. Defaults to this machine's clock. If a test moves the service's clock (`service.advance`),
   * the timestamps move as well. In that case, pass `() => service.app.get(Clock).now()`, or use a tolerance that
   * covers the moves.
   */
  now?: () => Date;
  /** How far a timestamp may deviate, in seconds. Default: 300. `Infinity` allows any deviation. */
  toleranceSeconds?: number;
}

/** The parts of a webhook body that every receiver can rely on. docs/reference/webhooks.md describes the whole body. */
export interface WebhookEvent {
  type: 'alert.triggered' | 'alert.resolved' | 'alert.reminder' | 'alert.expiry' | 'alert.test' | 'contact.failing';
  /** When the event happened, in ISO 8601 format. */
  timestamp: string;
  data: Data;
}

/** A webhook receiver that knows the secret. */
export interface WebhookSink extends HttpProviderFake {
  /** The secret for verification. `config()` contains it. */
  readonly secret: string;
  /** Returns the bodies of the requests accepted since `verify`, in order, one for each `webhook-id`. */
  events(): WebhookEvent[];
  /** Returns how many requests accepted since `verify` repeated an earlier `webhook-id`. */
  repeats(): number;
}

/**
 * Starts a receiver for `webhook` alerts. It accepts a request with 204 if the request is signed with the secret, has
 * the header from the config, and has a timestamp within the tolerance. If there are several signatures, one valid
 * signature is enough. Any other request returns 401. Source:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md and docs/reference/webhooks.md.
 */
export async function webhookSink({
  now = () => new Date(),
  toleranceSeconds = 300,
}: WebhookSinkOptions = {}): Promise<WebhookSink> {
  const fake = await httpDouble({
    name: 'Webhook',
    config: (url) => ({ url: url + PATH, secret: SECRET, headers: [HEADER] }),
    success: { status: 204 },
    errorBody: (_status, text) => text,
    goldenHeaders: ['webhook-id', 'webhook-timestamp', 'webhook-signature', HEADER.key.toLowerCase()],
    brokenRules: (request) => brokenRules(request, now().getTime() / 1000, toleranceSeconds),
  });
  const accepted = (): ReceivedRequest[] =>
    fake.requests.filter(({ status }) => status !== null && status >= 200 && status < 300);
  const firsts = (): ReceivedRequest[] => {
    const ids = accepted().map(idOf);
    return accepted().filter((request, index) => ids.indexOf(idOf(request)) === index);
  };
  return {
    ...fake,
    secret: SECRET,
    events: () => firsts().flatMap(({ body }) => (recordOf(body) as WebhookEvent | null) ?? []),
    repeats: () => accepted().length - firsts().length,
  };
}

const idOf = ({ headers }: ReceivedRequest): string => headers['webhook-id'] ?? '';

/**
 * The types in docs/reference/webhooks.md, and types that the channel could send, although webhooks receive each event
 * separately.
 */
const TYPES = [
  ...['triggered', 'resolved', 'reminder', 'expiry', 'test', 'recovered', 'digest', 'flapping'].map(
    (kind) => `alert.${kind}`,
  ),
  'contact.failing',
];
const TIME = { max: 40, pattern: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, form: 'an ISO 8601 time in UTC' };

function brokenRules(request: ReceivedRequest, nowSeconds: number, tolerance: number): readonly BrokenRule[] {
  const rules = new Rules({ vendor: 'Webhook', status: 400, error: () => 'invalid payload' });
  const { method, path } = request;
  const isPath = rules.must(path === PATH, '', "to the sink's own path", path, { status: 404, error: 'not found' });
  const isMethod = ['POST', 'PUT', 'PATCH'].includes(method);
  const wrongMethod = { status: 405, error: 'method not allowed' };
  if (!isPath || !rules.must(isMethod, '', 'a POST, PUT or PATCH', method, wrongMethod)) return rules.broken;
  if (!isGenuine(rules, request, nowSeconds, tolerance)) return rules.broken;
  const body = rules.json(request);
  if (!body) return rules.broken;
  rules.choice('type', body['type'] ?? null, TYPES);
  rules.text('timestamp', body['timestamp'], { ...TIME, required: true });
  const event =
    rules.required('data', body['data']) && rules.record('data.event', rules.record('data', body['data'])?.['event']);
  const id = event ? event['id'] : undefined;
  rules.must(id === idOf(request), 'data.event.id', `the webhook-id "${idOf(request)}"`, id);
  return rules.broken;
}

/** Returns whether the request can be trusted. If it can't, records the reason. */
function isGenuine(rules: Rules, request: ReceivedRequest, nowSeconds: number, tolerance: number): boolean {
  const { headers } = request;
  const refusal = { status: 401, error: 'no valid signature' };
  const { 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  const before = rules.broken.length;
  const token = headers[HEADER.key.toLowerCase()];
  rules.must(token === HEADER.value, HEADER.key, "the value of the config's header", token, refusal);
  rules.text(
    'webhook-id',
    headers['webhook-id'],
    { max: 256, required: true, pattern: /^[^.]+$/, form: 'without a dot' },
    refusal,
  );
  rules.required('webhook-signature', signature, refusal);
  const isWhole = rules.text(
    'webhook-timestamp',
    timestamp,
    { max: 12, required: true, pattern: /^\d+$/, form: 'whole seconds' },
    refusal,
  );
  if (isWhole) {
    const apart = Math.abs(nowSeconds - Number(timestamp));
    rules.must(
      apart <= tolerance,
      'webhook-timestamp',
      `within ${tolerance} s of now`,
      `${Math.round(apart)} s off`,
      refusal,
    );
  }
  if (rules.broken.length > before) return false;
  return rules.must(
    isSigned(request),
    'webhook-signature',
    'a v1 signature of id, timestamp and body',
    signature,
    refusal,
  );
}

/** Returns whether any of the signatures is valid. Each is compared in constant time. */
function isSigned({ headers, body }: ReceivedRequest): boolean {
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return (headers['webhook-signature'] ?? '')
    .split(' ')
    .map((one) => Buffer.from(one))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}
