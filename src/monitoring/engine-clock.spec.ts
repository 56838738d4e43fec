import { schedulerFinding } from './engine-clock';

describe('the scheduler’s health', () => {
  it.each([
    ['fine after a claim', 1_000, false, true, false],
    ['not ready without one for 20 s', 20_000, false, false, false],
    ['not ready while the database is away', 20_000, true, false, false],
    ['in need of a restart after three minutes', 180_000, false, false, true],
    ['not helped by a restart while the database is away', 180_000, true, false, false],
  ])('is %s', (_, lagMs, databaseIsAway, ok, fatal) => {
    expect(schedulerFinding(lagMs, databaseIsAway)).toMatchObject({ ok, fatal });
  });
});
