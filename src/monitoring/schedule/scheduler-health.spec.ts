import { offsetAfter, schedulerFinding } from './scheduler-health';

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

describe('the database’s time seen from here', () => {
  it.each<[what: string, believed: number | null, now: number, before: number, after: number, offset: number]>([
    ['is as the first answer tells', null, 10_000, 1_000, 1_002, 8_998],
    ['stays when an answer agrees with it', 8_999, 20_000, 11_000, 11_002, 8_999],
    ['stays when an answer comes seconds late', 9_000, 25_000, 11_000, 16_000, 9_000],
    ['goes back no further than it must', 9_500, 20_000, 11_000, 11_002, 9_000],
    ['goes ahead no further than it must', 5_000, 20_000, 11_000, 11_002, 8_998],
    ['follows a clock that was set back', 9_000, -3_580_000, 11_000, 11_002, -3_591_000],
  ])('%s', (_what, believed, now, before, after, offset) => {
    expect(offsetAfter(believed, now, before, after)).toBe(offset);
  });
});
