import fc from 'fast-check';
import { SharedCapacity } from './shared-capacity';

/** Lets each owner in turn take as much as it may, until no owner may take more. */
function crowd(capacity: SharedCapacity, owners: readonly string[]): number[] {
  for (let took = true; took;) {
    took = false;
    for (const owner of owners) {
      if (!capacity.hasCapacityFor(owner)) continue;
      capacity.take(owner);
      took = true;
    }
  }
  return owners.map((owner) => capacity.usedBy(owner));
}

describe('SharedCapacity', () => {
  it.each([
    [1, 'a', [1]],
    [20, 'a', [10]],
    [21, 'a', [11]],
    [30, 'a b', [10, 10]],
    [40, 'a b c', [10, 10, 10]],
    [2000, 'a', [1000]],
  ])('of %i places, %p take at most %p', (size, owners, held) => {
    expect(crowd(new SharedCapacity(size), owners.split(' '))).toEqual(held);
  });

  it.each([
    ['no owner, if all hold the same', { a: 5, b: 5, c: 5 }, []],
    ['no owner, if there is only one', { a: 9 }, []],
    ['the owner that holds most of it', { a: 9, b: 1 }, ['a']],
    ['the largest first', { a: 1, b: 10, c: 20, d: 1, e: 1, f: 1 }, ['c', 'b']],
    [
      'only a few owners',
      Object.fromEntries(Array.from('abcdefghijklmnopqrst', (o, i) => [o, i < 10 ? 30 : 1])),
      [...'abcdefgh'],
    ],
  ])('counts as large %s', (_, held, large) => {
    const capacity = new SharedCapacity(1000);
    for (const [owner, count] of Object.entries(held)) for (let i = 0; i < count; i++) capacity.take(owner);
    expect(capacity.largeOwners).toEqual(large);
  });

  it('leaves some places for a new owner, however many the others hold', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 200 }), fc.integer({ min: 1, max: 8 }), (size, count) => {
        const capacity = new SharedCapacity(size);
        crowd(
          capacity,
          Array.from({ length: count }, (_, index) => `owner ${index}`),
        );
        expect(capacity.free).toBeGreaterThanOrEqual(Math.floor(size / (count + 1)));
        expect(capacity.hasCapacityFor('newcomer')).toBe(true);
      }),
    );
  });

  it('gives a single owner every place while no other owner can come', () => {
    const capacity = new SharedCapacity(20);
    capacity.isShared = false;
    expect(crowd(capacity, ['a'])).toEqual([20]);
    capacity.isShared = true;
    for (let place = 0; place < 9; place++) capacity.release('a');
    expect([capacity.hasCapacityFor('a'), capacity.hasCapacityFor('b')]).toEqual([false, true]);
  });

  it('returns exactly how many places an owner may take', () => {
    const takes = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), takes, fc.boolean(), (size, owners, isShared) => {
        const capacity = new SharedCapacity(size);
        capacity.isShared = isShared;
        for (const owner of owners) if (capacity.hasCapacityFor(owner)) capacity.take(owner);
        const before = capacity.usedBy('a');
        const rest = capacity.availableTo('a');
        expect(crowd(capacity, ['a'])).toEqual([before + rest]);
      }),
    );
  });

  it('lists the owners that may take fewer than requested, starting with the ones that hold least', () => {
    const capacity = new SharedCapacity(40);
    for (const owner of 'aaaaaaaaaabbbbbbbbbbbbc') capacity.take(owner);
    expect([capacity.free, 'abc'.split('').map((owner) => capacity.availableTo(owner))]).toEqual([17, [4, 3, 8]]);
    expect([capacity.ownersNearLimit(9), capacity.ownersNearLimit(5), capacity.ownersNearLimit(3)]).toEqual([
      ['c', 'a', 'b'],
      ['a', 'b'],
      [],
    ]);
  });

  it('does not count owners that no longer hold anything', () => {
    const capacity = new SharedCapacity(4);
    capacity.take('a');
    capacity.release('a');
    expect([capacity.used, capacity.usedBy('a'), capacity.ownersNearLimit(100)]).toEqual([0, 0, []]);
  });
});
