import { type BrokenRule, httpDouble, type HttpProviderFake, recordOf } from '../channel/provider-double';
import type { ReceivedRequest, ScriptedResponse } from '../servers/fake-provider';
import { incidentsOf, type PagedIncident, type PagerAction } from './incidents';
import { type Data, type Fault, Rules } from './rules';

const KEY = 'canary-opsgenie-0000-0000-000000000000';

/** Every credential in the `fakeOpsgenie` config. */
export const OPSGENIE_SECRETS: readonly string[] = [KEY];

/** Opsgenie with one API integration. */
export interface OpsgenieFake extends HttpProviderFake {
  /** Returns the alerts from requests accepted since `verify`, oldest first. `key` is the alias. */
  incidents(): PagedIncident[];
}

/**
 * Starts a fake of Opsgenie's Alert API, which its successor in Jira Service Management shares: create, acknowledge,
 * and close by alias. All requests are accepted with 202 and processed later. An invalid body returns 422 with an error
 * for each field, a missing key 401, and a wrong key 403. Source: https://docs.opsgenie.com/docs/alert-api and
 * https://docs.opsgenie.com/docs/response.
 */
export async function fakeOpsgenie(): Promise<OpsgenieFake> {
  const fake = await httpDouble({
    name: 'Opsgenie',
    config: (url) => ({ api_key: KEY, api_url: url }),
    success: accepted,
    errorBody: (_status, text) => bodyOf({ message: text }),
    brokenRules,
    refusal,
  });
  const incidents = () => incidentsOf(fake.requests.filter(({ status }) => status === 202).flatMap(actionsOf));
  return { ...fake, incidents };
}

const bodyOf = (content: object): string => JSON.stringify({ ...content, took: 0.001, requestId: '1' });

const accepted = (): ScriptedResponse => ({
  status: 202,
  headers: { 'content-type': 'application/json' },
  body: bodyOf({ result: 'Request will be processed' }),
});

function refusal(broken: readonly [BrokenRule, ...BrokenRule[]]): ScriptedResponse {
  const [{ status, error }] = broken;
  if (status !== 422) return { status, body: bodyOf({ message: error }) };
  const message = 'Request body is not processable. Please check the errors.';
  const errors = Object.fromEntries(broken.map((rule) => [rule.path, rule.error]));
  return { status, body: bodyOf({ message, errors }) };
}

/** Matches `/v2/alerts`, or an action on the alert with an alias. */
const ROUTE = /^\/v2\/alerts(?:\/(?<alias>[^/?]+)\/(?<action>close|acknowledge)(?<query>\?[^#]*)?)?$/;

function actionsOf({ path, body }: ReceivedRequest): PagerAction[] {
  const { alias, action } = ROUTE.exec(path)?.groups ?? {};
  if (alias !== undefined)
    return [{ key: decodeURIComponent(alias), action: action === 'close' ? 'resolve' : 'acknowledge' }];
  const { alias: key } = recordOf(body) ?? {};
  return typeof key === 'string' ? [{ key, action: 'trigger' }] : [];
}

function wordsOf(_path: string, { kind, expected }: Fault): string {
  return kind === 'required' ? 'can not be empty' : `should be ${expected}`;
}

const MAX_ALIAS = 512;
const MAX_SOURCE = 100;
const MAX_NOTE = 25_000;

function brokenRules(request: ReceivedRequest): readonly BrokenRule[] {
  const rules = new Rules({ vendor: 'Opsgenie', status: 422, error: wordsOf });
  const { groups } = ROUTE.exec(request.path) ?? {};
  if (!isAddressed(request, rules, groups !== undefined)) return rules.broken;
  const body = rules.json(request, { status: 400, error: 'Could not parse the request body' });
  if (!body) return rules.broken;
  const { alias, query } = groups ?? {};
  if (alias === undefined) judgeAlert(rules, body);
  else judgeAction(rules, alias, query ?? '', body);
  return rules.broken;
}

function isAddressed({ method, path, headers }: ReceivedRequest, rules: Rules, isRoute: boolean): boolean {
  const unknown = { status: 404, error: 'No resource is found at this path' };
  if (!rules.must(isRoute, '', 'to an alert, its close or its acknowledge', path, unknown)) return false;
  const wrongMethod = { status: 405, error: `Request method '${method}' not supported` };
  if (!rules.must(method === 'POST', '', 'a POST', method, wrongMethod)) return false;
  const { authorization } = headers;
  const unnamed = { status: 401, error: 'Could not authenticate' };
  const hasKey = /^GenieKey \S+$/.test(authorization ?? '');
  if (!rules.must(hasKey, 'authorization', 'GenieKey and a key', authorization, unnamed)) return false;
  const foreign = { status: 403, error: 'You are not authorized to access this resource' };
  return rules.must(
    authorization === `GenieKey ${KEY}`,
    'authorization',
    "the integration's key",
    authorization,
    foreign,
  );
}

const RESPONDERS = ['team', 'user', 'escalation', 'schedule'];

function judgeAlert(rules: Rules, alert: Data): void {
  rules.text('message', alert['message'], { max: 130, required: true });
  rules.text('alias', alert['alias'], { max: MAX_ALIAS });
  rules.text('description', alert['description'], { min: 0, max: 15_000 });
  rules.text('entity', alert['entity'], { min: 0, max: 512 });
  rules.text('source', alert['source'], { min: 0, max: MAX_SOURCE });
  rules.text('note', alert['note'], { min: 0, max: MAX_NOTE });
  rules.choice('priority', alert['priority'], ['P1', 'P2', 'P3', 'P4', 'P5']);
  rules
    .list('tags', alert['tags'], 20)
    .forEach((tag, index) => rules.text(`tags[${index}]`, tag, { max: 50, required: true }));
  for (const { at, item } of rules.records('responders', alert['responders'], 50)) {
    rules.choice(`${at}.type`, item['type'] ?? null, RESPONDERS);
    rules.must(
      ['id', 'name', 'username'].some((key) => item[key]),
      at,
      'named by id, name or username',
      item,
    );
  }
  const details = rules.record('details', alert['details']) ?? {};
  for (const [key, value] of Object.entries(details)) rules.text(`details.${key}`, value, { min: 0, max: Infinity });
  const length = Object.entries(details).join('').length;
  rules.must(length <= 8000, 'details', 'at most 8000 characters in all', length);
}

/** Without `identifierType=alias`, Opsgenie would interpret the alias as an alert ID. */
function judgeAction(rules: Rules, alias: string, query: string, body: Data): void {
  const type = new URLSearchParams(query).get('identifierType');
  rules.must(type === 'alias', 'identifierType', '"alias"', type);
  rules.text('alias', decoded(alias), { max: MAX_ALIAS, required: true });
  rules.text('source', body['source'], { min: 0, max: MAX_SOURCE });
  rules.text('user', body['user'], { min: 0, max: 100 });
  rules.text('note', body['note'], { min: 0, max: MAX_NOTE });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
