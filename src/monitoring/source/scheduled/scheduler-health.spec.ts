import { EngineMetrics } from '../../../engine/engine.metrics';
import { Overload } from '../../../engine/dispatch/overload';
import { ResultSink } from '../../../engine/result-sink';
import { Config } from '../../../platform/config/config';
import { Health } from '../../../platform/observability/health';
import { Metrics } from '../../../platform/observability/metrics';
import { Clock } from '../../../platform/time/clock';
import { schedulerFinding, SchedulerHealth } from './scheduler-health';

/** Keeps up with everything. */
class SavedResults extends ResultSink {
  readonly lost = 0;
  readonly backlog = 0;
  readonly lagMs = 0;
  readonly recordedPerSecond = 0;

  add(): void {}
}

describe('schedulerFinding', () => {
  it.each([
    ['is fine after a claim', 1_000, false, true, false],
    ['is not ready without a claim for 20 s', 20_000, false, false, false],
    ['is not ready while the database is away', 20_000, true, false, false],
    ['needs a restart after three minutes without a claim', 180_000, false, false, true],
    ['needs no restart while the database is away', 180_000, true, false, false],
  ])('the scheduler %s', (_, lagMs, databaseIsAway, ok, fatal) => {
    expect(schedulerFinding(lagMs, databaseIsAway)).toMatchObject({ ok, fatal });
  });

  it("reports an overload, which isn't a fault", () => {
    const overload = { lastedMs: 12_345, ratio: 1.94, skippedPerSecond: 839.6 };
    const state = { ...overload, beganAt: 0, skipped: 9000, lost: 0, waiting: 100 };
    expect(schedulerFinding(400, false, state)).toEqual({
      ok: true,
      fatal: false,
      detail: 'last claim 0 s ago; overloaded for 12 s: 1.9 times the capacity; 840 slots/s skipped',
    });
  });
});

describe('the reason for skipped slots', () => {
  it('is the database if the first of them became due while it was unavailable, and overload otherwise', () => {
    const clock = new Clock();
    const metrics = new Metrics();
    const overload = new Overload(new SavedResults(), clock, new EngineMetrics(metrics));
    const health = new SchedulerHealth(new Config(), clock, metrics, new Health(), overload);
    health.notClaimed(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    const dueAt = clock.monotonic();
    health.claimed();
    health.skipped(3, dueAt - 1);
    expect(overload.skippedTotal).toBe(0);
    health.skipped(2, clock.monotonic() + 1);
    expect(overload.skippedTotal).toBe(2);
  });
});
