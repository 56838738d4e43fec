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

/** A row of `endpoint_location`: what one location has observed about an endpoint. */
export interface StoredLocation extends LocationState {
  /** The probe's number, or 0 for the service itself. */
  number: number;
  /** The name that the endpoint uses for the location. */
  name: string;
  statusSinceMs: number | null;
  /** This location's newest recorded slot. */
  lastSlotMs: number | null;
  /** Why the newest result is bad: the error, or the warning if the result is degraded. */
  error: Said | null;
  /** The address that the newest check connected to, and how long the check took. */
  address: string | null;
  durationMs: number | null;
}

/** An endpoint's locations, in order, and the rule that combines their results into one verdict. */
export interface Located {
  rule: VerdictRule;
  locations: readonly StoredLocation[];
  /**
   * The database's clock when the locations were read. A location that hasn't reported for a long time before this
   * counts as silent.
   */
  nowMs: number;
  /** The location whose check set the state's `lastCheckedMs`, once a check in the batch has set it. */
  newest?: number | undefined;
}

interface Said {
  code: ErrorCode;
  message: string;
}

/**
 * The data that a check reports about its endpoint. With several locations, it comes from the vote that decided the
 * verdict.
 */
export interface Told extends Pick<FinishedResult, 'durationMs' | 'statusCode' | 'address'> {
  error: Said | null;
  warning: Said | null;
}

/** A check of an endpoint with locations, and how it counts. */
export interface LocatedCheck extends Located {
  /** The verdict after this check, or `null` if the check came late and only counts for its location. */
  verdict: Verdict | null;
  /** Whether the check counts for alerts. */
  decides: boolean;
  told: Told;
  /** Each voting or lost location with its result. Absent for an endpoint with one location. */
  seen?: readonly LocationSeen[];
  /**
   * The number of consecutive failures at this location, and the voting locations with fewer failures. Those may be
   * asked for a second opinion.
   */
  lone?: Omit<LoneFailure, 'endpointId'> | null;
}

export interface AfterCheck {
  state: EndpointState;
  /** The check with its marks `counted` and `isLate`. */
  check: FinishedCheck;
  located: LocatedCheck;
}

/**
 * Returns the endpoint and its location after one more check, and the check with its marks `counted` and `isLate`.
 * Returns `null` if the check doesn't count, because its location isn't one of the endpoint's or because it was already
 * recorded.
 * With one location, this is the same as `fold`, and the result is judged at its own time. With several locations, the
 * verdict at `nowMs` counts if the result is known or changes the verdict's outcome. The quorum then decides the
 * streaks.
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
  const isLate = nowMs > input.checkedMs + silentAfterMs(rule);
  if (isLate && !isOnly) {
    const located = { rule, locations: after, nowMs, newest: before.newest };
    const late = { ...check, isLate, counted: null };
    return { state, check: late, located: { ...located, verdict: null, decides: false, told: toldAlone(check) } };
  }
  const atMs = isOnly ? input.checkedMs : nowMs;
  // The only location was in service when it ran the check.
  const judged = isOnly ? after.map((location) => ({ ...location, isOut: false })) : after;
  const verdict = verdictOf(judged, rule, atMs);
  const { outcome, degraded } = verdict;
  const isKnown = input.outcome !== 'unknown';
  const decides = outcome !== 'unknown' && (isKnown || OUTCOME_CODE[outcome] !== state.status);
  const marked = isOnly ? { ...check, isLate } : { ...check, isLate, counted: { outcome, degraded } };
  const sinceMs = !isOnly && outcome === 'down' ? { sinceMs: downSince(state, after, rule, input) } : {};
  const counted: FoldInput = { ...input, outcome, degraded, ...sinceMs };
  const streaks: Streaks = decides ? { ...streaksAfter(state, counted), ...streaksOf(verdict) } : state;
  const next = foldWith(state, counted, streaks);
  const newest = newestAfter(state, next, before, check);
  const located = { rule, locations: after, nowMs, newest, verdict, decides };
  if (isOnly) return { state: next, check: marked, located: { ...located, told: toldAlone(check) } };
  // The reported check is the one that changed the status, even if a newer check from another location arrived first.
  const reported = next.status === state.status ? next : { ...next, lastCheckedMs: input.checkedMs };
  return {
    state: reported,
    check: marked,
    located: {
      ...located,
      told: toldByAll(check, verdict, badVotes(after, rule, nowMs)),
      seen: seenBy(after, rule, nowMs),
      lone: loneFailure(check, verdict, after, rule, nowMs),
    },
  };
}

/**
 * Returns since when enough locations have seen the endpoint down to meet the quorum of all locations, including times
 * when nothing could be recorded. The result is never before a check that counted as up. A failure that doesn't open an
 * outage, or is planned or muted, started when it was found.
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

/** Returns `null` if the quorum has as many failures, or if nothing may trigger. */
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

