import { isRecord } from '../../../src/platform/text/json';
import type { Rules } from './rules';
import { fakeOf } from './vendor-fake';

const ALERTMANAGER_PASSWORD = 'canary-alertmanager-password';
const SPLUNK_KEY = 'canary00-1111-2222-3333-444444444444';
const ILERT_KEY = 'il1apicanary0123456789abcdef';

const BASIC = Buffer.from(`uptime:${ALERTMANAGER_PASSWORD}`).toString('base64');
const TIME = {
  max: 40,
  pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  form: 'an RFC 3339 time',
};

/** Checks labels or annotations: names and texts. */
function pairs(rules: Rules, path: string, value: unknown): void {
  const entries = Object.entries(rules.record(path, value) ?? {});
  for (const [name, text] of entries) {
    rules.must(/^[a-zA-Z_]\w*$/.test(name), `${path}.${name}`, 'a name of letters, digits and _', name);
    rules.text(`${path}.${name}`, text, { max: Infinity, min: 0, required: true });
  }
}

/** Alertmanager behind a password. https://prometheus.io/docs/alerting/latest/alerts_api/ */
export const FAKE_ALERTMANAGER = fakeOf(
  {
    name: 'Alertmanager',
    config: (url) => ({
      server_url: url,
      username: 'uptime',
      password: ALERTMANAGER_PASSWORD,
      labels: [{ name: 'team', value: 'operations' }],
    }),
    success: { status: 200 },
    error: (_status, text) => JSON.stringify(text),
    path: /^\/api\/v2\/alerts$/,
    encoding: 'list',
    credential: ['authorization', `Basic ${BASIC}`],
    rules: (rules, { items }) => {
      for (const { at, item } of rules.records('alerts', items, 1000)) {
        const { labels, annotations, startsAt, endsAt, generatorURL } = item;
        pairs(rules, `${at}.labels`, labels);
        const hasName = isRecord(labels) && Object.keys(labels).length > 0;
        rules.must(hasName, `${at}.labels`, 'at least one label', labels);
        pairs(rules, `${at}.annotations`, annotations);
        rules.text(`${at}.startsAt`, startsAt, TIME);
        rules.text(`${at}.endsAt`, endsAt, TIME);
        const isInOrder = typeof startsAt !== 'string' || typeof endsAt !== 'string' || startsAt <= endsAt;
        rules.must(isInOrder, `${at}.endsAt`, 'not before startsAt', endsAt);
        rules.url(`${at}.generatorURL`, generatorURL);
      }
    },
  },
  [ALERTMANAGER_PASSWORD, BASIC],
);

/** Splunk On-Call with one integration. https://help.victorops.com/knowledge-base/rest-endpoint-integration-guide/ */
export const FAKE_SPLUNK_ONCALL = fakeOf(
  {
    name: 'Splunk On-Call',
    config: (url) => ({ api_key: SPLUNK_KEY, routing_key: 'operations', api_url: url }),
    success: { status: 200, body: { result: 'success', entity_id: 'al_01jd4alert00000000000000000-7' } },
    error: (_status, message) => ({ result: 'failure', message }),
    path: new RegExp(`^/integrations/generic/20131114/alert/${SPLUNK_KEY}/operations$`),
    rules: (rules, data) => {
      const types = ['CRITICAL', 'WARNING', 'ACKNOWLEDGEMENT', 'INFO', 'RECOVERY'];
      if (rules.required('message_type', data['message_type']))
        rules.choice('message_type', data['message_type'], types);
      rules.text('entity_id', data['entity_id'], { max: 512, required: true });
      rules.text('entity_display_name', data['entity_display_name'], { max: 1000 });
      rules.text('state_message', data['state_message'], { max: 20_480 });
      rules.integer('state_start_time', data['state_start_time'], 0, 4_000_000_000);
      rules.integer('timestamp', data['timestamp'], 0, 4_000_000_000);
    },
  },
  [SPLUNK_KEY],
);

/** ilert with one alert source. https://docs.ilert.com/developer-docs/rest-api/api-reference/events */
export const FAKE_ILERT = fakeOf(
  {
    name: 'ilert',
    config: (url) => ({ integration_key: ILERT_KEY, api_url: url }),
    success: { status: 202, body: {} },
    error: (status, message) => ({ status, message, code: 'BAD_REQUEST' }),
    path: /^\/api\/events$/,
    rules: (rules, data) => {
      rules.must(
        data['integrationKey'] === ILERT_KEY,
        'integrationKey',
        'the key of an alert source',
        data['integrationKey'],
      );
      if (rules.required('eventType', data['eventType']))
        rules.choice('eventType', data['eventType'], ['ALERT', 'ACCEPT', 'RESOLVE']);
      rules.text('summary', data['summary'], { max: 255, required: true });
      rules.text('details', data['details'], { max: Infinity });
      rules.text('alertKey', data['alertKey'], { max: 512 });
      rules.choice('priority', data['priority'], ['HIGH', 'LOW']);
      for (const { at, item } of rules.records('links', data['links'], 20)) rules.url(`${at}.href`, item['href']);
    },
  },
  [ILERT_KEY],
);
