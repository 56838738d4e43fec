import { Semaphore } from './semaphore';

const settled = async (work: Promise<unknown>): Promise<boolean> => {
  let done = false;
  void work.then(() => {
    done = true;
  });
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return done;
};

describe('Slots', () => {
  it('let in as many as there are, the others in the order in which they came', async () => {
    const slots = new Semaphore(2);
    const first = await slots.take();
    await slots.take();
    const third = slots.take();
    const fourth = slots.take();
    expect(await settled(third)).toBe(false);
    first();
    const leaveThird = await third;
    expect(await settled(fourth)).toBe(false);
    leaveThird();
    expect(await settled(fourth)).toBe(true);
  });

  it('are free again after use', async () => {
    const slots = new Semaphore(1);
    (await slots.take())();
    expect(await settled(slots.take())).toBe(true);
  });
});
