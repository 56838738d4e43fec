import { countInHour, type HourCounters } from './hour-counters';

const at = (text: string) => new Date(`2026-03-01T${text}Z`);
const EMPTY: HourCounters = {
  hourStart: null,
  hour: { up: 0, down: 0, unknown: 0 },
  before: { up: 0, down: 0, unknown: 0 },
};
const fold = (...checks: ['up' | 'down' | 'unknown', string][]): HourCounters =>
  checks.reduce((counters, [outcome, time]) => countInHour(counters, outcome, at(time)), EMPTY);

describe('countInHour', () => {
  it('starts the counters with the first check', () => {
    expect(fold(['up', '10:20:00'])).toEqual({
      hourStart: at('10:00:00'),
      hour: { up: 1, down: 0, unknown: 0 },
      before: { up: 0, down: 0, unknown: 0 },
    });
  });

  it('keeps the counts as those of the hour before when the next hour begins', () => {
    const counters = fold(['up', '10:20:00'], ['down', '10:59:59.999'], ['unknown', '11:00:00']);
    expect(counters).toEqual({
      hourStart: at('11:00:00'),
      hour: { up: 0, down: 0, unknown: 1 },
      before: { up: 1, down: 1, unknown: 0 },
    });
  });

  it('drops the counts of the hour before when an hour had no check', () => {
    expect(fold(['up', '10:20:00'], ['up', '12:00:00']).before).toEqual({ up: 0, down: 0, unknown: 0 });
  });

  it('counts a late check of the hour before', () => {
    const counters = fold(['up', '10:20:00'], ['up', '11:00:00'], ['down', '10:59:00']);
    expect(counters.before).toEqual({ up: 1, down: 1, unknown: 0 });
    expect(counters.hour).toEqual({ up: 1, down: 0, unknown: 0 });
  });

  it('ignores a check of an older hour, which the rollups count', () => {
    const counters = fold(['up', '10:20:00'], ['up', '11:00:00']);
    expect(countInHour(counters, 'down', at('09:59:59'))).toBe(counters);
  });
});
