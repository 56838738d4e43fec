import fc from 'fast-check';
import { ERROR_CODES, type ErrorCode } from '../../src/checker/checker';
import { PING_KINDS } from '../../src/endpoint/heartbeat/ping-kind';
import {
  decideDue,
  decidePing,
  type Decision,
  type Gap,
  type HeartbeatState,
  type Verdict,
} from '../../src/heartbeat/expectation';
import {
  brokenPings,
  HEARTBEAT,
  type SentPing,
  type StoredJob,
  type StoredPing,
  type StoredVerdict,
} from './ping-properties';

const [JOB, RUN] = ['job-1', 'run-1'];
const at = (seconds: number): number => Date.parse('2026-11-20T12:00:00Z') + seconds * 1000;
const ping = (seconds: number, kind: number, marker: string, run: string | null = null): StoredPing => ({
  at: at(seconds),
  kind,
  run,
  marker,
});
const check = (seconds: number, outcome: number, code?: ErrorCode): StoredVerdict => ({
  at: at(seconds),
  outcome,
  error: code === undefined ? -1 : ERROR_CODES.indexOf(code),
});
const sent = (marker: string, acknowledged = true): SentPing => ({ job: JOB, marker, acknowledged });

const MISSED_AT = 20 + HEARTBEAT.every + HEARTBEAT.grace;
const PINGS = [ping(0, 0, 'a'), ping(10, 1, 'b', RUN), ping(20, 2, 'c')];
const CHECKS = [
  check(0, 1),
  check(20, 0, 'heartbeat_failed'),
  check(10 + HEARTBEAT.max_runtime, 0, 'heartbeat_overran'),
  check(MISSED_AT, 0, 'heartbeat_missed'),
];
const SENT = [sent('a'), sent('b'), sent('c'), sent('d', false)];

describe('the properties of the jobs of a chaos run', () => {
  const broken = (changes: Partial<StoredJob>, pings: readonly SentPing[] = SENT, now = 90): string[] =>
    brokenPings(pings, [{ job: JOB, pings: PINGS, checks: CHECKS, pending: [], ...changes }], at(now));
  const without = (place: number) => CHECKS.filter((_, index) => index !== place);

  it('find nothing broken if each ping is a check, one run was missed, and another took too long', () => {
    expect(broken({})).toEqual([]);
  });

  it('allow a ping without a response to be there, and a check to be pending', () => {
    expect(broken({ pings: [...PINGS, ping(30, 1, 'd')] })).toEqual([]);
    expect(broken({ checks: without(0), pending: [{ atMs: at(0), outcome: 'up', code: null }] })).toEqual([]);
  });

  it("allow the overdue record of a run to come after a ping that arrived after the run's deadline", () => {
    const later = 12 + HEARTBEAT.max_runtime;
    const pings = [...PINGS, ping(later, 0, 'd')];
    const overran = { ...check(later, 0, 'heartbeat_overran'), at: at(later) + 1 };
    expect(
      broken({
        pings,
        checks: [...without(2).filter(({ at: checkedAt }) => checkedAt !== at(MISSED_AT)), check(later, 1), overran],
      }),
    ).toEqual([]);
  });

  it('identify the overdue run as the one that is still running if another one started before it and has ended', () => {
    const later = 22 + HEARTBEAT.max_runtime;
    const pings = [...PINGS.slice(0, 2), ping(11, 0, 'c', RUN), ping(21, 1, 'd', 'run-2'), ping(later, 0, 'e')];
    const overran = { ...check(later, 0, 'heartbeat_overran'), at: at(later) + 1 };
    const checks = [check(0, 1), check(11, 1), check(later, 1), overran];
    expect(broken({ pings, checks })).toEqual([]);
  });

  it.each<[string, Partial<StoredJob>, string]>([
    ['an acknowledged ping that is missing', { pings: [PINGS[0], PINGS[2]] as StoredPing[] }, 'lost ping: b'],
    ['a ping that is stored twice', { pings: [...PINGS, ping(11, 1, 'b', RUN)] }, 'ping b is there 2 times'],
    ['a ping without its check', { checks: without(1) }, '2 pings that end a run, 1 checks'],
    ['a ping with two checks', { checks: [...CHECKS, check(21, 0, 'heartbeat_failed')] }, '2 pings that end a run, 3'],
    ['a ping with the check of another', { checks: [check(0, 0, 'heartbeat_failed'), ...without(0)] }, 'another check'],
    ['a check at the wrong time', { checks: [check(5, 1), ...without(0)] }, 'ping a has another check'],
    ['a miss soon after a ping', { checks: [...without(3), check(70, 0, 'heartbeat_missed')] }, 'was missed at'],
    [
      'a missed run that is reported twice',
      { checks: [...CHECKS, check(MISSED_AT + 1, 0, 'heartbeat_missed')] },
      'missed twice',
    ],
    [
      'an overdue run that never started',
      { pings: [PINGS[0], ping(10, 3, 'b'), PINGS[2]] as StoredPing[] },
      'nothing began',
    ],
    ['an overdue run that had ended', { pings: [...PINGS.slice(0, 2), ping(20, 2, 'c', RUN)] }, 'after c'],
  ])('find %s', (_, changes, finding) => {
    expect(broken(changes)).toContainEqual(expect.stringContaining(finding));
  });

  it('find a job whose missing pings were not reported', () => {
    expect(broken({ checks: without(3) }, SENT, 90)).toEqual([]);
    expect(broken({ checks: without(3) }, SENT, 300)).toEqual(['job-1 is silent since c, and nothing is said of it']);
  });
});

