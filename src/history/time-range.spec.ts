import { MAX_BUCKETS, defaultBucketSeconds, stepProblem } from './read/bucket-width';
import { parseTimestamp, windowRange } from './time-range';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('a timestamp in a query', () => {
  it.each([
    '2026-11-20T09:00:00Z',
    '2026-11-20T09:00:00.000Z',
    '2026-11-20T09:00Z',
    '2026-11-20T11:00:00+02:00',
    '2026-11-20T09:00:00.000000Z',
  ])('may be %s', (text) => {
    expect(parseTimestamp(text)).toBe(Date.UTC(2026, 10, 20, 9));
  });

  it('may be a date alone, which means its start in UTC', () => {
    expect(parseTimestamp('2026-11-20')).toBe(Date.UTC(2026, 10, 20));
  });

  it.each([
    '2026-02-30',
    '2026-11-20T09:00:00',
    '2026-11-20 09:00:00Z',
    '2026-13-20T09:00:00Z',
    '2026-11-20T25:00:00Z',
    '1969-12-31T23:59:59Z',
    '3000-01-01T00:00:01Z',
    '1763629200000',
    'now',
    '',
    ['2026-11-20T09:00:00Z'],
    undefined,
  ])('may not be %s', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });
});

describe('a window', () => {
  const now = Date.UTC(2026, 10, 20, 9, 41, 7);

  it.each([
    ['24h', Date.UTC(2026, 10, 19, 9)],
    ['7d', Date.UTC(2026, 10, 13)],
    ['30d', Date.UTC(2026, 9, 21)],
    ['90d', Date.UTC(2026, 7, 22)],
  ] as const)('of %s ends now and begins at a full hour or day', (window, from) => {
    expect(windowRange(window, now)).toEqual({ from, to: now });
  });
});

describe('the step of a latency series', () => {
  it.each([
    [HOUR, 60],
    [DAY, 300],
    [7 * DAY, 3600],
    [30 * DAY, 3 * 3600],
    [90 * DAY, 24 * 3600],
    [400 * DAY, 7 * 24 * 3600],
  ])('for a range of %i ms is %i s', (length, step) => {
    expect(defaultBucketSeconds({ from: 0, to: length })).toBe(step);
  });

  it('is always one that may be asked for, whatever the range', () => {
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
  ])('may not be %s', (_, step, length) => {
    expect(stepProblem(step, { from: 0, to: length })).not.toBeNull();
  });

  it('may fill the limit', () => {
    expect(stepProblem(60, { from: 0, to: MAX_BUCKETS * 60_000 })).toBeNull();
  });
});
