import type { CheckError, Outcome } from '../../checker/checker';
import type { FinishedCheck } from '../../engine/finished-check';
import { foldBatch, outagesOf, streakUpdatesOf } from './fold-batch';
import { NEW_STATE } from '../../../test/harness/new-state';
import { fold } from './endpoint-state';
import type { LockedState } from './endpoint-state-store';

const START = Date.UTC(2026, 10, 20, 10);
const SLOT_MS = 10_000;
/** Checks start this long after their slot. */
const LATE_MS = 3;
const REVISION = 4;

const OUTCOMES: Readonly<Record<string, Outcome>> = { S: 'up', W: 'up', F: 'down' };
const outcomeOf = (letter: string): Outcome => OUTCOMES[letter.toUpperCase()] ?? 'unknown';
const isDegraded = (letter: string): boolean => letter.toUpperCase() === 'W';
const isCovered = (letter: string): boolean => 'sfw!'.includes(letter);
const WARNING: CheckError = { code: 'assertion_failed', phase: 'assertion', message: 'The certificate ends soon.' };

const slotAt = (slot: number): number => START + slot * SLOT_MS;
const checkedAt = (slot: number): Date => new Date(slotAt(slot) + LATE_MS);

function checkOf(
  endpointId: string,
  slot: number,
  outcome: Outcome,
  change: Partial<FinishedCheck> = {},
): FinishedCheck {
  return {
    endpointId,
    endpointKey: `key of ${endpointId}`,
    orgId: 'org',
    location: 0,
    revision: REVISION,
    slotMs: slotAt(slot),
    checkedAt: checkedAt(slot),
    result: {
      outcome,
      durationMs: 12.345_678,
      phases: { dnsMs: null, connectMs: 12.345_678, tlsMs: null, firstByteMs: null, transferMs: null },
      statusCode: outcome === 'up' ? 200 : null,
      address: '192.0.2.1',
      certificate: null,
      records: null,
      redirects: [],
      error:
        outcome === 'up' ? null : { code: 'connection_timeout', phase: 'connect', message: `Slot ${slot} failed.` },
      warning: null,
    },
    attempts: 1,
    firstError: null,
    planned: false,
    muted: false,
    ...change,
  };
}

/**
 * One check for each letter, in consecutive slots starting with `first`. S is up, W is up with a warning, F is down, ?
 * is unknown. Lowercase letters and ! are in maintenance.
 */
const checksOf = (letters: string, first = 0, endpointId = 'a'): FinishedCheck[] =>
  [...letters].map((letter, index) => {
    const check = checkOf(endpointId, first + index, outcomeOf(letter));
    const result = { ...check.result, warning: isDegraded(letter) ? WARNING : null };
    return { ...check, result, planned: isCovered(letter), muted: isCovered(letter) };
  });

/** A locked endpoint whose checks in the slots before 0 had these outcomes. */
function locked(history: string, change: Partial<LockedState> = {}): LockedState {
  const state = [...history].reduce((before, letter, index) => {
    const slotMs = slotAt(index - history.length);
    const marks = { degraded: isDegraded(letter), planned: isCovered(letter), muted: isCovered(letter) };
    return fold(before, { ...marks, outcome: outcomeOf(letter), checkedMs: slotMs + LATE_MS, slotMs });
  }, NEW_STATE);
  return { state, active: true, revision: REVISION, ...change };
}

/** The slots that a batch keeps for endpoint `a`, relative to the start. */
const keptSlots = (state: LockedState | null, checks: readonly FinishedCheck[]): (number | null)[] => {
  const folded = foldBatch(new Map(state ? [['a', state]] : []), checks);
  return (folded.get('a') ?? []).map(({ check }) => (check.slotMs === null ? null : (check.slotMs - START) / SLOT_MS));
};

