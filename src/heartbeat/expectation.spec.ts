import type { HeartbeatSchedule } from '../endpoint/heartbeat/heartbeat-schedule';
import {
  begunAgain,
  decideDue,
  decidePing,
  type Gap,
  type HeartbeatState,
  merged,
  movedBy,
  type Ping,
  repeated,
  type Verdict,
} from './expectation';

const at = (text: string): number => Date.parse(`${text}:00Z`);
const shown = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString().slice(0, 16));

const HOURLY: HeartbeatSchedule = { every: 3600, cron: null, timezone: null, grace: 600, max_runtime: null };
const NIGHTLY: HeartbeatSchedule = {
  every: null,
  cron: '30 2 * * *',
  timezone: 'Europe/Berlin',
  grace: 1800,
  max_runtime: null,
};
const NEW: HeartbeatState = {
  active: true,
  expectedMs: null,
  deadlineMs: null,
  overrunMs: null,
  runs: [],
  lastVerdictMs: null,
};
const expecting = (text: string, { grace }: HeartbeatSchedule, more: Partial<HeartbeatState> = {}): HeartbeatState => ({
  ...NEW,
  expectedMs: at(text),
  deadlineMs: at(text) + grace * 1000,
  ...more,
});
const ping = (text: string, more: Partial<Ping> = {}): Ping => ({
  kind: 'success',
  runId: null,
  exitCode: null,
  message: null,
  reportedMs: null,
  atMs: at(text),
  ...more,
});
const RUN = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const gap = (from: string, until: string): Gap => ({ fromMs: at(from), untilMs: at(until) });

describe('a ping', () => {
  it('of success is recorded as an up check at its time, and restarts the period', () => {
    const { verdicts, state } = decidePing(NEW, HOURLY, ping('2026-11-20T10:05'));
    expect(verdicts).toEqual([
      { atMs: at('2026-11-20T10:05'), outcome: 'up', code: null, message: '', durationMs: null },
    ]);
    expect([shown(state.expectedMs), shown(state.deadlineMs)]).toEqual(['2026-11-20T11:05', '2026-11-20T11:15']);
  });

  it.each([
    ['early', '2026-11-20T10:40', '2026-11-20T11:40'],
    ['late', '2026-11-20T11:09', '2026-11-20T12:09'],
  ])('that comes %s shifts the schedule of a period', (_, when, next) => {
    const { state } = decidePing(expecting('2026-11-20T11:00', HOURLY), HOURLY, ping(when));
    expect(shown(state.expectedMs)).toBe(next);
  });

  it.each([
    ['counts for the run that it precedes within the grace', '2026-11-20T01:05', '2026-11-21T01:30'],
    ['belongs to the previous run if it is earlier than that', '2026-11-20T00:55', '2026-11-20T01:30'],
    ['is in time after the expected moment', '2026-11-20T01:40', '2026-11-21T01:30'],
  ])('with a cron schedule %s', (_, when, next) => {
    const { state } = decidePing(expecting('2026-11-20T01:30', NIGHTLY), NIGHTLY, ping(when));
    expect(shown(state.expectedMs)).toBe(next);
  });

  it.each([
    ['counts for the run that it precedes within the grace', '2026-11-20T01:05', '2026-11-21T01:30'],
    ['is followed by that run if it is earlier than that', '2026-11-20T00:55', '2026-11-20T01:30'],
  ])('with a cron schedule, as the first ping, %s', (_, when, next) => {
    expect(shown(decidePing(NEW, NIGHTLY, ping(when)).state.expectedMs)).toBe(next);
  });

  it('with a cron schedule is early by at most half of the pause before the run', () => {
    const often = { ...NIGHTLY, cron: '*/10 * * * *', grace: 3600 };
    const early = (when: string) =>
      shown(decidePing(expecting('2026-11-20T10:10', often), often, ping(when)).state.expectedMs);
    expect(early('2026-11-20T10:04')).toBe('2026-11-20T10:10');
    expect(early('2026-11-20T10:05')).toBe('2026-11-20T10:20');
  });

  it.each([
    [{ exitCode: 3 }, 'The job reported a failure with exit code 3.'],
    [{ message: 'disk full' }, 'disk full'],
    [{}, 'The job reported a failure.'],
  ])('of failure is recorded as down immediately, with the reason: %j', (more, message) => {
    const { verdicts, state } = decidePing(NEW, HOURLY, ping('2026-11-20T10:05', { kind: 'fail', ...more }));
    expect(verdicts).toMatchObject([{ outcome: 'down', code: 'heartbeat_failed', message }]);
    expect(shown(state.expectedMs)).toBe('2026-11-20T11:05');
  });

  it('uses the reported duration of a run whose start is unknown', () => {
    const timeOf = (state: HeartbeatState) =>
      decidePing(state, HOURLY, ping('2026-11-20T10:05', { reportedMs: 32 })).verdicts[0]?.durationMs;
    const started = decidePing(NEW, HOURLY, ping('2026-11-20T10:04', { kind: 'start' })).state;
    expect([timeOf(NEW), timeOf(started)]).toEqual([32, 60_000]);
  });

  it.each([298, 299, 300])('has its message cut between characters, even after %i letters', (letters) => {
    const message = `${'x'.repeat(letters)}😀`;
    const { verdicts } = decidePing(NEW, HOURLY, ping('2026-11-20T10:05', { kind: 'fail', message }));
    expect(verdicts[0]?.message).toMatch(/^x{298,300}(😀)?$/u);
    expect(verdicts[0]?.message.length).toBeGreaterThan(298);
  });

  it("of a start isn't recorded as a check, and a log ping changes nothing", () => {
    const started = decidePing(NEW, HOURLY, ping('2026-11-20T10:05', { kind: 'start' }));
    expect(started.verdicts).toEqual([]);
    expect(started.state.runs).toHaveLength(1);
    expect(decidePing(NEW, HOURLY, ping('2026-11-20T10:05', { kind: 'log' }))).toEqual({
      state: NEW,
      verdicts: [],
      durationMs: null,
    });
  });

  it('ends the run with its ID, or the newest run, and records its duration', () => {
    const runs = [
      { id: RUN, startedMs: at('2026-11-20T10:00'), overran: false },
      { id: OTHER, startedMs: at('2026-11-20T10:10'), overran: false },
    ];
    const end = (runId: string | null) => decidePing({ ...NEW, runs }, HOURLY, ping('2026-11-20T10:15', { runId }));
    expect([end(RUN).durationMs, end(null).durationMs]).toEqual([900_000, 300_000]);
    expect(end(RUN).state.runs.map(({ id }) => id)).toEqual([OTHER]);
    const unknown = end('33333333-3333-4333-8333-333333333333');
    expect([unknown.durationMs, unknown.state.runs]).toEqual([null, runs]);
  });

  it("isn't recorded as a check while the endpoint is disabled", () => {
    const { verdicts, state } = decidePing({ ...NEW, active: false }, HOURLY, ping('2026-11-20T10:05'));
    expect([verdicts, state.expectedMs]).toEqual([[], null]);
  });

  it('never has the same millisecond as an earlier check', () => {
    const state = { ...NEW, lastVerdictMs: at('2026-11-20T10:05') };
    expect(decidePing(state, HOURLY, ping('2026-11-20T10:05')).verdicts[0]?.atMs).toBe(at('2026-11-20T10:05') + 1);
  });
});

