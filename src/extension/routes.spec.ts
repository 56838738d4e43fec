import { type Route, routeConflicts } from './routes';

const route = (name: string, handler: string, more: Partial<Route> = {}): Route => {
  const [verb = '', path = ''] = name.split(' ');
  return { verb, path, handler, host: null, hasRule: true, hasVersion: false, ...more };
};

describe('conflicts of routes', () => {
  it('names each route that nobody may call, and how to say who may', () => {
    expect(routeConflicts([route('GET /a', 'A.list', { hasRule: false })])).toEqual([
      "A.list (GET /a) does not declare who may call it: add @Access('read'), 'write' or 'admin'.",
    ]);
  });

  it('names a route with a version, since no request asks for one', () => {
    expect(routeConflicts([route('GET /a', 'A.list', { hasVersion: true })])).toEqual([
      'A.list (GET /a) has a version, which is not supported: put the version into the path, as /api/v1 does.',
    ]);
  });

  it('takes two paths for one when only the names of their parameters differ', () => {
    const routes = [route('GET /a/:id', 'A.get'), route('GET /a/:name', 'B.get'), route('PUT /a/:name', 'B.put')];
    expect(routeConflicts(routes)).toEqual([
      'GET /a/:name is served twice: by A.get and by B.get. Choose another path.',
    ]);
  });

  it.each([
    ['a parameter where this one has a word', 'GET /a/:id', 'GET /a/sums', true],
    ['the word, before the parameter', 'GET /a/sums', 'GET /a/:id', false],
    ['every method', 'ALL /a/:id', 'PUT /a/:id', true],
    ['another method', 'HEAD /a/:id', 'GET /a/:id', false],
    ['a longer path', 'GET /a/:id/b', 'GET /a/:id', false],
    ['a part of a word', 'GET /a/:id.json', 'GET /a/sums', false],
  ])('says whether a route is never reached because of one with %s', (_what, first, second, isTaken) => {
    const conflicts = routeConflicts([route(first, 'A.a'), route(second, 'B.b')]);
    expect(conflicts).toEqual(
      isTaken ? [`${second} never reaches B.b, because A.a serves ${first} first. Choose another path.`] : [],
    );
  });

  it('lets two hosts have one path, unless the first takes every host', () => {
    const [open, shop, blog] = [null, 'shop.example', 'blog.example'].map((host) =>
      route('GET /', `${host}`, { host }),
    );
    if (!open || !shop || !blog) throw new Error('there are three');
    expect(routeConflicts([shop, blog, open])).toEqual([]);
    expect(routeConflicts([open, shop])).toHaveLength(1);
  });
});
