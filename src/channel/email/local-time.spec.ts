import { localTime, localTimes } from './local-time';

describe('times in an email', () => {
  it.each([
    ['2026-11-28T08:15:12.000Z', 'Europe/Berlin', '28 Nov 2026, 09:15:12 Europe/Berlin'],
    ['2026-07-28T22:15:12.000Z', 'Europe/Berlin', '29 Jul 2026, 00:15:12 Europe/Berlin'],
    ['2026-11-28T08:15:12.000Z', 'UTC', '28 Nov 2026, 08:15:12 UTC'],
    ['2026-11-28T08:15:12.000Z', 'No/Where', '28 Nov 2026, 08:15:12 UTC'],
  ])('%s in %s are written as %s', (iso, zone, text) => {
    expect(localTime(iso, zone)).toBe(text);
  });

  it('are replaced wherever a text contains them', () => {
    expect(localTimes('Expires 2026-11-28 08:15:12 UTC, or later', 'Asia/Tokyo')).toBe(
      'Expires 28 Nov 2026, 17:15:12 Asia/Tokyo, or later',
    );
    expect(localTimes('Expires 2026-11-28 08:15:12 UTC', 'UTC')).toBe('Expires 2026-11-28 08:15:12 UTC');
  });
});
