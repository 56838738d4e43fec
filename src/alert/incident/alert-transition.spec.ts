import fc from 'fast-check';
import { type AlertRule, foldTransitions, nextTransition, type Streaks } from './alert-transition';

/** What happens to an alert and its endpoint, one character each, so that a scenario reads as a timeline. */
const RESULTS = { F: 'down', S: 'up', '?': 'unknown' } as const;
type Action = keyof typeof RESULTS | 'disable' | 'enable' | { failureThreshold: number } | { successThreshold: number };

const letters = (text: string): Action[] =>
  [...text.replaceAll(' ', '')].map((letter) => {
    if (letter === 'F' || letter === 'S' || letter === '?') return letter;
    throw new Error(`no such result: ${letter}`);
  });

const rule = (failureThreshold: number, successThreshold: number): AlertRule => ({
  enabled: true,
  triggered: false,
  failureThreshold,
  successThreshold,
});

const streakAfter = (streak: Streaks, result: keyof typeof RESULTS): Streaks => ({
  outcome: RESULTS[result],
  consecutiveFailures:
    result === '?' ? streak.consecutiveFailures : result === 'F' ? streak.consecutiveFailures + 1 : 0,
  consecutiveSuccesses:
    result === '?' ? streak.consecutiveSuccesses : result === 'S' ? streak.consecutiveSuccesses + 1 : 0,
});

/** Plays a scenario; returns one character per action: T triggered, R resolved, D resolved by disabling, · nothing. */
function play(start: AlertRule, actions: readonly Action[], before: readonly Action[] = []): string {
  let alert = start;
  let streak: Streaks = { outcome: 'unknown', consecutiveFailures: 0, consecutiveSuccesses: 0 };
  for (const action of before)
    if (action === 'F' || action === 'S' || action === '?') streak = streakAfter(streak, action);
  return actions
    .map((action) => {
      if (typeof action === 'object') {
        alert = { ...alert, ...action };
        return '·';
      }
      if (action === 'enable') {
        alert = { ...alert, enabled: true };
        return '·';
      }
      if (action === 'disable') {
        const open = alert.triggered;
        alert = { ...alert, enabled: false, triggered: false };
        return open ? 'D' : '·';
      }
      streak = streakAfter(streak, action);
      const transition = nextTransition(alert, streak);
      if (transition !== null) alert = { ...alert, triggered: transition === 'trigger' };
      return transition === 'trigger' ? 'T' : transition === 'resolve' ? 'R' : '·';
    })
    .join('');
}

