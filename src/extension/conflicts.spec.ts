import 'reflect-metadata';
import { tableConflicts } from './conflicts';

describe('conflicts of tables', () => {
  const [website, shop] = [class Website {}, class Shop {}];
  const columns = ['id id', 'name name'];
  const tables = [{ tableName: 'website', target: website, name: 'Website', columns }];

  it('names a table that two entities claim, but not one entity that is there twice', () => {
    expect(
      tableConflicts([...tables, ...tables, { tableName: 'website', target: shop, name: 'Shop', columns }]),
    ).toEqual(['The table "website" has two entities: Website and Shop. Choose another table.']);
  });

  it('tells two classes of one name apart', () => {
    expect(
      tableConflicts([
        ...tables,
        { tableName: 'website', target: class {}, name: 'Website', columns: ['id id', 'url url'] },
      ]),
    ).toEqual(['The table "website" has two entities, both named Website. Choose another table.']);
  });

  it('takes two classes of one name with the same columns for copies of one', () => {
    expect(tableConflicts([...tables, { tableName: 'website', target: class {}, name: 'Website', columns }])).toEqual(
      [],
    );
  });
});
