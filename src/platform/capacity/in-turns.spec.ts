import fc from 'fast-check';
import { InTurns } from './in-turns';

/** Items are named after their owner and their position among the owner's items: `a0`, `a1`, `b0`. */
const filled = (owners: readonly string[]): InTurns<string, string> => {
  const queue = new InTurns<string, string>();
  const counts = new Map<string, number>();
  for (const owner of owners) {
    const index = counts.get(owner) ?? 0;
    queue.push(owner, `${owner}${index}`);
    counts.set(owner, index + 1);
  }
  return queue;
};

function drained(queue: InTurns<string, string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

describe('a queue that takes turns', () => {
  it.each([
    ['', ''],
    ['a', 'a0'],
    ['a a a', 'a0 a1 a2'],
    ['a a a b', 'a0 b0 a1 a2'],
    ['a a b b c', 'a0 b0 c0 a1 b1'],
    ['b a a a c', 'b0 a0 c0 a1 a2'],
  ])('serves items pushed by %p in the order %p', (owners, expected) => {
    expect(drained(filled(owners.split(' ').filter(Boolean))).join(' ')).toBe(expected);
  });

  it('serves an owner that arrives late before it serves any other owner twice', () => {
    const queue = filled(['a', 'a', 'a', 'b', 'b']);
    expect(queue.take()).toBe('a0');
    queue.push('c', 'c0');
    expect([queue.take(), queue.take(), queue.take()]).toEqual(['b0', 'a1', 'c0']);
  });

  it('skips an owner that may have nothing now, and keeps its turn', () => {
    const queue = filled(['a', 'a', 'b', 'b', 'b']);
    const notA = (owner: string) => owner !== 'a';
    expect([queue.take(notA), queue.take(notA), queue.take(), queue.take(notA)]).toEqual(['b0', 'b1', 'a0', 'b2']);
    expect([queue.take(notA), queue.size, queue.take()]).toEqual([undefined, 1, 'a1']);
  });

  it('returns undefined when it is empty, and can be filled again', () => {
    const queue = filled(['a', 'b', 'a']);
    expect(queue.clear().sort()).toEqual(['a0', 'a1', 'b0']);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
    queue.push('a', 'again');
    expect([queue.size, queue.take(), queue.size]).toEqual([1, 'again', 0]);
  });

  const owners = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });

  it('serves every item once, in the order of each owner', () => {
    fc.assert(
      fc.property(owners, (pushed) => {
        const queue = filled(pushed);
        expect(queue.size).toBe(pushed.length);
        const taken = drained(queue);
        expect(queue.size).toBe(0);
        for (const owner of new Set(pushed)) {
          const own = taken.filter((item) => item.startsWith(owner));
          expect(own).toEqual(own.map((_, index) => `${owner}${index}`));
        }
        expect(taken).toHaveLength(pushed.length);
      }),
    );
  });

  it('never serves an owner twice while another one waits', () => {
    fc.assert(
      fc.property(owners, (pushed) => {
        const left = new Map<string, number>();
        for (const owner of pushed) left.set(owner, (left.get(owner) ?? 0) + 1);
        let previous = '';
        for (const [owner = ''] of drained(filled(pushed))) {
          const others = [...left].filter(([other, count]) => other !== owner && count > 0);
          if (owner === previous) expect(others).toEqual([]);
          left.set(owner, (left.get(owner) ?? 0) - 1);
          previous = owner;
        }
      }),
    );
  });
});