describe('a run that is not reported', () => {
  it('is missed at its deadline, once, and the next one is expected', () => {
    const before = expecting('2026-11-20T11:00', HOURLY);
    expect(decideDue(before, HOURLY, at('2026-11-20T11:09'), []).verdicts).toEqual([]);
    const { verdicts, state } = decideDue(before, HOURLY, at('2026-11-20T11:11'), []);
    expect(verdicts).toMatchObject([{ atMs: at('2026-11-20T11:10'), outcome: 'down', code: 'heartbeat_missed' }]);
    expect(shown(state.expectedMs)).toBe('2026-11-20T12:00');
    expect(decideDue(state, HOURLY, at('2026-11-20T11:12'), []).verdicts).toEqual([]);
  });

  it('is never late before the first ping, nor while it is disabled', () => {
    expect(decideDue(NEW, HOURLY, at('2030-01-01T00:00'), []).verdicts).toEqual([]);
    const disabled = expecting('2026-11-20T11:00', HOURLY, { active: false });
    expect(decideDue(disabled, HOURLY, at('2026-11-20T12:00'), [])).toMatchObject({
      verdicts: [],
      state: { expectedMs: null, deadlineMs: null },
    });
  });

  it.each([
    ['in spring the hour that is left out means its end', '2026-03-28T12:00', '2026-03-29T01:00'],
    ['in autumn the hour that comes twice means the first', '2026-10-24T12:00', '2026-10-25T00:30'],
  ])('is expected once on a night of a clock change: %s', (_, from, expected) => {
    const { state } = decidePing(NEW, NIGHTLY, ping(from));
    expect(shown(state.expectedMs)).toBe(expected);
  });

  it('that takes too long is reported once, without waiting for the due time, and its end counts', () => {
    const schedule = { ...HOURLY, max_runtime: 300 };
    const start = decidePing(
      expecting('2026-11-20T11:00', HOURLY),
      schedule,
      ping('2026-11-20T10:10', { kind: 'start' }),
    );
    expect(shown(start.state.overrunMs)).toBe('2026-11-20T10:15');
    const over = decideDue(start.state, schedule, at('2026-11-20T10:16'), []);
    expect(over.verdicts).toMatchObject([{ atMs: at('2026-11-20T10:15'), outcome: 'down', code: 'heartbeat_overran' }]);
    expect(over.state.overrunMs).toBeNull();
    expect(decideDue(over.state, schedule, at('2026-11-20T10:30'), []).verdicts).toEqual([]);
    const end = decidePing(over.state, schedule, ping('2026-11-20T10:40'));
    expect([end.verdicts[0]?.outcome, end.durationMs]).toEqual(['up', 1_800_000]);
  });
});

