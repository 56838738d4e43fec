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

  it('counts writing an existing entry as a use that evicts nothing', () => {
    const map = filled(3, 'a', 'b', 'c');
    map.set('a', 7);
    expect([...map]).toEqual([
      ['b', 1],
      ['c', 2],
      ['a', 7],
    ]);
  });

  it('does not count `has` as a use', () => {
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

  describe('with a weight limit', () => {
    const texts = (max: number) => new BoundedMap<string, string>(100, { max, of: (text) => text.length });

    it('evicts as many of the oldest entries as a heavy one needs', () => {
      const map = texts(10).set('a', 'xxxx').set('b', 'xxxx').set('c', 'x').set('d', 'xxxxxxxx');
      expect([[...map].map(([key]) => key), map.weight]).toEqual([['c', 'd'], 9]);
    });

    it('keeps nothing that alone weighs more than is allowed, and evicts nothing for it', () => {
      const map = texts(10).set('a', 'xxxx').set('b', 'x'.repeat(11));
      expect([[...map].map(([key]) => key), map.weight]).toEqual([['a'], 4]);
    });

    it('forgets an entry whose new value is too heavy, rather than return the old one', () => {
      const map = texts(10).set('a', 'xxxx').set('a', 'x'.repeat(11));
      expect([map.get('a'), map.weight]).toEqual([undefined, 0]);
    });

    it('counts an entry that is replaced or deleted by its current weight', () => {
      const map = texts(10).set('a', 'xxxxxxxx').set('a', 'xx').set('b', 'xxxxxxx');
      expect(map.weight).toBe(9);
      map.delete('a');
      expect(map.weight).toBe(7);
      map.clear();
      expect(map.weight).toBe(0);
    });
  });
});
