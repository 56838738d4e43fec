import { ceilTo, DAY_MS, dayNumber, dayText, floorTo, HOUR_MS, MINUTE_MS, SECOND_MS } from './time-units';

describe('time units', () => {
  it('are multiples of each other', () => {
    expect([MINUTE_MS / SECOND_MS, HOUR_MS / MINUTE_MS, DAY_MS / HOUR_MS]).toEqual([60, 60, 24]);
  });

  it.each([
    [0, 0, 0],
    [HOUR_MS - 1, 0, HOUR_MS],
    [HOUR_MS, HOUR_MS, HOUR_MS],
    [-1, -HOUR_MS, 0],
  ])('rounds %i ms to full hours: down to %i, up to %i', (atMs, floor, ceil) => {
    // Rounding up from -1 results in -0. Adding 0 turns this into 0.
    expect([floorTo(atMs, HOUR_MS) + 0, ceilTo(atMs, HOUR_MS) + 0]).toEqual([floor, ceil]);
  });

  it.each([
    ['1970-01-01T00:00:00Z', 0, '1970-01-01'],
    ['2026-11-20T23:59:59.999Z', 20_777, '2026-11-20'],
    ['2026-11-21T00:00:00Z', 20_778, '2026-11-21'],
  ])('counts %s as UTC day %i, written %s', (text, day, written) => {
    expect(dayNumber(new Date(text))).toBe(day);
    expect(dayText(day)).toBe(written);
  });
});
