import { OPERATORS_EGRESS } from '../platform/net/egress/egress-policy';
import { AttendedChecker } from './attended-checker';
import { down, resultOf, unknown } from './check-failure';
import type { CheckError, Checker, CheckRequest, CheckResult, Outcome } from './checker';

const up: CheckResult = { ...resultOf(down('internal', 'internal', '')), outcome: 'up', error: null };
const refused = resultOf(down('connection_refused', 'connect', 'Refused.'));
const slow: CheckError = { code: 'assertion_failed', phase: 'assertion', message: 'It is slow.' };
const request: CheckRequest<unknown> = {
  target: 'pigeon://loft',
  settings: {},
  method: 'GET',
  headers: [],
  body: null,
  followRedirects: false,
  tls: null,
  assertions: [],
  egress: OPERATORS_EGRESS,
};

/** Runs one check with an extension's checker that executes `does`. */
const check = (does: () => unknown, signal = new AbortController().signal): Promise<CheckResult> => {
  const checker = { assertionSources: [], targetForm: 'pigeon://loft', parseTarget: (url: string) => url, check: does };
  return new AttendedChecker('PIGEON', checker as unknown as Checker, 20).check(request, signal);
};
const returns = (result: unknown): Promise<CheckResult> => check(async () => result);

describe('the result of a checker from another package', () => {
  it.each<[string, CheckResult]>([
    ['up', up],
    ['up with a warning', { ...up, warning: slow }],
    ['down', refused],
    ['unknown', resultOf(unknown('monitor_offline', 'connect', 'There is no network.'))],
    [
      'all possible fields',
      {
        ...up,
        durationMs: 1.5,
        phases: { ...up.phases, dnsMs: 1.5 },
        statusCode: 200,
        address: '192.0.2.1',
        certificate: { expiresAt: '2030-01-01T00:00:00.000Z', issuer: 'CN=a', subject: 'CN=b', names: ['b.example'] },
        records: ['192.0.2.1'],
        redirects: ['https://b.example/'],
      },
    ],
  ])('is used if it is valid: %s', async (_what, result) => {
    expect(await returns(result)).toEqual(result);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'up'],
    ['an unknown outcome', { ...up, outcome: 'fine' }],
    ['an outcome alone', { outcome: 'up' }],
    ['up with an error', { ...up, error: slow }],
    ['down without an error', { ...up, outcome: 'down' }],
    ['an unknown error code', { ...refused, error: { ...slow, code: 'tired' } }],
    ['an error without a message', { ...refused, error: { ...slow, message: undefined } }],
    ["a time that isn't a number", { ...up, durationMs: NaN }],
    ['a time before the start of the check', { ...up, phases: { ...up.phases, tlsMs: -1 } }],
    ['no phases', { ...up, phases: undefined }],
    ['half a certificate', { ...up, certificate: { issuer: 'CN=a' } }],
    ['a status in words', { ...up, statusCode: 'OK' }],
    ["redirects that aren't a list", { ...up, redirects: null }],
    ['a warning that is a text', { ...up, warning: 'slow' }],
  ])('is refused with the type of the checker if it is invalid: %s', async (_what, result) => {
    await expect(returns(result)).rejects.toThrow('The checker PIGEON returned no CheckResult.');
  });

  it.each<Outcome>(['up', 'down', 'unknown'])('has no warning if it does not contain one: %s', async (outcome) => {
    const { warning: _, ...old } = { ...up, outcome, error: outcome === 'up' ? null : slow };
    expect(await returns(old)).toStrictEqual({ ...old, warning: null });
  });

  it('has no warning next to a failure', async () => {
    expect(await returns({ ...refused, warning: slow })).toEqual(refused);
  });

  it('has messages of at most 300 characters', async () => {
    const talkative = { ...slow, message: 'x'.repeat(5000) };
    expect((await returns({ ...up, warning: talkative })).warning?.message).toHaveLength(300);
    expect((await returns({ ...refused, error: talkative })).error?.message).toHaveLength(300);
  });
});

describe('a checker from another package', () => {
  const never = () => new Promise(() => {});
  const lateWords = 'The checker PIGEON did not settle within 0.02 s after its signal.';

  it('is abandoned some time after its signal if it ignores the signal', async () => {
    const controller = new AbortController();
    const checked = check(never, controller.signal);
    controller.abort();
    await expect(checked).rejects.toThrow(lateWords);
    await expect(check(never, AbortSignal.abort())).rejects.toThrow(lateWords);
  });

  it('can settle after its signal, as it should', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const heeding = () => new Promise((resolve) => signal.addEventListener('abort', () => resolve(refused)));
    const checked = check(heeding, signal);
    controller.abort();
    expect(await checked).toEqual(refused);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw 'a text';
      },
    ],
    ['rejects', () => Promise.reject('a text')],
  ])('is named with the thrown value if it %s', async (_what, does) => {
    await expect(check(does)).rejects.toMatchObject({ message: 'The checker PIGEON threw.', cause: 'a text' });
  });
});
