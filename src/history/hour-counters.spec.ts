import { type CountedCheck, countInHour, type HourCounters } from './hour-counters';

const at = (text: string) => new Date(`2026-03-01T${text}Z`);
const NONE = { up: 0, down: 0, unknown: 0, planned: 0, degraded: 0 };
const EMPTY: HourCounters = {
  hourStart: null,
  hour: NONE,
  before: NONE,
};
type Kind = CountedCheck['outcome'] | 'degraded' | 'planned';
const checkOf = (kind: Kind): CountedCheck => ({
  outcome: kind === 'degraded' || kind === 'planned' ? 'up' : kind,
  degraded: kind === 'degraded',
  planned: kind === 'planned',
});
const fold = (...checks: [Kind, string][]): HourCounters =>
  checks.reduce((counters, [kind, time]) => countInHour(counters, checkOf(kind), at(time)), EMPTY);

describe('countInHour', () => {
  it('starts the counters with the first check', () => {
    expect(fold(['up', '10:20:00'])).toEqual({
      hourStart: at('10:00:00'),
      hour: { ...NONE, up: 1 },
      before: NONE,
    });
  });

  it('keeps the counts as the counts of the previous hour when the next hour starts', () => {
    const counters = fold(['up', '10:20:00'], ['down', '10:59:59.999'], ['unknown', '11:00:00']);
    expect(counters).toEqual({
      hourStart: at('11:00:00'),
      hour: { ...NONE, unknown: 1 },
      before: { ...NONE, up: 1, down: 1 },
    });
  });

  it('drops the counts of the previous hour if an hour had no check', () => {
    expect(fold(['up', '10:20:00'], ['up', '12:00:00']).before).toEqual(NONE);
  });

  it('counts a late check of the previous hour', () => {
    const counters = fold(['up', '10:20:00'], ['up', '11:00:00'], ['down', '10:59:00']);
    expect(counters.before).toEqual({ ...NONE, up: 1, down: 1 });
    expect(counters.hour).toEqual({ ...NONE, up: 1 });
  });

  it('counts a planned check nowhere else, regardless of its outcome', () => {
    const found = (outcome: CountedCheck['outcome'], degraded = false) => ({ outcome, degraded, planned: true });
    const checks = [found('up'), found('down'), found('unknown'), found('up', true)];
    const counters = checks.reduce((before, check) => countInHour(before, check, at('10:20:00')), EMPTY);
    expect(counters.hour).toEqual({ ...NONE, planned: 4 });
  });

  it('counts a degraded check as up and as degraded, and keeps both counts in the next hour', () => {
    const counters = fold(['degraded', '10:20:00'], ['planned', '10:30:00'], ['degraded', '11:00:00']);
    expect(counters.before).toEqual({ ...NONE, up: 1, degraded: 1, planned: 1 });
    expect(counters.hour).toEqual({ ...NONE, up: 1, degraded: 1 });
  });

  it('ignores a check of an older hour, which the rollups count', () => {
    const counters = fold(['up', '10:20:00'], ['up', '11:00:00']);
    expect(countInHour(counters, checkOf('down'), at('09:59:59'))).toBe(counters);
  });
});
