import fc from 'fast-check';
import { planReads, type TimeSlice } from './read-plan';
import { DAY_MS, HOUR_MS } from '../../platform/time/time-units';

const at = (text: string): number => Date.parse(`2026-03-${text}Z`);
const show = (slices: TimeSlice[]): string[] =>
  slices.map(
    ({ resolution, from, to }) =>
      `${resolution} ${new Date(from).toISOString().slice(8, 16)} ${new Date(to).toISOString().slice(8, 16)}`,
  );
const BUILT = { hours: at('10T15:00'), days: at('10T00:00') };

describe('planReads', () => {
  it.each([
    [
      'the hours of one day and the current hour',
      '09T15:00',
      '10T15:20',
      'day',
      ['hour 09T15:00 10T15:00', 'check 10T15:00 10T15:20'],
    ],
    [
      'days with hours before and after',
      '07T22:00',
      '10T15:20',
      'day',
      ['hour 07T22:00 08T00:00', 'day 08T00:00 10T00:00', 'hour 10T00:00 10T15:00', 'check 10T15:00 10T15:20'],
    ],
    [
      'single checks for edges that are not full hours',
      '10T12:30',
      '10T14:10',
      'day',
      ['check 10T12:30 10T13:00', 'hour 10T13:00 10T14:00', 'check 10T14:00 10T14:10'],
    ],
    ['single checks for less than an hour', '10T12:30', '10T12:50', 'day', ['check 10T12:30 10T12:50']],
    ['single checks for ranges that are not built yet', '10T15:00', '10T16:30', 'day', ['check 10T15:00 10T16:30']],
    ['no days where hours are the coarsest resolution', '08T00:00', '10T00:00', 'hour', ['hour 08T00:00 10T00:00']],
    [
      'single checks where checks are the coarsest resolution',
      '08T00:00',
      '10T00:00',
      'check',
      ['check 08T00:00 10T00:00'],
    ],
  ] as const)('plans to read %s', (_, from, to, coarsest, expected) => {
    expect(show(planReads(at(from), at(to), BUILT, coarsest))).toEqual(expected);
  });

  it('covers any range exactly once, with whole built hours and days only', () => {
    const minute = fc.integer({ min: 0, max: 30 * 24 * 60 }).map((minutes) => at('01T00:00') + minutes * 60_000);
    const resolution = fc.constantFrom('check' as const, 'hour' as const, 'day' as const);
    fc.assert(
      fc.property(minute, minute, minute, minute, resolution, (a, b, hours, days, coarsest) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const built = { hours: Math.floor(hours / HOUR_MS) * HOUR_MS, days: Math.floor(days / DAY_MS) * DAY_MS };
        let reached = from;
        for (const slice of planReads(from, to, built, coarsest)) {
          expect(slice.from).toBe(reached);
          expect(slice.to).toBeGreaterThan(slice.from);
          reached = slice.to;
          if (slice.resolution === 'check') continue;
          const unit = slice.resolution === 'hour' ? HOUR_MS : DAY_MS;
          expect([slice.from % unit, slice.to % unit]).toEqual([0, 0]);
          expect(slice.to).toBeLessThanOrEqual(slice.resolution === 'hour' ? built.hours : built.days);
        }
        expect(reached).toBe(to);
      }),
    );
  });
});
