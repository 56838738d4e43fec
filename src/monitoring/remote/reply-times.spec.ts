import { pauseFor } from './reply-times';

describe('how long a probe is asked to send nothing', () => {
  it.each([
    [0, 0],
    [1200, 0],
    [1600, 2500],
    [2000, 5000],
    [2001, null],
  ])('while the oldest result has waited for %i ms is %p', (lagMs, pauseMs) => {
    expect(pauseFor(lagMs)).toBe(pauseMs);
  });
});
