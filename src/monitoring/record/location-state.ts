import type { ErrorCode } from '../../checker/checker';
import type { LocationSeen } from '../../endpoint/streak-update';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { type FinishedCheck, type FinishedResult, isDegraded, LOCAL, NO_LOCATION } from '../../engine/finished-check';
import { type EndpointState, fold, type FoldInput, foldWith, type Streaks, streaksAfter } from './endpoint-state';
import type { LoneFailure } from './location-asks';
import {
  isLost,
  isVoting,
  type LocationState,
  silentAfterMs,
  type Verdict,
  type VerdictRule,
  verdictOf,
  votesNeeded,
} from '../../endpoint/verdict';

/** The row of `endpoint_location`: what one location has seen of an endpoint. */
export interface StoredLocation extends LocationState {
  /** Number of the probe, 0 for the service itself. */
  number: number;
  /** As the endpoint names it. */
  name: string;
  statusSinceMs: number | null;
  /** The newest slot of it that was recorded. */
  lastSlotMs: number | null;
  /** Why its newest result is bad: the error, or the warning of a degraded one. */
  error: Said | null;
  /** What its newest result connected to, and how long it took. */
  address: string | null;
  durationMs: number | null;
}

/** The locations of an endpoint, in their order, and what makes one verdict of them. */
export interface Located {
  rule: VerdictRule;
  locations: readonly StoredLocation[];
  /** The database's clock when they were read: who has reported nothing for long by then is silent. */
  nowMs: number;
  /** Whose check the state's `lastCheckedMs` is, once there is one in the batch. */
  newest?: number | undefined;
}

interface Said {
  code: ErrorCode;
  message: string;
}

/** What is told of an endpoint by a check: of several locations by the vote that made the verdict. */
export interface Told extends Pick<FinishedResult, 'durationMs' | 'statusCode' | 'address'> {
  error: Said | null;
  warning: Said | null;
}

/** A check of an endpoint with locations, as it counts. */
export interface LocatedCheck extends Located {
  /** The verdict with it; `null`: it came late, and counts for its location alone. */
  verdict: Verdict | null;
  /** It decides something: alerts are asked. */
  decides: boolean;
  told: Told;
  /** What each voting or lost location saw; absent of an endpoint with one location. */
  seen?: readonly LocationSeen[];
  /** Its location has now seen so many failures in a row, and these others that vote fewer: they may be asked. */
  lone?: Omit<LoneFailure, 'endpointId'> | null;
}

/** An endpoint after one more check. */
export interface AfterCheck {
  state: EndpointState;
  located: LocatedCheck;
}

/**
 * The endpoint and its location after one more check, which gets its marks `counted` and `isLate`; `null` when it counts for
 * nothing: its location is not one of the endpoint's, or it was recorded before. With one location this is `fold`: its result
 * is judged at its own time. Of several the verdict counts, at `nowMs`, when the result is known or the verdict's outcome
 * changes with it; streaks are then those that the quorum has.
 */
export function foldLocated(state: EndpointState, before: Located, check: FinishedCheck): AfterCheck | null {
  if (check.location === NO_LOCATION) return foldSilence(state, before, check);
  const { rule, locations, nowMs } = before;
  const index = locations.findIndex(({ number }) => number === check.location);
  const own = locations[index];
  if (!own || isRecorded(own, check) || isNoSlot(own, check, rule)) return null;
  const input = inputOf(check);
  const after = locations.with(index, afterResult(own, input, check));
  const isOnly = locations.length === 1;
  check.isLate = nowMs > input.checkedMs + silentAfterMs(rule);
  if (check.isLate && !isOnly) {
    check.counted = null;
    const located = { rule, locations: after, nowMs, newest: before.newest };
    return { state, located: { ...located, verdict: null, decides: false, told: toldAlone(check) } };
  }
  const atMs = isOnly ? input.checkedMs : nowMs;
  // Whoever runs the only location was in service when it looked.
  const judged = isOnly ? after.map((location) => ({ ...location, isOut: false })) : after;
  const verdict = verdictOf(judged, rule, atMs);
  const { outcome, degraded } = verdict;
  const isKnown = input.outcome !== 'unknown';
  const decides = outcome !== 'unknown' && (isKnown || OUTCOME_CODE[outcome] !== state.status);
  if (!isOnly) check.counted = { outcome, degraded };
  const counted: FoldInput = { ...input, outcome, degraded };
  if (!isOnly && outcome === 'down') counted.sinceMs = downSince(state, after, rule, input);
  const streaks: Streaks = decides ? { ...streaksAfter(state, counted), ...streaksOf(verdict) } : state;
  const next = foldWith(state, counted, streaks);
  const newest = newestAfter(state, next, before, check);
  const located = { rule, locations: after, nowMs, newest, verdict, decides };
  if (isOnly) return { state: next, located: { ...located, told: toldAlone(check) } };
  // The check that changed the status is the one that is told of, also when a newer one of another location came first.
  if (next.status !== state.status) next.lastCheckedMs = input.checkedMs;
  return {
    state: next,
    located: {
      ...located,
      told: toldByAll(check, verdict, badVotes(after, rule, nowMs)),
      seen: seenBy(after, rule, nowMs),
      lone: loneFailure(check, verdict, after, rule, nowMs),
    },
  };
}

