import { BoundedMap } from './bounded-map';

const filled = (max: number, ...keys: string[]): BoundedMap<string, number> => {
  const map = new BoundedMap<string, number>(max);
  for (const [index, key] of keys.entries()) map.set(key, index);
  return map;
};

describe('BoundedMap', () => {
  it('keeps every entry up to its limit', () => {
    expect([...filled(3, 'a', 'b', 'c')]).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ]);
  });

  it('evicts the oldest entry, and only that one, when a new one exceeds the limit', () => {
    expect([...filled(3, 'a', 'b', 'c', 'd')].map(([key]) => key)).toEqual(['b', 'c', 'd']);
  });

  it('keeps an entry that was read more recently than the others', () => {
    const map = filled(3, 'a', 'b', 'c');
    expect(map.get('a')).toBe(0);
    map.set('d', 3);
    expect([...map].map(([key]) => key)).toEqual(['c', 'a', 'd']);
  });

  it('takes writing an existing entry as a use that evicts nothing', () => {
    const map = filled(3, 'a', 'b', 'c');
    map.set('a', 7);
    expect([...map]).toEqual([
      ['b', 1],
      ['c', 2],
      ['a', 7],
    ]);
  });

  it('does not take `has` as a use', () => {
    const map = filled(2, 'a', 'b');
    expect([map.has('a'), map.get('missing')]).toEqual([true, undefined]);
    map.set('c', 2);
    expect(map.has('a')).toBe(false);
  });

  it('keeps null as a value and refreshes it', () => {
    const map = new BoundedMap<string, string | null>(2);
    map.set('a', null).set('b', 'x');
    expect(map.get('a')).toBeNull();
    map.set('c', 'y');
    expect([...map].map(([key]) => key)).toEqual(['a', 'c']);
  });

  it('shrinks to a lowered limit with the next write', () => {
    const map = filled(4, 'a', 'b', 'c', 'd');
    map.max = 2;
    map.set('e', 4);
    expect([...map].map(([key]) => key)).toEqual(['d', 'e']);
  });
});