/** An action of a job, then how long no sweep runs, and how long no instance is running. */
interface Step {
  does: 'succeed' | 'fail' | 'begin' | 'begin and end';
  tookMs: number;
  unsweptMs: number;
  awayMs: number;
}
const rarely = (max: number) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(max) });
const steps = fc.array(
  fc.record<Step>({
    does: fc.constantFrom('succeed', 'succeed', 'fail', 'begin', 'begin and end'),
    tookMs: fc.oneof(fc.nat(3000), rarely(80_000)),
    unsweptMs: rarely(14_000),
    awayMs: rarely(40_000),
  }),
  { maxLength: 60, size: 'max' },
);
const SCHEDULE = { ...HEARTBEAT, cron: null, timezone: null };
const SWEEP_MS = 1000;
/** A shorter pause isn't an absence. */
const ABSENCE_MS = 15_000;

/** Returns the service's decisions about a job, by its own rules. */
function decided(history: readonly Step[]): { sent: SentPing[]; stored: StoredJob; now: number } {
  const [pings, verdicts, gaps]: [StoredPing[], Verdict[], Gap[]] = [[], [], []];
  let state: HeartbeatState = {
    active: true,
    expectedMs: null,
    deadlineMs: null,
    overrunMs: null,
    runs: [],
    lastVerdictMs: null,
  };
  let [now, sweptAt] = [at(0), at(0)];
  const learn = (decision: Decision): void => {
    state = decision.state;
    verdicts.push(...decision.verdicts);
  };
  const pass = (ms: number, isSwept: boolean): void => {
    now += ms;
    if (!isSwept) sweptAt = Math.max(sweptAt, now - SWEEP_MS);
    for (; sweptAt + SWEEP_MS <= now; sweptAt += SWEEP_MS) learn(decideDue(state, SCHEDULE, sweptAt + SWEEP_MS, gaps));
  };
  const take = (kind: (typeof PING_KINDS)[number], run: string | null): void => {
    now = Math.max(now, (pings.at(-1)?.at ?? 0) + 1);
    pings.push({ at: now, kind: PING_KINDS.indexOf(kind), run, marker: `${JOB} ${pings.length}` });
    learn(
      decidePing(state, SCHEDULE, { kind, runId: run, exitCode: null, message: null, reportedMs: null, atMs: now }),
    );
  };
  for (const [index, { does, tookMs, unsweptMs, awayMs }] of history.entries()) {
    const run = `run-${index}`;
    if (does === 'succeed') take('success', null);
    else if (does === 'fail') take('fail', null);
    else take('start', run);
    now += unsweptMs;
    if (does === 'begin and end') take('success', run);
    if (awayMs >= ABSENCE_MS) gaps.push({ fromMs: now, untilMs: now + awayMs });
    pass(awayMs, awayMs === 0);
    pass(tookMs, true);
  }
  const outcomes = ['down', 'up', 'unknown'];
  const checks = verdicts.map(({ atMs, outcome, code }) => ({
    at: atMs,
    outcome: outcomes.indexOf(outcome),
    error: code === null ? -1 : ERROR_CODES.indexOf(code),
  }));
  const sentPings = pings.map(({ marker }) => sent(marker ?? ''));
  return { sent: sentPings, stored: { job: JOB, pings, checks, pending: [] }, now };
}

it("are satisfied by the service's decisions for any sequence of pings, sweeps, and absences", () => {
  fc.assert(
    fc.property(steps, (history) => {
      const { sent: sentPings, stored, now } = decided(history);
      expect(brokenPings(sentPings, [stored], now)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
