import { OpenStreams } from './open-streams';
import type { StreamSubscriber } from './stream-subscriber';

/** Creates a connection with this many unread bytes, until it is cut off. */
function reader(orgId: string, unsentBytes: number) {
  const subscriber = {
    caller: { orgId },
    unsentBytes,
    isCut: false,
    cutOff: () => {
      subscriber.isCut = true;
      subscriber.unsentBytes = 0;
    },
  };
  return subscriber;
}

describe('the open streams', () => {
  const open = (streams: OpenStreams, ...readers: ReturnType<typeof reader>[]) => {
    for (const one of readers) {
      streams.reserve(one.caller.orgId);
      streams.add(one as unknown as StreamSubscriber);
    }
  };

  it('count a stream from its request on, and give its place back once', () => {
    const streams = new OpenStreams();
    const [first, second] = [streams.reserve('a'), streams.reserve('a')];
    expect([first.own, second.own, streams.reserve('b').own, streams.places]).toEqual([1, 2, 1, 3]);
    first.release();
    first.release();
    expect([streams.reserve('a').own, streams.places]).toEqual([2, 3]);
  });

  it('close the connections with the most unread bytes of an organization that has too many, and no other', () => {
    const streams = new OpenStreams();
    const theirs = [900_000, 990_000, ...Array<number>(7).fill(950_000)].map((bytes) => reader('theirs', bytes));
    const mine = [reader('mine', 999_000), reader('mine', 0)];
    open(streams, ...theirs, ...mine);
    streams.closeUnread();
    expect(theirs.map(({ isCut }) => isCut)).toEqual([false, true, ...Array<boolean>(7).fill(false)]);
    expect(mine.some(({ isCut }) => isCut)).toBe(false);
  });

  it('close connections of many organizations when all together have too many unread bytes', () => {
    const streams = new OpenStreams();
    const readers = Array.from({ length: 100 }, (_, i) => reader(`org ${i}`, 700_000 + i));
    open(streams, ...readers);
    streams.closeUnread();
    const left = readers.reduce((sum, { unsentBytes }) => sum + unsentBytes, 0);
    expect(left).toBeLessThanOrEqual(64_000_000);
    expect(left).toBeGreaterThan(63_000_000);
  });
});
