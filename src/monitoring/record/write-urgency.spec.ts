import type { Outcome } from '../../checker/checker';
import { WriteUrgency } from './write-urgency';

const OUTCOMES: Record<string, Outcome> = { u: 'up', d: 'down', '?': 'unknown' };

/** How urgent the results (u, d, ?) of one endpoint are: `!` urgent, `:` may change an alert, `.` quiet. */
const urgencyOf = (results: string): string => {
  const urgency = new WriteUrgency();
  const marks = { urgent: '!', may_change: ':', quiet: '.' };
  return Array.from(results, (letter) => marks[urgency.of('ep', OUTCOMES[letter] ?? 'up')]).join('');
};

describe('the urgency of a result', () => {
  it.each([
    ['u', '!'],
    ['uuuu', '!...'],
    ['ud', '!!'],
    ['uud', '!.!'],
    ['dddd', '!!!!'],
    ['u?u', '!!!'],
    ['duuuuuuuuuuuu', '!!!!!!!!!!!::'],
    ['duuduuuuuuuuuuu', '!!!!!!!!!!!!!!:'],
    [`d${'u'.repeat(102)}`, `${'!'.repeat(11)}${':'.repeat(90)}..`],
  ])('calls of the results %p urgent: %p', (results, expected) => {
    expect(urgencyOf(results)).toBe(expected);
  });

  it('judges the urgency of each endpoint on its own', () => {
    const urgency = new WriteUrgency();
    expect(['a', 'b', 'a', 'b'].map((id) => urgency.of(id, 'up'))).toEqual(['urgent', 'urgent', 'quiet', 'quiet']);
  });

  it('forgets the endpoint that was checked longest ago when more are known than fit: its next result is urgent', () => {
    const urgency = new WriteUrgency(2);
    const seen = ['a', 'b', 'a', 'c', 'a', 'b'];
    expect(seen.map((id) => urgency.of(id, 'up') === 'urgent')).toEqual([true, true, false, true, false, true]);
  });
});