describe('a heartbeat that restarts', () => {
  const again = (lastPing: string | null, now: string, more: Partial<HeartbeatState> = {}, armed = false) =>
    shown(
      begunAgain({ ...NEW, ...more }, HOURLY, {
        lastPingMs: lastPing && at(lastPing) ? at(lastPing) : null,
        armed,
        nowMs: at(now),
      }).expectedMs,
    );

  it.each([
    ['from its last ping', '2026-11-20T10:05', '2026-11-20T10:30', '2026-11-20T11:05'],
    ['never in the past', '2026-11-20T10:05', '2026-11-20T13:30', '2026-11-20T14:05'],
    ['not at all before the first ping', null, '2026-11-20T10:30', null],
  ])('expects %s', (_, last, now, expected) => {
    expect(again(last, now)).toBe(expected);
  });

  it('expects a first ping if it is armed, and no ping while it is disabled', () => {
    expect(again(null, '2026-11-20T10:30', {}, true)).toBe('2026-11-20T11:30');
    expect(again('2026-11-20T10:05', '2026-11-20T10:30', { active: false })).toBeNull();
  });
});

describe('a run that continues when a heartbeat restarts', () => {
  const slow = { ...HOURLY, max_runtime: 300 };
  const runs = [{ id: RUN, startedMs: at('2026-11-20T10:00'), overran: false }];
  const again = (now: string, overrunMs: number | null) =>
    begunAgain({ ...NEW, runs, overrunMs }, slow, { lastPingMs: at('2026-11-20T10:00'), armed: false, nowMs: at(now) });

  it.each([
    ['is watched from there on', '2026-11-20T10:04', null, '2026-11-20T10:05', false],
    ['is not reported for a time in which the service did not watch', '2026-11-20T10:05', null, null, true],
    [
      'is reported for a time in which the service watched',
      '2026-11-20T10:06',
      at('2026-11-20T10:05'),
      '2026-11-20T10:05',
      false,
    ],
  ])('%s', (_, now, before, overrun, isTold) => {
    const { overrunMs, runs: after } = again(now, before);
    expect([shown(overrunMs), after[0]?.overran]).toEqual([overrun, isTold]);
  });
});

