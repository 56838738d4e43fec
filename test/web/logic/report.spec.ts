import {
  dayKind,
  monthAfter,
  monthText,
  reportQuery,
  shareText,
  spanText,
  timeText,
} from '../../../web/src/logic/report';

describe('the texts of a report', () => {
  it.each([
    ['2026-10', 1, '2026-11'],
    ['2026-12', 1, '2027-01'],
    ['2026-01', -1, '2025-12'],
  ])('%s and %i months is %s', (month, by, after) => {
    expect(monthAfter(month, by)).toBe(after);
  });

  it('name a month', () => {
    expect(monthText('2026-10')).toBe('October 2026');
  });

  it.each([
    [0, '0'],
    [0.4, '0'],
    [40, '40 s'],
    [1860, '31 min'],
    [3600, '1 h'],
    [5100, '1 h 25 min'],
    [-2460, '−41 min'],
  ])('show %d seconds as %s', (seconds, text) => {
    expect(spanText(seconds)).toBe(text);
  });

  it.each([
    [1, '100%'],
    [0.99999, '99.99%'],
    [0.9981, '99.81%'],
    [0, '0.00%'],
    [null, 'No data'],
  ])('show the share %j as %s', (share, text) => {
    expect(shareText(share)).toBe(text);
  });

  it.each([
    [1, 0, 'ok'],
    [0.9999, 0, 'low'],
    [0.95, 0, 'some'],
    [0.5, 0, 'bad'],
    [null, 0, 'none'],
    [null, 60, 'work'],
  ] as const)('draw a day with availability %j and %i planned seconds as %s', (availability, planned_seconds, kind) => {
    expect(dayKind({ availability, planned_seconds })).toBe(kind);
  });

  it('leave empty parameters out of the query', () => {
    expect(reportQuery({ month: '2026-10', tag: '', timezone: 'Europe/Berlin' })).toBe(
      'month=2026-10&timezone=Europe%2FBerlin',
    );
  });

  it('show times by the clock of the report', () => {
    expect(timeText('2026-10-12T22:15:00.000Z', 'Europe/Berlin')).toBe('13 Oct, 00:15');
  });
});
