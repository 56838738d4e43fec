import { match, type Siblings, type Stored } from './matching';

interface Item {
  key: string;
  name: string;
}
type Row = Stored & { name: string };

const row = (id: string, name: string, externalKey: string | null = null, owner: string | null = null): Row => ({
  id,
  name,
  externalKey,
  owner,
});
const siblings = (declared: readonly Item[], present: readonly Row[]): Siblings<Item, Row> => ({
  noun: 'website',
  pointer: '/websites',
  parent: '',
  declared,
  present,
  likenessOfDeclared: ({ name }) => name,
  likenessOfPresent: ({ name }) => name,
});
const shop: Item = { key: 'shop', name: 'Shop' };

describe('a resource that a document declares', () => {
  it.each<[string, readonly Item[], readonly Row[], (string | null)[], number, number]>([
    ['is new where there is nothing', [shop], [], [null], 0, 0],
    ['is matched by its key, regardless of its name', [shop], [row('a', 'Other', 'shop')], ['a'], 0, 0],
    ['is adopted when one without a key looks like it', [shop], [row('a', 'Shop')], ['a'], 0, 0],
    ['is new when what looks like it has another key', [shop], [row('a', 'Shop', 'old')], [null], 0, 0],
    ['is new when two look like it, and says so', [shop], [row('a', 'Shop'), row('b', 'Shop')], [null], 1, 0],
    [
      'is new when it is declared twice, and says so',
      [shop, { ...shop, key: 'other' }],
      [row('a', 'Shop')],
      [null, null],
      2,
      0,
    ],
    [
      'has its key before anything that looks like it',
      [shop],
      [row('a', 'Shop'), row('b', 'Other', 'shop')],
      ['b'],
      0,
      0,
    ],
    ['is its owner’s', [shop], [row('a', 'Shop', 'shop', 'me')], ['a'], 0, 0],
    ['is taken where another owner declared its key', [shop], [row('a', 'Shop', 'shop', 'you')], ['a'], 0, 1],
    ['is new where what looks like it is another owner’s', [shop], [row('a', 'Shop', null, 'you')], [null], 0, 0],
  ])('%s', (_, declared, present, ids, notes, taken) => {
    const found = match('me', siblings(declared, present));
    expect(found.matches.map((one) => one.present?.id ?? null)).toEqual(ids);
    expect([found.notes.length, found.taken.length]).toEqual([notes, taken]);
  });

  it('can be changed by a document without an owner, as by a client', () => {
    const found = match(null, siblings([shop], [row('a', 'Shop', 'shop', 'you')]));
    expect([found.matches[0]?.present?.id, found.taken]).toEqual(['a', []]);
  });
});
