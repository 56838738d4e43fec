import { Semaphore } from './semaphore';

const settled = async (work: Promise<unknown>): Promise<boolean> => {
  let done = false;
  void work.then(() => {
    done = true;
  });
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return done;
};

describe('Semaphore', () => {
  it('admits as many holders as its size, and the others in the order in which they asked', async () => {
    const semaphore = new Semaphore(2);
    const first = await semaphore.take();
    await semaphore.take();
    const third = semaphore.take();
    const fourth = semaphore.take();
    expect(await settled(third)).toBe(false);
    first();
    const releaseThird = await third;
    expect(await settled(fourth)).toBe(false);
    releaseThird();
    expect(await settled(fourth)).toBe(true);
  });

  it('admits the next holder after a release', async () => {
    const semaphore = new Semaphore(1);
    (await semaphore.take())();
    expect(await settled(semaphore.take())).toBe(true);
  });
});
