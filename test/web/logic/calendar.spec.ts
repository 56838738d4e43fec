import {
  cellPath,
  type Day,
  dayText,
  daysOf,
  hourOfWeekText,
  kindOf,
  monthsOf,
  sumOfDays,
  weekGrid,
  weekSummary,
  yearGrid,
  yearSummary,
} from '../../../web/src/logic/calendar';
import { latencyBucket as bucket } from './latency-bucket';

const NOTHING = { up: 0, down: 0, unknown: 0, planned: 0 };
const day = (date: string, more: Partial<Day> = {}): Day => ({ date, ...NOTHING, ...more });

describe('the availability of a day', () => {
  it.each([
    ['all checks were successful', { up: 10 }, 'good'],
    ['one of a hundred failed', { up: 99, down: 1 }, 'some'],
    ['one of ninety failed', { up: 89, down: 1 }, 'bad'],
    ['no check was conclusive', { unknown: 3 }, 'unknown'],
    ['it was in maintenance', { planned: 3, unknown: 1 }, 'planned'],
    ['nothing was checked', {}, 'none'],
  ] as const)('has the right kind if %s', (_, counts, kind) => {
    expect(kindOf({ ...NOTHING, ...counts })).toBe(kind);
  });

  it('uses the successful checks that its bucket leaves', () => {
    const start = '2026-11-26T00:00:00.000Z';
    expect(daysOf([bucket(start, { count: 10, failures: 1, unknown: 2, planned: 3 })])).toEqual([
      { date: '2026-11-26', up: 4, down: 1, unknown: 2, planned: 3 },
    ]);
  });

  it('of several endpoints is computed from all their checks', () => {
    expect(
      sumOfDays([
        [day('2026-11-25', { up: 5 }), day('2026-11-26', { up: 1, down: 1 })],
        [day('2026-11-24', { up: 1 }), day('2026-11-26', { up: 2, planned: 4 })],
      ]),
    ).toEqual([
      day('2026-11-24', { up: 1 }),
      day('2026-11-25', { up: 5 }),
      day('2026-11-26', { up: 3, down: 1, planned: 4 }),
    ]);
  });

  it('is described with the failures, and with the checks that did not count', () => {
    expect(dayText(day('2026-11-26', { up: 1439, down: 1 }))).toBe(
      'Thu, Nov 26, 2026: 99.93%, 1 of 1,440 checks failed',
    );
    expect(dayText(day('2026-11-26', { planned: 1, unknown: 2 }))).toBe(
      'Thu, Nov 26, 2026: 1 check in maintenance, 2 checks with an unknown result',
    );
    expect(dayText(day('2026-11-26'))).toBe('Thu, Nov 26, 2026: not checked');
  });
});

describe('the calendar of a year', () => {
  // A Thursday.
  const now = Date.parse('2026-11-26T12:00:00.000Z');

  it('is 53 weeks from a Monday up to today', () => {
    const { cells, heads } = yearGrid([day('2026-11-26', { up: 1 })], now);
    expect(cells).toHaveLength(53 * 7);
    expect(cells[0]?.date).toBe('2025-11-24');
    expect(cells.slice(-7).map((cell) => cell && [cell.date, cell.up])).toEqual([
      ['2026-11-23', 0],
      ['2026-11-24', 0],
      ['2026-11-25', 0],
      ['2026-11-26', 1],
      null,
      null,
      null,
    ]);
    expect(heads).toHaveLength(12);
    expect(heads[0]).toEqual({ column: 1, text: 'Dec' });
  });

  it('is described in a sentence with its worst day, the newest of several', () => {
    expect(yearSummary([])).toBe('no day with checks yet');
    expect(yearSummary([day('2026-11-25'), day('2026-11-26', { up: 2 })])).toBe(
      '100% over 1 day with checks, none failed',
    );
    const bad = { up: 1, down: 1 };
    expect(yearSummary([day('2026-11-24', bad), day('2026-11-25', bad), day('2026-11-26', { up: 4 })])).toBe(
      '75.0% over 3 days with checks, failures on 2 of them; the worst: Wed, Nov 25, 2026: 50.0%, 1 of 2 checks failed',
    );
  });

  it('has a table of its months with checks, newest first', () => {
    const months = monthsOf([
      day('2026-09-30'),
      day('2026-10-31', { up: 9, down: 1 }),
      day('2026-11-01', { up: 5 }),
      day('2026-11-02', { unknown: 5 }),
    ]);
    expect(months.map(({ name, uptime, days, failed, worst }) => [name, uptime, days, failed, worst?.date])).toEqual([
      ['November 2026', 1, 1, 0, undefined],
      ['October 2026', 0.9, 1, 1, '2026-10-31'],
    ]);
  });
});

describe('the hours of a week', () => {
  const at = (date: string, hour: number) => new Date(`${date}T${String(hour).padStart(2, '0')}:00:00`).toISOString();

  it('are summed over the weeks in the time zone of the reader', () => {
    const { cells } = weekGrid([
      bucket(at('2026-11-16', 3), { count: 60, failures: 2 }),
      bucket(at('2026-11-23', 3), { count: 60, failures: 4 }),
      bucket(at('2026-11-22', 23), { count: 60 }),
    ]);
    expect(cells).toHaveLength(24 * 7);
    expect(cells[3 * 7]).toEqual({ up: 114, down: 6, unknown: 0, planned: 0 });
    expect(cells[23 * 7 + 6]?.up).toBe(60);
    expect(weekSummary(cells)).toBe('the worst hour: Mon 03:00 to 04:00: 95.0%, 6 of 120 checks failed');
    expect(hourOfWeekText(23 * 7 + 6, { ...NOTHING, up: 60 })).toBe('Sun 23:00 to 00:00: 100%');
  });

  it('report when no check failed, and when there were no checks', () => {
    expect(weekSummary(weekGrid([]).cells)).toBe('no hour with checks yet');
    expect(weekSummary([{ ...NOTHING, up: 1 }])).toBe('no failures in any hour');
  });
});

it('Every kind of square has a distinct shape', () => {
  const kinds = ['good', 'some', 'bad', 'planned', 'unknown', 'none'] as const;
  expect(new Set(kinds.map((kind) => cellPath([kind], kind))).size).toBe(kinds.length);
  expect(cellPath([null, 'good', 'bad'], 'good')).toBe('M0 14h11v11h-11z');
});
