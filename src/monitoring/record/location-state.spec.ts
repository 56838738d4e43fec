import fc from 'fast-check';
import { NEW_STATE } from '../../../test/harness/new-state';
import type { ErrorCode, Outcome } from '../../checker/checker';
import type { StreakUpdate } from '../../endpoint/streak-update';
import { OUTCOME_CODE, outcomeOf } from '../../endpoint/outcome-code';
import { type FinishedCheck, NO_LOCATION } from '../../engine/finished-check';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';
import type { FoldedCheck, LockedState } from './endpoint-state-store';
import { changedLocations, foldBatch, loneFailuresOf, outagesOf, streakUpdatesOf } from './fold-batch';
import type { StoredLocation } from './location-state';
import { type Quorum, silentAfterMs, type VerdictRule, verdictOf } from '../../endpoint/verdict';

const START = Date.UTC(2026, 0, 31, 12);
const RULE: VerdictRule = { quorum: 'majority', intervalMs: MINUTE_MS, timeoutMs: 10 * SECOND_MS };
const SILENT_MS = silentAfterMs(RULE);
const NAMES = ['local', 'fra', 'virginia', 'office', 'tokyo'];

const newLocation = (number: number, change: Partial<StoredLocation> = {}): StoredLocation => ({
  number,
  name: NAMES[number] ?? '',
  status: null,
  statusSinceMs: null,
  degraded: false,
  failures: 0,
  successes: 0,
  badStreak: 0,
  goodStreak: 0,
  assignedMs: START,
  lastSlotMs: null,
  lastCheckedMs: null,
  lastKnownMs: null,
  isOut: false,
  error: null,
  address: null,
  durationMs: null,
  ...change,
});

const lockedWith = (locations: readonly StoredLocation[], quorum: Quorum = 'majority'): LockedState => ({
  state: NEW_STATE,
  active: true,
  revision: 1,
  locations: { rule: { ...RULE, quorum }, locations, nowMs: START },
});
const lockedAt = (numbers: readonly number[], quorum?: Quorum): LockedState =>
  lockedWith(
    numbers.map((number) => newLocation(number)),
    quorum,
  );

/** U is up, W is up with a warning, D is down, ? is unknown. */
type Letter = 'U' | 'W' | 'D' | '?';
const OUTCOMES: Readonly<Record<Letter, Outcome>> = { U: 'up', W: 'up', D: 'down', '?': 'unknown' };
const CODES: readonly ErrorCode[] = ['connection_timeout', 'connection_refused', 'tls_expired', 'dns_not_found'];

/** The slot of a check that started `atMs` after the start. Different times always have different slots. */
const slotAt = (atMs: number): number => START + atMs * MINUTE_MS;

/** A check from this location, `atMs` after the start. */
function checkOf(location: number, letter: Letter, atMs: number, change: Partial<FinishedCheck> = {}): FinishedCheck {
  const outcome = OUTCOMES[letter];
  const isBad = letter === 'D' || letter === '?';
  return {
    endpointId: 'a',
    endpointKey: '7',
    orgId: 'org',
    location,
    revision: 1,
    slotMs: slotAt(atMs),
    checkedAt: new Date(START + atMs),
    result: {
      outcome,
      durationMs: 12.5,
      phases: { dnsMs: null, connectMs: 12.5, tlsMs: null, firstByteMs: null, transferMs: null },
      statusCode: outcome === 'up' ? 200 : null,
      address: `192.0.2.${location}`,
      certificate: null,
      records: null,
      redirects: [],
      error: isBad ? { code: CODES[location] ?? 'internal', phase: 'connect', message: `${location} failed.` } : null,
      warning:
        letter === 'W' ? { code: 'assertion_failed', phase: 'assertion', message: 'The certificate ends.' } : null,
    },
    attempts: 1,
    firstError: null,
    planned: false,
    muted: false,
    ...change,
  };
}

/** Checks one second apart, written as `0U 1D`: each location and its result. */
const checksOf = (text: string, everyMs = SECOND_MS): FinishedCheck[] =>
  text.split(' ').map((word, index) => checkOf(Number(word[0]), word[1] as Letter, index * everyMs));

function foldedOf(
  { locations, ...locked }: LockedState,
  checks: readonly FinishedCheck[],
  nowMs = START,
): FoldedCheck[] {
  const states = new Map([['a', { ...locked, locations: locations && { ...locations, nowMs } }]]);
  return foldBatch(states, checks).get('a') ?? [];
}

