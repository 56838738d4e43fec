import { type DayChecks, monitoredShare } from './monitored-share';

const NONE: DayChecks = { days: [], known: [], unknown: [], planned: [], full: [], partial: [], shares: [] };
/** Day 10, with checks in the hours 0 and 23, and a mixed hour 5. */
const DAY: DayChecks = {
  ...NONE,
  days: [10],
  known: [6],
  unknown: [2],
  planned: [4],
  full: [1 | (1 << 23)],
  partial: [245],
  shares: [0.25],
};

describe('the monitored share of an hour', () => {
  it.each([
    ['with known checks', 60, 240, 1],
    ['that is the last of its day', 60, 263, 1],
    ['with known and unknown checks', 60, 245, 0.25],
    ['without a check', 60, 241, 0],
    ['of another day', 60, 264, 0],
    ['of an endpoint that is checked every half hour', 1800, 241, 0],
    ['of one that is checked every hour, which is compared by day', 3600, 241, 0.75],
    ['of one that is checked every 12 hours, on a day without checks', 43_200, 264, 0],
    ['of one that is checked daily, which is compared by month', 86_400, 264, 0.75],
    ['of a job', null, 9999, 0.75],
  ])('%s (%j s, hour %i) is %d', (_, interval, hour, share) => {
    expect(monitoredShare(DAY, interval)(hour)).toBe(share);
  });

  it.each([60, 3600, 86_400, null])('is 0 without checks (%j s)', (interval) => {
    expect(monitoredShare(NONE, interval)(240)).toBe(0);
  });

  it.each([3600, null])('is 1 if all checks were planned (%j s)', (interval) => {
    expect(
      monitoredShare({ ...NONE, days: [10], known: [0], unknown: [0], planned: [3], full: [1] }, interval)(240),
    ).toBe(1);
  });
});
