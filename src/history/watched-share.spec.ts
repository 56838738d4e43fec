import { DAY_MS, SECOND_MS } from '../platform/time/time-units';
import { watchedDays, watchedShare } from './watched-share';

const NOW = Date.UTC(2026, 10, 20, 12);
const range = { from: NOW - 90 * DAY_MS, to: NOW };

describe('watchedShare', () => {
  it.each([
    ['all of the range for an endpoint that was checked on each day', 400 * DAY_MS, { watched: 91, of: 91 }, 1],
    ['next to nothing a second after the endpoint was created', SECOND_MS, { watched: 1, of: 91 }, 1 / 86_400 / 90],
    ['the time since the endpoint was created', 9 * DAY_MS, { watched: 10, of: 91 }, 0.1],
    ['the days with a check when the endpoint was paused for most of them', 400 * DAY_MS, { watched: 9, of: 90 }, 0.1],
    ['nothing without a check', 400 * DAY_MS, { watched: 0, of: 90 }, 0],
    ["nothing for an endpoint that a clock ahead of the service's has created", -DAY_MS, { watched: 1, of: 91 }, 0],
  ])('is %s', (_, ageMs, days, share) => {
    expect(watchedShare(range, NOW - ageMs, days)).toBeCloseTo(share, 12);
  });

  it('is the time since the endpoint was created if days are not counted', () => {
    expect(watchedShare({ from: NOW - DAY_MS, to: NOW }, NOW - DAY_MS / 4)).toBe(0.25);
  });

  it('is zero for an empty range', () => {
    expect(watchedShare({ from: NOW, to: NOW }, 0)).toBe(0);
  });
});

describe('watchedDays', () => {
  const day = (number: number) => Date.UTC(2026, 10, number);
  const noon = (number: number) => day(number) + DAY_MS / 2;

  it.each<[string, number, number, number[], { watched: number; of: number } | undefined]>([
    ['counts full days with and without a check', day(1), day(5), [day(1), day(3)], { watched: 2, of: 4 }],
    ['leaves out a short first day without a check', noon(1), day(5), [day(2)], { watched: 1, of: 3 }],
    ['leaves out a short last day without a check', day(1), noon(5), [day(2)], { watched: 1, of: 4 }],
    ['counts short days with a check', noon(1), noon(5), [day(1), day(5)], { watched: 2, of: 5 }],
    ['does not judge a range of less than two days', noon(1), noon(2), [day(1)], undefined],
  ])('%s', (_, from, to, known, days) => {
    expect(watchedDays({ from, to }, new Set(known))).toEqual(days);
  });
});