describe('foldBatch', () => {
  it.each<[string, LockedState | null, number[]]>([
    ['of an endpoint that is as it was checked', locked(''), [0, 1]],
    ['of a deleted endpoint', null, []],
    ['of a paused endpoint', locked('', { active: false }), []],
    ['of an endpoint that was edited since', locked('', { revision: REVISION + 1 }), []],
    ['that ran with a newer revision than this session sees', locked('', { revision: REVISION - 1 }), []],
  ])('keeps or leaves out the checks %s', (_, state, kept) => {
    expect(keptSlots(state, checksOf('SS'))).toEqual(kept);
  });

  it.each<[string, FinishedCheck[], (number | null)[]]>([
    ['the same slot twice in the batch', [...checksOf('S'), ...checksOf('F')], [0]],
    ['a slot that was recorded before', checksOf('SS', -1), [0]],
    ['a slot older than one of the batch', [...checksOf('S', 1), ...checksOf('S', 0)], [1]],
    [
      'checks on demand next to their slots',
      [...checksOf('S'), checkOf('a', 0, 'up', { slotMs: null, checkedAt: new Date(slotAt(0) + 500) })],
      [0, null],
    ],
    [
      'a check on demand twice',
      [checkOf('a', 0, 'up', { slotMs: null }), checkOf('a', 0, 'up', { slotMs: null })],
      [null],
    ],
    [
      'the same slot by a second recorder, with another time and outcome',
      [...checksOf('S'), checkOf('a', 0, 'down', { checkedAt: new Date(slotAt(0) + 700) })],
      [0],
    ],
  ])('records each check once: %s', (_, checks, kept) => {
    expect(keptSlots(locked('S'), checks)).toEqual(kept);
  });

  it('folds each endpoint of a mixed batch separately, from its stored state', () => {
    const states = new Map([
      ['a', locked('F')],
      ['b', locked('S')],
    ]);
    const [a0, a1] = checksOf('FF', 0, 'a');
    const [b0, b1] = checksOf('SF', 0, 'b');
    const folded = foldBatch(
      states,
      [a0, b0, b1, a1].filter((check) => check !== undefined),
    );
    const streaks = (id: string) => folded.get(id)?.map(({ state }) => [state.failures, state.successes]);
    expect([...folded.keys()]).toEqual(['a', 'b']);
    expect(streaks('a')).toEqual([
      [2, 0],
      [3, 0],
    ]);
    expect(streaks('b')).toEqual([
      [0, 2],
      [1, 0],
    ]);
  });

  it('leaves out results that a probe has found for an endpoint without locations', () => {
    expect(keptSlots(locked(''), [checkOf('a', 0, 'up'), checkOf('a', 1, 'down', { location: 3 })])).toEqual([0]);
  });

  it('has no entry for an endpoint whose results do not count', () => {
    expect(foldBatch(new Map([['a', locked('S')]]), checksOf('S', -1)).size).toBe(0);
  });
});

describe('outagesOf', () => {
  /**
   * Opened outages, as the slot where each starts. Closed outages, as the start that they reference and the slot where
   * each ends.
   */
  const outages = (history: string, letters: string) => {
    const states = new Map([['a', locked(history)]]);
    const { opened, closed } = outagesOf(states, foldBatch(states, checksOf(letters)));
    const slotOf = (at: Date) => (at.getTime() - LATE_MS - START) / SLOT_MS;
    return {
      opened: opened.map(({ startedAt, planned }) => (planned ? `${slotOf(startedAt)} planned` : slotOf(startedAt))),
      closed: closed.map(({ startedAt, endedAt }) => [startedAt ? slotOf(startedAt) : null, slotOf(endedAt)]),
    };
  };

  it.each<[string, string, (number | string)[], [number | null, number][]]>([
    ['', 'F', [0], []],
    ['S', 'SF', [1], []],
    ['F', 'F', [], []],
    ['FF', 'S', [], [[-2, 0]]],
    ['F', 'SS', [], [[-1, 0]]],
    // The first success closes any open outage, even without a known failure, because the endpoint may have been
    // edited.
    ['', 'S', [], [[null, 0]]],
    ['S', 'S', [], []],
    ['S', 'FS', [0], [[0, 1]]],
    ['F', 'SF', [1], [[-1, 0]]],
    [
      'S',
      'FSFFS',
      [0, 2],
      [
        [0, 1],
        [2, 4],
      ],
    ],
    ['S', '?', [], []],
    ['F', '?S', [], [[-1, 1]]],
    ['S', '?F?', [1], []],
    // An outage is either planned or unplanned as a whole.
    ['S', 'ff', ['0 planned'], []],
    ['F', 'f', ['0 planned'], [[-1, 0]]],
    ['f', 'F', [0], [[-1, 0]]],
    ['f', 'fF', [1], [[-1, 1]]],
    ['F', '!F', [], []],
    ['f', '?s', [], [[-1, 1]]],
    [
      'F',
      'FfFS',
      ['1 planned', 2],
      [
        [-1, 1],
        [1, 2],
        [2, 3],
      ],
    ],
    ['S', 'WwW', [], []],
  ])(
    'after the history %p the batch %p opens outages at slots %j and closes %j',
    (history, letters, opened, closed) => {
      expect(outages(history, letters)).toEqual({ opened, closed });
    },
  );

  it('describes an outage by the first failure, not by a later one', () => {
    const states = new Map([['a', locked('S')]]);
    const { opened } = outagesOf(states, foldBatch(states, checksOf('FF')));
    expect(opened).toEqual([
      {
        endpointKey: 'key of a',
        startedAt: checkedAt(0),
        planned: false,
        error: 'connection_timeout',
        message: 'Slot 0 failed.',
      },
    ]);
  });
});

