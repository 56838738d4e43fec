import { type BrokenRule, httpDouble, type HttpProviderFake } from '../channel/provider-double';
import type { ReceivedRequest } from '../servers/fake-provider';
import { adaptiveCard } from './adaptive-card';
import { Rules } from './rules';

const ROUTE = '/workflows/canary-flow-id/triggers/manual/paths/invoke';
const PATH = `${ROUTE}?sig=canary-teams-signature`;

/** Every credential in the `fakeTeams` config. */
export const TEAMS_SECRETS: readonly string[] = ['canary-teams-signature', 'canary-flow-id', PATH];

/** The size limit for a Teams message: https://learn.microsoft.com/en-us/microsoftteams/limits-specifications-teams */
const MAX_BYTES = 28 * 1024;

/**
 * Starts a fake of the Power Automate workflow "When a Teams webhook request is received". The real one accepts nearly
 * everything with 202 and fails later, which the sender can't see. This one immediately rejects what its next step
 * couldn't post. A wrong signature returns 401, and another workflow returns 404. Sources:
 * https://learn.microsoft.com/en-us/connectors/teams/#microsoft-teams-webhook and
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using (envelope,
 * 28 KB, actions). For the card, see `adaptive-card.ts`.
 */
export const fakeTeams = (): Promise<HttpProviderFake> =>
  httpDouble({
    name: 'Teams',
    config: (url) => ({ webhook_url: url + PATH }),
    success: { status: 202 },
    errorBody: (status, text) => errorOf(CODES[status] ?? 'WorkflowError', text),
    brokenRules,
  });

const CODES: Readonly<Record<number, string>> = {
  400: 'TriggerInputSchemaMismatch',
  401: 'AuthorizationFailed',
  404: 'WorkflowNotFound',
  413: 'RequestEntityTooLarge',
};

const errorOf = (code: string, message: string): string => JSON.stringify({ error: { code, message } });

function brokenRules(request: ReceivedRequest): readonly BrokenRule[] {
  const error = "The input body for trigger 'manual' of type 'Request' did not match its schema definition.";
  const rules = new Rules({ vendor: 'Teams', status: 400, error: () => error });
  if (!isAddressed(request, rules)) return rules.broken;
  const body = rules.json(request);
  if (!body) return rules.broken;

  const bytes = Buffer.byteLength(request.body);
  const tooLarge = { status: 413, error: 'The request content is too large.' };
  rules.must(bytes <= MAX_BYTES, '', `at most ${MAX_BYTES} bytes`, bytes, tooLarge);
  rules.must(body['@type'] === undefined, '@type', 'absent: connector cards are retired', body['@type']);
  rules.must(body['type'] === 'message', 'type', '"message"', body['type']);
  const attachments = rules.records('attachments', body['attachments'], 10);
  rules.must(attachments.length > 0, 'attachments', 'at least one card', body['attachments']);
  for (const { at, item } of attachments) {
    rules.choice(`${at}.contentType`, item['contentType'] ?? null, ['application/vnd.microsoft.card.adaptive']);
    rules.must((item['contentUrl'] ?? null) === null, `${at}.contentUrl`, 'null', item['contentUrl']);
    if (rules.required(`${at}.content`, item['content'])) adaptiveCard(rules, `${at}.content`, item['content']);
  }
  return rules.broken;
}

function isAddressed({ method, path }: ReceivedRequest, rules: Rules): boolean {
  const [route] = path.split('?');
  const isFlow = rules.must(route === ROUTE, '', "to the workflow's own path", path, {
    status: 404,
    error: 'The workflow could not be found.',
  });
  const unsigned = { status: 401, error: 'The authentication credentials are not valid.' };
  if (!isFlow || !rules.must(path === PATH, '', "signed with the workflow's sig", path, unsigned)) return false;
  return rules.must(method === 'POST', '', 'a POST', method, { status: 404, error: 'No trigger accepts this method.' });
}
