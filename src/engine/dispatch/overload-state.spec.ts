import { afterTick, type LoadHistory, NO_LOAD, ratesOf, ratioOf, type ScheduleTick } from './overload-state';

type Second = Partial<Omit<ScheduleTick, 'at'>>;

/** Returns the history after one tick per second. */
function after(seconds: readonly Second[]): LoadHistory {
  const tick = (second: Second, index: number) => ({
    at: index * 1000,
    lateMs: 0,
    begun: 10,
    skipped: 0,
    lost: 0,
    ...second,
  });
  return seconds.map(tick).reduce(afterTick, NO_LOAD);
}

const calm: Second = {};
const late: Second = { lateMs: 2001 };
const skips: Second = { skipped: 1 };
const noRoom: Second = { lateMs: null };
const times = (count: number, second: Second) => Array.from({ length: count }, () => second);

describe('overload', () => {
  it.each<[what: string, seconds: Second[], isOverloaded: boolean]>([
    ['is not there without load', [], false],
    ['is not there while everything is in time', times(20, calm), false],
    ['is not there while slots are 2 s late', times(20, { lateMs: 2000 }), false],
    ['has not started with two late ticks', times(2, late), false],
    ['starts with the third late tick in a row', times(3, late), true],
    ['starts with the third tick in a row that skipped something', times(3, skips), true],
    ['starts when ticks are late or skip', [late, skips, late], true],
    ['does not start while a tick between them is calm', [late, late, calm, late, late], false],
    ['starts when there was no room to claim between them', [late, late, noRoom, late], true],
    ['does not start with ticks without room alone', times(20, noRoom), false],
    ['has not ended after four calm seconds', [...times(3, late), ...times(4, calm)], true],
    ['has ended after five', [...times(3, late), ...times(5, calm)], false],
    [
      'has not ended if something was late since then',
      [...times(3, late), ...times(4, calm), late, ...times(4, calm)],
      true,
    ],
    ['does not end while there is no room to claim', [...times(3, late), ...times(20, noRoom)], true],
    ['needs three ticks to start again', [...times(3, late), ...times(5, calm), late, late], false],
  ])('%s', (_, seconds, isOverloaded) => {
    expect(after(seconds).overload !== null).toBe(isOverloaded);
  });

  it('sums up its cost since it started', () => {
    const { overload } = after([late, late, { ...late, skipped: 5, lost: 2 }, { ...late, skipped: 7, lost: 1 }]);
    expect(overload).toMatchObject({ at: 2000, skipped: 12, lost: 3 });
  });

  it.each<[what: string, seconds: Second[], ratio: number]>([
    ['is 1 without load', [], 1],
    ['is 1 while nothing is late', times(8, calm), 1],
    ['counts skipped slots as asked for', times(8, { begun: 10, skipped: 9, lateMs: 5000 }), 1.9],
    ['looks back five seconds', [...times(8, { begun: 10, skipped: 90 }), ...times(5, calm)], 1],
    ['counts what gets later and later', [0, 500, 1000, 1500, 2000].map((lateMs) => ({ lateMs })), 2],
    ['is bounded when nothing starts', times(8, { begun: 0, skipped: 40, lateMs: 9000 }), 200],
  ])('has a ratio that %s', (_, seconds, ratio) => {
    expect(ratioOf(after(seconds))).toBeCloseTo(ratio);
  });

  it('reports how many checks started and were skipped per second', () => {
    expect(ratesOf(after(times(10, { begun: 40, skipped: 30 })))).toEqual({ begun: 40, skipped: 30 });
  });
});
