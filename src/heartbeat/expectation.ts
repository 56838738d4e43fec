import { expectedTimes, type HeartbeatSchedule, timesOfCron } from '../endpoint/heartbeat/heartbeat-schedule';
import type { PingKind } from '../endpoint/heartbeat/ping-kind';
import type { ErrorCode } from '../checker/checker';
import { NIL_UUID } from '../platform/ids/id';
import { SECOND_MS } from '../platform/time/time-units';
import { cut } from '../platform/text/text-limits';

/*
 * Decides what a ping, or the lack of one, means for a heartbeat. Pure functions. Times are in milliseconds by the
 * database's clock.
 */

export interface Ping {
  kind: PingKind;
  /** The run's UUID, or `null` if the ping does not contain one. */
  runId: string | null;
  exitCode: number | null;
  /** The job's reason for a failure. */
  message: string | null;
  /** The run's duration as reported by the job, or `null`. */
  reportedMs: number | null;
  atMs: number;
}

/** A run that has started but not ended. If it started without an ID, it has the nil UUID. */
export interface Run {
  id: string;
  startedMs: number;
  /** True if the run was already reported as taking too long. */
  overran: boolean;
}

/** A result to record as a check. */
export interface Verdict {
  atMs: number;
  outcome: 'up' | 'down' | 'unknown';
  code: ErrorCode | null;
  message: string;
  durationMs: number | null;
}

/** A period in which no process accepted pings, from `fromMs` (inclusive) to `untilMs` (exclusive). */
export interface Gap {
  fromMs: number;
  untilMs: number;
}

/** The state of a heartbeat, and the time of the next decision. */
export interface HeartbeatState {
  /** True if both the endpoint and its website are enabled. */
  active: boolean;
  expectedMs: number | null;
  deadlineMs: number | null;
  overrunMs: number | null;
  runs: readonly Run[];
  lastVerdictMs: number | null;
}

/** The next state, the results to record in order, and the duration of the run that a ping ended. */
export interface Decision {
  state: HeartbeatState;
  verdicts: Verdict[];
  durationMs: number | null;
}

/** The maximum number of stored runs per heartbeat. The oldest are dropped. */
const MAX_RUNS = 100;
/** The maximum length of a job's message. */
const MAX_MESSAGE = 300;
/** The maximum number of runs that one call decides. The others wait for the next second. */
const MAX_DECIDED = 50;

const nextTime = (schedule: HeartbeatSchedule, afterMs: number): number | null =>
  expectedTimes(schedule, new Date(afterMs), 1)[0]?.getTime() ?? null;

const awaiting = (state: HeartbeatState, schedule: HeartbeatSchedule, expectedMs: number | null): HeartbeatState => ({
  ...state,
  expectedMs,
  deadlineMs: expectedMs === null ? null : expectedMs + schedule.grace * SECOND_MS,
});

const withRuns = (state: HeartbeatState, schedule: HeartbeatSchedule, runs: readonly Run[]): HeartbeatState => {
  const waiting = runs.filter(({ overran }) => !overran).map(({ startedMs }) => startedMs);
  const isWatched = state.active && schedule.max_runtime !== null && waiting.length > 0;
  const overrunMs = isWatched ? Math.min(...waiting) + (schedule.max_runtime ?? 0) * SECOND_MS : null;
  return { ...state, runs, overrunMs };
};

/** Two checks never have the same millisecond, and no check is earlier than one that was decided before. */
const afterLast = (atMs: number, lastMs: number | null): number => Math.max(atMs, (lastMs ?? -Infinity) + 1);

function said(decision: Decision, verdict: Omit<Verdict, 'atMs'>, atMs: number): Decision {
  const at = afterLast(atMs, decision.state.lastVerdictMs);
  const state = { ...decision.state, lastVerdictMs: at };
  return { ...decision, state, verdicts: [...decision.verdicts, { ...verdict, atMs: at }] };
}

/**
 * Returns the state with a new expectation after the schedule was changed or the heartbeat was enabled. The next
 * expected time is computed from the last ping, but is never in the past. Before the first ping nothing is expected,
 * unless the heartbeat is `armed`. Runs that already take too long are not reported if they were not monitored.
 */
export function begunAgain(
  state: HeartbeatState,
  schedule: HeartbeatSchedule,
  { lastPingMs, armed, nowMs }: { lastPingMs: number | null; armed: boolean; nowMs: number },
): HeartbeatState {
  const startedBy = nowMs - (schedule.max_runtime ?? Infinity) * SECOND_MS;
  const isTold = (run: Run) => run.overran || (state.active && state.overrunMs === null && run.startedMs <= startedBy);
  const watched = withRuns(
    state,
    schedule,
    state.runs.map((run) => (isTold(run) ? { ...run, overran: true } : run)),
  );
  if (!state.active || (lastPingMs === null && !armed)) return awaiting(watched, schedule, null);
  if (schedule.every === null) return awaiting(watched, schedule, nextTime(schedule, nowMs));
  const periodMs = schedule.every * SECOND_MS;
  const fromMs = lastPingMs ?? nowMs;
  const periods = Math.max(1, Math.floor((nowMs - fromMs) / periodMs) + 1);
  return awaiting(watched, schedule, fromMs + periods * periodMs);
}

