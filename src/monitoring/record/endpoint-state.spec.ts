import fc from 'fast-check';
import type { Outcome } from '../../checker/checker';
import { HOUR_MS } from '../../platform/time/time-units';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { type EndpointState, fold, type FoldInput, isDuplicate } from './endpoint-state';

const START = Date.UTC(2026, 0, 31, 23, 59, 50);
const NONE = { up: 0, down: 0, unknown: 0 };

const NEW: EndpointState = {
  status: OUTCOME_CODE.unknown,
  statusSinceMs: null,
  failures: 0,
  successes: 0,
  failingSinceMs: null,
  lastCheckedMs: null,
  lastSlotMs: null,
  recent: 0n,
  hours: { hourStart: null, hour: NONE, before: NONE },
};

const OUTCOMES: Readonly<Record<string, Outcome>> = { S: 'up', F: 'down', '?': 'unknown' };
const outcomeOf = (letter: string): Outcome => OUTCOMES[letter] ?? 'unknown';

/** Results every ten seconds, given as `FFS?`. */
const results = (letters: string): FoldInput[] =>
  [...letters].map((letter, index) => ({
    outcome: outcomeOf(letter),
    checkedMs: START + index * 10_000 + 3,
    slotMs: START + index * 10_000,
  }));

const stateAfter = (letters: string): EndpointState => results(letters).reduce(fold, NEW);

describe('the endpoint state', () => {
  // Index of the first failing check of the running streak, and of the check since which the status holds.
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

  it('remembers exactly the last thirty outcomes, the newest in the lowest bits', () => {
    expect(stateAfter('SF?').recent).toBe(0b01_10_11n);
    expect(stateAfter('F'.repeat(31)).recent).toBe(BigInt(`0b${'10'.repeat(30)}`));
    expect(stateAfter(`F${'S'.repeat(30)}`).recent).toBe(BigInt(`0b${'01'.repeat(30)}`));
  });

  it('counts the current hour and keeps the counts of the hour before', () => {
    expect(stateAfter('SFS').hours).toEqual({
      hourStart: new Date(Date.UTC(2026, 1, 1)),
      hour: { up: 1, down: 1, unknown: 0 },
      before: { up: 1, down: 0, unknown: 0 },
    });
  });

  it('keeps the newest scheduled slot when a client asked for a check in between', () => {
    const onDemand = fold(stateAfter('S'), { outcome: 'up', checkedMs: START + 5000, slotMs: null });
    expect(onDemand).toMatchObject({ lastSlotMs: START, lastCheckedMs: START + 5000, successes: 2 });
  });

  it('never moves the time of the last check back', () => {
    const late = fold(stateAfter('SS'), { outcome: 'down', checkedMs: START + 5, slotMs: null });
    expect(late.lastCheckedMs).toBe(START + 10_003);
  });

  it.each([
    ['the same slot', { slotMs: START + 10_000, checkedMs: START + 10_700 }, true],
    ['an earlier slot', { slotMs: START, checkedMs: START + 10_700 }, true],
    ['the next slot', { slotMs: START + 20_000, checkedMs: START + 20_000 }, false],
    ['a check on demand', { slotMs: null, checkedMs: START + 10_700 }, false],
    ['a check at the very millisecond of the last one', { slotMs: null, checkedMs: START + 10_003 }, true],
  ])('recognizes %s as a duplicate, or not', (_, result, expected) => {
    expect(isDuplicate(stateAfter('SS'), { outcome: 'up', ...result })).toBe(expected);
  });

  const letters = fc.string({ unit: fc.constantFrom('F', 'S', '?'), minLength: 1, maxLength: 80 });

  it('has the streaks and hour counts that follow from any recorded outcomes', () => {
    fc.assert(
      fc.property(letters, (text) => {
        const state = stateAfter(text);
        const decided = [...text].filter((letter) => letter !== '?');
        const tail = /(?:F+|S+)$/.exec(decided.join(''))?.[0] ?? '';
        expect(state.failures).toBe(tail.startsWith('F') ? tail.length : 0);
        expect(state.successes).toBe(tail.startsWith('S') ? tail.length : 0);
        expect(state.failingSinceMs !== null).toBe(state.failures > 0);
        const { hour, before } = state.hours;
        const inTwoHours = results(text).filter(({ checkedMs }) => {
          const hours = Math.floor((state.lastCheckedMs ?? 0) / HOUR_MS) - Math.floor(checkedMs / HOUR_MS);
          return hours <= 1;
        });
        expect(hour.up + hour.down + hour.unknown + before.up + before.down + before.unknown).toBe(inTwoHours.length);
      }),
    );
  });

  it('does not depend on how the results are cut into batches', () => {
    fc.assert(
      fc.property(letters, fc.nat(80), (text, cut) => {
        const all = results(text);
        const first = all.slice(0, cut).reduce(fold, NEW);
        expect(all.slice(cut).reduce(fold, first)).toEqual(all.reduce(fold, NEW));
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
