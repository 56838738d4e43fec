import { type BulkOptions, forEachInTurn } from '../../../web/src/logic/bulk';

const ITEMS = Array.from({ length: 20 }, (_, n) => ({ n }));

class Busy extends Error {
  constructor(readonly seconds: number) {
    super('busy');
  }
}

/** Options whose pauses end at once, and the requested pauses. */
function options(more: Partial<BulkOptions> = {}): BulkOptions & { slept: number[]; done: number } {
  const made = {
    slept: [] as number[],
    done: 0,
    retryAfter: (error: unknown) => (error instanceof Busy ? error.seconds : null),
    sleep: (ms: number) => {
      made.slept.push(ms);
      return Promise.resolve();
    },
    isStopped: () => false,
    onDone: () => {
      made.done++;
    },
    ...more,
  };
  return made;
}

describe('an action on many endpoints', () => {
  it('is done for each once, with four requests at a time at most', async () => {
    let now = 0;
    let most = 0;
    const seen: number[] = [];
    const work = async ({ n }: { n: number }) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(n);
      now--;
    };
    const given = options();
    expect(await forEachInTurn(ITEMS, work, given)).toEqual([]);
    expect([most, given.done, new Set(seen).size, seen.length]).toEqual([4, 20, 20, 20]);
  });

  it('names failures, and continues with the rest', async () => {
    const refused = new Error('no');
    const work = ({ n }: { n: number }) => (n % 7 === 3 ? Promise.reject(refused) : Promise.resolve());
    const failures = await forEachInTurn(ITEMS, work, options());
    expect(failures).toEqual([3, 10, 17].map((n) => ({ item: { n }, error: refused })));
  });

  it('waits as long as the service requests, then tries the same endpoint again', async () => {
    const tries = new Map<number, number>();
    const work = ({ n }: { n: number }) => {
      tries.set(n, (tries.get(n) ?? 0) + 1);
      return n === 5 && tries.get(n) === 1 ? Promise.reject(new Busy(3)) : Promise.resolve();
    };
    const given = options();
    expect(await forEachInTurn(ITEMS, work, given)).toEqual([]);
    expect([given.slept, tries.get(5), given.done]).toEqual([[3000], 2, 20]);
  });

  it('gives an endpoint up after five attempts', async () => {
    const given = options();
    const failures = await forEachInTurn(ITEMS.slice(0, 1), () => Promise.reject(new Busy(1)), given);
    expect([failures.length, given.slept]).toEqual([1, [1000, 1000, 1000, 1000]]);
  });

  it('stops after the current requests', async () => {
    const given = options();
    given.isStopped = () => given.done >= 4;
    await forEachInTurn(ITEMS, () => new Promise((resolve) => setImmediate(resolve)), given);
    expect(given.done).toBeLessThanOrEqual(8);
  });
});