export function decidePing(state: HeartbeatState, schedule: HeartbeatSchedule, ping: Ping): Decision {
  const nothing: Decision = { state, verdicts: [], durationMs: null };
  if (ping.kind === 'log') return nothing;
  if (ping.kind === 'start') return { ...nothing, state: begun(state, schedule, ping) };
  const run = endedRun(state.runs, ping.runId);
  const durationMs = run ? Math.max(0, ping.atMs - run.startedMs) : ping.reportedMs;
  const left = state.runs.filter((other) => other !== run);
  const ended = withRuns(state, schedule, left);
  if (!state.active) return { ...nothing, state: ended, durationMs };
  const decided = { ...nothing, state: awaiting(ended, schedule, afterRun(state, schedule, ping.atMs)), durationMs };
  return said(decided, { ...verdictOf(ping), durationMs }, ping.atMs);
}

/** Starts or restarts a run. After the first sign of life, more pings are expected. */
function begun(state: HeartbeatState, schedule: HeartbeatSchedule, { runId, atMs }: Ping): HeartbeatState {
  const id = runId ?? NIL_UUID;
  const others = state.runs.filter((run) => run.id !== id).toSorted((a, b) => a.startedMs - b.startedMs);
  const runs = [...others, { id, startedMs: atMs, overran: false }].slice(-MAX_RUNS);
  const watched = withRuns(state, schedule, runs);
  const isFirst = state.active && state.expectedMs === null;
  return isFirst ? awaiting(watched, schedule, nextTime(schedule, atMs)) : watched;
}

/** Returns the run with this ID, or the newest run if there is no ID. */
function endedRun(runs: readonly Run[], runId: string | null): Run | undefined {
  if (runId !== null) return runs.find(({ id }) => id === runId);
  return runs.toSorted((a, b) => b.startedMs - a.startedMs)[0];
}

/**
 * Returns the time of the next expected ping after a run that ended at `atMs`. A period starts at that time. With cron,
 * a ping may come a little early: by at most the grace time, and by at most half of the gap before its run. The same is
 * true for the first ping, which is compared with the next scheduled run.
 */
function afterRun(state: HeartbeatState, schedule: HeartbeatSchedule, atMs: number): number | null {
  const next = nextTime(schedule, atMs);
  const expectedMs = state.expectedMs ?? next;
  if (schedule.cron === null || schedule.timezone === null || expectedMs === null || atMs >= expectedMs) return next;
  const earlyMs = expectedMs - atMs;
  const [firstInPause] = timesOfCron(schedule.cron, schedule.timezone, new Date(expectedMs - 2 * earlyMs + 1), 1);
  const isOfExpected = earlyMs <= schedule.grace * SECOND_MS && firstInPause?.getTime() === expectedMs;
  return isOfExpected ? nextTime(schedule, expectedMs) : expectedMs;
}

function verdictOf({ kind, exitCode, message }: Ping): Omit<Verdict, 'atMs' | 'durationMs'> {
  if (kind === 'success') return { outcome: 'up', code: null, message: '' };
  const code = exitCode === null ? '' : ` with exit code ${exitCode}`;
  const text = message?.trim() || `The job reported a failure${code}.`;
  return { outcome: 'down', code: 'heartbeat_failed', message: cut(text, MAX_MESSAGE, '') };
}

/** Decides what has become due by `nowMs`: missed runs, and runs that take too long. `gaps` must not overlap. */
export function decideDue(
  state: HeartbeatState,
  schedule: HeartbeatSchedule,
  nowMs: number,
  gaps: readonly Gap[],
): Decision {
  if (!state.active)
    return { state: awaiting(withRuns(state, schedule, state.runs), schedule, null), verdicts: [], durationMs: null };
  const late = decideLate({ state, verdicts: [], durationMs: null }, schedule, nowMs, gaps);
  return decideOverrun(late, schedule, nowMs, gaps);
}

function decideLate(begin: Decision, schedule: HeartbeatSchedule, nowMs: number, gaps: readonly Gap[]): Decision {
  let decision = begin;
  for (let decided = 0; decided < MAX_DECIDED; decided++) {
    const { expectedMs, deadlineMs } = decision.state;
    if (expectedMs === null || deadlineMs === null || deadlineMs > nowMs) return decision;
    const next = nextTime(schedule, expectedMs);
    const { atMs, isMoved } = movedBy(gaps, expectedMs, expectedMs + schedule.grace * SECOND_MS, next ?? Infinity);
    if (atMs > nowMs) return { ...decision, state: { ...decision.state, deadlineMs: atMs } };
    const expected = isMoved ? firstInTime(schedule, next, nowMs, gaps) : next;
    const verdict = isMoved ? AWAY : missed(expectedMs);
    decision = said({ ...decision, state: awaiting(decision.state, schedule, expected) }, verdict, atMs);
  }
  // The heartbeat has missed more runs than anyone wants to read about. From here on, only future runs count.
  return { ...decision, state: awaiting(decision.state, schedule, nextTime(schedule, nowMs)) };
}