/** The endpoint's status after each check, with its failure and success streaks: `up 0/2`, with ~ if degraded. */
const timeline = (folded: readonly FoldedCheck[]): string[] =>
  folded.map(({ state }) => {
    const degraded = state.degradedSinceMs === null ? '' : '~';
    return `${outcomeOf(state.status)}${degraded} ${state.failures}/${state.successes}`;
  });
const updatesOf = (folded: readonly FoldedCheck[]): StreakUpdate[] => streakUpdatesOf(new Map([['a', folded]]));

const letter = fc.constantFrom<Letter>('U', 'W', 'D', '?');
const quorum = fc.oneof(fc.constantFrom<Quorum>('any', 'majority', 'all'), fc.integer({ min: 1, max: 5 }));

describe('checks of an endpoint at three locations', () => {
  it.each<[string, string, Quorum, string[]]>([
    ['all up', '0U 1U 2U 0U', 'majority', ['up 0/1', 'up 0/1', 'up 0/1', 'up 0/1']],
    ['one down', '0U 1U 2D 2D', 'majority', ['up 0/1', 'up 0/1', 'up~ 0/1', 'up~ 0/1']],
    ['two down', '0U 1D 2D 1D 2D', 'majority', ['up 0/1', 'up~ 0/1', 'down 1/0', 'down 1/0', 'down 2/0']],
    ['one back', '0D 1D 2U 0U', 'majority', ['unknown 0/0', 'down 1/0', 'down 1/0', 'up~ 0/1']],
    ['a single vote', '0D 0D', 'majority', ['unknown 0/0', 'unknown 0/0']],
    ['a single vote that is enough', '0D 0D', 'any', ['down 1/0', 'down 2/0']],
    ['two that are not all', '0D 1D 2U', 'all', ['unknown 0/0', 'unknown 0/0', 'up~ 0/1']],
    ['one that goes blind', '0U 1U 2U 2?', 'majority', ['up 0/1', 'up 0/1', 'up 0/1', 'up 0/1']],
    ['all that go blind', '0U 1U 0? 1?', 'majority', ['up 0/1', 'up 0/1', 'up 0/1', 'unknown 0/1']],
    ['a warning of one', '0U 1W', 'majority', ['up 0/1', 'up~ 0/1']],
  ])('%s: %s with the quorum %s', (_, text, of, expected) => {
    expect(timeline(foldedOf(lockedAt([0, 1, 2], of), checksOf(text)))).toEqual(expected);
  });

  it('are not changed by the fold', () => {
    const checks = checksOf('0U 1D 2D 2U').map((check) => Object.freeze(check));
    expect(foldedOf(lockedAt([0, 1, 2]), checks).map(({ original }) => original)).toEqual(checks);
    expect(checks.every((check) => check.counted === undefined && check.isLate === undefined)).toBe(true);
  });

  it('count by the verdict right after them, regardless of the results themselves', () => {
    const folded = foldedOf(lockedAt([0, 1, 2]), checksOf('0U 1D 2D 2U'));
    expect(folded.map(({ check }) => check.counted)).toEqual([
      { outcome: 'up', degraded: false },
      { outcome: 'up', degraded: true },
      { outcome: 'down', degraded: false },
      { outcome: 'up', degraded: true },
    ]);
  });

  it('result in the verdict of the last result of each location, in any order of arrival', () => {
    const arrival = fc.record({ at: fc.nat(2), seen: letter });
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 1, maxLength: 10 }), quorum, (arrivals, of) => {
        const checks = arrivals.map(({ at, seen }, index) => checkOf(at, seen, index));
        const last = foldedOf(lockedAt([0, 1, 2], of), checks).at(-1);
        const { outcome } = verdictOf(last?.located?.locations ?? [], { ...RULE, quorum: of }, START);
        expect(outcomeOf(last?.state.status ?? 0)).toBe(outcome);
        expect(last?.check.counted?.outcome).toBe(outcome);
      }),
    );
  });

  it('trigger nothing, for any result of one location, while the other two are up (OneUptime #1639)', () => {
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 12 }), (seen) => {
        const checks = [...checksOf('0U 1U'), ...seen.map((one, index) => checkOf(2, one, 5000 + index))];
        expect(updatesOf(foldedOf(lockedAt([0, 1, 2]), checks)).map(({ outcome }) => outcome)).not.toContain('down');
      }),
    );
  });

  it.each<[string, FinishedCheck[], number]>([
    ['of a location that is not one of them', [checkOf(3, 'D', 0)], 0],
    ['of a slot twice', [checkOf(1, 'D', 0), checkOf(1, 'U', 1, { slotMs: START })], 1],
    ['of an older slot', [checkOf(1, 'D', 5), checkOf(1, 'U', 1)], 1],
    [
      'nearer than half an interval',
      [checkOf(1, 'D', 0), checkOf(1, 'U', 5, { slotMs: START + MINUTE_MS / 2 - 1 })],
      1,
    ],
    [
      'half an interval later, the grid has moved',
      [checkOf(1, 'D', 0), checkOf(1, 'U', 5, { slotMs: START + MINUTE_MS / 2 })],
      2,
    ],
    ['nearer, and due at once at an instance', [checkOf(0, 'D', 0), checkOf(0, 'U', 5, { slotMs: START + 1 })], 2],
    ['of another location in the same slot and moment', [checkOf(1, 'D', 0), checkOf(2, 'U', 0)], 2],
    ['of another location in an older slot', [checkOf(1, 'D', 9), checkOf(2, 'U', 1)], 2],
    ['requested twice', [1, 2].map(() => checkOf(1, 'D', 0, { slotMs: null })), 1],
  ])('are left out when they are %s', (_, checks, kept) => {
    expect(foldedOf(lockedAt([0, 1, 2]), checks)).toHaveLength(kept);
  });

  it('keep only the slots that instances claim as the slot of the endpoint', () => {
    expect(foldedOf(lockedAt([0, 1]), checksOf('0U 1U')).at(-1)?.state.lastSlotMs).toBe(slotAt(0));
  });

  it('report the error of the newest vote for down, although another failed differently and one is up (uptimepage #109)', () => {
    const folded = foldedOf(lockedAt([0, 1, 2]), checksOf('0U 1D 2D 0U'));
    expect(updatesOf(folded).slice(2)).toMatchObject([
      {
        outcome: 'down',
        error: { code: 'tls_expired', message: '2 failed.' },
        address: '192.0.2.2',
        durationMs: 12.5,
        locations: [
          { number: 0, outcome: 'up', isLost: false },
          { number: 1, outcome: 'down', error: { code: 'connection_refused' } },
          { number: 2, outcome: 'down', error: { code: 'tls_expired' } },
        ],
      },
      { outcome: 'down', error: { code: 'tls_expired' }, address: '192.0.2.2', statusCode: null, durationMs: null },
    ]);
  });

  it.each<[string, Quorum, string]>([
    ['0U 1D 2U', 'majority', '1 of 3 locations: fra, connection_refused'],
    ['0D 1D 2U', 'all', '2 of 3 locations: fra, local, connection_refused'],
    ['0U 1W 2U', 'majority', 'The certificate ends.'],
  ])('that make it degraded name the degraded locations: %s', (text, of, message) => {
    expect(updatesOf(foldedOf(lockedAt([0, 1, 2], of), checksOf(text))).at(-1)).toMatchObject({
      outcome: 'up',
      degraded: true,
      error: null,
      warning: { message },
    });
  });

  it('open an outage with the quorum and close it with the verdict, even if the verdict comes with a streak', () => {
    const locked = lockedAt([0, 1, 2]);
    const folded = new Map([['a', foldedOf(locked, checksOf('0U 0U 1D 2D 1?'))]]);
    const { opened, closed } = outagesOf(new Map([['a', locked]]), folded);
    expect(opened).toMatchObject([{ startedAt: new Date(START + 3000), error: 'tls_expired' }]);
    expect(closed.at(-1)).toMatchObject({ startedAt: new Date(START + 3000), endedAt: new Date(START + 4000) });
    expect(updatesOf(folded.get('a') ?? []).at(-1)).toMatchObject({
      outcome: 'up',
      upSince: new Date(START + 4000),
      consecutiveSuccesses: 2,
    });
  });

  it.each<[string, string, Quorum, (number | null)[]]>([
    ['since it was found', '0U@300 1D@320 2D@340', 'majority', [null, null, 340]],
    ['since the second was late', '1D@100 2D@120 1D@390 2D@400', 'majority', [null, null, null, 120]],
    ['since the first was late', '1D@100 1D@400', 'any', [null, 100]],
    [
      'since the third was late',
      '0D@100 1D@120 2D@140 0D@390 1D@395 2D@400',
      'all',
      [null, null, null, null, null, 140],
    ],
    [
      'not while one was up in between',
      '1D@100 1U@160 2D@120 1D@390 2D@400',
      'majority',
      [null, null, null, null, 390],
    ],
    ['not before what counted as up', '0U@350 1D@100 2D@120 1D@390 2D@400', 'majority', [null, null, null, null, 390]],
  ])(
    'show since when the endpoint is down, for results that come after the service was away: %s',
    (_, text, of, expected) => {
      const checks = text.split(' ').map((word) => {
        const [what = '', seconds] = word.split('@');
        return checkOf(Number(what[0]), what[1] as Letter, Number(seconds) * SECOND_MS);
      });
      const folded = foldedOf(lockedAt([0, 1, 2], of), checks, START + 405 * SECOND_MS);
      const secondsOf = (ms: number | null) => ms && (ms - START) / SECOND_MS;
      expect(folded.map(({ state }) => secondsOf(state.failingSinceMs))).toEqual(expected);
      expect(folded.map(({ state }) => secondsOf(state.failingUnmutedSinceMs))).toEqual(expected);
    },
  );

  const LOST = { assignedMs: START - SILENT_MS - 5 * MINUTE_MS };
  it.each<[string, LockedState, Partial<FinishedCheck>]>([
    ['they are planned', lockedAt([0, 1, 2]), { planned: true }],
    ['they are muted', lockedAt([0, 1, 2]), { muted: true }],
    [
      'a single vote counts since the others are lost',
      lockedWith([newLocation(0, LOST), newLocation(1, LOST), newLocation(2)]),
      {},
    ],
  ])('start when they were found if %s', (_, locked, mark) => {
    const checks = [1, 20, 195, 200].map((seconds, index) => checkOf(1 + (index % 2), 'D', seconds * SECOND_MS, mark));
    const voices = mark.planned || mark.muted ? checks : checks.filter(({ location }) => location === 2);
    const last = foldedOf(locked, voices, START + 200 * SECOND_MS).at(-1);
    expect(last?.state.failingSinceMs).toBe(START + 200 * SECOND_MS);
  });

  it('are reported as the last check if they changed the status, although a newer one came first', () => {
    const checks = [checkOf(0, 'U', 0), checkOf(1, 'D', 9000), checkOf(2, 'D', 8000), checkOf(0, 'U', 8500)];
    expect(foldedOf(lockedAt([0, 1, 2]), checks).map(({ state }) => (state.lastCheckedMs ?? 0) - START)).toEqual([
      0, 9000, 8000, 8500,
    ]);
  });

  it('write only the locations that they changed', () => {
    const locked = lockedAt([0, 1, 2]);
    const folded = new Map([['a', foldedOf(locked, checksOf('1D 1D'))]]);
    expect(changedLocations(new Map([['a', locked]]), folded)).toMatchObject([
      {
        endpointId: 'a',
        number: 1,
        status: 'down',
        failures: 2,
        lastCheckedMs: START + SECOND_MS,
        address: '192.0.2.1',
      },
    ]);
  });

  it('name the lost locations, and follow the others', () => {
    const lost = { assignedMs: START - SILENT_MS - 5 * MINUTE_MS - 1 };
    const locked = lockedWith([newLocation(0), newLocation(1, lost), newLocation(2, lost)]);
    const [update] = updatesOf(foldedOf(locked, checksOf('0D')));
    expect(update).toMatchObject({ outcome: 'down', consecutiveFailures: 1 });
    expect(update?.locations?.map(({ number, isLost }) => [number, isLost])).toEqual([
      [0, false],
      [1, true],
      [2, true],
    ]);
  });

  it('count only for their location if they come late', () => {
    const locked = lockedAt([0, 1, 2]);
    const checks = checksOf('1D 2D');
    const folded = foldedOf(locked, checks, START + SILENT_MS + SECOND_MS + 1);
    expect(folded.map(({ check: { counted, isLate } }) => [counted, isLate])).toEqual([
      [null, true],
      [null, true],
    ]);
    expect(folded.at(-1)?.state).toBe(NEW_STATE);
    expect(folded.at(-1)?.located?.locations.map(({ failures }) => failures)).toEqual([0, 1, 1]);
    expect(updatesOf(folded)).toEqual([]);
    expect(outagesOf(new Map([['a', locked]]), new Map([['a', folded]]))).toEqual({ opened: [], closed: [] });
  });

  it('list the other voters to check if one location fails more often than the quorum', () => {
    const lone = (text: string) =>
      loneFailuresOf(new Map([['a', foldedOf(lockedAt([0, 1, 2]), checksOf(text))]])).map(
        ({ failures, others }) => `${failures}: ${others.join(' ')}`,
      );
    expect(lone('0U 1U 2D 2D')).toEqual(['1: 0 1', '2: 0 1']);
    expect(lone('0U 1D 2D')).toEqual(['1: 0']);
    expect(lone('0U 1U 2U')).toEqual([]);
  });

  it('list no voters to check in a window that mutes', () => {
    const checks = [...checksOf('0U 1U'), checkOf(2, 'D', 9000, { muted: true })];
    expect(loneFailuresOf(new Map([['a', foldedOf(lockedAt([0, 1, 2]), checks)]]))).toEqual([]);
  });
});

