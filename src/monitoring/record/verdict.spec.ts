import fc from 'fast-check';
import type { Outcome } from '../../checker/checker';
import { MINUTE_MS } from '../../platform/time/time-units';
import { NEW_STATE } from '../../../test/harness/new-state';
import { type EndpointState, fold } from './endpoint-state';
import { type LocationState, type Quorum, silentAfterMs, type VerdictRule, verdictOf } from '../../endpoint/verdict';

const NOW = Date.UTC(2026, 0, 31, 12);
const RULE: VerdictRule = { quorum: 'majority', intervalMs: MINUTE_MS, timeoutMs: 10_000 };
const SILENT_MS = silentAfterMs(RULE);

const NEW: LocationState = {
  status: null,
  degraded: false,
  failures: 0,
  successes: 0,
  badStreak: 0,
  goodStreak: 0,
  assignedMs: NOW,
  lastCheckedMs: null,
  lastKnownMs: null,
  isOut: false,
};

/** The location after one more result, with the streaks that `fold` counts. */
function after(location: LocationState, outcome: Outcome, degraded: boolean, atMs: number): LocationState {
  const known = outcome !== 'unknown';
  const { failures, successes, badStreak, goodStreak } = fold(stateOf(location), {
    outcome,
    degraded,
    planned: false,
    muted: false,
    checkedMs: atMs,
    slotMs: null,
  });
  const streaks = { failures, successes, badStreak, goodStreak };
  const lastKnownMs = known ? atMs : location.lastKnownMs;
  return { ...location, ...streaks, status: outcome, degraded, lastCheckedMs: atMs, lastKnownMs };
}

const stateOf = ({ failures, successes, badStreak, goodStreak }: LocationState): EndpointState => ({
  ...NEW_STATE,
  failures,
  successes,
  badStreak,
  goodStreak,
});

const SEEN: Readonly<Record<string, [Outcome, boolean]>> = {
  U: ['up', false],
  W: ['up', true],
  D: ['down', false],
  '?': ['unknown', false],
};

/**
 * Locations, written as one letter each. U is up, W is up with a warning, D is down, ? is unknown. S was down and is
 * now silent, L was down and is now lost, O was down and is now out of service, N is new.
 */
const locations = (letters: string): LocationState[] =>
  [...letters].map((letter) => {
    if (letter === 'N') return NEW;
    const ago = letter === 'S' ? SILENT_MS + 1 : letter === 'L' ? SILENT_MS + 5 * MINUTE_MS + 1 : 0;
    const [outcome, degraded] = SEEN[letter] ?? ['down', false];
    const known = after({ ...NEW, assignedMs: 0 }, 'up', false, NOW - ago);
    return { ...after(known, outcome, degraded, NOW - ago), isOut: letter === 'O' };
  });

const told = (letters: string, quorum: Quorum): string => {
  const { outcome, degraded, down, voting, of } = verdictOf(locations(letters), { ...RULE, quorum }, NOW);
  return `${outcome}${degraded ? ' degraded' : ''}, ${down} of ${voting} of ${of}`;
};

type Counted = Pick<LocationState, 'degraded' | 'failures' | 'successes' | 'badStreak' | 'goodStreak'> & {
  outcome: Outcome;
};
/** The fields that alerts use. For `unknown`, only the outcome, because the streaks don't change. */
const inWords = ({ outcome, degraded, failures, successes, badStreak, goodStreak }: Counted): string =>
  outcome === 'unknown' ? outcome : [outcome, degraded, failures, successes, badStreak, goodStreak].join(' ');

