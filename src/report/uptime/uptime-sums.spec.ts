import { coverageOf, judge, slotOf, totalOf, uptimeByDay } from './uptime-sums';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const all = () => 1;
const observed = { madeMs: 0, shareOf: all, planned: [], downtime: new Map<number, number>() };
const period = { bounds: [0, DAY, 2 * DAY], until: 2 * DAY };

describe('the seconds of a day', () => {
  it.each([
    ['count when it is monitored', {}, { counted: 86_400, down: 0, planned: 0 }],
    ['do not count before the endpoint was created', { madeMs: 6 * HOUR }, { counted: 64_800, down: 0, planned: 0 }],
    [
      'do not count in hours without checks',
      { shareOf: (hour: number) => (hour < 12 ? 0 : 1) },
      { counted: 43_200, down: 0, planned: 0 },
    ],
    ['count partly in hours with unknown checks', { shareOf: () => 0.5 }, { counted: 43_200, down: 0, planned: 0 }],
    [
      'do not count during maintenance',
      { planned: [{ from: 0.5 * HOUR, to: 2 * HOUR }] },
      { counted: 81_000, down: 0, planned: 5400 },
    ],
    ['are down in the slots of outages', { downtime: new Map([[3, 600]]) }, { counted: 86_400, down: 600, planned: 0 }],
    [
      'count during an outage even if nothing was checked then',
      { shareOf: () => 0, downtime: new Map([[3, 600]]) },
      { counted: 600, down: 600, planned: 0 },
    ],
  ])('%s', (_, change, first) => {
    expect(uptimeByDay(period, { ...observed, ...change })[0]).toEqual(first);
  });

  it('do not include the future, and include part of today', () => {
    const days = uptimeByDay({ ...period, until: DAY + 90 * 60_000 }, observed);
    expect(days.map(({ counted }) => counted)).toEqual([86_400, 5400]);
    expect(totalOf(days)).toEqual({ counted: 91_800, down: 0, planned: 0 });
  });

  it('of maintenance over midnight belong to both days', () => {
    const days = uptimeByDay(period, { ...observed, planned: [{ from: DAY - HOUR, to: DAY + 2 * HOUR }] });
    expect(days.map(({ planned }) => planned)).toEqual([3600, 7200]);
  });

  it('are summed up in quarters of an hour if days start within hours', () => {
    expect(slotOf({ bounds: [0, DAY] })).toBe(HOUR);
    expect(slotOf({ bounds: [HOUR / 2, DAY + HOUR / 2] })).toBe(HOUR / 4);
  });
});

describe('a month compared with its target', () => {
  it.each([
    ['met with no downtime', [1000, 0], 0.99, 0, 1, 10, 0, 'met'],
    ['met with exactly the allowed downtime', [1000, 10], 0.99, 0, 0.99, 10, 1, 'met'],
    ['missed with more', [1000, 10.01], 0.99, 0, 0.98999, 10, 1.001, 'missed'],
    ['on track while the budget of the whole month lasts', [100, 5], 0.99, 900, 0.95, 10, 0.5, 'on_track'],
    ['missed before its end once the budget is used up', [100, 11], 0.99, 900, 0.89, 10, 1.1, 'missed'],
    ['met at 100 % without downtime', [1000, 0], 1, 0, 1, 0, null, 'met'],
    ['missed at 100 % with any', [1000, 0.1], 1, 0, 0.9999, 0, null, 'missed'],
    ['no data if nothing counts', [0, 0], 0.99, 0, null, 0, null, 'no_data'],
  ] as const)('is %s', (_, [counted, down], target, remaining, availability, allowed, used, verdict) => {
    const judged = judge({ counted, down, planned: 0 }, target, remaining);
    expect(judged.verdict).toBe(verdict);
    expect(judged.allowed).toBeCloseTo(allowed, 9);
    if (availability === null) expect(judged.availability).toBeNull();
    else expect(judged.availability).toBeCloseTo(availability, 9);
    if (used === null) expect(judged.budgetUsed).toBeNull();
    else expect(judged.budgetUsed).toBeCloseTo(used, 9);
  });

  it.each([
    [{ counted: 900, down: 0, planned: 0 }, 1000, 0.9],
    [{ counted: 900, down: 0, planned: 100 }, 1000, 1],
    [{ counted: 0, down: 0, planned: 1000 }, 1000, null],
    [{ counted: 0, down: 0, planned: 0 }, 1000, 0],
  ])('covers of %j in %i s: %j', (sum, elapsed, coverage) => {
    expect(coverageOf(sum, elapsed)).toBe(coverage);
  });
});
