import fc from 'fast-check';
import { SharedRoom } from './shared-room';

/** Lets each owner in turn take what it may, until none of them may take any more. */
function crowd(room: SharedRoom, owners: readonly string[]): number[] {
  for (let took = true; took;) {
    took = false;
    for (const owner of owners) {
      if (!room.hasRoomFor(owner)) continue;
      room.take(owner);
      took = true;
    }
  }
  return owners.map((owner) => room.heldBy(owner));
}

describe('SharedRoom', () => {
  it.each([
    [1, 'a', [1]],
    [20, 'a', [10]],
    [21, 'a', [11]],
    [30, 'a b', [10, 10]],
    [40, 'a b c', [10, 10, 10]],
    [2000, 'a', [1000]],
  ])('of %i places, %p take at most %p', (size, owners, held) => {
    expect(crowd(new SharedRoom(size), owners.split(' '))).toEqual(held);
  });

  it.each([
    ['nobody, where all hold the same', { a: 5, b: 5, c: 5 }, []],
    ['nobody, where there is only one', { a: 9 }, []],
    ['who holds most of it', { a: 9, b: 1 }, ['a']],
    ['the largest first', { a: 1, b: 10, c: 20, d: 1, e: 1, f: 1 }, ['c', 'b']],
    [
      'no more than a few',
      Object.fromEntries(Array.from('abcdefghijklmnopqrst', (o, i) => [o, i < 10 ? 30 : 1])),
      [...'abcdefgh'],
    ],
  ])('counts as large %s', (_, held, large) => {
    const room = new SharedRoom(1000);
    for (const [owner, count] of Object.entries(held)) for (let i = 0; i < count; i++) room.take(owner);
    expect(room.largeOwners).toEqual(large);
  });

  it('leaves a newcomer room, whatever those before it hold', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 200 }), fc.integer({ min: 1, max: 8 }), (size, count) => {
        const room = new SharedRoom(size);
        crowd(
          room,
          Array.from({ length: count }, (_, index) => `owner ${index}`),
        );
        expect(room.free).toBeGreaterThanOrEqual(Math.floor(size / (count + 1)));
        expect(room.hasRoomFor('newcomer')).toBe(true);
      }),
    );
  });

  it('gives a lone owner every place while nobody else can come', () => {
    const room = new SharedRoom(20);
    room.isShared = false;
    expect(crowd(room, ['a'])).toEqual([20]);
    room.isShared = true;
    for (let place = 0; place < 9; place++) room.giveBack('a');
    expect([room.hasRoomFor('a'), room.hasRoomFor('b')]).toEqual([false, true]);
  });

  it('says how many places an owner may take, exactly', () => {
    const takes = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), takes, fc.boolean(), (size, owners, isShared) => {
        const room = new SharedRoom(size);
        room.isShared = isShared;
        for (const owner of owners) if (room.hasRoomFor(owner)) room.take(owner);
        const before = room.heldBy('a');
        const rest = room.restOf('a');
        expect(crowd(room, ['a'])).toEqual([before + rest]);
      }),
    );
  });

  it('lists those who may take fewer than asked, who hold least first', () => {
    const room = new SharedRoom(40);
    for (const owner of 'aaaaaaaaaabbbbbbbbbbbbc') room.take(owner);
    expect([room.free, 'abc'.split('').map((owner) => room.restOf(owner))]).toEqual([17, [4, 3, 8]]);
    expect([room.ownersNearLimit(9), room.ownersNearLimit(5), room.ownersNearLimit(3)]).toEqual([
      ['c', 'a', 'b'],
      ['a', 'b'],
      [],
    ]);
  });

  it('does not count owners that hold nothing any more', () => {
    const room = new SharedRoom(4);
    room.take('a');
    room.giveBack('a');
    expect([room.used, room.heldBy('a'), room.ownersNearLimit(100)]).toEqual([0, 0, []]);
  });
});
