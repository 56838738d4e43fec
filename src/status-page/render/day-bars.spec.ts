import type { StatusDay } from '../status-snapshot';
import { dayBars, dayItems, kindOf, legend } from './day-bars';

const day = (up: number, down = 0, planned = false): StatusDay => ({
  date: '2026-11-20',
  up,
  down,
  unknown: 0,
  excluded: planned && up + down === 0,
  planned,
});
const pathsIn = (svg: string) =>
  [...svg.matchAll(/<path class="([\w ]+)" d="([^"]+)"/g)].map(([, kind, path]) => [kind, path]);

describe('a day on a status page', () => {
  it.each([
    ['without a check', day(0), 'none'],
    ['without a failure', day(1440), 'ok'],
    ['with a failure in a thousand', day(999, 1), 'low'],
    ['with one percent failed', day(99, 1), 'some'],
    ['with a tenth failed', day(9, 1), 'bad'],
    ['with nothing but failures', day(0, 1), 'bad'],
    ['with maintenance alone', day(0, 0, true), 'work'],
    ['with maintenance, and successful checks', day(10, 0, true), 'ok'],
    ['with maintenance, and other failures', day(9, 1, true), 'bad'],
  ] as const)('%s: %s is %s', (_, one, kind) => {
    expect(kindOf(one)).toBe(kind);
  });
});

describe('the bars of a status page', () => {
  it('are equal, with one path per kind, a tick below each day with failures, and an outline around today', () => {
    const svg = dayBars([day(0), day(10), day(10), day(9, 1), day(10), day(0, 0, true)], 'A label');
    expect(pathsIn(svg)).toEqual([
      ['none', 'M0 11h5'],
      ['ok', 'M6 11h11m7 0h5'],
      ['bad', 'M18 11h5'],
      ['work', 'M30 11h5'],
      ['tick', 'M18 26h5'],
      ['tick work', 'M30 26h5'],
    ]);
    expect(svg).toContain('<use href="#today"/></svg>');
    expect(svg).toContain('viewBox="0 0 35 28"');
    expect(svg).toContain('aria-label="A label"');
  });

  it('stay small even if every day differs from the one before', () => {
    const all = Array.from({ length: 90 }, (_, at) => (at % 2 === 0 ? day(10) : day(9, 1)));
    expect(dayBars(all, '').length).toBeLessThan(1200);
    expect(
      dayBars(
        Array.from({ length: 90 }, () => day(10)),
        '',
      ).length,
    ).toBeLessThan(300);
  });

  it('are explained by a legend of the colors they use', () => {
    expect(legend([[day(10), day(0)]])).toBe('');
    const shown = legend([[day(10)], [day(999, 1)], [day(5, 0, true)]]);
    expect([...shown.matchAll(/<path class="(\w+)"/g)].map(([, kind]) => kind)).toEqual(['ok', 'low', 'work']);
  });
});

describe('the list of days', () => {
  const items = (days: StatusDay[]) =>
    [...dayItems(days).matchAll(/<li>([^<]+)<span>([^<]+)<\/span><\/li>/g)].map(([, a, b]) => [a, b]);

  it('has the days with failures or planned maintenance, newest first, and counts the days without data', () => {
    const days = [day(0), { ...day(9, 1), date: '2026-11-01' }, day(10), { ...day(0, 0, true), date: '2026-11-03' }];
    expect(items(days)).toEqual([
      ['3 Nov', 'planned maintenance'],
      ['1 Nov', '90.00%, 1 of 10 failed'],
      ['No data', '1 day'],
    ]);
  });

  it('has at most seven days, and counts the others', () => {
    const all = Array.from({ length: 9 }, () => day(9, 1, true));
    expect(items(all)).toHaveLength(8);
    expect(items(all).at(-1)).toEqual(['Earlier', '2 more days']);
    expect(items(all)[0]).toEqual(['20 Nov', '90.00%, 1 of 10 failed, planned maintenance']);
  });

  it('is empty if nothing failed', () => {
    expect(items([day(10), day(0)])).toEqual([]);
  });
});