describe('the absence of the service', () => {
  const before = expecting('2026-11-20T11:00', HOURLY);
  const due = (now: string, ...gaps: Gap[]) => decideDue(before, HOURLY, at(now), gaps);

  it('moves a deadline by the time that it overlapped with the run', () => {
    const { verdicts, state } = due('2026-11-20T11:12', gap('2026-11-20T11:05', '2026-11-20T11:12'));
    expect([verdicts, shown(state.deadlineMs)]).toEqual([[], '2026-11-20T11:17']);
  });

  it('turns everything that is not reported by then into one unknown result, never into a missed run', () => {
    const { verdicts, state } = due('2026-11-20T11:30', gap('2026-11-20T11:05', '2026-11-20T11:12'));
    expect(verdicts).toMatchObject([{ atMs: at('2026-11-20T11:17'), outcome: 'unknown', code: 'monitor_offline' }]);
    expect(shown(state.expectedMs)).toBe('2026-11-20T12:00');
  });

  it('during many runs is reported once, and the first run that can be in time is expected', () => {
    const { verdicts, state } = due('2026-11-21T11:30', gap('2026-11-20T10:00', '2026-11-21T11:29'));
    expect(verdicts).toHaveLength(1);
    expect(verdicts[0]?.outcome).toBe('unknown');
    expect(at('2026-11-21T11:00') <= (state.expectedMs ?? 0)).toBe(true);
  });

  it('has no effect before and after a run', () => {
    const gaps = [gap('2026-11-20T09:00', '2026-11-20T10:59'), gap('2026-11-20T11:10', '2026-11-20T11:20')];
    expect(due('2026-11-20T11:30', ...gaps).verdicts).toMatchObject([{ outcome: 'down' }]);
  });

  it.each([
    [
      'adds up',
      [gap('2026-11-20T11:01', '2026-11-20T11:03'), gap('2026-11-20T11:05', '2026-11-20T11:09')],
      '2026-11-20T11:16',
    ],
    [
      'counts in the time that it adds',
      [gap('2026-11-20T11:08', '2026-11-20T11:11'), gap('2026-11-20T11:12', '2026-11-20T11:14')],
      '2026-11-20T11:15',
    ],
    ['moves to the next run at most', [gap('2026-11-20T11:00', '2026-11-20T14:00')], '2026-11-20T12:00'],
    ['shortens nothing', [], '2026-11-20T11:10'],
  ])('%s', (_, gaps, moved) => {
    expect(shown(movedBy(gaps, at('2026-11-20T11:00'), at('2026-11-20T11:10'), at('2026-11-20T12:00')).atMs)).toBe(
      moved,
    );
  });

  it('also moves the deadline of a run that takes long', () => {
    const schedule = { ...HOURLY, max_runtime: 300 };
    const { state } = decidePing(NEW, schedule, ping('2026-11-20T10:10', { kind: 'start' }));
    const away = gap('2026-11-20T10:12', '2026-11-20T10:16');
    const moved = decideDue(state, schedule, at('2026-11-20T10:16'), [away]);
    expect([moved.verdicts, shown(moved.state.overrunMs)]).toEqual([[], '2026-11-20T10:19']);
    expect(decideDue(moved.state, schedule, at('2026-11-20T10:20'), [away]).verdicts).toMatchObject([
      { outcome: 'unknown', code: 'monitor_offline' },
    ]);
  });

  it('counts once if several processes noted it', () => {
    const gaps = [gap('2026-11-20T11:05', '2026-11-20T11:12'), gap('2026-11-20T11:00', '2026-11-20T11:06')];
    expect(merged(gaps)).toEqual([gap('2026-11-20T11:00', '2026-11-20T11:12')]);
  });
});

describe('the newest verdict after the end of a suppression', () => {
  const verdict = (text: string, outcome: Verdict['outcome'] = 'down'): Verdict => ({
    atMs: at(text),
    outcome,
    code: outcome === 'down' ? 'heartbeat_missed' : null,
    message: '',
    durationMs: null,
  });
  const nowMs = at('2026-11-20T12:00');
  const nothing = { state: { ...NEW, lastVerdictMs: at('2026-11-20T11:00') }, verdicts: [], durationMs: null };

  it.each<[string, Verdict | null, number | null, boolean]>([
    ['is repeated', verdict('2026-11-20T11:00'), nowMs, true],
    ['is not repeated while the suppression lasts', verdict('2026-11-20T11:00'), nowMs + 1, false],
    ['is not repeated if nothing suppressed it', verdict('2026-11-20T11:00'), null, false],
    ['is not repeated if it is newer than the suppression', verdict('2026-11-20T11:59'), at('2026-11-20T11:58'), false],
    ['is not repeated if it is up', verdict('2026-11-20T11:00', 'up'), nowMs, false],
    ['is not repeated before the first verdict', null, nowMs, false],
  ])('%s', (_, lastVerdict, repeatMs, isRepeated) => {
    const { verdicts, state } = repeated(nothing, { lastVerdict, repeatMs, nowMs });
    expect(verdicts).toEqual(isRepeated ? [{ ...lastVerdict, atMs: nowMs }] : []);
    expect(state.lastVerdictMs).toBe(isRepeated ? nowMs : at('2026-11-20T11:00'));
  });

  it('is the current verdict if a run was missed just before', () => {
    const missed = { ...nothing, verdicts: [verdict('2026-11-20T11:50')] };
    const repeat = { lastVerdict: verdict('2026-11-20T11:00', 'up'), repeatMs: at('2026-11-20T11:55'), nowMs };
    expect(repeated(missed, repeat).verdicts.map(({ atMs }) => shown(atMs))).toEqual([
      '2026-11-20T11:50',
      '2026-11-20T12:00',
    ]);
  });

  it('is not repeated while the heartbeat is paused', () => {
    const paused = { ...nothing, state: { ...nothing.state, active: false } };
    expect(repeated(paused, { lastVerdict: verdict('2026-11-20T11:00'), repeatMs: nowMs, nowMs }).verdicts).toEqual([]);
  });
});
