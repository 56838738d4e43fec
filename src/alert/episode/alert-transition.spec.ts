import fc from 'fast-check';
import { NOTHING_KNOWN } from '../suppression/suppressed-by';
import { type AlertRule, type EndpointFacts, foldTransitions, nextTransition, type Streaks } from './alert-transition';

/**
 * The results, one character each, so that a scenario reads like a timeline. D is degraded, and lowercase letters are
 * muted.
 */
const RESULTS = {
  F: { outcome: 'down', degraded: false, muted: false },
  S: { outcome: 'up', degraded: false, muted: false },
  D: { outcome: 'up', degraded: true, muted: false },
  f: { outcome: 'down', degraded: false, muted: true },
  s: { outcome: 'up', degraded: false, muted: true },
  d: { outcome: 'up', degraded: true, muted: true },
  '?': { outcome: 'unknown', degraded: false, muted: false },
} as const;
type Letter = keyof typeof RESULTS;
type Action =
  | Letter
  | 'disable'
  | 'enable'
  | { failureThreshold: number }
  | { successThreshold: number }
  | { afterSeconds: number };

const isLetter = (action: unknown): action is Letter => typeof action === 'string' && action in RESULTS;

const letters = (text: string): Letter[] =>
  [...text.replaceAll(' ', '')].map((letter) => {
    if (isLetter(letter)) return letter;
    throw new Error(`no such result: ${letter}`);
  });

const rule = (
  failureThreshold: number,
  successThreshold: number,
  condition: AlertRule['condition'] = 'down',
  afterSeconds = 0,
): AlertRule => ({ enabled: true, triggered: false, condition, failureThreshold, successThreshold, afterSeconds });

/** Results are a minute apart, regardless of edits between them. */
const at = (index: number): Date => new Date(Date.UTC(2026, 10, 20) + index * 60_000);

const NEW: Streaks = {
  outcome: 'unknown',
  consecutiveFailures: 0,
  consecutiveSuccesses: 0,
  degraded: false,
  consecutiveBad: 0,
  consecutiveGood: 0,
  failingSince: null,
  badSince: null,
  muted: false,
  checkedAt: at(-1),
};

function streakAfter(streak: Streaks, letter: Letter): Streaks {
  const result = RESULTS[letter];
  const checkedAt = new Date(streak.checkedAt.getTime() + 60_000);
  if (result.outcome === 'unknown') return { ...streak, ...result, checkedAt };
  const [isDown, isBad] = [result.outcome === 'down', result.outcome === 'down' || result.degraded];
  return {
    ...result,
    checkedAt,
    failingSince: isDown && !result.muted ? (streak.failingSince ?? checkedAt) : null,
    badSince: isBad && !result.muted ? (streak.badSince ?? checkedAt) : null,
    consecutiveFailures: isDown ? streak.consecutiveFailures + 1 : 0,
    consecutiveSuccesses: isDown ? 0 : streak.consecutiveSuccesses + 1,
    consecutiveBad: isBad ? streak.consecutiveBad + 1 : 0,
    consecutiveGood: isBad ? 0 : streak.consecutiveGood + 1,
  };
}

/**
 * Plays a scenario and returns one character per action: T triggered, R resolved, D resolved by disabling, · nothing.
 */
function play(start: AlertRule, actions: readonly Action[], before: readonly Action[] = []): string {
  let alert = start;
  let streak = NEW;
  for (const action of before) if (isLetter(action)) streak = streakAfter(streak, action);
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
      const transition = foldTransitions([alert], [streak], FREE).passed[0]?.transition ?? null;
      if (transition !== null) alert = { ...alert, triggered: transition === 'trigger' };
      return transition === 'trigger' ? 'T' : transition === 'resolve' ? 'R' : '·';
    })
    .join('');
}

const after = (seconds: number, condition: AlertRule['condition'] = 'down') => rule(1, 1, condition, seconds);

const FREE: EndpointFacts = { ...NOTHING_KNOWN, openElsewhere: 0 };