/**
 * Folds the finding that no location is checking anymore. Changes nothing if a location is checking again, or if this
 * was already recorded.
 */
function foldSilence(state: EndpointState, before: Located, check: FinishedCheck): AfterCheck | null {
  const { rule, locations, nowMs } = before;
  if (state.status === OUTCOME_CODE.unknown || locations.some((location) => isVoting(location, rule, nowMs)))
    return null;
  const verdict = verdictOf(locations, rule, nowMs);
  const counted = { outcome: 'unknown', degraded: false } as const;
  const marked = locations.length > 1 ? { ...check, counted } : check;
  const after = fold(state, inputOf(check));
  const newest = newestAfter(state, after, before, check);
  const located = { rule, locations, nowMs, newest, verdict, decides: false, told: toldAlone(check) };
  return { state: after, check: marked, located };
}

const newestAfter = (before: EndpointState, after: EndpointState, { newest }: Located, { location }: FinishedCheck) =>
  after.status !== before.status || after.lastCheckedMs !== before.lastCheckedMs ? location : newest;

/** Whether this location's slot was already recorded, or this is the same check again. */
const isRecorded = ({ lastSlotMs, lastCheckedMs }: StoredLocation, { slotMs, checkedAt }: FinishedCheck): boolean =>
  (slotMs !== null && lastSlotMs !== null && slotMs <= lastSlotMs) || checkedAt.getTime() === lastCheckedMs;

/**
 * A probe's slots are at least half an interval apart, even when its grid moves. Only this condition detects duplicates
 * that two requests send at the same time.
 */
const isNoSlot = ({ number, lastSlotMs }: StoredLocation, { slotMs }: FinishedCheck, { intervalMs }: VerdictRule) =>
  number !== LOCAL && slotMs !== null && lastSlotMs !== null && slotMs - lastSlotMs < intervalMs / 2;

/** An endpoint's slot is the one that an instance claimed, because taking over from a dead instance relies on it. */
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

/** Streak start times are stored only for endpoints, not for their locations. */
const NOT_KEPT = { failingUnmutedSinceMs: null, badUnmutedSinceMs: null, upSinceMs: null, goodSinceMs: null };

const streaksOf = ({ failures, successes, badStreak, goodStreak }: Verdict) => ({
  failures,
  successes,
  badStreak,
  goodStreak,
});

const saidBy = (error: Said | null): Said | null => error && { code: error.code, message: error.message };

/**
 * Returns the bad votes, newest first: the votes for down, or the degraded ones if none is down. Votes at the same time
 * keep their order.
 */
function badVotes(locations: readonly StoredLocation[], rule: VerdictRule, nowMs: number): StoredLocation[] {
  const voters = locations.filter((location) => isVoting(location, rule, nowMs));
  const down = voters.filter(({ status }) => status === 'down');
  const bad = down.length > 0 ? down : voters.filter(({ degraded }) => degraded);
  return bad.toSorted((a, b) => (b.lastCheckedMs ?? 0) - (a.lastCheckedMs ?? 0));
}

/** Returns what a single location reports. */
const toldAlone = (check: FinishedCheck): Told => {
  const { durationMs, statusCode, address, error, warning } = check.result;
  return { durationMs, statusCode, address, error: saidBy(error), warning: isDegraded(check) ? saidBy(warning) : null };
};

/**
 * Returns the combined report of several locations, taken from the newest bad vote. Duration and status code are known
 * only if that vote belongs to this check.
 */
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
