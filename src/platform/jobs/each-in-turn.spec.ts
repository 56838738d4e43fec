import { eachInTurn } from './each-in-turn';

describe('eachInTurn', () => {
  it('one that fails keeps none of the others from its turn, and its error is thrown at the end', async () => {
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
