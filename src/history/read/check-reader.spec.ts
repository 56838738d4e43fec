import { growingSpans } from './check-reader';

const DAY = 86_400_000;

describe('growingSpans', () => {
  it('groups days into spans of 1, 2, 4 … days, newest first', () => {
    const days = [20, 19, 18, 12, 11, 10, 3, 2, 1].map((day) => day * DAY);
    expect(growingSpans(days).map(({ from, to }) => [from / DAY, to / DAY])).toEqual([
      [20, 21],
      [18, 20],
      [3, 13],
      [1, 3],
    ]);
  });

  it('returns no spans for no days', () => {
    expect(growingSpans([])).toEqual([]);
  });
});
