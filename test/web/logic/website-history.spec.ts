import { firstDay, outagesSince, uptimeSince } from '../../../web/src/logic/website-history';

const NOW = Date.parse('2026-11-26T10:00:00Z');
const day = (date: string, up: number, down = 0) => ({ date, up, down, unknown: 3, planned: 5 });

describe('the history of a website', () => {
  const days = [day('2026-11-19', 0, 10), day('2026-11-20', 5, 5), day('2026-11-26', 90)];

  it.each([
    [1, 1],
    [6, 1],
    [7, 0.95],
    [8, 95 / 110],
  ])('has an uptime over %i days of UTC that end today: %d', (length, uptime) => {
    expect(uptimeSince(days, firstDay(length, NOW), '2026-11-19')).toBe(uptime);
  });

  it('has no uptime without a conclusive check, or over days that were not read', () => {
    expect(uptimeSince([day('2026-11-26', 0)], firstDay(1, NOW), '2026-11-19')).toBeNull();
    expect(uptimeSince(days, '2026-11-19', '2026-11-20')).toBeNull();
  });

  it('counts the outages that touch a window, without planned ones', () => {
    const outage = (ended_at: string | null, planned = false) => ({ ended_at, planned });
    const outages = [
      outage(null),
      outage('2026-11-26T00:00:00.000Z'),
      outage('2026-11-25T23:59:59.999Z'),
      outage(null, true),
    ];
    expect(outagesSince(outages, firstDay(1, NOW))).toBe(2);
  });
});
