import fc from 'fast-check';
import { planReads, type TimeSlice } from './read-plan';
import { DAY_MS, HOUR_MS } from '../../platform/time/time-units';

const at = (text: string): number => Date.parse(`2026-03-${text}Z`);
const show = (stretches: TimeSlice[]): string[] =>
  stretches.map(
    ({ grain, from, to }) =>
      `${grain} ${new Date(from).toISOString().slice(8, 16)} ${new Date(to).toISOString().slice(8, 16)}`,
  );
const BUILT = { hours: at('10T15:00'), days: at('10T00:00') };

describe('a read plan', () => {
  it.each([
    [
      'one day and the running hour',
      '09T15:00',
      '10T15:20',
      'day',
      ['hour 09T15:00 10T15:00', 'check 10T15:00 10T15:20'],
    ],
    [
      'days with hours around them',
      '07T22:00',
      '10T15:20',
      'day',
      ['hour 07T22:00 08T00:00', 'day 08T00:00 10T00:00', 'hour 10T00:00 10T15:00', 'check 10T15:00 10T15:20'],
    ],
    [
      'edges that are no full hours',
      '10T12:30',
      '10T14:10',
      'day',
      ['check 10T12:30 10T13:00', 'hour 10T13:00 10T14:00', 'check 10T14:00 10T14:10'],
    ],
    ['less than an hour', '10T12:30', '10T12:50', 'day', ['check 10T12:30 10T12:50']],
    ['what is not built yet', '10T15:00', '10T16:30', 'day', ['check 10T15:00 10T16:30']],
    ['no days where hours are wanted', '08T00:00', '10T00:00', 'hour', ['hour 08T00:00 10T00:00']],
    ['single checks where nothing coarser is wanted', '08T00:00', '10T00:00', 'check', ['check 08T00:00 10T00:00']],
  ] as const)('reads %s', (_, from, to, coarsest, expected) => {
    expect(show(planReads(at(from), at(to), BUILT, coarsest))).toEqual(expected);
  });

  it('covers any range exactly once, with whole built units only', () => {
    const minute = fc.integer({ min: 0, max: 30 * 24 * 60 }).map((minutes) => at('01T00:00') + minutes * 60_000);
    const grain = fc.constantFrom('check' as const, 'hour' as const, 'day' as const);
    fc.assert(
      fc.property(minute, minute, minute, minute, grain, (a, b, hours, days, coarsest) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const built = { hours: Math.floor(hours / HOUR_MS) * HOUR_MS, days: Math.floor(days / DAY_MS) * DAY_MS };
        let reached = from;
        for (const stretch of planReads(from, to, built, coarsest)) {
          expect(stretch.from).toBe(reached);
          expect(stretch.to).toBeGreaterThan(stretch.from);
          reached = stretch.to;
          if (stretch.grain === 'check') continue;
          const unit = stretch.grain === 'hour' ? HOUR_MS : DAY_MS;
          expect([stretch.from % unit, stretch.to % unit]).toEqual([0, 0]);
          expect(stretch.to).toBeLessThanOrEqual(stretch.grain === 'hour' ? built.hours : built.days);
        }
        expect(reached).toBe(to);
      }),
    );
  });
});