const anyRule = fc.record({
  enabled: fc.constant(true),
  triggered: fc.constant(false),
  condition: fc.constantFrom<AlertRule['condition']>('down', 'degraded'),
  failureThreshold: fc.integer({ min: 1, max: 4 }),
  successThreshold: fc.integer({ min: 1, max: 4 }),
  afterSeconds: fc.constantFrom(0, 0, 1, 60, 61, 150, 300),
});

function updatesOf(results: readonly Letter[]): Streaks[] {
  let streak = NEW;
  return results.map((result) => (streak = streakAfter(streak, result)));
}

/** Which results are bad and which are good, written independently of the code. `up` has no warning. */
const BAD = { down: ['down'], degraded: ['down', 'degraded'] };
const GOOD = { down: ['up', 'degraded'], degraded: ['up'] };
const THRESHOLD = 3;
const AFTER_SECONDS = 600;

/** Delays, and the time since which the endpoint has been bad, relative to `at(0)`. */
const DELAYS = [
  { delay: 'no delay', afterSeconds: 0, since: at(0), isOver: true },
  { delay: 'no delay and no beginning', afterSeconds: 0, since: null, isOver: true },
  { delay: 'a delay that lasts', afterSeconds: AFTER_SECONDS, since: new Date(at(-10).getTime() + 1), isOver: false },
  { delay: 'a delay that is over', afterSeconds: AFTER_SECONDS, since: at(-10), isOver: true },
  { delay: 'a delay and no beginning', afterSeconds: AFTER_SECONDS, since: null, isOver: false },
];

/** All combinations of rules and results, with a threshold of three. Streaks that must not count are long. */
function combinations() {
  const cross = <A, B>(as: readonly A[], bs: readonly B[]) => as.flatMap((a) => bs.map((b) => ({ ...a, ...b })));
  const each = <Key extends string, Value>(key: Key, values: readonly Value[]) =>
    values.map((value) => ({ [key]: value }) as Record<Key, Value>);
  const conditions = each('condition', ['down', 'degraded'] as const);
  const rules = cross(cross(each('enabled', [true, false]), each('triggered', [true, false])), conditions);
  const results = cross(
    each('result', ['down', 'up', 'degraded', 'unknown'] as const),
    each('streak', [THRESHOLD - 1, THRESHOLD, THRESHOLD + 1]),
  );
  return cross(cross(rules, results), DELAYS).map((row) => {
    const { condition, enabled, triggered, result, streak, delay, afterSeconds, since, isOver } = row;
    const isReached = streak >= THRESHOLD;
    const resolves = enabled && triggered && isReached && GOOD[condition].includes(result);
    const isBad = BAD[condition].includes(result);
    const triggers = enabled && !triggered && isReached && isOver && isBad;
    const other = 50;
    const longAgo = at(-1000);
    const isOnDown = condition === 'down';
    return {
      name: `${condition}, ${enabled ? 'on' : 'off'}, ${triggered ? 'open' : 'closed'}, ${result}, ${streak} of ${THRESHOLD}, ${delay}`,
      rule: { enabled, triggered, condition, failureThreshold: THRESHOLD, successThreshold: THRESHOLD, afterSeconds },
      streaks: {
        outcome: result === 'degraded' ? ('up' as const) : result,
        degraded: result === 'degraded',
        consecutiveFailures: isOnDown ? streak : other,
        consecutiveSuccesses: isOnDown ? streak : other,
        consecutiveBad: isOnDown ? other : streak,
        consecutiveGood: isOnDown ? other : streak,
        failingSince: isOnDown ? since : longAgo,
        badSince: isOnDown ? longAgo : since,
        checkedAt: at(0),
        muted: false,
      },
      expected: triggers ? 'trigger' : resolves ? 'resolve' : 'nothing',
    };
  });
}

