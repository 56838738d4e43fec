import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { parseTimestamp, QueryTimestamp } from './validators';

class Query {
  @QueryTimestamp()
  since?: Date;
}

describe('parseTimestamp', () => {
  it.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00.123Z', '2026-11-20T10:00:00.123Z'],
    ['2026-11-20T10:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('reads the timestamp %s', (text, iso) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(iso);
  });

  it.each([
    '',
    'yesterday',
    '1763632800',
    '2026-11-20T10:00:00',
    '2026-11-20 10:00:00Z',
    '2026-02-29',
    '2026-02-31T00:00:00Z',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-11-20T25:00:00Z',
    '0000-01-01',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-12:00',
    '+012026-01-01T00:00:00Z',
    1_763_632_800,
    ['2026-11-20'],
    null,
    undefined,
  ])('refuses %j as a timestamp', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });
});

describe('QueryTimestamp', () => {
  it('turns a timestamp of the query string into a Date', () => {
    const query = plainToInstance(Query, { since: '2026-11-20' });
    expect(validateSync(query)).toEqual([]);
    expect(query.since).toEqual(new Date('2026-11-20T00:00:00Z'));
  });

  it("refuses text that isn't a timestamp", () => {
    const [error] = validateSync(plainToInstance(Query, { since: '2026-11-20T10:00:00' }));
    expect(error?.constraints).toEqual({
      isTimestamp: 'since must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z',
    });
  });
});
