import { down, resultOf, unknown } from './check-failure';
import type { CheckError, CheckResult, Outcome } from './checker';
import { completeResult } from './complete-result';

const up: CheckResult = { ...resultOf(down('internal', 'internal', '')), outcome: 'up', error: null };
const slow: CheckError = { code: 'assertion_failed', phase: 'assertion', message: 'It is slow.' };

describe('What a checker returns', () => {
  it('is taken as it is when it says something of warnings', () => {
    const warned: CheckResult = { ...up, warning: slow };
    expect(completeResult(up)).toBe(up);
    expect(completeResult(warned)).toBe(warned);
  });

  it.each<Outcome>(['up', 'down', 'unknown'])('has no warning when it says nothing of any: %s', (outcome) => {
    const { warning: _, ...old } = { ...up, outcome };
    expect(completeResult(old)).toStrictEqual({ ...old, warning: null });
  });

  it.each([
    down('connection_refused', 'connect', 'Refused.'),
    unknown('monitor_offline', 'connect', 'There is no network.'),
  ])('has no warning beside a failure: $outcome', (failure) => {
    const both: CheckResult = { ...resultOf(failure), warning: slow };
    expect(completeResult(both)).toEqual(resultOf(failure));
  });

  it('has a warning of at most 300 characters', () => {
    const talkative: CheckResult = { ...up, warning: { ...slow, message: 'x'.repeat(5000) } };
    expect(completeResult(talkative).warning?.message).toHaveLength(300);
  });
});
