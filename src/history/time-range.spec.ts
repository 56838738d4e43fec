import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { QueryRangeBound, windowRange } from './time-range';

class Query {
  @QueryRangeBound()
  from?: Date;
}

/** Returns the parsed `from` of a request, or `null` if it is rejected. */
function read(from: unknown): Date | null {
  const query = plainToInstance(Query, { from });
  return validateSync(query).length === 0 ? (query.from ?? null) : null;
}

describe('QueryRangeBound', () => {
  it.each([
    '2026-11-20T09:00:00Z',
    '2026-11-20T09:00:00.000Z',
    '2026-11-20T09:00Z',
    '2026-11-20T11:00:00+02:00',
    '2026-11-20T09:00:00.000000Z',
  ])('reads %s as 09:00 UTC', (text) => {
    expect(read(text)).toEqual(new Date('2026-11-20T09:00:00Z'));
  });

  it('reads a date without a time as its start in UTC', () => {
    expect(read('2026-11-20')).toEqual(new Date('2026-11-20T00:00:00Z'));
  });

  it.each([
    '2026-02-30',
    '2026-11-20T09:00:00',
    '2026-11-20 09:00:00Z',
    '2026-13-20T09:00:00Z',
    '2026-11-20T25:00:00Z',
    '1969-12-31T23:59:59Z',
    '3000-01-01T00:00:01Z',
    '1763629200000',
    'now',
    '',
    ['2026-11-20T09:00:00Z'],
    undefined,
  ])('refuses %s', (text) => {
    expect(read(text)).toBeNull();
  });
});

describe('windowRange', () => {
  const now = Date.UTC(2026, 10, 20, 9, 41, 7);

  it.each([
    ['24h', Date.UTC(2026, 10, 19, 9)],
    ['7d', Date.UTC(2026, 10, 13)],
    ['30d', Date.UTC(2026, 9, 21)],
    ['90d', Date.UTC(2026, 7, 22)],
  ] as const)('returns for %s a range that ends now and starts at a full hour or day', (window, from) => {
    expect(windowRange(window, now)).toEqual({ from, to: now });
  });
});
