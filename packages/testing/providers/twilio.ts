import { type BrokenRule, httpDouble, type HttpProviderFake } from '../channel/provider-double';
import type { ReceivedRequest, ScriptedResponse } from '../servers/fake-provider';
import { Rules } from './rules';

const ACCOUNT = 'AC0123456789abcdef';
const TOKEN = 'canary-twilio-auth-token';
const FROM = '+15005550006';
const TO = '+15005550009';
const PATH = `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`;

/**
 * Other credentials that `fakeTwilio` accepts: an API key, whose secret is the account's token, and a messaging
 * service.
 */
export const TWILIO_API_KEY = 'SK0123456789abcdef';
export const TWILIO_SERVICE = 'MG0123456789abcdef';

const credentials = (user: string): string => Buffer.from(`${user}:${TOKEN}`).toString('base64');

/** Every credential in the `fakeTwilio` config, and its recipients. */
export const TWILIO_SECRETS: readonly string[] = [TOKEN, TO, credentials(ACCOUNT)];

/**
 * Starts a fake of Twilio's Messages resource. Wrong credentials return 401 with code 20003, and another account
 * returns 404 with 20404. An invalid form returns 400 with the error's code. `From` together with `MessagingServiceSid`
 * is rejected, because this messaging service has no numbers. Sources:
 * https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource and
 * https://www.twilio.com/docs/api/errors.
 */
export const fakeTwilio = (): Promise<HttpProviderFake> =>
  httpDouble({
    name: 'Twilio',
    config: (url) => ({ account_sid: ACCOUNT, auth_token: TOKEN, from: FROM, to: TO, api_url: url }),
    success: queued,
    errorBody: (status, text) => errorOf(status, 21_211, text),
    goldenHeaders: ['authorization'],
    brokenRules,
    refusal: ([{ status, code = 0, error }]) => ({ status, body: errorOf(status, code, error) }),
  });

const errorOf = (status: number, code: number, message: string): string =>
  JSON.stringify({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status });

function queued({ body }: ReceivedRequest): ScriptedResponse {
  const form = new URLSearchParams(body);
  const message = { sid: 'SM0123456789abcdef', status: 'queued', to: form.get('To'), body: form.get('Body') };
  return { status: 201, headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) };
}

/** https://www.twilio.com/docs/glossary/what-e164 */
const E164 = /^\+[1-9]\d{1,14}$/;
/** Matches a number, a short code, or an alphanumeric sender. */
const SENDER = /^(?:\+[1-9]\d{1,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;
const MAX_BODY = 1600;

function brokenRules(request: ReceivedRequest): readonly BrokenRule[] {
  const rules = new Rules({
    vendor: 'Twilio',
    status: 400,
    code: 20_001,
    error: (path) => `Invalid parameter ${path}`,
  });
  if (!isAddressed(request, rules)) return rules.broken;
  const type = request.headers['content-type'] ?? '';
  const noForm = { code: 21_604, error: "A 'To' phone number is required." };
  if (!rules.must(/^application\/x-www-form-urlencoded\b/i.test(type), '', 'a form', type, noForm)) return rules.broken;
  const form = new URLSearchParams(request.body);
  const value = (name: string): string | undefined => form.get(name) ?? undefined;
  const required = (name: string, code: number, error: string): boolean =>
    rules.required(name, value(name), { code, error });

  if (required('To', 21_604, "A 'To' phone number is required."))
    rules.must(E164.test(form.get('To') ?? ''), 'To', 'an E.164 number', value('To'), {
      code: 21_211,
      error: `Invalid 'To' Phone Number: ${form.get('To') ?? ''}`,
    });
  judgeSender(rules, value('From'), value('MessagingServiceSid'));
  if (required('Body', 21_602, 'Message body is required.')) {
    const error = `The concatenated message body exceeds the ${MAX_BODY} character limit`;
    rules.text('Body', value('Body'), { max: MAX_BODY }, { code: 21_617, error });
  }
  const validity = value('ValidityPeriod');
  if (validity !== undefined) {
    const seconds = /^\d+$/.test(validity) ? Number(validity) : validity;
    rules.integer('ValidityPeriod', seconds, 1, 36_000, { code: 90_007, error: 'Invalid validity period value' });
  }
  for (const name of new Set(form.keys()))
    rules.must(name === 'MediaUrl' || form.getAll(name).length === 1, name, 'given once', form.getAll(name));
  return rules.broken;
}

function judgeSender(rules: Rules, from: string | undefined, service: string | undefined): void {
  const hasOne = from !== undefined || service !== undefined;
  rules.must(hasOne, 'From', { kind: 'required', expected: 'present' }, from, {
    code: 21_603,
    error: "A 'From' phone number is required.",
  });
  const both = {
    code: 21_606,
    error: `The 'From' phone number provided (${from}) is not a valid sender of the service`,
  };
  rules.must(from === undefined || service === undefined, 'From', 'absent if MessagingServiceSid is set', from, both);
  const invalid = { code: 21_212, error: `Invalid From Number (caller ID): ${from}` };
  const isSender = from === undefined || SENDER.test(from);
  if (rules.must(isSender, 'From', 'an E.164 number, a short code or a name', from, invalid) && service === undefined)
    rules.must(from === undefined || from === FROM, 'From', "one of the account's senders", from, invalid);
  rules.must(
    service === undefined || service === TWILIO_SERVICE,
    'MessagingServiceSid',
    'a service of the account',
    service,
    {
      code: 21_701,
      error: 'The Messaging Service does not exist',
    },
  );
}

function isAddressed({ method, path, headers }: ReceivedRequest, rules: Rules): boolean {
  const { authorization } = headers;
  const isKnown = [ACCOUNT, TWILIO_API_KEY].some((user) => authorization === `Basic ${credentials(user)}`);
  const unauthorized = { status: 401, code: 20_003, error: 'Authenticate' };
  const expected = 'Basic with the account or API key and its token';
  if (!rules.must(isKnown, 'authorization', expected, authorization, unauthorized)) return false;
  const unknown = { status: 404, code: 20_404, error: `The requested resource ${path} was not found` };
  const wrongMethod = { status: 405, code: 20_004, error: 'Method not allowed' };
  return (
    rules.must(path === PATH, '', "to the account's messages", path, unknown) &&
    rules.must(method === 'POST', '', 'a POST', method, wrongMethod)
  );
}
