import { RecentRate } from './recent-rate';

describe('RecentRate', () => {
  test('is the mean of the last four whole seconds', () => {
    const rate = new RecentRate();
    for (let second = 100; second < 108; second++) rate.add(10 * second, second * 1000 + 500);
    expect(rate.perSecond(107_900)).toBe((1030 + 1040 + 1050 + 1060) / 4);
  });

  test('does not fall at the start of a second', () => {
    const rate = new RecentRate();
    for (let ms = 0; ms < 6000; ms += 10) rate.add(1, ms);
    expect([rate.perSecond(5990), rate.perSecond(6000), rate.perSecond(6999)]).toEqual([100, 100, 100]);
  });

  test('is zero after four idle seconds, and soon after a long pause', () => {
    const rate = new RecentRate();
    rate.add(100, 1000);
    expect(rate.perSecond(5999)).toBe(25);
    expect(rate.perSecond(6000)).toBe(0);
    rate.add(8, 1_000_000_000);
    expect(rate.perSecond(1_000_001_000)).toBe(2);
  });
});
