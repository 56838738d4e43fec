import { daysRead } from './days-read';

describe('the days that are read of a website', () => {
  it.each([
    [371, 0, 371],
    [371, 500, 371],
    [371, 10_000, 18],
    [30, 10_000, 18],
    [10, 10_000, 10],
    [371, 500_000, 7],
    [1, 500_000, 1],
  ])('of %i asked for with %i endpoints: %i', (asked, endpoints, days) => {
    expect(daysRead(asked, endpoints)).toBe(days);
  });
});
