import { nextPortion, type StepLimits } from './rollup.job';

const LIMITS: StepLimits = { first: 100, min: 16, max: 5000, lowMs: 75, highMs: 250, runMs: Infinity };

describe('nextPortion', () => {
  it.each([
    ['doubles the portion after a quick full step', 200, 20, true, 400],
    ['keeps the portion after a quick step that was not full', 200, 20, false, 200],
    ['keeps the portion after a step within the limits', 200, 150, true, 200],
    ['halves the portion after a slow step', 200, 400, true, 100],
    ['halves the portion after a slow step that was not full', 200, 400, false, 100],
    ['never returns less than 16', 20, 400, true, 16],
    ['never returns more than 5000', 4000, 1, true, 5000],
  ])('%s', (_, portion, elapsedMs, full, expected) => {
    expect(nextPortion(portion, elapsedMs, full, LIMITS)).toBe(expected);
  });
});