/**
 * Since when as many see it down as the quorum asks of all locations, also where nobody could record it; never before a check that
 * counted as up. A failure that opens nothing, or is planned or muted, began when it was found.
 */
function downSince(
  { status, failingSinceMs, lastCheckedMs }: EndpointState,
  locations: readonly StoredLocation[],
  { quorum }: VerdictRule,
  { checkedMs, planned, muted }: FoldInput,
): number {
  if (failingSinceMs !== null || planned || muted) return checkedMs;
  const since = locations.flatMap((one) => (one.status === 'down' ? [one.statusSinceMs ?? checkedMs] : []));
  const quorumMs = since.toSorted((a, b) => a - b)[votesNeeded(quorum, locations.length) - 1] ?? checkedMs;
  const upMs = status === OUTCOME_CODE.up ? (lastCheckedMs ?? 0) : 0;
  return Math.min(checkedMs, Math.max(quorumMs, upMs));
}

/** Nothing where the quorum has failed as often, or nothing may trigger. */
function loneFailure(
  { location, result, muted }: FinishedCheck,
  verdict: Verdict,
  locations: readonly StoredLocation[],
  rule: VerdictRule,
  nowMs: number,
): LocatedCheck['lone'] {
  const failures = locations.find(({ number }) => number === location)?.failures ?? 0;
  if (result.outcome !== 'down' || muted || verdict.failures >= failures) return null;
  const fewer = locations.filter((one) => one.failures < failures && isVoting(one, rule, nowMs));
  return fewer.length > 0 ? { failures, others: fewer.map(({ number }) => number) } : null;
}

/** Nobody looks any more: unless somebody does by now, or that was said before. */
function foldSilence(state: EndpointState, before: Located, check: FinishedCheck): AfterCheck | null {
  const { rule, locations, nowMs } = before;
  if (state.status === OUTCOME_CODE.unknown || locations.some((location) => isVoting(location, rule, nowMs)))
    return null;
  const verdict = verdictOf(locations, rule, nowMs);
  if (locations.length > 1) check.counted = { outcome: 'unknown', degraded: false };
  const after = fold(state, inputOf(check));
  const newest = newestAfter(state, after, before, check);
  return { state: after, located: { rule, locations, nowMs, newest, verdict, decides: false, told: toldAlone(check) } };
}

const newestAfter = (before: EndpointState, after: EndpointState, { newest }: Located, { location }: FinishedCheck) =>
  after.status !== before.status || after.lastCheckedMs !== before.lastCheckedMs ? location : newest;

/** A slot of this location that was recorded before, or the same check once more. */
const isRecorded = ({ lastSlotMs, lastCheckedMs }: StoredLocation, { slotMs, checkedAt }: FinishedCheck): boolean =>
  (slotMs !== null && lastSlotMs !== null && slotMs <= lastSlotMs) || checkedAt.getTime() === lastCheckedMs;

/** Slots of a probe are at least half an interval apart, though its grid moves: what two requests send at once is told apart here alone. */
const isNoSlot = ({ number, lastSlotMs }: StoredLocation, { slotMs }: FinishedCheck, { intervalMs }: VerdictRule) =>
  number !== LOCAL && slotMs !== null && lastSlotMs !== null && slotMs - lastSlotMs < intervalMs / 2;

