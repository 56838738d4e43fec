import 'reflect-metadata';
import { tableConflicts } from './conflicts';

describe('conflicts of tables', () => {
  const [website, shop] = [class Website {}, class Shop {}];
  const tables = [{ tableName: 'website', target: website, name: 'Website' }];

  it('names a table that two entities claim, but not one entity that is there twice', () => {
    expect(tableConflicts([...tables, ...tables, { tableName: 'website', target: shop, name: 'Shop' }])).toEqual([
      'The table "website" has two entities: Website and Shop. Choose another table.',
    ]);
  });

  it('tells two classes of one name apart', () => {
    expect(tableConflicts([...tables, { tableName: 'website', target: class {}, name: 'Website' }])).toEqual([
      'The table "website" has two entities, both of the name Website. Choose another table.',
    ]);
  });
});
