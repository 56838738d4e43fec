import { besides, readMonth } from './page-month';

const NOW = new Date('2026-11-26T07:00:00Z');
const month = (name: string) => {
  const read = readMonth(name, NOW);
  if (typeof read === 'string') throw new Error(read);
  return read;
};

describe('the month of a history', () => {
  it.each([
    [undefined, '2026-11', '2026-11-01', '2026-12-01'],
    ['2026-11', '2026-11', '2026-11-01', '2026-12-01'],
    ['2025-12', '2025-12', '2025-12-01', '2026-01-01'],
    ['2000-01', '2000-01', '2000-01-01', '2000-02-01'],
  ])('of %s is %s, in UTC', (value, name, from, until) => {
    expect(readMonth(value, NOW)).toEqual({ name, from: new Date(from), until: new Date(until) });
  });

  it.each([
    '2026-13',
    '2026-00',
    '26-1',
    '2026-1',
    '2026',
    '',
    '1999-12',
    '2026-11-01',
    ' 2026-11',
    '0x7e-11',
    ['2026-10'],
    5,
    null,
  ])('%j is none', (value) => {
    expect(readMonth(value, NOW)).toBe('month must be a month such as 2026-11');
  });

  it('is not in the future', () => {
    expect(readMonth('2026-12', NOW)).toBe('month must not be in the future; the current month is 2026-11');
  });

  it.each([
    ['2026-11', { earlier: '2026-10', later: null }],
    ['2026-01', { earlier: '2025-12', later: '2026-02' }],
    ['2025-10', { earlier: null, later: '2025-11' }],
  ])('of %s has beside it %j, while what was before 15 October 2025 is kept no more', (name, expected) => {
    const kept = new Date('2025-10-15T00:00:00Z');
    expect(besides(month(name), kept, NOW)).toEqual(expected);
  });
});
