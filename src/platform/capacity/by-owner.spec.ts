import { ByOwner, sharesOf } from './by-owner';

describe('a capacity by owner', () => {
  it('lets an owner take no more than its share, even while no other owner holds a unit', () => {
    const capacity = new ByOwner(10, 4);
    expect([3, 2, 1].map((units) => capacity.tryTake('a', units))).toEqual([true, false, true]);
    expect([capacity.usedBy('a'), capacity.used, capacity.free]).toEqual([4, 4, 6]);
  });

  it('lets all owners together take no more than its size', () => {
    const capacity = new ByOwner(10, 8);
    expect([capacity.tryTake('a', 8), capacity.tryTake('b', 3), capacity.tryTake(null, 2)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([capacity.hasShareFor('b', 3), capacity.hasCapacityFor('b')]).toEqual([true, false]);
  });

  it('returns only what an owner holds', () => {
    const capacity = new ByOwner(10);
    capacity.take('a', 2);
    capacity.take('b');
    capacity.release('a', 5);
    capacity.release('c');
    expect([capacity.usedBy('a'), capacity.used]).toEqual([0, 1]);
  });

  it('keeps counting after more owners came and went than it remembers', () => {
    const capacity = new ByOwner(10_000, 1);
    const owners = Array.from({ length: 3000 }, (_, index) => `o${index}`);
    for (const owner of owners) capacity.take(owner);
    for (const owner of owners) capacity.release(owner);
    expect([capacity.used, ...owners.map((owner) => capacity.tryTake(owner))]).toEqual([0, ...owners.map(() => true)]);
  });
});

describe('sharesOf', () => {
  it.each([
    ['all, when they fit', [3, 4], 10, [3, 4]],
    ['the few of one before the many of another', [5, 5000], 100, [5, 95]],
    ['equally many to each owner that has many', [400, 4000, 400], 300, [100, 100, 100]],
    ['what a small one leaves to the large ones', [10, 4000, 400], 300, [10, 145, 145]],
    ['at least something to every owner', [1, 9000, 1], 10, [1, 8, 1]],
    ['everything to one that is alone', [9000], 500, [500]],
  ])('gives %s', (_, wanted, size, expected) => {
    const shares = sharesOf(new Map(wanted.entries()), size);
    expect(wanted.map((_count, org) => shares.get(org))).toEqual(expected);
  });
});
