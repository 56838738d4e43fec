import {
  age,
  bytes,
  count,
  daysUntil,
  duration,
  ms,
  nextCheckText,
  percent,
  timeTicks,
} from '../../../web/src/logic/format';

describe('numbers and times as text', () => {
  it.each([
    [0, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [200, '3 min 20 s'],
    [3600, '1 h'],
    [7500, '2 h 5 min'],
    [86_400, '1 d'],
    [273_600, '3 d 4 h'],
    [-5, '0 s'],
  ])('writes %d seconds as %s', (seconds, text) => expect(duration(seconds)).toBe(text));

  it.each([
    [null, 'paused'],
    ['2026-11-20T10:00:59.400Z', 'in 59 s'],
    ['2026-11-20T10:00:00.900Z', 'now'],
    ['2026-11-20T09:59:00.000Z', 'now'],
  ])('describes a check that is due at %s: %s', (iso, text) =>
    expect(nextCheckText(iso, Date.parse('2026-11-20T10:00:00.000Z'))).toBe(text),
  );

  it.each([
    [null, 'never'],
    ['2026-11-20T10:00:00.000Z', '0 s'],
    ['2026-11-20T09:59:01.000Z', '59 s'],
    ['2026-11-20T09:00:00.000Z', '1 h'],
    ['2026-11-17T10:00:00.000Z', '3 d'],
    ['2026-11-20T10:00:09.000Z', '0 s'],
  ])('writes the age of %s as %s', (iso, text) => expect(age(iso, Date.parse('2026-11-20T10:00:00.000Z'))).toBe(text));

  it.each([
    [null, '–'],
    [undefined, '–'],
    [0.42, '0.4 ms'],
    [9.96, '10.0 ms'],
    [142.4, '142 ms'],
    [1240, '1.24 s'],
    [12_400, '12.4 s'],
  ])('writes %p milliseconds as %s', (value, text) => expect(ms(value)).toBe(text));

  it.each([
    [null, '–'],
    [1, '100%'],
    [0.999_999_9, '99.99%'],
    [0.9931, '99.31%'],
    [0.9899, '98.9%'],
    [0.05, '5.00%'],
    [0, '0.00%'],
  ])('writes the share %p as %s and never rounds up to 100', (ratio, text) => expect(percent(ratio)).toBe(text));

  it.each([
    ['2026-11-21T10:00:00.000Z', 1],
    ['2026-11-21T09:59:59.000Z', 0],
    ['2026-11-20T09:00:00.000Z', -1],
  ])('counts the whole days until %s as %d', (iso, days) =>
    expect(daysUntil(iso, Date.parse('2026-11-20T10:00:00.000Z'))).toBe(days),
  );

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [12_400, '12.4 kB'],
    [48_230_144, '48.2 MB'],
    [5e15, '5000.0 TB'],
  ])('writes %d bytes as %s', (n, text) => expect(bytes(n)).toBe(text));

  it('writes counts with their nouns in singular or plural', () => {
    expect([count(1, 'check'), count(2, 'check'), count(1000, 'success', 'successes')]).toEqual([
      '1 check',
      '2 checks',
      '1,000 successes',
    ]);
  });

  it('labels a time axis with times, and with the date where a day starts', () => {
    const midnight = new Date(2026, 10, 20).getTime() / 1000;
    const [first = '', second = ''] = timeTicks([midnight, midnight + 3600], 3600);
    expect(first).toMatch(/20/);
    expect(second).toBe('01:00');
    expect(timeTicks([midnight + 30], 15)).toEqual(['00:00:30']);
  });
});
