import { FairSemaphore } from './fair-semaphore';

const never = new AbortController().signal;
const LIMITS = { size: 4, share: 2, waiting: 3 };

/** Tracks the names of admitted takers, in order, and lets a test release a slot by name. */
function scene(limits = LIMITS) {
  const semaphore = new FairSemaphore(limits);
  const admitted: string[] = [];
  const refused: string[] = [];
  const held = new Map<string, () => void>();
  const take = (owner: string | null, name: string, signal = never) =>
    void semaphore.take(owner, signal).then((release) => {
      if (release) held.set(name, release);
      (release ? admitted : refused).push(name);
    });
  const settle = () => new Promise(setImmediate);
  const release = async (name: string) => {
    held.get(name)?.();
    await settle();
  };
  return { admitted, refused, take, release, settle };
}

describe('FairSemaphore', () => {
  it('admits no more of one owner than its share, even while no other owner holds a place', async () => {
    const { admitted, take, settle } = scene();
    for (const name of ['b1', 'b2', 'b3']) take('B', name);
    await settle();
    expect(admitted).toEqual(['b1', 'b2']);
  });

  it('admits the operator and another owner immediately while one owner waits', async () => {
    const { admitted, take, settle } = scene();
    for (const name of ['b1', 'b2', 'b3']) take('B', name);
    take('A', 'a1');
    take(null, 'o1');
    await settle();
    expect(admitted).toEqual(['b1', 'b2', 'a1', 'o1']);
  });

  it('never admits more than its size', async () => {
    const { admitted, take, settle } = scene();
    for (const owner of ['A', 'B', 'C']) for (const turn of [1, 2]) take(owner, `${owner}${turn}`);
    await settle();
    expect(admitted).toEqual(['A1', 'A2', 'B1', 'B2']);
  });

  it('serves waiting owners in turn, and the waiters of each in their order', async () => {
    const { admitted, take, release, settle } = scene({ size: 1, share: 1, waiting: 3 });
    take('A', 'a0');
    for (const name of ['b1', 'b2', 'b3']) take('B', name);
    for (const name of ['c1', 'c2']) take('C', name);
    await settle();
    for (const name of ['a0', 'b1', 'c1', 'b2', 'c2']) await release(name);
    expect(admitted).toEqual(['a0', 'b1', 'c1', 'b2', 'c2', 'b3']);
  });

  it('skips an owner that already holds its share', async () => {
    const { admitted, take, release, settle } = scene({ size: 2, share: 1, waiting: 3 });
    for (const name of ['b1', 'b2']) take('B', name);
    for (const name of ['a1', 'a2']) take('A', name);
    await settle();
    await release('a1');
    expect(admitted).toEqual(['b1', 'a1', 'a2']);
  });

  it('removes a waiter whose signal aborts, and frees its place in the queue immediately', async () => {
    const { admitted, refused, take, release, settle } = scene({ size: 1, share: 1, waiting: 1 });
    const gone = new AbortController();
    take('B', 'b1');
    take('B', 'b2', gone.signal);
    await settle();
    gone.abort();
    take('B', 'b3');
    await settle();
    expect(refused).toEqual(['b2']);
    await release('b1');
    expect(admitted).toEqual(['b1', 'b3']);
  });

  it('refuses a waiter immediately beyond the limit of its owner, but no other owner', async () => {
    const { admitted, refused, take, settle } = scene();
    for (let count = 1; count <= 6; count++) take('B', `b${count}`);
    take('A', 'a1');
    await settle();
    expect(refused).toEqual(['b6']);
    expect(admitted).toContain('a1');
  });

  it('refuses a request with an aborted signal', async () => {
    const { refused, take, settle } = scene();
    take('A', 'a1', AbortSignal.abort());
    await settle();
    expect(refused).toEqual(['a1']);
  });
});
