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
});
