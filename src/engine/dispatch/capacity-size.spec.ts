import { firstCapacity, nextCapacity, type CapacityUse } from './capacity-size';

const USE: CapacityUse = {
  size: 4000,
  used: 0,
  places: 2000,
  isTooSmall: false,
  lagMs: 0,
  recordedPerSecond: 0,
  isShared: false,
};

describe('the capacity for claimed slots', () => {
  it('is four times the places at the start, and at most a thousand', () => {
    expect([4, 200, 2000].map(firstCapacity)).toEqual([16, 800, 1000]);
  });

  it.each<[what: string, use: Partial<CapacityUse>, size: number]>([
    ['stays while nothing needs more', {}, 4000],
    ['doubles when it is too small for its places', { size: 1000, isTooSmall: true }, 2000],
    ['doubles to four times the places', { size: 5000, isTooSmall: true }, 8000],
    ['grows by half when it is larger and too small', { size: 9000, isTooSmall: true }, 13_500],
    ['grows while results wait as long as they always do', { isTooSmall: true, lagMs: 1500 }, 8000],
    ['grows to eight times the places', { size: 15_000, isTooSmall: true }, 16_000],
    ['does not grow beyond that', { size: 16_000, isTooSmall: true }, 16_000],
    ['stays while recording falls behind a little', { isTooSmall: true, lagMs: 2000 }, 4000],
    ['shrinks by a third when recording is behind', { size: 15_000, lagMs: 2001, recordedPerSecond: 1000 }, 10_000],
    ['shrinks to what two seconds of recording empty', { lagMs: 9000, recordedPerSecond: 1500 }, 3000],
    [
      'shrinks to twice that when none may hold more than half',
      { lagMs: 9000, recordedPerSecond: 700, isShared: true },
      2800,
    ],
    [
      'leaves places free next to the places that others hold while it shrinks',
      { used: 3500, lagMs: 9000, recordedPerSecond: 100, isShared: true },
      3851,
    ],
    ['shrinks below what a lone organization holds', { used: 3500, lagMs: 9000, recordedPerSecond: 100 }, 2667],
    ['never shrinks below 400', { size: 450, lagMs: 60_000 }, 400],
    ['never shrinks below what a small process starts with', { size: 17, places: 4, lagMs: 60_000 }, 16],
    ['never grows because recording is behind', { size: 500, lagMs: 3000, recordedPerSecond: 5000 }, 500],
  ])('%s', (_, use, size) => {
    expect(nextCapacity({ ...USE, ...use })).toBe(size);
  });
});
