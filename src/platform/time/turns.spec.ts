import { setImmediate as nextRound } from 'node:timers/promises';
import { Turns } from './turns';

const STEP_MS = 6;

function work(): void {
  const until = performance.now() + STEP_MS;
  while (performance.now() < until);
}

describe('long work in short turns', () => {
  it('gives the event loop a round after each turn', async () => {
    const seen: string[] = [];
    const long = new Turns().map([1, 2, 3], (step) => {
      work();
      seen.push(`step ${step}`);
    });
    for (let round = 1; round <= 3; round++) {
      await nextRound();
      seen.push(`round ${round}`);
    }
    await long;
    expect(seen.indexOf('round 1')).toBeLessThan(seen.indexOf('step 3'));
  });

  it('goes on with one work in each round, however many there are', async () => {
    const done: number[] = [];
    const works = Array.from({ length: 8 }, (_, own) =>
      new Turns().map([1, 2, 3], () => {
        work();
        done.push(own);
      }),
    );
    const inRound: number[] = [];
    for (let before = done.length; before < 24; before = done.length) {
      await nextRound();
      inRound.push(done.length - before);
    }
    await Promise.all(works);
    expect(Math.max(...inRound)).toBe(1);
  });

  it('finishes all works when their steps are long and short', async () => {
    const lengths = [1, 40, 3, 200];
    const results = await Promise.all(
      lengths.map((length) => new Turns().all(Array.from({ length }, (_, step) => [step * length]))),
    );
    expect(results.map((list) => list.length)).toEqual(lengths);
  });
});
