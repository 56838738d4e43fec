import type { Clock } from '../../platform/time/clock';
import { MOST_GUESSES, SecretGuesses } from './secret-guesses';

describe('credentials that differ from the stored ones', () => {
  const HOUR_MS = 3_600_000;
  let now: number;
  let guesses: SecretGuesses;
  const isRefused = (count: number, orgId = 'a'): string | false => {
    try {
      guesses.count(orgId, count);
      return false;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  beforeEach(() => {
    now = 0;
    guesses = new SecretGuesses({ monotonic: () => now } as Clock);
  });

  it('are compared fewer than 1,000 times on any day, and half as often in the long run', () => {
    let compared = 0;
    for (; now < 24 * HOUR_MS; now += 60_000) while (isRefused(1) === false) compared++;
    expect([compared > MOST_GUESSES, compared < 1000]).toEqual([true, true]);
    compared = 0;
    for (; now < 48 * HOUR_MS; now += 60_000) while (isRefused(1) === false) compared++;
    expect(compared).toBeLessThanOrEqual(MOST_GUESSES);
  });

  it('are counted separately for each organization, and only if there are any', () => {
    expect([isRefused(MOST_GUESSES), isRefused(1), isRefused(0)]).toEqual([false, 'rate_limited', false]);
    expect(isRefused(1, 'b')).toBe(false);
  });

  it('are refused with an explanation if one document has more than the limit', () => {
    expect([isRefused(MOST_GUESSES + 1), isRefused(MOST_GUESSES)]).toEqual(['conflict', false]);
  });
});
