import type { StatusMaintenance } from '../page-maintenance';
import { calendarFeed } from './calendar-feed';
import { pathsOf } from './page-paths';

const work = (change: Partial<StatusMaintenance> = {}): StatusMaintenance => ({
  id: 'e1a0c6a2-0000-8000-8000-000000000001',
  window: 'w',
  name: 'Upgrade',
  description: '',
  starts_at: '2026-11-29T02:00:00.000Z',
  ends_at: '2026-11-29T04:00:00.000Z',
  state: 'planned',
  endpoints: ['Checkout'],
  everything: false,
  published_at: '2026-11-20T00:00:00.000Z',
  updated_at: '2026-11-21T10:20:30.400Z',
  ...change,
});
const ABSOLUTE = pathsOf('shop', { root: 'https://status.example.com', hosted: true });
const feed = (maintenance: StatusMaintenance[], absolute: typeof ABSOLUTE | null = ABSOLUTE): string =>
  [...calendarFeed({ name: 'Shop, status', maintenance }, absolute)].join('');

/** Reads a document as RFC 5545 describes: unfolds the lines, and splits each at its first colon. */
const read = (text: string): string[][] => {
  expect(text.endsWith('\r\n')).toBe(true);
  const lines = text.slice(0, -2).split('\r\n');
  for (const line of lines) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(line).not.toMatch(/[\r\n]/);
  }
  return text
    .slice(0, -2)
    .replace(/\r\n /g, '')
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]);
};
const valuesOf = (text: string, name: string) => read(text).flatMap(([key, value]) => (key === name ? [value] : []));
const plain = (value: string) => value.replace(/\\n/g, '\n').replace(/\\([\\;,])/g, '$1');

describe('the calendar of maintenance', () => {
  it('has an event with its times in UTC, and an ID that does not depend on them', () => {
    const text = feed([work()]);
    expect(valuesOf(text, 'BEGIN')).toEqual(['VCALENDAR', 'VTIMEZONE', 'STANDARD', 'VEVENT']);
    expect(valuesOf(text, 'END')).toEqual(['STANDARD', 'VTIMEZONE', 'VEVENT', 'VCALENDAR']);
    expect(
      ['VERSION', 'UID', 'DTSTAMP', 'DTEND', 'SUMMARY', 'DESCRIPTION', 'URL'].map((name) => valuesOf(text, name)),
    ).toEqual([
      ['2.0'],
      ['e1a0c6a2-0000-8000-8000-000000000001'],
      ['20261121T102030Z'],
      ['20261129T040000Z'],
      ['Maintenance: Upgrade'],
      ['Affects Checkout.'],
      ['https://status.example.com/'],
    ]);
    expect(valuesOf(text, 'DTSTART')).toEqual(['19700101T000000', '20261129T020000Z']);
    expect(valuesOf(text, 'X-WR-CALNAME')).toEqual(['Shop\\, status: maintenance']);
  });

  it('is a valid document while nothing is announced', () => {
    expect(valuesOf(feed([]), 'BEGIN')).toEqual(['VCALENDAR', 'VTIMEZONE', 'STANDARD']);
  });

  it('has no URL while the installation does not know its own', () => {
    expect(valuesOf(feed([work()], null), 'URL')).toEqual([]);
  });

  it.each([
    ['separators', 'a;b,c\\d', 'a;b,c\\d'],
    ['lines of any kind', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['an attempt to end the event', 'x\r\nEND:VEVENT\r\nBEGIN:VEVENT', 'x\nEND:VEVENT\nBEGIN:VEVENT'],
    ['control characters', 'a\u0000b\u0007c', 'abc'],
    ['characters of four bytes', '🚧'.repeat(60), '🚧'.repeat(60)],
    ['a long line', 'x'.repeat(400), 'x'.repeat(400)],
  ])('keeps %s in its description', (_, description, shown) => {
    const text = feed([work({ description })]);
    expect(plain(valuesOf(text, 'DESCRIPTION')[0] ?? '')).toBe(`${shown}\n\nAffects Checkout.`);
    expect(valuesOf(text, 'BEGIN').filter((value) => value === 'VEVENT')).toHaveLength(1);
  });
});