/** The slot of an endpoint is the one that an instance claimed: what takes over from a dead instance goes by it. */
const inputOf = (check: FinishedCheck): FoldInput => ({
  outcome: check.result.outcome,
  degraded: isDegraded(check),
  planned: check.planned,
  muted: check.muted,
  checkedMs: check.checkedAt.getTime(),
  slotMs: check.location === LOCAL ? check.slotMs : null,
});

function afterResult(before: StoredLocation, input: FoldInput, { slotMs, result }: FinishedCheck): StoredLocation {
  const { outcome, degraded, checkedMs } = input;
  const { failures, successes, badStreak, goodStreak } = streaksAfter({ ...before, ...NOT_KEPT }, input);
  const isKnown = outcome !== 'unknown';
  return {
    ...before,
    status: outcome,
    statusSinceMs: outcome === before.status && before.statusSinceMs !== null ? before.statusSinceMs : checkedMs,
    degraded,
    failures,
    successes,
    badStreak,
    goodStreak,
    lastSlotMs: slotMs ?? before.lastSlotMs,
    lastCheckedMs: Math.max(before.lastCheckedMs ?? 0, checkedMs),
    lastKnownMs: isKnown ? Math.max(before.lastKnownMs ?? 0, checkedMs) : before.lastKnownMs,
    error: saidBy(result.error ?? (degraded ? result.warning : null)),
    address: result.address,
    durationMs: result.durationMs,
  };
}

/** When its streaks began is kept of an endpoint alone. */
const NOT_KEPT = { failingUnmutedSinceMs: null, badUnmutedSinceMs: null, upSinceMs: null, goodSinceMs: null };

const streaksOf = ({ failures, successes, badStreak, goodStreak }: Verdict) => ({
  failures,
  successes,
  badStreak,
  goodStreak,
});

const saidBy = (error: Said | null): Said | null => error && { code: error.code, message: error.message };

/** The bad votes: those for down, without any those that are degraded; the newest first, of the same moment as they stand. */
function badVotes(locations: readonly StoredLocation[], rule: VerdictRule, nowMs: number): StoredLocation[] {
  const voters = locations.filter((location) => isVoting(location, rule, nowMs));
  const down = voters.filter(({ status }) => status === 'down');
  const bad = down.length > 0 ? down : voters.filter(({ degraded }) => degraded);
  return bad.toSorted((a, b) => (b.lastCheckedMs ?? 0) - (a.lastCheckedMs ?? 0));
}

/** What a single location says. */
const toldAlone = (check: FinishedCheck): Told => {
  const { durationMs, statusCode, address, error, warning } = check.result;
  return { durationMs, statusCode, address, error: saidBy(error), warning: isDegraded(check) ? saidBy(warning) : null };
};

/** What several say: the newest bad vote, of which neither duration nor status are known when it is not this check's. */
function toldByAll(check: FinishedCheck, verdict: Verdict, bad: readonly StoredLocation[]): Told {
  const [vote] = bad;
  const { outcome, down, of } = verdict;
  if (!vote || outcome === 'unknown') return { ...toldAlone(check), warning: null };
  const { durationMs, statusCode } = check.result;
  const own = vote.number === check.location ? { durationMs, statusCode } : { durationMs: null, statusCode: null };
  const { address } = vote;
  const error = vote.error ?? { code: 'internal', message: '' };
  if (outcome === 'down') return { ...own, address, error, warning: null };
  const which = `${down} of ${of} locations: ${bad.map(({ name }) => name).join(', ')}, ${error.code}`;
  const warning = { code: error.code, message: down > 0 ? which : error.message };
  return { ...own, address, error: null, warning };
}

const seenBy = (locations: readonly StoredLocation[], rule: VerdictRule, nowMs: number): LocationSeen[] =>
  locations.flatMap((location) => {
    const lost = isLost(location, rule, nowMs);
    if (!lost && !isVoting(location, rule, nowMs)) return [];
    const { number, status, error } = location;
    return [{ number, outcome: status ?? 'unknown', isLost: lost, error }];
  });
