import { defaultBucketSeconds, MAX_BUCKETS, stepProblem } from './bucket-width';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('bucket width', () => {
  it.each([
    [HOUR, 60],
    [DAY, 300],
    [7 * DAY, 3600],
    [30 * DAY, 3 * 3600],
    [90 * DAY, 24 * 3600],
    [400 * DAY, 7 * 24 * 3600],
  ])('chooses for a range of %i ms a step of %i s by default', (length, step) => {
    expect(defaultBucketSeconds({ from: 0, to: length })).toBe(step);
  });

  it('chooses a valid default step for any range', () => {
    for (let length = 1; length < 1000 * 365 * DAY; length = length * 3 + 1) {
      const range = { from: 12_345_678, to: 12_345_678 + length };
      expect(stepProblem(defaultBucketSeconds(range), range)).toBeNull();
    }
  });

  it.each([
    ['half an hour more than an hour', 5400, DAY],
    ['finer than an hour over more than a week', 1800, 7 * DAY + 1],
    ['too small for the range', 60, MAX_BUCKETS * 60_000 + 60_001],
    ['too small for the range by the hour', 3600, (MAX_BUCKETS + 2) * HOUR],
  ])('refuses a step that is %s', (_, step, length) => {
    expect(stepProblem(step, { from: 0, to: length })).not.toBeNull();
  });

  it('accepts a step that gives the maximum number of buckets', () => {
    expect(stepProblem(60, { from: 0, to: MAX_BUCKETS * 60_000 })).toBeNull();
  });
});