/** Returns the first run that can still be on time. Runs missed during one absence are reported once. */
function firstInTime(
  schedule: HeartbeatSchedule,
  expectedMs: number | null,
  nowMs: number,
  gaps: readonly Gap[],
): number | null {
  let expected = expectedMs;
  for (let skipped = 0; expected !== null && skipped < MAX_DECIDED; skipped++) {
    const next = nextTime(schedule, expected);
    const moved = movedBy(gaps, expected, expected + schedule.grace * SECOND_MS, next ?? Infinity);
    if (moved.atMs > nowMs || !moved.isMoved) return expected;
    expected = next;
  }
  return nextTime(schedule, nowMs);
}

function decideOverrun(begin: Decision, schedule: HeartbeatSchedule, nowMs: number, gaps: readonly Gap[]): Decision {
  const { overrunMs, runs } = begin.state;
  if (schedule.max_runtime === null || overrunMs === null || overrunMs > nowMs) return begin;
  const runtimeMs = schedule.max_runtime * SECOND_MS;
  let decision = begin;
  let movedTo = Infinity;
  const after = runs.map((run): Run => {
    const deadlineMs = run.startedMs + runtimeMs;
    if (run.overran || deadlineMs > nowMs) return run;
    const { atMs, isMoved } = movedBy(gaps, run.startedMs, deadlineMs, Infinity);
    if (atMs > nowMs) {
      movedTo = Math.min(movedTo, atMs);
      return run;
    }
    decision = said(decision, isMoved ? AWAY : overran(schedule.max_runtime ?? 0), atMs);
    return { ...run, overran: true };
  });
  const state = withRuns(decision.state, schedule, after);
  const others = after.filter((run) => !run.overran && run.startedMs + runtimeMs > nowMs).map((run) => run.startedMs);
  const next = Math.min(movedTo, ...others.map((startedMs) => startedMs + runtimeMs));
  return { ...decision, state: { ...state, overrunMs: Number.isFinite(next) ? next : null } };
}

/**
 * Repeats the newest result at `nowMs` if it is `down` and older than `repeatMs`, the end of a suppression. Actively
 * checked endpoints would have another check by then.
 */
export function repeated(
  decision: Decision,
  { lastVerdict, repeatMs, nowMs }: { lastVerdict: Verdict | null; repeatMs: number | null; nowMs: number },
): Decision {
  const newest = decision.verdicts.at(-1) ?? lastVerdict;
  const isDue = decision.state.active && repeatMs !== null && repeatMs <= nowMs;
  return isDue && newest?.outcome === 'down' && newest.atMs < repeatMs ? said(decision, newest, nowMs) : decision;
}

const missed = (expectedMs: number) =>
  ({
    outcome: 'down',
    code: 'heartbeat_missed',
    message: `No ping arrived before the deadline; one was expected at ${new Date(expectedMs).toISOString().slice(0, 16)}Z.`,
    durationMs: null,
  }) as const;
const overran = (seconds: number) =>
  ({
    outcome: 'down',
    code: 'heartbeat_overran',
    message: `The run reported its start and has taken longer than ${seconds} seconds.`,
    durationMs: seconds * SECOND_MS,
  }) as const;
const AWAY = {
  outcome: 'unknown',
  code: 'monitor_offline',
  message:
    'The monitor itself was not running when the ping was expected, so a missing ping says nothing about the job.',
  durationMs: null,
} as const;

/**
 * Returns a deadline, extended by the gaps between `fromMs` and the deadline. It is extended to at most `capMs`, and
 * never shortened.
 */
export function movedBy(
  gaps: readonly Gap[],
  fromMs: number,
  deadlineMs: number,
  capMs: number,
): { atMs: number; isMoved: boolean } {
  let atMs = deadlineMs;
  for (;;) {
    const until = atMs;
    const awayMs = gaps.reduce(
      (sum, gap) => sum + Math.max(0, Math.min(gap.untilMs, until) - Math.max(gap.fromMs, fromMs)),
      0,
    );
    const moved = Math.max(deadlineMs, Math.min(deadlineMs + awayMs, capMs));
    if (moved <= atMs) return { atMs, isMoved: awayMs > 0 };
    atMs = moved;
  }
}

/** Returns the gaps as ordered spans that do not overlap. */
export function merged(gaps: readonly Gap[]): Gap[] {
  const spans: Gap[] = [];
  for (const gap of gaps.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = spans.at(-1);
    if (last && gap.fromMs <= last.untilMs) last.untilMs = Math.max(last.untilMs, gap.untilMs);
    else spans.push({ ...gap });
  }
  return spans;
}
