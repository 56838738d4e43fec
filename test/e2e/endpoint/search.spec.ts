import type { EndpointView } from '../../../src/endpoint/endpoint.dto';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import type { ProblemView } from '../../../src/platform/problem/problem.view';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

describe('the list of all endpoints', () => {
  let app: TestApp;
  let database: Database;
  let own: ServiceOrganization;
  let other: ServiceOrganization;
  let [shop, blog, off] = ['', '', ''];

  const setState = (endpoint: string, status: number) =>
    database.query('UPDATE endpoint_state SET status = $2 WHERE endpoint_id = $1', [
      parseId('endpoint', endpoint),
      status,
    ]);

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    database = app.app.get(Database);
    [own, other] = [await app.organization('Own'), await app.organization('Other')];
    [shop, blog, off] = [await newWebsite(own.write), await newWebsite(own.write), await newWebsite(own.write)];
    await own.write.put(`/websites/${blog}`, { tags: ['public'] });
    const front = await newEndpoint(own.write, shop, { name: 'Front', key: 'front', tags: ['web'] });
    const secret = { name: 'Búsqueda', url: 'https://shop.example.com/find?token=Sesame', tags: ['public'] };
    const search = await newEndpoint(own.write, shop, secret);
    await newEndpoint(own.write, shop, { name: 'Paused', enabled: false });
    await newEndpoint(own.write, blog, { name: 'Port', key: 'front', type: 'TCP', url: 'blog.example.com:8080' });
    const hidden = await newEndpoint(own.write, off, { name: 'Off' });
    await own.write.put(`/websites/${off}`, { enabled: false });
    await setState(front, 1);
    await setState(search, 0);
    await setState(hidden, 1);
    const theirs = await newEndpoint(other.write, await newWebsite(other.write), { name: 'Theirs', key: 'front' });
    await setState(theirs, 0);
  });
  afterAll(() => app.close());

  const list = (query = '', by: Api = own.read) => by.get<EndpointView[]>(`/endpoints${query}`);
  const namesOf = ({ body }: { body: EndpointView[] }): string[] => body.map(({ name }) => name);
  const ALL = ['Front', 'Búsqueda', 'Paused', 'Port', 'Off'];

  it('contains the endpoints of all websites, oldest first, each as it is read alone, and of no other organization', async () => {
    const { status, body, headers } = await list();
    expect([status, headers['x-total-count'], body.map(({ name }) => name)]).toEqual([200, '5', ALL]);
    for (const endpoint of body)
      expect((await own.read.get<EndpointView>(`/endpoints/${endpoint.id}`)).body).toEqual(endpoint);
    expect(namesOf(await list('', other.read))).toEqual(['Theirs']);
  });

  it.each([
    ['the status up', 'status=up', ['Front']],
    ['the status down', 'status=down', ['Búsqueda']],
    ['the status unknown', 'status=unknown', ['Port']],
    ['the status paused, also by the website', 'status=paused', ['Paused', 'Off']],
    ['a type', 'type=TCP', ['Port']],
    ['a type in another case', 'type=tcp', []],
    ['a tag, also of the website, in any case', 'tag=Public', ['Búsqueda', 'Port']],
    ['a key that several websites use', 'key=front', ['Front', 'Port']],
    ['part of a name in any case', 'q=BÚSQ', ['Búsqueda']],
    ['part of an address', 'q=example.com:80', ['Port']],
    ['all filters at once', 'key=front&type=HTTPS&tag=web&status=up&q=front', ['Front']],
    ['filters that exclude each other', 'key=front&status=down', []],
  ])('finds by %s', async (_, query, names) => {
    const found = await list(`?${query}`);
    expect([found.status, namesOf(found), found.headers['x-total-count']]).toEqual([200, names, String(names.length)]);
  });

  it('finds endpoints whose certificate expires within the given number of days', async () => {
    const ids = new Map((await list()).body.map(({ name, id }) => [name, parseId('endpoint', id)]));
    const end = (name: string, days: number) =>
      database.query('UPDATE endpoint_state SET certificate_expires_at = $2 WHERE endpoint_id = $1', [
        ids.get(name),
        new Date(Date.now() + days * 86_400_000),
      ]);
    await end('Front', 9.5);
    await end('Port', -1);
    await end('Off', 40);
    expect(namesOf(await list('?certificate_within=10'))).toEqual(['Front', 'Port']);
    expect(namesOf(await list('?certificate_within=90'))).toEqual(['Front', 'Port', 'Off']);
    expect((await list('?certificate_within=soon')).status).toBe(400);
  });

  it('may be of one website, with any filter', async () => {
    expect(namesOf(await list(`?website_id=${blog}`))).toEqual(['Port']);
    expect(namesOf(await list(`?website_id=${shop}&tag=public`))).toEqual(['Búsqueda']);
  });

  it('does not let a read key search in the part of a url that is hidden from it', async () => {
    expect(namesOf(await list('?q=Sesame'))).toEqual([]);
    expect(namesOf(await list('?q=sesame', own.write))).toEqual(['Búsqueda']);
  });

  it('continues page by page, and a cursor is only valid for its filters and its organization', async () => {
    const first = await list('?key=front&limit=1');
    const cursor = first.headers['x-next-cursor'] ?? '';
    expect([namesOf(first), first.headers['x-total-count']]).toEqual([['Front'], '2']);
    expect(first.headers['link']).toBe(`</api/v1/endpoints?key=front&limit=1&cursor=${cursor}>; rel="next"`);
    const last = await list(`?key=front&limit=1&cursor=${cursor}`);
    expect([namesOf(last), last.headers['x-next-cursor']]).toEqual([['Port'], undefined]);
    for (const refused of [
      await own.read.get<ProblemView>(`/endpoints?key=other&cursor=${cursor}`),
      await other.read.get<ProblemView>(`/endpoints?key=front&cursor=${cursor}`),
    ])
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_cursor']);
  });

  it('has no endpoint of a website that is being deleted', async () => {
    const gone = await newWebsite(own.write);
    await newEndpoint(own.write, gone, { name: 'Gone' });
    await database.query('UPDATE website SET deleted_at = now() WHERE id = $1', [parseId('website', gone)]);
    expect(namesOf(await list())).toEqual(ALL);
  });

  it('does not know a website of another organization', async () => {
    const { status, body } = await other.read.get<ProblemView>(`/endpoints?website_id=${shop}`);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it.each(['status=degraded', 'key=Front', 'tag=-', 'website_id=ep_1', 'q=', 'limit=0', `type=${'X'.repeat(33)}`])(
    'refuses %s and names the field',
    async (query) => {
      const { status, body } = await own.read.get<ProblemView>(`/endpoints?${query}`);
      expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([
        400,
        'invalid_query',
        `?${query.split('=')[0] ?? ''}`,
      ]);
    },
  );
});
