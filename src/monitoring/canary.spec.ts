import { canaryFinding } from './canary';

describe('canaryFinding', () => {
  it.each([
    ['what passed a moment ago', 3000, 0, null, true, 'passed 3 s ago'],
    ['nothing that passed for long', 16_000, 0, null, false, 'the canary has not passed for 16 s'],
    ['a stage that fails', 20_000, 0, 'it fails', false, 'the canary has not passed for 20 s: it fails'],
    ['one failure between two passages', 6000, 0, 'it fails', true, 'passed 6 s ago'],
    [
      'results that wait although the canary passes',
      1000,
      15_000,
      null,
      false,
      'results are waiting, and none has been written for 15 s',
    ],
  ])('says whether a stage works, given %s', (_, silentMs, stuckMs, problem, ok, detail) => {
    expect(canaryFinding(silentMs, stuckMs, problem)).toEqual({ ok, detail });
  });
});
