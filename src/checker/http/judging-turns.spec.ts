import { JudgingTurns } from './judging-turns';

const never = new AbortController().signal;

describe('judging assertions', () => {
  it('is done for one check at a time, and organizations take turns', async () => {
    const turns = new JudgingTurns();
    const order: string[] = [];
    let running = 0;
    const judge = (organization: string, name: string) =>
      turns.take(organization, never, async (pause) => {
        running += 1;
        expect(running).toBe(1);
        await pause();
        order.push(name);
        running -= 1;
      });
    const all = [judge('a', 'a1'), judge('a', 'a2'), judge('a', 'a3'), judge('b', 'b1'), judge('c', 'c1')];
    expect(await Promise.all(all)).toEqual([true, true, true, true, true]);
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('lets everything else run between two pieces, and between two checks', async () => {
    const turns = new JudgingTurns();
    let others = 0;
    const timer = setInterval(() => (others += 1), 0);
    const seen: number[] = [];
    const judge = () =>
      turns.take('a', never, async (pause) => {
        for (let piece = 0; piece < 3; piece++) {
          seen.push(others);
          // This piece takes a few milliseconds, and other work gets the same amount of time.
          const until = performance.now() + 4;
          while (performance.now() < until);
          await pause();
        }
      });
    await Promise.all([judge(), judge()]);
    clearInterval(timer);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('does not wait for a check whose time is over, and continues after work that fails', async () => {
    const turns = new JudgingTurns();
    const over = new AbortController();
    const done: string[] = [];
    const first = turns.take('a', never, async (pause) => {
      await pause();
      throw new Error('a bug');
    });
    const second = turns.take('b', over.signal, async () => void done.push('second'));
    const third = turns.take('b', never, async () => void done.push('third'));
    over.abort();
    expect(await second).toBe(false);
    await expect(first).rejects.toThrow('a bug');
    expect(await third).toBe(true);
    expect(done).toEqual(['third']);
  });
});
