import { dateOf, readReportMonth, type ReportMonth } from './report-month';

const NOW = new Date('2026-11-29T12:00:00Z');
const HOUR = 3_600_000;
const read = (name: string | undefined, zone: string, now = NOW): ReportMonth => {
  const month = readReportMonth(name, zone, now);
  if (typeof month === 'string') throw new Error(month);
  return month;
};

describe('the month of a report', () => {
  it.each([
    ['2026-10', 'Europe/Berlin', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z', 31],
    ['2026-02', 'UTC', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', 28],
    ['2024-02', 'Asia/Kolkata', '2024-01-31T18:30:00.000Z', '2024-02-29T18:30:00.000Z', 29],
    ['2026-12', 'Pacific/Kiritimati', '2026-11-30T10:00:00.000Z', '2026-12-31T10:00:00.000Z', 31],
  ])('%s in %s starts at %s and ends at %s, after %i days', (name, zone, from, to, days) => {
    const month = read(name, zone, new Date('2027-01-01T00:00:00Z'));
    expect([new Date(month.from).toISOString(), new Date(month.to).toISOString()]).toEqual([from, to]);
    expect(month.bounds).toHaveLength(days + 1);
  });

  it.each([
    ['2026-03', 28, 23],
    ['2026-10', 24, 25],
    ['2026-10', 23, 24],
  ])('%s in Berlin has on day %i (from 0) %i hours', (name, day, hours) => {
    const { bounds } = read(name, 'Europe/Berlin');
    expect(((bounds[day + 1] ?? 0) - (bounds[day] ?? 0)) / HOUR).toBe(hours);
  });

  it('is by default the current one by the clock of the time zone', () => {
    const late = new Date('2026-10-31T23:30:00Z');
    expect(read(undefined, 'Europe/Berlin', late).name).toBe('2026-11');
    expect(read(undefined, 'UTC', late).name).toBe('2026-10');
  });

  it.each(['2026-13', '26-1', '', 'x', '2026-1', '2026-11-01', '1999-12'])('is refused as %j', (name) => {
    expect(readReportMonth(name, 'UTC', NOW)).toBe('month must be a month such as 2026-10');
  });

  it('is refused in the future, by the clock of the time zone', () => {
    expect(readReportMonth('2026-12', 'UTC', NOW)).toBe(
      'month must not be in the future; the current month is 2026-11',
    );
    expect(read('2026-12', 'Pacific/Kiritimati', new Date('2026-11-30T10:00:00Z')).name).toBe('2026-12');
  });

  it('names its days', () => {
    expect([0, 30].map((day) => dateOf({ name: '2026-10' }, day))).toEqual(['2026-10-01', '2026-10-31']);
  });
});
