import { nextPortion } from './rollup.job';

describe('the portion of a rollup step', () => {
  it.each([
    ['doubles after a quick full step', 200, 20, true, 400],
    ['stays after a quick step that found too little', 200, 20, false, 200],
    ['stays after a step of the wanted length', 200, 150, true, 200],
    ['halves after a slow step', 200, 400, true, 100],
    ['halves after a slow step that was not full', 200, 400, false, 100],
    ['never falls below 16', 20, 400, true, 16],
    ['never rises above 5000', 4000, 1, true, 5000],
  ])('%s', (_, portion, elapsedMs, full, expected) => {
    expect(nextPortion(portion, elapsedMs, full)).toBe(expected);
  });
});
