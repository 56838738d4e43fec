import type { Outcome } from '../../checker/checker';
import { WriteUrgency } from './write-urgency';

const OUTCOMES: Record<string, Outcome> = { u: 'up', d: 'down', '?': 'unknown' };

/** Which results (u, d, ?) of one endpoint are news: `!` for those that are, `.` for the others. */
const heard = (results: string): string => {
  const endpoints = new WriteUrgency();
  return Array.from(results, (letter) => (endpoints.isUrgent('ep', OUTCOMES[letter] ?? 'up') ? '!' : '.')).join('');
};

describe('what is news of an endpoint', () => {
  it.each([
    ['u', '!'],
    ['uuuu', '!...'],
    ['ud', '!!'],
    ['uud', '!.!'],
    ['dddd', '!!!!'],
    ['u?u', '!!!'],
    ['duuuuuuuuuuuu', '!!!!!!!!!!!..'],
    ['duuduuuuuuuuuuu', '!!!!!!!!!!!!!!.'],
  ])('of %p: %p', (results, expected) => {
    expect(heard(results)).toBe(expected);
  });

  it('is kept apart by endpoint', () => {
    const endpoints = new WriteUrgency();
    expect(['a', 'b', 'a', 'b'].map((id) => endpoints.isUrgent(id, 'up'))).toEqual([true, true, false, false]);
  });

  it('is everything once more when more endpoints are known than fit', () => {
    const endpoints = new WriteUrgency(2);
    expect(['a', 'b', 'a', 'c', 'a'].map((id) => endpoints.isUrgent(id, 'up'))).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
  });
});
