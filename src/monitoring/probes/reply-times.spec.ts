import { pauseFor } from './reply-times';

describe('the time for which a probe is asked to send nothing', () => {
  it.each([
    [0, 0],
    [1200, 0],
    [1600, 2500],
    [2000, 5000],
    [2001, null],
  ])('is, if the oldest result has waited for %i ms, %p', (lagMs, pauseMs) => {
    expect(pauseFor(lagMs)).toBe(pauseMs);
  });
});
