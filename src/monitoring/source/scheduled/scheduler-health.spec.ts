import { schedulerFinding } from './scheduler-health';

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

  it('says an overload, which is no fault', () => {
    const overload = { lastedMs: 12_345, ratio: 1.94, skippedPerSecond: 839.6 };
    const state = { ...overload, beganAt: 0, skipped: 9000, lost: 0, waiting: 100 };
    expect(schedulerFinding(400, false, state)).toEqual({
      ok: true,
      fatal: false,
      detail: 'last claim 0 s ago; overloaded for 12 s: 1.9 times the capacity; 840 slots/s skipped',
    });
  });
});
