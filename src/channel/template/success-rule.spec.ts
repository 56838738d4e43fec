import { outcomeOfResponse, publicOutcome, quoting } from '../send-outcome';
import type { ProviderResponse } from '../provider-client';
import { readByRule, type WebhookSuccess } from './success-rule';

const responseOf = (status: number, body: object): ProviderResponse =>
  ({
    status,
    headers: {},
    body: JSON.stringify(body),
    json: body,
    address: '192.0.2.1',
  }) as unknown as ProviderResponse;

const SECRET = 'canary-secret-0123456789';

/** Returns the outcome of a delivery to a public address. */
function outcomeOf(rule: WebhookSuccess | undefined, status: number, body: object) {
  const response = responseOf(status, body);
  const outcome = outcomeOfResponse(
    'The webhook',
    response,
    readByRule(rule, response),
    0,
    quoting('1.1.1.1', [SECRET]),
  );
  return publicOutcome(outcome, [SECRET]);
}

const ZERO: WebhookSuccess = { json: { path: 'code', equals: 0 } };

describe('the rule for success of a webhook', () => {
  it.each<[string, WebhookSuccess | undefined, number, object, string]>([
    ['any 2xx without a rule', undefined, 204, {}, 'delivered'],
    ['an error without a rule', undefined, 400, {}, 'rejected'],
    ['the status of the rule', { status: [201] }, 201, {}, 'delivered'],
    ['another status', { status: [201] }, 200, {}, 'rejected'],
    ['a status that the rule allows', { status: [409] }, 409, {}, 'delivered'],
    ['the value of the rule', ZERO, 200, { code: 0 }, 'delivered'],
    ['the value as text', ZERO, 200, { code: '0' }, 'delivered'],
    ['another value', ZERO, 200, { code: 19001 }, 'rejected'],
    ['no value', ZERO, 200, {}, 'rejected'],
    ['a nested value', { json: { path: 'data.ok', equals: true } }, 200, { data: { ok: true } }, 'delivered'],
    ['the value with a server error', ZERO, 503, { code: 0 }, 'retry'],
    ['the value with a rate limit', ZERO, 429, { code: 0 }, 'retry'],
  ])('judges %s', (_what, rule, status, body, result) => {
    expect(outcomeOf(rule, status, body)).toMatchObject({ result });
  });

  it('shows the text of the service, cut and without secrets', () => {
    const msg = `param invalid: ${SECRET} ${'x'.repeat(500)}`;
    const outcome = outcomeOf(ZERO, 200, { code: 19001, msg });
    const error = outcome.result === 'delivered' ? '' : outcome.error;
    expect(error).toMatch(
      /^The webhook answered 200, which does not mean success here: param invalid: \[hidden\] x+…$/,
    );
    expect(error.split('here: ')[1]?.length).toBeLessThanOrEqual(200);
  });
});
