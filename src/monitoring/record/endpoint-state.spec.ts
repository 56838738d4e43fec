import fc from 'fast-check';
import type { Outcome } from '../../checker/checker';
import { HOUR_MS } from '../../platform/time/time-units';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { NEW_STATE, NO_COUNTS } from '../../../test/harness/new-state';
import { type EndpointState, fold, type FoldInput, isDuplicate } from './endpoint-state';

const START = Date.UTC(2026, 0, 31, 23, 59, 50);

const OUTCOMES: Readonly<Record<string, Outcome>> = { S: 'up', W: 'up', F: 'down' };
const outcomeOf = (letter: string): Outcome => OUTCOMES[letter.toUpperCase()] ?? 'unknown';
const UNMARKED = { degraded: false, planned: false, muted: false };

/**
 * Results every ten seconds, written like `FFS?W`. W is up with a warning. Lowercase letters are in maintenance (! for
 * ?).
 */
const results = (letters: string): FoldInput[] =>
  [...letters].map((letter, index) => ({
    outcome: outcomeOf(letter),
    degraded: letter.toUpperCase() === 'W',
    planned: isCovered(letter),
    muted: isCovered(letter),
    checkedMs: START + index * 10_000 + 3,
    slotMs: START + index * 10_000,
  }));

const isCovered = (letter: string): boolean => 'sfw!'.includes(letter);

const stateAfter = (letters: string): EndpointState => results(letters).reduce(fold, NEW_STATE);