describe('streakUpdatesOf', () => {
  const updates = (history: string, checks: readonly FinishedCheck[]) =>
    streakUpdatesOf(foldBatch(new Map([['a', locked(history)]]), checks));

  it.each<[string, string, string[]]>([
    ['', 'S', ['up 0/1']],
    ['', 'FF', ['down 1/0 since 0', 'down 2/0 since 0']],
    ['FF', 'F', ['down 3/0 since -2']],
    // The recovery ends the failure streak, so the streak no longer has a start.
    ['FF', 'SS', ['up 0/1', 'up 0/2']],
    ['S', 'F?F', ['down 1/0 since 0', 'down 2/0 since 0']],
    ['S', '??', []],
    ['SS', 'FSF', ['down 1/0 since 0', 'up 0/1', 'down 1/0 since 2']],
  ])('after the history %p the batch %p makes the streak updates %j', (history, letters, expected) => {
    const texts = updates(history, checksOf(letters)).map((update) => {
      const { outcome, consecutiveFailures, consecutiveSuccesses, failingSince } = update;
      const since = failingSince && ` since ${(failingSince.getTime() - LATE_MS - START) / SLOT_MS}`;
      return `${outcome} ${consecutiveFailures}/${consecutiveSuccesses}${since ?? ''}`;
    });
    expect(texts).toEqual(expected);
  });

  it('makes no streak update for a duplicate', () => {
    expect(updates('S', [...checksOf('F'), ...checksOf('F')])).toHaveLength(1);
  });

  it('contains what alerts show of the check, with its duration in whole microseconds', () => {
    expect(updates('', checksOf('F'))).toEqual([
      {
        orgId: 'org',
        endpointId: 'a',
        outcome: 'down',
        consecutiveFailures: 1,
        consecutiveSuccesses: 0,
        degraded: false,
        consecutiveBad: 1,
        consecutiveGood: 0,
        failingSince: checkedAt(0),
        badSince: checkedAt(0),
        upSince: null,
        goodSince: null,
        muted: false,
        checkedAt: checkedAt(0),
        durationMs: 12.346,
        statusCode: null,
        address: '192.0.2.1',
        error: { code: 'connection_timeout', message: 'Slot 0 failed.' },
        warning: null,
      },
    ]);
  });

  it('contains the warning of a degraded check, and the streaks in which it counts as failed', () => {
    expect(updates('SF', checksOf('W'))).toMatchObject([
      {
        outcome: 'up',
        degraded: true,
        consecutiveFailures: 0,
        consecutiveSuccesses: 1,
        consecutiveBad: 2,
        consecutiveGood: 0,
        failingSince: null,
        badSince: checkedAt(-1),
        error: null,
        warning: { code: 'assertion_failed', message: 'The certificate ends soon.' },
      },
    ]);
  });

  it('marks a check that a mute covers, and starts an episode with the first check that no mute covers', () => {
    const sinceOf = (at: Date | null) => at && (at.getTime() - LATE_MS - START) / SLOT_MS;
    const told = updates('F', checksOf('FffFF')).map(({ muted, failingSince, badSince, consecutiveFailures }) => [
      muted,
      sinceOf(failingSince),
      sinceOf(badSince),
      consecutiveFailures,
    ]);
    expect(told).toEqual([
      [false, -1, -1, 2],
      [true, null, null, 3],
      [true, null, null, 4],
      [false, 3, 3, 5],
      [false, 3, 3, 6],
    ]);
  });
});
