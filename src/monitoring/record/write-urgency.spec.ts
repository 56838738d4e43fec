import type { Outcome } from '../../checker/checker';
import { WriteUrgency } from './write-urgency';

const OUTCOMES: Record<string, Outcome> = { u: 'up', d: 'down', '?': 'unknown' };

/** Which results (u, d, ?) of one endpoint are urgent: `!` for those that are, `.` for the others. */
const urgencyOf = (results: string): string => {
  const urgency = new WriteUrgency();
  return Array.from(results, (letter) => (urgency.isUrgent('ep', OUTCOMES[letter] ?? 'up') ? '!' : '.')).join('');
};

describe('the urgency of a result', () => {
  it.each([
    ['u', '!'],
    ['uuuu', '!...'],
    ['ud', '!!'],
    ['uud', '!.!'],
    ['dddd', '!!!!'],
    ['u?u', '!!!'],
    ['duuuuuuuuuuuu', '!!!!!!!!!!!..'],
    ['duuduuuuuuuuuuu', '!!!!!!!!!!!!!!.'],
  ])('calls of the results %p urgent: %p', (results, expected) => {
    expect(urgencyOf(results)).toBe(expected);
  });

  it('judges the urgency of each endpoint on its own', () => {
    const urgency = new WriteUrgency();
    expect(['a', 'b', 'a', 'b'].map((id) => urgency.isUrgent(id, 'up'))).toEqual([true, true, false, false]);
  });

  it('forgets the endpoint that was checked longest ago when more are known than fit: its next result is urgent', () => {
    const urgency = new WriteUrgency(2);
    const seen = ['a', 'b', 'a', 'c', 'a', 'b'];
    expect(seen.map((id) => urgency.isUrgent(id, 'up'))).toEqual([true, true, false, true, false, true]);
  });
});
