import { createHash } from 'node:crypto';
import { type BrokenRule, httpDouble, type HttpProviderFake, recordOf } from '../channel/provider-double';
import type { ReceivedRequest, ScriptedResponse } from '../servers/fake-provider';
import { incidentsOf, type PagedIncident, type PagerAction } from './incidents';
import { type Data, type Fault, Rules } from './rules';

const KEY = 'canary0123456789abcdef0123456789';

/** Every credential in the `fakePagerDuty` config. */
export const PAGERDUTY_SECRETS: readonly string[] = [KEY];

/** PagerDuty with one service. */
export interface PagerDutyFake extends HttpProviderFake {
  /** Returns the incidents from events accepted since `verify`, oldest first. */
  incidents(): PagedIncident[];
}

/**
 * Starts a fake of PagerDuty's Events API v2. An invalid event returns 400 `invalid event` with all errors, and so does
 * a wrong routing key. An event larger than 512 KB returns 413. Sources:
 * https://developer.pagerduty.com/docs/send-alert-event (fields, sizes) and
 * https://developer.pagerduty.com/docs/events-api-v2-overview (statuses, the effect of a key).
 */
export async function fakePagerDuty(): Promise<PagerDutyFake> {
  const fake = await httpDouble({
    name: 'PagerDuty',
    config: (url) => ({ routing_key: KEY, api_url: url }),
    success: accepted,
    errorBody: (_status, text) => errorsOf([text]),
    brokenRules,
    refusal: (broken) => ({ status: broken[0].status, body: errorsOf(broken.map(({ error }) => error)) }),
  });
  const incidents = () => incidentsOf(fake.requests.filter(({ status }) => status === 202).flatMap(actionsOf));
  return { ...fake, incidents };
}

const errorsOf = (errors: readonly string[]): string =>
  JSON.stringify({ status: 'invalid event', message: 'Event object is invalid', errors });

function actionsOf(request: ReceivedRequest): PagerAction[] {
  const { event_action: action } = recordOf(request.body) ?? {};
  return isAction(action) ? [{ key: keyOf(request), action }] : [];
}

const ACTIONS = ['trigger', 'acknowledge', 'resolve'] as const satisfies readonly PagerAction['action'][];

const isAction = (value: unknown): value is PagerAction['action'] => ACTIONS.some((action) => action === value);

/** Returns an event's key. If a trigger has no key, PagerDuty generates one. */
function keyOf({ body }: ReceivedRequest): string {
  const { dedup_key: key } = recordOf(body) ?? {};
  return typeof key === 'string' ? key : createHash('md5').update(body).digest('hex');
}

function accepted(request: ReceivedRequest): ScriptedResponse {
  const body = { status: 'success', message: 'Event processed', dedup_key: keyOf(request) };
  return { status: 202, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

const SEVERITIES = ['critical', 'warning', 'error', 'info'];
const MAX_BYTES = 512 * 1024;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

function wordsOf(path: string, { kind, expected }: Fault): string {
  return kind === 'required'
    ? `'${path}' is missing or blank`
    : `'${path || 'event'}' is invalid (must be ${expected})`;
}

function brokenRules(request: ReceivedRequest): readonly BrokenRule[] {
  const rules = new Rules({ vendor: 'PagerDuty', status: 400, error: wordsOf });
  const { method, path, body: text } = request;
  const isPath = rules.must(path === '/v2/enqueue', '', 'to /v2/enqueue', path, { status: 404, error: 'Not Found' });
  const wrongMethod = { status: 405, error: 'Method Not Allowed' };
  if (!isPath || !rules.must(method === 'POST', '', 'a POST', method, wrongMethod)) return rules.broken;
  const bytes = Buffer.byteLength(text);
  const tooLarge = { status: 413, error: 'Payload Too Large' };
  if (!rules.must(bytes <= MAX_BYTES, '', `at most ${MAX_BYTES} bytes`, bytes, tooLarge)) return rules.broken;
  const event = rules.json(request);
  if (event) judgeEvent(rules, event);
  return rules.broken;
}

function judgeEvent(rules: Rules, event: Data): void {
  const { routing_key: routing, event_action: action, dedup_key: key, payload } = event;
  routingKey(rules, routing);
  if (rules.required('event_action', action)) rules.choice('event_action', action, ACTIONS);
  const isTrigger = action === 'trigger';
  rules.text('dedup_key', key, { max: 255, required: !isTrigger });
  if (!isTrigger) return;
  if (rules.required('payload', payload)) judgePayload(rules, payload);
  rules.text('client', event['client'], { max: Infinity });
  rules.url('client_url', event['client_url']);
  for (const { at, item } of rules.records('links', event['links'], Infinity)) {
    if (rules.required(`${at}.href`, item['href'])) rules.url(`${at}.href`, item['href']);
    rules.text(`${at}.text`, item['text'], { max: Infinity });
  }
  for (const { at, item } of rules.records('images', event['images'], Infinity))
    if (rules.required(`${at}.src`, item['src'])) rules.url(`${at}.src`, item['src']);
}

function routingKey(rules: Rules, value: unknown): void {
  const length = "Length of 'routing_key' is incorrect (should be 32 characters)";
  const bounds = { min: 32, max: 32, required: true };
  if (!rules.required('routing_key', value)) return;
  if (!rules.text('routing_key', value, bounds, { error: length })) return;
  rules.must(value === KEY, 'routing_key', "the service's integration key", value, { error: 'Invalid routing key' });
}

function judgePayload(rules: Rules, value: unknown): void {
  const payload = rules.record('payload', value);
  if (!payload) return;
  rules.text('payload.summary', payload['summary'], { max: 1024, required: true });
  rules.text('payload.source', payload['source'], { max: Infinity, required: true });
  if (rules.required('payload.severity', payload['severity']))
    rules.choice('payload.severity', payload['severity'], SEVERITIES);
  rules.text('payload.timestamp', payload['timestamp'], { max: 40, pattern: TIME, form: 'an ISO 8601 time' });
  for (const name of ['component', 'group', 'class'])
    rules.text(`payload.${name}`, payload[name], { min: 0, max: Infinity });
  rules.record('payload.custom_details', payload['custom_details']);
}
