import { expectedTimes, type HeartbeatSchedule, timesOfCron } from '../endpoint/heartbeat/heartbeat-schedule';
import type { PingKind } from '../endpoint/heartbeat/ping-kind';
import type { ErrorCode } from '../checker/checker';
import { NIL_UUID } from '../platform/ids/id';
import { SECOND_MS } from '../platform/time/time-units';
import { cut } from '../platform/text/text-limits';

/*
 * What a ping, and the absence of one, says of a heartbeat. Pure; times are milliseconds of the database's clock.
 */

/** A ping as it came. */
export interface Ping {
  kind: PingKind;
  /** Which run it speaks of, a uuid; `null`: it does not say. */
  runId: string | null;
  exitCode: number | null;
  /** Why it failed, as the job has it. */
  message: string | null;
  /** How long the run took, as the job reports it; `null`: it does not. */
  reportedMs: number | null;
  atMs: number;
}

/** A run that has begun and not ended. Begun without an id it has the nil uuid. */
export interface Run {
  id: string;
  startedMs: number;
  /** That it takes too long has been said. */
  overran: boolean;
}

/** What is to be recorded as a check. */
export interface Verdict {
  atMs: number;
  outcome: 'up' | 'down' | 'unknown';
  code: ErrorCode | null;
  message: string;
  durationMs: number | null;
}

/** Nobody was there to take pings, from `fromMs` until before `untilMs`. */
export interface Gap {
  fromMs: number;
  untilMs: number;
}

/** What is known of a heartbeat, and when something is to be decided. */
export interface HeartbeatState {
  /** Endpoint and website are enabled. */
  active: boolean;
  expectedMs: number | null;
  deadlineMs: number | null;
  overrunMs: number | null;
  runs: readonly Run[];
  lastVerdictMs: number | null;
}

/** The state after it, what to record, in order, and how long the run took that a ping ended. */
export interface Decision {
  state: HeartbeatState;
  verdicts: Verdict[];
  durationMs: number | null;
}

/** Runs of one heartbeat that are kept: the oldest go. */
const MAX_RUNS = 100;
/** Of what a job says of itself. */
const MAX_MESSAGE = 300;
/** Runs that one look may decide: the others wait for the next second. */
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

/** No two checks share a millisecond, and none is before another that was decided earlier. */
const afterLast = (atMs: number, lastMs: number | null): number => Math.max(atMs, (lastMs ?? -Infinity) + 1);

function said(decision: Decision, verdict: Omit<Verdict, 'atMs'>, atMs: number): Decision {
  const at = afterLast(atMs, decision.state.lastVerdictMs);
  const state = { ...decision.state, lastVerdictMs: at };
  return { ...decision, state, verdicts: [...decision.verdicts, { ...verdict, atMs: at }] };
}

/**
 * When the next ping is expected as if all began now: the schedule was changed, or it is enabled again. From the last ping,
 * but never in the past; before the first ping not at all, unless it is `armed`. Of runs that nobody watched, those that take
 * too long by now are not told.
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

/** What a ping says. */
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

/** A run begins, or begins again. The first sign of life is when we begin to expect more of them. */
function begun(state: HeartbeatState, schedule: HeartbeatSchedule, { runId, atMs }: Ping): HeartbeatState {
  const id = runId ?? NIL_UUID;
  const others = state.runs.filter((run) => run.id !== id).toSorted((a, b) => a.startedMs - b.startedMs);
  const runs = [...others, { id, startedMs: atMs, overran: false }].slice(-MAX_RUNS);
  const watched = withRuns(state, schedule, runs);
  const isFirst = state.active && state.expectedMs === null;
  return isFirst ? awaiting(watched, schedule, nextTime(schedule, atMs)) : watched;
}

/** The run of that id; without one the newest. */
function endedRun(runs: readonly Run[], runId: string | null): Run | undefined {
  if (runId !== null) return runs.find(({ id }) => id === runId);
  return runs.toSorted((a, b) => b.startedMs - a.startedMs)[0];
}

/**
 * Returns the expectation after a run that ended at `atMs`. A period starts with it. With cron, a ping may come a little early:
 * at most the grace, and half of the pause before the run that it is for. The first ping may do so, too: it is compared with
 * the next run of the schedule.
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

/** What has become due by `nowMs`: runs that were missed, and runs that take too long. `gaps`: none overlap. */
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
  // Behind by more than anybody wants to be told: from here on it looks ahead.
  return { ...decision, state: awaiting(decision.state, schedule, nextTime(schedule, nowMs)) };
}

/** The runs of one absence are told once: the first one after them that can still be in time. */
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
 * The newest verdict once more, at `nowMs`: it is `down`, and from before `repeatMs`, when something that held its alerts back
 * was over. Others would have got another check by now.
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

/** A deadline moved by the time in which nobody was there between `fromMs` and it; at most to `capMs`, never to before. */
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

/** As spans that do not overlap, in order. */
export function merged(gaps: readonly Gap[]): Gap[] {
  const spans: Gap[] = [];
  for (const gap of gaps.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = spans.at(-1);
    if (last && gap.fromMs <= last.untilMs) last.untilMs = Math.max(last.untilMs, gap.untilMs);
    else spans.push({ ...gap });
  }
  return spans;
}