describe('checks of an endpoint at one location that is not local', () => {
  const change = fc.record({
    seen: letter,
    muted: fc.boolean(),
    planned: fc.boolean(),
    /** Sometimes repeats the same slot or time. */
    stepMs: fc.constantFrom(0, 1, 1000, 60_000),
    isAsked: fc.boolean(),
  });
  type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;

  const sequenceOf = (changes: readonly Change[], location: number): FinishedCheck[] => {
    let atMs = 0;
    return changes.map(({ seen, muted, planned, stepMs, isAsked }) => {
      atMs += stepMs;
      const slotMs = isAsked ? null : slotAt(atMs);
      return checkOf(location, seen, atMs, { muted, planned, slotMs });
    });
  };

  it('count exactly like checks of an endpoint that instances check', () => {
    const plain: LockedState = { state: NEW_STATE, active: true, revision: 1 };
    // Only the slots differ, because no instance claims them.
    const outcome = (locked: LockedState, checks: readonly FinishedCheck[]) => {
      const folded = foldedOf(locked, checks, START + 1e9);
      const states = folded.map(({ state, check }) => [
        { ...state, recent: String(state.recent), lastSlotMs: 0 },
        check.checkedAt,
      ]);
      const updates = updatesOf(folded).map((update) => ({
        ...update,
        isLate: undefined,
        address: null,
        error: update.error?.code,
      }));
      return JSON.stringify([states, updates, outagesOf(new Map([['a', locked]]), new Map([['a', folded]]))]);
    };
    const here = (checks: readonly FinishedCheck[]) => checks.map((check) => ({ ...check, location: 0 }));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), quorum, (changes, of) => {
        const checks = sequenceOf(changes, 1);
        expect(outcome(lockedAt([1], of), checks)).toBe(outcome(plain, here(checks)));
      }),
      { numRuns: 1000 },
    );
  });

  it('fold as usual if they come late, and are marked as late', () => {
    const checks = checksOf('1D 1D 1U');
    const folded = foldedOf(lockedAt([1]), checks, START + SILENT_MS + MINUTE_MS);
    expect(timeline(folded)).toEqual(['down 1/0', 'down 2/0', 'up 0/1']);
    expect(updatesOf(folded).map(({ isLate }) => isLate)).toEqual([true, true, true]);
    expect(folded.map(({ check }) => check.counted)).toEqual([undefined, undefined, undefined]);
  });
});

