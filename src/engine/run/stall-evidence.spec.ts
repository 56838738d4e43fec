import { mayExplain, type Stall } from './stall-evidence';

const stall = (from: number, to: number): Stall => ({ from, to, isJump: false });
const jump = (from: number, to: number): Stall => ({ from, to, isJump: true });
/** A stall of 0.7 s every 5 s, starting at `first`. */
const often = (first: number): Stall[] =>
  Array.from({ length: 8 }, (_, index) => stall(first + 5000 * index, first + 5000 * index + 700));

describe('mayExplain', () => {
  it.each<[what: string, stalls: Stall[], from: number, to: number, first: boolean, second: boolean]>([
    ['no stall', [], 0, 10_000, false, false],
    ['a stall before the check', [stall(0, 400)], 500, 700, false, false],
    ['a stall after the check', [stall(800, 1200)], 500, 700, false, false],
    ['a timeout of 10 s that lost 0.7 s in the middle', [stall(4000, 4700)], 0, 10_000, false, false],
    ['a timeout of 10 s that lost 0.7 s twice', often(1000), 0, 10_000, false, false],
    ['a timeout of 10 s whose time limit came in a stall', [stall(9500, 10_200)], 0, 10_200, true, false],
    ['a timeout of 10 s that came just after a stall', [stall(9500, 10_000)], 0, 10_030, true, false],
    ['a timeout of 10 s that lost 2 s', [stall(3000, 5000)], 0, 10_000, true, false],
    ['a timeout of 10 s that lost 5 s', [stall(2000, 4000), stall(5000, 8000)], 0, 10_000, true, true],
    ['a timeout of 2 s in which the process was stopped for 3 s', [stall(500, 3500)], 0, 3510, true, true],
    ['a refusal in the only moment between two stalls', [stall(0, 500), stall(540, 900)], 505, 535, true, false],
    ['a reset that was read when the stall was over', [stall(100, 900)], 50, 901, true, true],
    ['a reset long after a stall', [stall(0, 300)], 200, 2000, false, false],
    ['a failure without duration in a stall', [stall(0, 300)], 300, 300, true, false],
    ['a clock that jumped during the check', [jump(4000, 4050)], 0, 10_000, true, true],
    ['a clock that jumped before the check', [jump(4000, 4050)], 5000, 10_000, false, false],
  ])('%s: %#', (_, stalls, from, to, first, second) => {
    expect([mayExplain(stalls, { from, to }, 'first'), mayExplain(stalls, { from, to }, 'second')]).toEqual([
      first,
      second,
    ]);
  });

  it('does not let stalls of 0.7 s in every 5 s silence a target that hangs for 10 s, whenever it is checked', () => {
    for (let from = 5000; from < 10_000; from += 10)
      expect(mayExplain(often(0), { from, to: from + 10_000 }, 'second')).toBe(false);
  });
});
