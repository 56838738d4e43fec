import { daysRead } from './days-read';

describe('the days that are read for a website', () => {
  it.each([
    [371, 0, 371],
    [371, 161, 371],
    [371, 3000, 20],
    [371, 10_000, 7],
    [30, 10_000, 7],
    [5, 10_000, 5],
    [371, 500_000, 7],
    [1, 500_000, 1],
  ])('are, for %i requested days and %i endpoints: %i', (asked, endpoints, days) => {
    expect(daysRead(asked, endpoints)).toBe(days);
  });
});
