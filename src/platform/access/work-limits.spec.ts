import { Config } from '../config/config';
import { Problem } from '../problem/problem';
import { Clock } from '../time/clock';
import { WorkLimits } from './work-limits';

class SteppedClock extends Clock {
  elapsedMs = 0;

  override monotonic(): number {
    return this.elapsedMs;
  }
}

describe('WorkLimits', () => {
  const clock = new SteppedClock();
  const newLimits = (rateLimitPerSecond = 100) =>
    new WorkLimits(Object.assign(new Config(), { rateLimitPerSecond }), clock);
  const nothing = () => Promise.resolve();
  const refusalOf = async (work: Promise<void>) =>
    work.then(
      () => null,
      (error: unknown) => (error instanceof Problem ? [error.code, error.headers['Retry-After']] : error),
    );

  it('runs eight at once, and the next one when one of them has ended or failed', async () => {
    const limits = newLimits();
    const ends: ((error?: Error) => void)[] = [];
    const work = () =>
      new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
    const running = Array.from({ length: 8 }, () => limits.run('a', work));
    expect(await refusalOf(limits.run('a', nothing))).toEqual(['rate_limited', '2']);
    expect(await refusalOf(limits.run('b', nothing))).toBeNull();
    ends[0]?.(new Error('no connection'));
    await expect(running[0]).rejects.toThrow('no connection');
    expect(await refusalOf(limits.run('a', nothing))).toBeNull();
    ends.forEach((end) => end());
    await Promise.allSettled(running);
  });

  it('lets twenty start, then one per second, for each organization', async () => {
    const limits = newLimits();
    for (let count = 0; count < 20; count++) await limits.run('a', nothing);
    expect(await refusalOf(limits.run('a', nothing))).toEqual(['rate_limited', '1']);
    expect(await refusalOf(limits.run('b', nothing))).toBeNull();
    clock.elapsedMs += 1000;
    expect(await refusalOf(limits.run('a', nothing))).toBeNull();
    expect(await refusalOf(limits.run('a', nothing))).toEqual(['rate_limited', '1']);
  });

  it('has no rate limit if the rate of requests is unlimited', async () => {
    const limits = newLimits(0);
    for (let count = 0; count < 50; count++) await limits.run('a', nothing);
  });
});
