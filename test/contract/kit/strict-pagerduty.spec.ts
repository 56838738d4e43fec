import { fakePagerDuty } from '../../../packages/testing/providers/pagerduty';
import { describeStrictness, withBody, withFields, withPath } from './strictness';

const letters = (count: number): string => 'x'.repeat(count);

interface Event {
  payload: Record<string, unknown>;
}
const payload = (fields: object) => withBody<Event>((event) => void Object.assign(event.payload, fields));
const invalid = (...errors: string[]) => ({ status: 'invalid event', message: 'Event object is invalid', errors });

describeStrictness('pagerduty', fakePagerDuty, 202, [
  {
    what: 'another path',
    change: withPath('/v1/enqueue'),
    status: 404,
    body: {},
    sentence: 'PagerDuty: the request must be to /v2/enqueue, not "/v1/enqueue"',
  },
  {
    what: 'a PUT',
    change: (request) => ({ ...request, method: 'PUT' }),
    status: 405,
    body: {},
    sentence: 'PagerDuty: the request must be a POST, not "PUT"',
  },
  {
    what: 'a routing key that is not 32 characters long',
    change: withFields({ routing_key: letters(20) }),
    status: 400,
    body: invalid("Length of 'routing_key' is incorrect (should be 32 characters)"),
    sentence: 'PagerDuty: "routing_key" must be 32 characters, not 20',
  },
  {
    what: 'a routing key of another service',
    change: withFields({ routing_key: letters(32) }),
    status: 400,
    body: invalid('Invalid routing key'),
    sentence: 'PagerDuty: "routing_key" must be the service\'s integration key, not "xxxx',
  },
  {
    what: 'an unknown action',
    change: withFields({ event_action: 'close' }),
    status: 400,
    body: { status: 'invalid event' },
    sentence: '"event_action" must be one of "trigger", "acknowledge", "resolve", not "close"',
  },
  {
    what: 'a resolve without a key',
    change: withFields({ event_action: 'resolve', dedup_key: undefined }),
    status: 400,
    body: invalid("'dedup_key' is missing or blank"),
    sentence: 'PagerDuty: "dedup_key" is required',
  },
  {
    what: 'a key of more than 255 characters',
    change: withFields({ dedup_key: letters(256) }),
    status: 400,
    body: { status: 'invalid event' },
    sentence: '"dedup_key" must be 1 to 255 characters, not 256',
  },
  {
    what: 'a trigger without a payload',
    change: withFields({ payload: undefined }),
    status: 400,
    body: invalid("'payload' is missing or blank"),
    sentence: 'PagerDuty: "payload" is required',
  },
  {
    what: 'a payload without its three required fields, with an error for each',
    change: payload({ summary: undefined, source: '', severity: undefined }),
    status: 400,
    body: invalid(
      "'payload.summary' is missing or blank",
      "'payload.source' is missing or blank",
      "'payload.severity' is missing or blank",
    ),
    sentence: 'PagerDuty: "payload.source" is required',
  },
  {
    what: 'a summary of more than 1024 characters',
    change: payload({ summary: letters(1025) }),
    status: 400,
    body: { status: 'invalid event' },
    sentence: '"payload.summary" must be 1 to 1024 characters, not 1025',
  },
  {
    what: 'an unknown severity',
    change: payload({ severity: 'fatal' }),
    status: 400,
    body: { status: 'invalid event' },
    sentence: '"payload.severity" must be one of "critical", "warning", "error", "info", not "fatal"',
  },
  {
    what: 'a time of another form',
    change: payload({ timestamp: 'yesterday' }),
    status: 400,
    body: { status: 'invalid event' },
    sentence: '"payload.timestamp" must be an ISO 8601 time, not "yesterday"',
  },
  {
    what: 'details that are a text',
    change: payload({ custom_details: 'it is down' }),
    status: 400,
    body: { status: 'invalid event' },
    sentence: '"payload.custom_details" must be an object, not "it is down"',
  },
  {
    what: 'a link without an address',
    change: withFields({ links: [{ text: 'Details' }] }),
    status: 400,
    body: invalid("'links[0].href' is missing or blank"),
    sentence: '"links[0].href" is required',
  },
  {
    what: 'an event of more than 512 KB',
    change: payload({ custom_details: { trace: letters(512 * 1024) } }),
    status: 413,
    body: {},
    sentence: 'PagerDuty: the request must be at most 524288 bytes, not 52',
  },
]);
