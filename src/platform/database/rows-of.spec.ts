import { rowsOf } from './rows-of';

interface Item {
  id: string;
  at: Date | null;
  isDone: boolean;
  text: string | null;
}

const ITEMS = rowsOf<Item>(
  {
    id: ['uuid', ({ id }) => id],
    ended_at: ['timestamptz', ({ at }) => at],
    done: ['boolean', ({ isDone }) => isDone],
    body: ['text', ({ text }) => text],
  },
  3,
);

describe('rows for a statement', () => {
  it('are a source with the names and types of the columns, from the given parameter on', () => {
    expect(ITEMS.as('r')).toBe(
      'unnest($3::uuid[], $4::timestamptz[], $5::boolean[], $6::text[]) AS r (id, ended_at, done, body)',
    );
    expect(ITEMS.names).toBe('id, ended_at, done, body');
  });

  it('are one array for each column, which the driver quotes only if it contains text', () => {
    const items = [
      { id: 'a', at: new Date(0), isDone: true, text: 'x,"y"' },
      { id: 'b', at: null, isDone: false, text: null },
    ];
    expect(ITEMS.of(items)).toEqual(['{a,b}', '{1970-01-01T00:00:00.000Z,NULL}', '{true,false}', ['x,"y"', null]]);
  });

  it('are empty arrays without items', () => {
    expect(ITEMS.of([])).toEqual(['{}', '{}', '{}', []]);
  });
});