describe('alert transitions', () => {
  describe('with the cases that Gatus publishes', () => {
    it.each([
      ['triggers at its threshold once and resolves at the other one', rule(2, 3), 'FFFFSSSS', '·T····R·'],
      [
        'stays triggered when failures return before it is resolved',
        { ...rule(2, 3), triggered: true },
        'FSSFF',
        '·····',
      ],
      ['resolves whether or not the resolve is sent', { ...rule(1, 1), triggered: true }, 'S', 'R'],
      ['goes through episode after episode at thresholds of one', rule(1, 1), 'FSFSFFSS', 'TRTRT·R·'],
      ['recovers from a rough patch', rule(2, 2), 'FFFFFSS FFSS', '·T····R·T·R'],
    ])('%s', (_, start, results, expected) => {
      expect(play(start, letters(results))).toBe(expected);
    });
  });

  describe('with the rules of this service', () => {
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
      ['a raised threshold leaves an open episode open', rule(1, 1), ['F', { failureThreshold: 9 }, 'F', 'S'], 'T··R'],
      [
        'a success threshold lowered below the streak resolves with the next result',
        rule(1, 9),
        [...letters('FSSS'), { successThreshold: 2 }, 'S'],
        'T····R',
      ],
      ['a disabled alert does not trigger', { ...rule(1, 1), enabled: false }, letters('FFF'), '···'],
      ['disabling closes an open episode once', rule(1, 1), ['F', 'disable', 'F', 'S'], 'TD··'],
      [
        'enabling again triggers with the next failing result only',
        rule(3, 1),
        [...letters('FFF'), 'disable', 'F', 'enable', '?', 'F'],
        '··TD···T',
      ],
      [
        'enabling again on a recovered endpoint triggers nothing',
        rule(2, 1),
        [...letters('FF'), 'disable', 'S', 'enable', 'S', 'F'],
        '·TD····',
      ],
      ['a warning counts as a success for an alert on down', rule(1, 1), letters('DDFDF'), '··TRT'],
      ['a warning counts as a failure for an alert on degraded', rule(2, 2, 'degraded'), letters('DDDSDSS'), '·T····R'],
      [
        'failures and warnings form one streak for an alert on degraded',
        rule(3, 1, 'degraded'),
        letters('DFDS'),
        '··TR',
      ],
      ['an outage that ends in a warning stays open on degraded', rule(1, 1, 'degraded'), letters('FDDS'), 'T··R'],
      ['a muted check does not trigger', rule(1, 1), letters('ffff'), '····'],
      [
        'the first failed check after the mute triggers if the streak is long enough',
        rule(3, 1),
        letters('fffF'),
        '···T',
      ],
      ['the first failed check after the mute is not enough for a longer streak', rule(3, 1), letters('fF'), '··'],
      ['an endpoint that recovered inside the mute does not trigger after it', rule(1, 1), letters('ffsS'), '····'],
      ['an episode from before the mute resolves inside it', rule(1, 2), letters('Fffss'), 'T···R'],
      ['an episode from before the mute that lasts is not reported again', rule(1, 1), letters('FffFS'), 'T···R'],
      ['a muted warning does not trigger', rule(1, 1, 'degraded'), letters('ddDS'), '··TR'],
      ['a delay of two minutes triggers with the failure that is two minutes old', after(120), letters('FFFF'), '··T·'],
      ["a delay that isn't a multiple of the interval ends with the next failure", after(121), letters('FFFF'), '···T'],
      ['a recovery before the delay is over is silent', after(120), letters('FFSFFSS'), '·······'],
      ['a delay starts again with the next outage', after(120), letters('FFSFFFS'), '·····TR'],
      ['the threshold counts as well as the delay', { ...after(60), failureThreshold: 4 }, letters('FFFFF'), '···T·'],
      ['unknown results do not trigger, and the time continues', after(120), letters('F??FS'), '···TR'],
      ['a delay does not hold a resolve back', { ...after(3600), triggered: true }, letters('S'), 'R'],
      [
        'a delay that is shortened during an outage counts from the next result',
        after(3600),
        [...letters('FFF'), { afterSeconds: 60 }, '?', 'F'],
        '·····T',
      ],
      ['a delay counts from the end of a mute', after(120), letters('FFffFFFF'), '······T·'],
      ['a delay on degraded counts warnings and failures', after(120, 'degraded'), letters('DFDS'), '··TR'],
      ['a delay on down does not count warnings', after(120), letters('DDFFF'), '····T'],
    ])('%s', (_, start, actions, expected) => {
      expect(play(start, actions)).toBe(expected);
    });

    it('a rule created while the endpoint is failing triggers with the next failure', () => {
      expect(play(rule(3, 2), letters('F'), letters('FFFFF'))).toBe('T');
    });

    it('a rule created while the endpoint is failing does not trigger if the next result is successful', () => {
      expect(play(rule(3, 2), letters('SF'), letters('FFFFF'))).toBe('··');
    });

    it('two rules on one endpoint are independent', () => {
      const results = letters('FFFSSS');
      expect([play(rule(1, 3), results), play(rule(3, 1), results)]).toEqual(['T····R', '··TR··']);
    });
  });

  describe('for every combination', () => {
    const table = combinations();

    it('covers two conditions, four results, three lengths of a streak, and five delays', () => {
      expect(table).toHaveLength(2 * 2 * 2 * 4 * 3 * 5);
      const count = (transition: string) => table.filter(({ expected }) => expected === transition).length;
      // Triggers: the three results that are bad, at and above the threshold, without a delay or after it. Resolves:
      // always the three results that are good.
      expect([count('trigger'), count('resolve')]).toEqual([3 * 2 * 3, 3 * 2 * 5]);
    });

    it.each(table)('$name: $expected', ({ rule: one, streaks, expected }) => {
      expect(nextTransition(one, streaks) ?? 'nothing').toBe(expected);
    });
  });

  it('folding a batch gives the same transitions as folding one result after the other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Letter>('F', 'S', 'D', 'f', 's', 'd', '?'), { maxLength: 40 }),
        fc.array(anyRule, { minLength: 1, maxLength: 3 }),
        (results, rules) => {
          const updates = updatesOf(results);
          const { passed } = foldTransitions(rules, updates, FREE);
          for (const one of rules) {
            const signs = updates.map(() => '·');
            for (const { alert, transition, update } of passed)
              if (alert === one) signs[updates.indexOf(update)] = transition === 'trigger' ? 'T' : 'R';
            expect(signs.join('')).toBe(play(one, results));
          }
        },
      ),
    );
  });

  it('alerts never trigger inside a mute, and resolve every episode after enough successes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Letter>('F', 'S', 'D', 'f', 's', 'd', '?'), { maxLength: 60 }),
        anyRule,
        fc.boolean(),
        fc.boolean(),
        (results, one, isAcknowledged, isParentDown) => {
          const facts = { ...FREE, acknowledgedUntil: isAcknowledged ? null : undefined, isParentDown };
          const { passed } = foldTransitions([one], updatesOf([...results, ...letters('SSSS')]), facts);
          for (const { transition, update } of passed) if (transition === 'trigger') expect(update.muted).toBe(false);
          if (isParentDown) expect(passed.filter(({ transition }) => transition === 'trigger')).toEqual([]);
          expect(passed.map(({ transition }) => transition)).toEqual(
            passed.map((_, index) => (index % 2 === 0 ? 'trigger' : 'resolve')),
          );
          expect(passed.length % 2).toBe(0);
        },
      ),
    );
  });

  it('the transitions agree with a model that uses all past results instead of counters', () => {
    const threshold = fc.integer({ min: 1, max: 4 });
    const action = fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom<Action>('F', 'S', '?') },
      { weight: 1, arbitrary: fc.constantFrom<Action>('disable', 'enable') },
      { weight: 1, arbitrary: fc.record({ failureThreshold: threshold }) },
      { weight: 1, arbitrary: fc.record({ successThreshold: threshold }) },
      { weight: 1, arbitrary: fc.record({ afterSeconds: fc.integer({ min: 0, max: 360 }) }) },
    );
    const delay = fc.constantFrom(0, 0, 60, 90, 240);
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 60 }),
        threshold,
        threshold,
        delay,
        (actions, failures, successes, s) => {
          expect(play(rule(failures, successes, 'down', s), actions)).toBe(playModel(actions, failures, successes, s));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('the suppression of alerts', () => {
  const [first, second] = [rule(1, 1), rule(3, 1)];
  const facts = (more: Partial<EndpointFacts>): EndpointFacts => ({ ...FREE, ...more });
  const told = (alerts: readonly AlertRule[], results: string, by: EndpointFacts) => {
    const updates = updatesOf(letters(results));
    const { passed, suppressed, isAcknowledgementOver } = foldTransitions(alerts, updates, by);
    const signs = passed.map(
      ({ alert, transition, update }) => `${transition} ${alerts.indexOf(alert)} at ${updates.indexOf(update)}`,
    );
    return { signs, suppressed, isAcknowledgementOver };
  };

  it('an acknowledgement suppresses the second of two growing thresholds, and the first alert reports the recovery', () => {
    const open = { ...first, triggered: true };
    expect(told([open, second], 'FFFFS', facts({ acknowledgedUntil: null }))).toEqual({
      signs: ['resolve 0 at 4'],
      suppressed: ['acknowledged', 'acknowledged'],
      isAcknowledgementOver: true,
    });
  });

  it('an acknowledgement that ends within a batch suppresses nothing after it', () => {
    expect(told([first], 'FSF', facts({ acknowledgedUntil: null }))).toEqual({
      signs: ['trigger 0 at 2'],
      suppressed: ['acknowledged'],
      isAcknowledgementOver: true,
    });
  });

  it('an acknowledgement lasts while another alert of the endpoint is triggered', () => {
    expect(told([first], 'FSF', facts({ acknowledgedUntil: null, openElsewhere: 1 }))).toEqual({
      signs: [],
      suppressed: ['acknowledged', 'acknowledged'],
      isAcknowledgementOver: false,
    });
  });

  it('an acknowledgement lasts while an alert on degraded is triggered, though the endpoint is up', () => {
    const degraded = { ...rule(1, 1, 'degraded'), triggered: true };
    expect(told([degraded], 'DDFD', facts({ acknowledgedUntil: null })).isAcknowledgementOver).toBe(false);
    expect(told([degraded], 'DS', facts({ acknowledgedUntil: null })).isAcknowledgementOver).toBe(true);
  });

  it('an acknowledgement counts for checks before its end', () => {
    expect(told([first], 'FFF', facts({ acknowledgedUntil: at(2) }))).toMatchObject({
      signs: ['trigger 0 at 2'],
      suppressed: ['acknowledged', 'acknowledged'],
    });
  });

  it('a parent that is down suppresses its child, which still resolves', () => {
    const open = { ...second, triggered: true };
    expect(told([first, open], 'FFS', facts({ isParentDown: true }))).toEqual({
      signs: ['resolve 1 at 2'],
      suppressed: ['dependency', 'dependency'],
      isAcknowledgementOver: false,
    });
  });

  it('a parent that recovered after a check explains the result of the check', () => {
    expect(told([first], 'FFF', facts({ parentsUpSince: at(2) }))).toMatchObject({
      signs: ['trigger 0 at 2'],
      suppressed: ['dependency', 'dependency'],
    });
  });
});

/**
 * The same rules expressed differently. An alert opens when the last n known results failed and the first failure since
 * the last success is old enough. It closes when the last m results were successful.
 */
function playModel(actions: readonly Action[], failures: number, successes: number, afterSeconds: number): string {
  const known: ('F' | 'S')[] = [];
  /** When each result arrives, in minutes. */
  const times: number[] = [];
  let minute = 0;
  let open = false;
  let on = true;
  let needed = { failures, successes, afterSeconds };
  const lastAre = (count: number, result: 'F' | 'S') =>
    known.length >= count && known.slice(-count).every((one) => one === result);
  const hasLasted = () => (minute - (times[known.lastIndexOf('S') + 1] ?? minute)) * 60 >= needed.afterSeconds;
  const afterResult = (): string => {
    if (!on) return '·';
    if (!open && lastAre(needed.failures, 'F') && hasLasted()) {
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
      if (isLetter(action)) minute++;
      if (action === 'F' || action === 'S') {
        known.push(action);
        times.push(minute);
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
      } else if (typeof action === 'object' && 'afterSeconds' in action) needed = { ...needed, ...action };
      else if (typeof action === 'object') needed = { ...needed, successes: action.successThreshold };
      return '·';
    })
    .join('');
}