describe('the verdict of several locations', () => {
  it.each<[string, Quorum, string]>([
    ['DUU', 'majority', 'up degraded, 1 of 3 of 3'],
    ['DDU', 'majority', 'down, 2 of 3 of 3'],
    ['DUS', 'majority', 'up degraded, 1 of 2 of 3'],
    ['DU?', 'majority', 'up degraded, 1 of 2 of 3'],
    ['DSS', 'majority', 'unknown, 1 of 1 of 3'],
    ['DLL', 'majority', 'down, 1 of 1 of 1'],
    ['DOO', 'majority', 'down, 1 of 1 of 1'],
    ['SSS', 'majority', 'unknown, 0 of 0 of 3'],
    ['LLL', 'majority', 'unknown, 0 of 0 of 0'],
    ['???', 'majority', 'unknown, 0 of 0 of 3'],
    ['UUU', 'majority', 'up, 0 of 3 of 3'],
    ['UWU', 'majority', 'up degraded, 0 of 3 of 3'],
    ['UNN', 'majority', 'up, 0 of 1 of 3'],
    ['DN', 'majority', 'unknown, 1 of 1 of 2'],
    ['DU', 'majority', 'up degraded, 1 of 2 of 2'],
    ['DDUU', 'majority', 'up degraded, 2 of 4 of 4'],
    ['DDDUU', 'majority', 'down, 3 of 5 of 5'],
    ['DUU', 'any', 'down, 1 of 3 of 3'],
    ['DSS', 'any', 'down, 1 of 1 of 3'],
    ['UUU', 'any', 'up, 0 of 3 of 3'],
    ['DDU', 'all', 'up degraded, 2 of 3 of 3'],
    ['DDD', 'all', 'down, 3 of 3 of 3'],
    ['DDS', 'all', 'unknown, 2 of 2 of 3'],
    ['DDL', 'all', 'down, 2 of 2 of 2'],
    ['DDU', 3, 'up degraded, 2 of 3 of 3'],
    ['DDL', 3, 'down, 2 of 2 of 2'],
    ['DUU', 1, 'down, 1 of 3 of 3'],
    ['', 'all', 'unknown, 0 of 0 of 0'],
  ])('of %s with the quorum %s is %s', (letters, quorum, expected) => {
    expect(told(letters, quorum)).toBe(expected);
  });

  it.each<[Quorum, number, number]>([
    ['any', 5, 1],
    ['majority', 3, 2],
    ['all', 2, 4],
    [2, 3, 2],
  ])(
    'with the quorum %s has %i failures and %i successes in a row that enough locations have',
    (quorum, failures, successes) => {
      const three = [5, 3, 2].map((many, index) => ({
        ...NEW,
        status: 'down' as const,
        lastCheckedMs: NOW,
        lastKnownMs: NOW,
        failures: many,
        successes: [1, 2, 4][index] ?? 0,
        badStreak: many,
        goodStreak: many,
      }));
      expect(verdictOf(three, { ...RULE, quorum }, NOW)).toMatchObject({
        failures,
        successes,
        badStreak: 5,
        goodStreak: 2,
      });
    },
  );

  it('treats no location as lost before five minutes of silence, and gives a new location the same time', () => {
    const at = (ms: number) => verdictOf([...locations('D'), NEW, NEW], RULE, NOW + ms).of;
    expect([at(0), at(SILENT_MS + 5 * MINUTE_MS), at(SILENT_MS + 5 * MINUTE_MS + 1)]).toEqual([3, 3, 0]);
  });

  const seen = fc.tuple(fc.constantFrom<Outcome>('up', 'down', 'unknown'), fc.boolean());
  const quorum = fc.oneof(fc.constantFrom<Quorum>('any', 'majority', 'all'), fc.integer({ min: 1, max: 10 }));

  it('of one location follows its known results, with any quorum', () => {
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 5 }), quorum, (results, of) => {
        let location = NEW;
        let state = stateOf(NEW);
        const counted = results.map(([outcome, warned], index) => {
          const degraded = warned && outcome === 'up';
          const checkedMs = NOW + index * MINUTE_MS;
          location = after(location, outcome, degraded, checkedMs);
          state = fold(state, { outcome, degraded, planned: false, muted: false, checkedMs, slotMs: null });
          const verdict = verdictOf([location], { ...RULE, quorum: of }, checkedMs);
          return [inWords(verdict), inWords({ ...state, outcome, degraded })];
        });
        // Makes only one comparison for each history, because ten thousand comparisons take a second.
        expect(counted.map(([verdict]) => verdict).join('\n')).toBe(counted.map(([, own]) => own).join('\n'));
      }),
      { numRuns: 10_000 },
    );
  });

  it('does not depend on the order in which the results of three locations arrive', () => {
    const arrival = fc.record({ at: fc.integer({ min: 0, max: 2 }), seen });
    const inOrders = fc.array(arrival, { maxLength: 12 }).chain((results) =>
      fc.record({
        results: fc.constant(results),
        turns: fc.shuffledSubarray(
          results.map(({ at }) => at),
          { minLength: results.length },
        ),
        of: quorum,
      }),
    );
    fc.assert(
      fc.property(inOrders, ({ results, turns, of }) => {
        const rule = { ...RULE, quorum: of };
        const queues = [0, 1, 2].map((at) => results.filter((result) => result.at === at));
        const shuffled = turns.map((at) => queues[at]?.shift()).filter((result) => result !== undefined);
        const verdict = (order: typeof results) => {
          const three = [NEW, NEW, NEW];
          for (const {
            at,
            seen: [outcome, warned],
          } of order)
            three[at] = after(three[at] ?? NEW, outcome, warned && outcome === 'up', NOW);
          return verdictOf(three, rule, NOW);
        };
        expect(verdict(shuffled)).toEqual(verdict(results));
      }),
    );
  });

  it('needs as many votes as the quorum for down, and one vote against it for up, for every mix of up to five', () => {
    const wrong: string[] = [];
    for (const letters of mixes(5))
      for (const of of QUORUMS) {
        const count = (some: string) => [...letters].filter((letter) => some.includes(letter)).length;
        const [down, up, present] = [count('D'), count('UW'), count('UWD?SN')];
        const needed =
          { any: 1, majority: Math.floor(present / 2) + 1, all: present }[of] ?? Math.min(Number(of), present);
        const outcome = present > 0 && down >= needed ? 'down' : up > 0 ? 'up' : 'unknown';
        const degraded = outcome === 'up' && count('WD') > 0 ? ' degraded' : '';
        const verdict = told(letters, of);
        if (verdict !== `${outcome}${degraded}, ${down} of ${down + up} of ${present}`)
          wrong.push(`${letters} with ${of} is ${verdict}`);
      }
    expect(wrong).toEqual([]);
  });
});

const QUORUMS: readonly Quorum[] = ['any', 'majority', 'all', 1, 2, 3, 4, 5, 6];

/** Every combination, but each in only one order, because the order doesn't matter. */
const mixes = (most: number, letters = 'UWD?SLON'): string[] =>
  most === 0
    ? ['']
    : ['', ...[...letters].flatMap((letter, i) => mixes(most - 1, letters.slice(i)).map((rest) => letter + rest))];
