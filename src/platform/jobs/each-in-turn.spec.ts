import { eachInTurn } from './each-in-turn';

describe('eachInTurn', () => {
  it('a failure does not prevent the turns of the others, and is thrown at the end', async () => {
    const done: number[] = [];
    const work = async (n: number): Promise<void> => {
      await Promise.resolve();
      if (n === 2) throw new Error('two');
      done.push(n);
    };
    await expect(eachInTurn([1, 2, 3], work)).rejects.toThrow('two');
    expect(done).toEqual([1, 3]);
  });
});
