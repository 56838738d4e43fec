import { halfHourBeats, halfHourText } from '../../../web/src/logic/half-hours';

describe('the half hours of a row', () => {
  const outcomes = (...given: Parameters<typeof halfHourBeats>) =>
    halfHourBeats(...given).map(({ outcome }) => outcome);

  it('have a kind for each letter of the service', () => {
    expect(outcomes('uwpdmn-', 'up')).toEqual(['up', 'degraded', 'partly', 'down', 'planned', 'unknown', null]);
  });

  it('show a failure of now before the service counts it', () => {
    expect(outcomes('uu', 'down')).toEqual(['up', 'down']);
    expect(outcomes('uu', 'degraded')).toEqual(['up', 'degraded']);
    expect(outcomes('up', 'degraded')).toEqual(['up', 'partly']);
    expect(outcomes('', 'down')).toEqual([]);
  });

  it('are described with their times, the newest one until now', () => {
    const now = new Date(2026, 10, 20, 12, 10).getTime();
    expect(halfHourText('down', 0, now)).toBe('12:00 to now: down');
    expect(halfHourText(null, 3, now)).toBe('10:30 to 11:00: not checked');
  });
});
