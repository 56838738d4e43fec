import 'reflect-metadata';
import { routeConflicts, tableConflicts } from './conflicts';

const route = (name: string, handler: string, hasRule = true) => ({ name, handler, hasRule });

describe('conflicts of routes and tables', () => {
  it('names each route that nobody may call, and how to say who may', () => {
    expect(routeConflicts([route('GET /a', 'A.list', false)])).toEqual([
      "A.list (GET /a) does not say who may call it: give it @Access('read'), 'write' or 'admin'.",
    ]);
  });

  it('takes two paths for one when only the names of their parameters differ', () => {
    const routes = [route('GET /a/:id', 'A.get'), route('GET /a/:name', 'B.get'), route('PUT /a/:name', 'B.put')];
    expect(routeConflicts(routes)).toEqual([
      'GET /a/:name is served twice: by A.get and by B.get. Choose another path.',
    ]);
  });

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
