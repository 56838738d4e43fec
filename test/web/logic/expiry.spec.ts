import { nextTold, stepsOf } from '../../../web/src/logic/expiry';

const of = (warn_days: number | null) => ({ tls: { verify: true, ca: null, server_name: null, warn_days } });

describe('a certificate that expires', () => {
  it.each<[warnDays: number | null, steps: number[]]>([
    [14, [14, 7, 3, 1]],
    [7, [7, 3, 1]],
    [2, [2, 1]],
    [0, [0]],
    [null, []],
  ])('with a warning from %s days on sends messages at %j', (warnDays, steps) =>
    expect(stepsOf(of(warnDays))).toEqual(steps),
  );

  it.each<[days: number, warnDays: number | null, text: string]>([
    [30, 14, 'in 16 d'],
    [14, 14, 'sent, again in 7 d'],
    [9, 14, 'sent, again in 2 d'],
    [7, 14, 'sent, again in 4 d'],
    [1, 14, 'sent'],
    [0, 14, 'sent'],
    [-2, 14, 'expired'],
    [9, null, 'no one is notified'],
  ])('in %d days, with a warning from %s on, shows: %s', (days, warnDays, text) =>
    expect(nextTold(of(warnDays), days, true)).toBe(text),
  );

  it('warns that no one is notified if no alert notifies people', () =>
    expect(nextTold(of(14), 9, false)).toBe('no one is notified'));
});
