import 'reflect-metadata';
import { tableConflicts } from './conflicts';

describe('conflicts of tables', () => {
  const [website, shop] = [class Website {}, class Shop {}];
  const columns = ['id id', 'name name'];
  const tables = [{ tableName: 'website', target: website, name: 'Website', columns }];

  it('reports a table that two entities claim, but not an entity that is loaded twice', () => {
    expect(
      tableConflicts([...tables, ...tables, { tableName: 'website', target: shop, name: 'Shop', columns }]),
    ).toEqual(['The table "website" has two entities: Website and Shop. Choose another table.']);
  });

  it('distinguishes two classes with the same name', () => {
    expect(
      tableConflicts([
        ...tables,
        { tableName: 'website', target: class {}, name: 'Website', columns: ['id id', 'url url'] },
      ]),
    ).toEqual(['The table "website" has two entities, both named Website. Choose another table.']);
  });

  it('treats two classes with the same name and columns as copies of one class', () => {
    expect(tableConflicts([...tables, { tableName: 'website', target: class {}, name: 'Website', columns }])).toEqual(
      [],
    );
  });
});
