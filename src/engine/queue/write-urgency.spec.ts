import type { Outcome } from '../../checker/checker';
import type { FinishedCheck } from '../finished-check';
import { WriteUrgency } from './write-urgency';

const OUTCOMES: Record<string, Outcome> = { u: 'up', d: 'down', '?': 'unknown' };

const resultOf = (endpointKey: string, outcome: Outcome, warning: object | null = null) =>
  ({ endpointKey, result: { outcome, warning } }) as Pick<FinishedCheck, 'endpointKey' | 'result'>;

/**
 * The urgency of one endpoint's results (u is up, w is up with a warning, d is down, ? is unknown): `!` urgent, `:` may
 * change an alert, `.` neither.
 */
const urgencyOf = (results: string): string => {
  const urgency = new WriteUrgency();
  const marks = { urgent: '!', affects_state: ':', quiet: '.' };
  return Array.from(results, (letter) => {
    const result = resultOf('7', OUTCOMES[letter] ?? 'up', letter === 'w' ? {} : null);
    return marks[urgency.of(result)];
  }).join('');
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
    ['w', '!'],
    ['uuw', '!.!'],
    ['wwwwwwwwwwwww', '!!!!!!!!!!:::'],
    ['dwwwwwwwwwwww', '!!!!!!!!!!!::'],
    ['wuwwwwwwwwwww', '!!!!!!!!!!!!:'],
    ['wwwwwwwwwwwwu', '!!!!!!!!!!::!'],
    [`w${'u'.repeat(102)}`, `${'!'.repeat(11)}${':'.repeat(90)}..`],
    [`d${'u'.repeat(102)}`, `${'!'.repeat(11)}${':'.repeat(90)}..`],
  ])('marks these of the results %p as urgent: %p', (results, expected) => {
    expect(urgencyOf(results)).toBe(expected);
  });

  it('is judged separately for each endpoint', () => {
    const urgency = new WriteUrgency();
    expect(['1', '2', '1', '2'].map((key) => urgency.of(resultOf(key, 'up')))).toEqual([
      'urgent',
      'urgent',
      'quiet',
      'quiet',
    ]);
  });

  it('forgets the endpoints that were checked longest ago if it knows too many, so that their next results are urgent', () => {
    const urgency = new WriteUrgency(2);
    const seen = ['1', '5000', '2', '9000', '1', '5000'];
    expect(seen.map((key) => urgency.of(resultOf(key, 'up')) === 'urgent')).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
    ]);
  });

  it('knows a million endpoints, in any order', () => {
    const urgency = new WriteUrgency();
    const keys = Array.from({ length: 20_000 }, (_, index) => `${(index * 7_919_993) % 1_000_000}`);
    for (const key of keys) urgency.of(resultOf(key, 'up'));
    expect(keys.every((key) => urgency.of(resultOf(key, 'up')) === 'quiet')).toBe(true);
  });
});