describe('alert transitions', () => {
  describe('as Gatus publishes them', () => {
    it.each([
      ['triggers at its threshold once and resolves at the other one', rule(2, 3), 'FFFFSSSS', '·T····R·'],
      [
        'stays triggered when failures return before it is resolved',
        { ...rule(2, 3), triggered: true },
        'FSSFF',
        '·····',
      ],
      ['resolves whether or not the resolve is sent', { ...rule(1, 1), triggered: true }, 'S', 'R'],
      ['goes through incident after incident at thresholds of one', rule(1, 1), 'FSFSFFSS', 'TRTRT·R·'],
      ['recovers from a rough patch', rule(2, 2), 'FFFFFSS FFSS', '·T····R·T·R'],
    ])('%s', (_, start, results, expected) => {
      expect(play(start, letters(results))).toBe(expected);
    });
  });

  describe('by our own rules', () => {
    it.each<[string, AlertRule, Action[], string]>([
      ['results that alternate never reach a threshold of two', rule(2, 2), letters('FSFSFSFS'), '········'],
      ['results that alternate keep a triggered alert open', rule(2, 2), letters('FFSFSFSS'), '·T·····R'],
      ['an unknown result neither counts nor interrupts a failure streak', rule(3, 1), letters('F?F??F'), '·····T'],
      ['an unknown result neither counts nor interrupts a success streak', rule(1, 2), letters('FS?S'), 'T··R'],
      [
        'an unknown result never changes anything, also over the threshold',
        rule(3, 1),
        [...letters('FF'), { failureThreshold: 1 }, '?', '?'],
        '·····',
      ],
      [
        'a threshold lowered below the streak counts from the next result',
        rule(5, 2),
        [...letters('FFF'), { failureThreshold: 2 }, 'F'],
        '····T',
      ],
      [
        'a threshold lowered below the streak waits for a failing result',
        rule(5, 2),
        [...letters('FFF'), { failureThreshold: 2 }, 'S', 'F'],
        '······',
      ],
      ['a raised threshold leaves an open incident open', rule(1, 1), ['F', { failureThreshold: 9 }, 'F', 'S'], 'T··R'],
      [
        'a success threshold lowered below the streak resolves with the next result',
        rule(1, 9),
        [...letters('FSSS'), { successThreshold: 2 }, 'S'],
        'T····R',
      ],
      ['a disabled alert does not trigger', { ...rule(1, 1), enabled: false }, letters('FFF'), '···'],
      ['disabling closes an open incident once', rule(1, 1), ['F', 'disable', 'F', 'S'], 'TD··'],
      [
        'enabling again triggers with the next failing result only',
        rule(3, 1),
        [...letters('FFF'), 'disable', 'F', 'enable', '?', 'F'],
        '··TD···T',
      ],
      [
        'enabling again on a recovered endpoint stays quiet',
        rule(2, 1),
        [...letters('FF'), 'disable', 'S', 'enable', 'S', 'F'],
        '·TD····',
      ],
    ])('%s', (_, start, actions, expected) => {
      expect(play(start, actions)).toBe(expected);
    });

    it('a rule made while the endpoint is failing triggers with the next failure', () => {
      expect(play(rule(3, 2), letters('F'), letters('FFFFF'))).toBe('T');
    });

    it('a rule made while the endpoint is failing stays quiet when the next result is good', () => {
      expect(play(rule(3, 2), letters('SF'), letters('FFFFF'))).toBe('··');
    });

    it('two rules on one endpoint go their own ways', () => {
      const results = letters('FFFSSS');
      expect([play(rule(1, 3), results), play(rule(3, 1), results)]).toEqual(['T····R', '··TR··']);
    });
  });

  it('folds a batch to the same transitions as one result after the other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('F', 'S', '?'), { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        (results, failures, successes) => {
          let streak: Streaks = { outcome: 'unknown', consecutiveFailures: 0, consecutiveSuccesses: 0 };
          const updates = results.map((result) => (streak = streakAfter(streak, result)));
          const signs = updates.map(() => '·');
          for (const { transition, update } of foldTransitions(rule(failures, successes), updates)) {
            signs[updates.indexOf(update)] = transition === 'trigger' ? 'T' : 'R';
          }
          expect(signs.join('')).toBe(play(rule(failures, successes), results));
        },
      ),
    );
  });

  it('agrees with a model that looks at all past results instead of counters', () => {
    const threshold = fc.integer({ min: 1, max: 4 });
    const action = fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom<Action>('F', 'S', '?') },
      { weight: 1, arbitrary: fc.constantFrom<Action>('disable', 'enable') },
      { weight: 1, arbitrary: fc.record({ failureThreshold: threshold }) },
      { weight: 1, arbitrary: fc.record({ successThreshold: threshold }) },
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), threshold, threshold, (actions, failures, successes) => {
        expect(play(rule(failures, successes), actions)).toBe(playModel(actions, failures, successes));
      }),
      { numRuns: 2000 },
    );
  });
});

/** The same rules in other terms: an alert opens when the last n known results failed, and closes when the last m were good. */
function playModel(actions: readonly Action[], failures: number, successes: number): string {
  const known: ('F' | 'S')[] = [];
  let open = false;
  let on = true;
  let needed = { failures, successes };
  const lastAre = (count: number, result: 'F' | 'S') =>
    known.length >= count && known.slice(-count).every((one) => one === result);
  const afterResult = (): string => {
    if (!on) return '·';
    if (!open && lastAre(needed.failures, 'F')) {
      open = true;
      return 'T';
    }
    if (open && lastAre(needed.successes, 'S')) {
      open = false;
      return 'R';
    }
    return '·';
  };
  return actions
    .map((action) => {
      if (action === 'F' || action === 'S') {
        known.push(action);
        return afterResult();
      }
      if (action === 'disable') {
        const closes = open;
        [open, on] = [false, false];
        return closes ? 'D' : '·';
      }
      if (action === 'enable') on = true;
      else if (typeof action === 'object' && 'failureThreshold' in action) {
        needed = { ...needed, failures: action.failureThreshold };
      } else if (typeof action === 'object') needed = { ...needed, successes: action.successThreshold };
      return '·';
    })
    .join('');
}