describe('no reports from any location', () => {
  const silence = (nowMs: number) => checkOf(NO_LOCATION, '?', nowMs - START, { slotMs: null });

  it.each<[string, string, number, string[]]>([
    ['ends an up status', '0U 1U', SILENT_MS + 2000, ['unknown 0/1']],
    ['ends a down status, whose streak remains', '0D 1D', SILENT_MS + 2000, ['unknown 1/0']],
    ['changes nothing while one location reports', '0U 1U', SILENT_MS + 1000, []],
    ['changes nothing if nothing is known', '0? 1?', SILENT_MS + 2000, []],
  ])('%s', (_, text, laterMs, expected) => {
    const before = foldedOf(lockedAt([0, 1]), checksOf(text)).at(-1);
    const locked = { ...lockedWith(before?.located?.locations ?? []), state: before?.state ?? NEW_STATE };
    const nowMs = START + laterMs;
    const folded = foldedOf(locked, [silence(nowMs), silence(nowMs + 1)], nowMs);
    expect(timeline(folded)).toEqual(expected);
    expect(updatesOf(folded)).toEqual([]);
    expect(changedLocations(new Map([['a', locked]]), new Map([['a', folded]]))).toEqual([]);
    expect(folded.every(({ state }) => state.status === OUTCOME_CODE.unknown)).toBe(true);
  });
});
