import { atOnceDelayMs, nextSlot, slotAfter, slotAtOnce, slotNotAfter } from './slots';

const grid = { phaseMs: 20_340, intervalMs: 60_000 };
/** A slot, and times next to it. */
const SLOT = 1_790_000_000_000 - (1_790_000_000_000 % 60_000) + 20_340;
const NONE = -Infinity;

describe('the slots of an endpoint', () => {
  it.each([
    ['at a slot', SLOT, SLOT, SLOT + 60_000],
    ['a millisecond before one', SLOT - 1, SLOT - 60_000, SLOT],
    ['a millisecond after one', SLOT + 1, SLOT, SLOT + 60_000],
  ])('are phase + k · interval since the epoch: %s', (_, at, before, after) => {
    expect([slotNotAfter(at, grid), slotAfter(at, grid)]).toEqual([before, after]);
  });

  it('are the same in any process, and with a phase of more than an interval', () => {
    expect(slotNotAfter(SLOT + 5, { ...grid, phaseMs: grid.phaseMs + 3 * grid.intervalMs })).toBe(SLOT);
  });

  it.each([
    ['of a new endpoint is the next on the grid: nothing runs early after a start', SLOT + 1, NONE, SLOT + 60_000],
    ['is never the newest again', SLOT - 5, SLOT, SLOT + 60_000],
    ['is an interval after the newest', SLOT + 30_000, SLOT, SLOT + 60_000],
    [
      'leaves out what comes less than half an interval after the newest: the grid has moved',
      SLOT - 10_000,
      SLOT - 29_000,
      SLOT + 60_000,
    ],
    ['takes what comes half an interval after it', SLOT - 10_000, SLOT - 30_000, SLOT],
    ['forgets a newest slot of a clock that was set back since', SLOT + 1, SLOT + 3_600_000, SLOT + 60_000],
  ])('the next one %s', (_, now, last, next) => {
    expect(nextSlot(now, last, grid)).toBe(next);
  });
});

describe('an immediate check', () => {
  it.each([
    ['has the newest slot, in its turn', 2000, NONE, SLOT + 12_000],
    ['does not run if the newest slot was run', 2000, SLOT, null],
    ['does not run if the newest slot is less than half an interval after the last run', 2000, SLOT - 20_000, null],
    ['does not run if the next slot comes before its turn', 50_000, NONE, null],
  ])('%s', (_, delay, last, at) => {
    expect(slotAtOnce(SLOT + 10_000, delay, last, grid)).toBe(at);
  });

  it.each([
    ['starts now if it is the only one', 0, 1, 60_000, 0],
    ['starts soon after a few others', 9, 10, 60_000, 180],
    ['is spread over 30 s with many others', 4999, 5000, 60_000, 29_994],
    ['is spread over the interval with many others', 4999, 5000, 10_000, 9998],
  ])('%s', (_, turn, count, interval, delay) => {
    expect(atOnceDelayMs(turn, count, interval)).toBe(delay);
  });
});