describe('the endpoint state', () => {
  // The index of the first failed check in the current streak, and of the check since which the status has been the
  // same.
  it.each([
    ['S', 0, 1, null, 0],
    ['SSS', 0, 3, null, 0],
    ['F', 1, 0, 0, 0],
    ['SFF', 2, 0, 1, 1],
    ['FFS', 0, 1, null, 2],
    ['FF?F', 3, 0, 0, 3],
    ['FF??', 2, 0, 0, 2],
    ['S?S', 0, 2, null, 2],
    ['S?F', 1, 0, 2, 2],
    ['F?S', 0, 1, null, 2],
    ['???', 0, 0, null, 0],
    ['SFSFF', 2, 0, 3, 3],
  ])(
    'counts after %s %i consecutive failures and %i consecutive successes',
    (letters, failures, successes, failingFrom, statusFrom) => {
      const checks = results(letters);
      const at = (index: number | null) => (index === null ? null : (checks[index]?.checkedMs ?? Number.NaN));
      expect(stateAfter(letters)).toMatchObject({
        failures,
        successes,
        failingSinceMs: at(failingFrom),
        statusSinceMs: at(statusFrom),
        status: OUTCOME_CODE[outcomeOf(letters.at(-1) ?? '')],
      });
    },
  );

  it.each([
    ['FSS', 1, 1],
    ['FWS', 1, 2],
    ['FS?S', 1, 1],
    ['SWW', 0, null],
    ['SFS', 2, 2],
    ['SF', null, null],
  ])('shows after %s when the up results started, and the results without a warning', (letters, upFrom, goodFrom) => {
    const at = (index: number | null) => (index === null ? null : (results(letters)[index]?.checkedMs ?? Number.NaN));
    expect(stateAfter(letters)).toMatchObject({ upSinceMs: at(upFrom), goodSinceMs: at(goodFrom) });
  });

  it('does not show the start of a streak that is older than this field', () => {
    const old = { ...stateAfter('SS'), upSinceMs: null, goodSinceMs: null };
    expect(results('SSS').slice(2).reduce(fold, old)).toMatchObject({ upSinceMs: null, goodSinceMs: null });
  });

  it('remembers exactly the last thirty outcomes, the newest in the lowest bits', () => {
    expect(stateAfter('SF?').recent).toBe(0b01_10_11n);
    expect(stateAfter('F'.repeat(31)).recent).toBe(BigInt(`0b${'10'.repeat(30)}`));
    expect(stateAfter(`F${'S'.repeat(30)}`).recent).toBe(BigInt(`0b${'01'.repeat(30)}`));
  });

  it('counts the current hour and keeps the counts of the previous hour', () => {
    expect(stateAfter('SFS').hours).toEqual({
      hourStart: new Date(Date.UTC(2026, 1, 1)),
      hour: { ...NO_COUNTS, up: 1, down: 1 },
      before: { ...NO_COUNTS, up: 1 },
    });
  });

  it('keeps the newest scheduled slot when a client asked for a check in between', () => {
    const onDemand = fold(stateAfter('S'), { ...UNMARKED, outcome: 'up', checkedMs: START + 5000, slotMs: null });
    expect(onDemand).toMatchObject({ lastSlotMs: START, lastCheckedMs: START + 5000, successes: 2 });
  });

  it('never moves the time of the last check back', () => {
    const late = fold(stateAfter('SS'), { ...UNMARKED, outcome: 'down', checkedMs: START + 5, slotMs: null });
    expect(late.lastCheckedMs).toBe(START + 10_003);
  });

  it.each([
    ['the same slot', { slotMs: START + 10_000, checkedMs: START + 10_700 }, true],
    ['an earlier slot', { slotMs: START, checkedMs: START + 10_700 }, true],
    ['the next slot', { slotMs: START + 20_000, checkedMs: START + 20_000 }, false],
    ['a check on demand', { slotMs: null, checkedMs: START + 10_700 }, false],
    ['a check at the very millisecond of the last one', { slotMs: null, checkedMs: START + 10_003 }, true],
  ])('recognizes %s as a duplicate, or not', (_, result, expected) => {
    expect(isDuplicate(stateAfter('SS'), { ...UNMARKED, outcome: 'up', ...result })).toBe(expected);
  });

  // The bad streak, the good streak, and the index of the check since which the endpoint has been degraded.
  it.each([
    ['S', 0, 1, null],
    ['W', 1, 0, 0],
    ['SWW', 2, 0, 1],
    ['WS', 0, 1, null],
    ['WFW', 3, 0, 2],
    ['FF', 2, 0, null],
    ['WW?', 2, 0, null],
    ['WW?W', 3, 0, 3],
    ['SS?S', 0, 3, null],
    ['SSF?S', 0, 1, null],
    // Maintenance doesn't change streaks.
    ['Sww', 2, 0, 1],
    ['WsS', 0, 2, null],
  ])(
    'counts after %s %i failed or degraded results in a row and %i successful ones',
    (letters, badStreak, goodStreak, degradedFrom) => {
      const degradedSinceMs = degradedFrom === null ? null : results(letters)[degradedFrom]?.checkedMs;
      expect(stateAfter(letters)).toMatchObject({ badStreak, goodStreak, degradedSinceMs });
    },
  );

  // The checks at which the open outage, an episode of `down`, and an episode of `degraded` start, and whether the
  // outage is planned.
  it.each([
    ['SF', 1, 1, 1, false],
    ['Sf', 1, null, null, true],
    ['SFFff', 3, null, null, true],
    ['SffF', 3, 3, 3, false],
    ['FfF?F', 2, 2, 2, false],
    ['ff!?', 0, null, null, true],
    ['SFs', null, null, null, false],
    ['Ww', null, null, null, false],
    ['WwW', null, null, 2, false],
    ['WWF', 2, 2, 0, false],
    ['wWFF', 2, 2, 1, false],
    ['FW', null, null, 0, false],
    ['FS', null, null, null, false],
  ])('shows after %s when the problem started', (letters, failing, failingUnmuted, badUnmuted, failingPlanned) => {
    const at = (index: number | null) => (index === null ? null : (results(letters)[index]?.checkedMs ?? Number.NaN));
    expect(stateAfter(letters)).toMatchObject({
      failingSinceMs: at(failing),
      failingUnmutedSinceMs: at(failingUnmuted),
      badUnmutedSinceMs: at(badUnmuted),
      failingPlanned,
    });
  });

  it('distinguishes a window that only excludes uptime from one that only mutes', () => {
    const [first, second] = results('FF');
    const after = (marks: Partial<FoldInput>) =>
      [first, second].reduce(
        (state, result, index) => (result ? fold(state, { ...result, ...(index === 1 ? marks : {}) }) : state),
        NEW_STATE,
      );
    expect(after({ planned: true })).toMatchObject({
      failingSinceMs: second?.checkedMs,
      failingUnmutedSinceMs: first?.checkedMs,
      badUnmutedSinceMs: first?.checkedMs,
    });
    expect(after({ muted: true })).toMatchObject({
      failingSinceMs: first?.checkedMs,
      failingUnmutedSinceMs: null,
      badUnmutedSinceMs: null,
    });
  });

  it('lets no failure that started before the open outage split it', () => {
    const state = stateAfter('SF');
    const late = fold(state, { ...UNMARKED, outcome: 'down', planned: true, checkedMs: START + 5000, slotMs: null });
    expect(late).toMatchObject({ failures: 2, failingSinceMs: state.failingSinceMs, failingPlanned: false });
  });

  it('remembers which of the last thirty outcomes were degraded, including in maintenance', () => {
    expect(stateAfter('SWFw').recentDegraded).toBe(0b0101);
    expect(stateAfter('W'.repeat(31)).recentDegraded).toBe(2 ** 30 - 1);
    expect(stateAfter(`W${'S'.repeat(30)}`).recentDegraded).toBe(0);
  });

  const letters = fc.string({
    unit: fc.constantFrom('F', 'F', 'S', 'S', 'W', '?', 'f', 's', 'w', '!'),
    minLength: 1,
    maxLength: 80,
  });
  const tailOf = (text: string, kinds: string): number =>
    [...text.toUpperCase().replace(/[?!]/g, '')].reverse().findIndex((letter) => !kinds.includes(letter));
  const streakOf = (text: string, kinds: string): number => {
    const length = tailOf(text, kinds);
    return length === -1 ? text.replace(/[?!]/g, '').length : length;
  };

  it('has the streaks and hour counts that follow from any recorded outcomes', () => {
    fc.assert(
      fc.property(letters, (text) => {
        const state = stateAfter(text);
        expect(state.failures).toBe(streakOf(text, 'F'));
        expect(state.successes).toBe(streakOf(text, 'SW'));
        expect(state.badStreak).toBe(streakOf(text, 'FW'));
        expect(state.goodStreak).toBe(streakOf(text, 'S'));
        expect(state.failingSinceMs !== null).toBe(state.failures > 0);
        const { hour, before } = state.hours;
        const inTwoHours = results(text).filter(({ checkedMs }) => {
          const hours = Math.floor((state.lastCheckedMs ?? 0) / HOUR_MS) - Math.floor(checkedMs / HOUR_MS);
          return hours <= 1;
        });
        const checks = [hour, before].map(({ up, down, unknown, planned }) => up + down + unknown + planned);
        expect(checks.reduce((sum, count) => sum + count)).toBe(inTwoHours.length);
        expect(hour.planned + before.planned).toBe(inTwoHours.filter(({ planned }) => planned).length);
        const degraded = inTwoHours.filter((result) => result.degraded && !result.planned);
        expect(hour.degraded + before.degraded).toBe(degraded.length);
      }),
    );
  });

  it('does not depend on how the results are cut into batches', () => {
    fc.assert(
      fc.property(letters, fc.nat(80), (text, cut) => {
        const all = results(text);
        const first = all.slice(0, cut).reduce(fold, NEW_STATE);
        expect(all.slice(cut).reduce(fold, first)).toEqual(all.reduce(fold, NEW_STATE));
      }),
    );
  });

  it('treats every result of a batch that is written again as a duplicate', () => {
    fc.assert(
      fc.property(letters, (text) => {
        const state = stateAfter(text);
        for (const result of results(text)) expect(isDuplicate(state, result)).toBe(true);
      }),
    );
  });
});
