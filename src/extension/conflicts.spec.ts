import 'reflect-metadata';
import { tableConflicts } from './conflicts';

describe('conflicts of tables', () => {
  it('names a table that two entities claim, but not two copies of one entity', () => {
    const tables = [
      { tableName: 'website', name: 'Website' },
      { tableName: 'website', name: 'Website' },
      { tableName: 'website', name: 'Shop' },
    ];
    expect(tableConflicts(tables)).toEqual([
      'The table "website" has two entities: Website and Shop. Choose another table.',
    ]);
  });
});
