/** @databases both */
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';

interface Website {
  id: string;
  name: string;
  url: string;
  enabled: boolean;
  status: string;
  endpoint_count: number;
  last_checked_at: string | null;
  created_at: string;
  updated_at: string;
}

describe('websites', () => {
  let app: TestApp;
  let other: ServiceOrganization;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    other = await app.organization('Other');
  });
  afterAll(() => app.close());

  const create = async (name = 'Shop', url = 'https://shop.example.com/') =>
    (await app.write.post<Website>('/websites', { name, url })).body;

  it('creates a website with 201, a Location and every field of the interface', async () => {
    const response = await app.write.post<Website>('/websites', { name: '  Shop ', url: 'https://Shop.Example.com' });
    expect(response.status).toBe(201);
    expect(response.headers['location']).toBe(`/api/v1/websites/${response.body.id}`);
    expect(response.body).toEqual({
      id: expect.stringMatching(/^ws_[0-9a-hjkmnp-tv-z]{26}$/),
      name: 'Shop',
      tags: [],
      url: 'https://shop.example.com/',
      enabled: true,
      key: null,
      owner: null,
      ping_key: expect.stringMatching(/^[\w-]{22}$/) as string,
      status: 'unknown',
      endpoint_count: 0,
      last_checked_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    expect((await app.write.get(`/websites/${response.body.id}`)).body).toEqual(response.body);
  });

  it('lists websites as a bare array, oldest first, with their count', async () => {
    const organization = await app.organization('List');
    const names = ['one', 'two', 'three'];
    for (const name of names) await organization.write.post('/websites', { name, url: 'http://a.example' });
    const all = await organization.read.get<Website[]>('/websites');
    expect(all.status).toBe(200);
    expect(all.body.map(({ name }) => name)).toEqual(names);
    expect(all.headers['x-total-count']).toBe('3');
    expect(all.headers['link']).toBeUndefined();
  });

  it('pages websites by signed cursors that no other organization can use', async () => {
    const organization = await app.organization('Pages');
    for (const name of ['one', 'two', 'three'])
      await organization.write.post('/websites', { name, url: 'http://a.example' });
    const first = await organization.read.get<Website[]>('/websites?limit=2');
    const cursor = first.headers['x-next-cursor'] ?? '';
    expect(first.headers['link']).toBe(`</api/v1/websites?limit=2&cursor=${encodeURIComponent(cursor)}>; rel="next"`);
    const second = await organization.read.get<Website[]>(`/websites?limit=2&cursor=${cursor}`);
    expect([...first.body, ...second.body].map(({ name }) => name)).toEqual(['one', 'two', 'three']);
    expect(second.headers['x-next-cursor']).toBeUndefined();
    for (const [client, wrong] of [
      [other.read, cursor],
      [organization.read, `${cursor}x`],
      [organization.read, 'nonsense'],
    ] as const) {
      const response = await client.get<{ code: string }>(`/websites?cursor=${wrong}`);
      expect([response.status, response.body.code]).toEqual([400, 'invalid_cursor']);
    }
  });

  it('finds websites by a part of their name or url, in any case, page by page and with their count', async () => {
    const { write, read } = await app.organization('Search');
    for (const [name, url] of [
      ['Example Shop', 'https://a.example'],
      ['École', 'https://b.example'],
      ['Blog', 'https://SHOP.example/Blog_1'],
      ['100 %', 'https://c.example'],
    ])
      await write.post('/websites', { name, url });
    const found = async (q: string, more = '') => {
      const { status, headers, body } = await read.get<Website[]>(`/websites?q=${encodeURIComponent(q)}${more}`);
      expect(status).toBe(200);
      return { names: body.map(({ name }) => name), total: headers['x-total-count'], next: headers['x-next-cursor'] };
    };
    expect(await found('SHOP')).toMatchObject({ names: ['Example Shop', 'Blog'], total: '2' });
    expect(await found(' éCOLE ')).toMatchObject({ names: ['École'], total: '1' });
    expect(await found('COLE')).toMatchObject({ names: ['École'], total: '1' });
    expect((await found('%')).names).toEqual(['100 %']);
    expect((await found('blog_')).names).toEqual(['Blog']);
    expect((await found('b_og')).names).toEqual([]);
    expect((await found('shop\\')).names).toEqual([]);
    const first = await found('shop', '&limit=1');
    expect(first).toMatchObject({ names: ['Example Shop'], total: '2' });
    expect((await found('shop', `&limit=1&cursor=${first.next}`)).names).toEqual(['Blog']);
    const { body } = await other.read.get('/websites?q=shop');
    expect(body).toEqual([]);
  });

  it.each(['q=', 'q=%20', `q=${'x'.repeat(101)}`, 'q=a&q=b', 'q[a]=b', 'q=a%00', 'name=shop'])(
    'refuses GET /websites?%s',
    async (query) => {
      const response = await app.read.get<{ code: string }>(`/websites?${query}`);
      expect([response.status, response.body.code]).toEqual([400, 'invalid_query']);
    },
  );

  it('accepts a partial update of a website and ignores read-only fields that are sent back', async () => {
    const website = await create();
    const renamed = await app.write.put<Website>(`/websites/${website.id}`, { name: 'Renamed' });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toMatchObject({ name: 'Renamed', enabled: true, url: website.url });
    const paused = await app.write.put<Website>(`/websites/${website.id}`, { ...renamed.body, enabled: false });
    expect(paused.body).toMatchObject({ enabled: false, status: 'paused', name: 'Renamed' });
    expect((await app.write.put<Website>(`/websites/${website.id}`, {})).body).toEqual(paused.body);
  });

  it('refuses another url for a website as immutable', async () => {
    const website = await create();
    const response = await app.write.put<{ errors: object[] }>(`/websites/${website.id}`, {
      url: 'https://other.example',
    });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([expect.objectContaining({ pointer: '/url', code: 'immutable' })]);
  });

  it('deletes a website with 204 and no body, and answers 404 afterwards', async () => {
    const website = await create();
    const gone = await app.write.delete(`/websites/${website.id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await app.write.delete(`/websites/${website.id}`)).status).toBe(404);
  });

  it('answers for a website of another organization byte for byte as for unknown and malformed ids', async () => {
    const website = await create();
    const responses = [];
    for (const id of [
      website.id,
      'ws_00000000000000000000000000',
      'ws_',
      'al_00000000000000000000000000',
      website.id.toUpperCase(),
      "ws_' OR 1=1",
      'x'.repeat(5000),
    ]) {
      for (const send of [
        () => other.write.get(`/websites/${encodeURIComponent(id)}`),
        () => other.write.put(`/websites/${encodeURIComponent(id)}`, { name: 'x' }),
        () => other.write.delete(`/websites/${encodeURIComponent(id)}`),
      ]) {
        const { status, text, headers } = await send();
        const { request_id: requestId, ...body } = JSON.parse(text) as { request_id: string; instance: string };
        expect(body.instance).toBe(`urn:uptime:request:${requestId}`);
        responses.push(
          JSON.stringify([status, { ...body, instance: '' }, headers['content-type'], Object.keys(headers).sort()]),
        );
      }
    }
    expect(new Set(responses).size).toBe(1);
    expect(responses[0]).toContain('404');
    expect((await app.read.get(`/websites/${website.id}`)).status).toBe(200);
  });

  it.each([
    ['no body at all', undefined, 'malformed_json', null],
    ['a missing name', { url: 'http://a.example' }, 'validation_failed', ['/name', 'required']],
    ['a null name', { name: null, url: 'http://a.example' }, 'validation_failed', ['/name', 'wrong_type']],
    ['an empty name', { name: '', url: 'http://a.example' }, 'validation_failed', ['/name', 'invalid_format']],
    ['a name of spaces', { name: '   ', url: 'http://a.example' }, 'validation_failed', ['/name', 'invalid_format']],
    ['a numeric name', { name: 7, url: 'http://a.example' }, 'validation_failed', ['/name', 'wrong_type']],
    [
      'a name of 256 characters',
      { name: 'x'.repeat(256), url: 'http://a.example' },
      'validation_failed',
      ['/name', 'too_long'],
    ],
    [
      'a name with a bidi override',
      { name: 'a\u202eb', url: 'http://a.example' },
      'validation_failed',
      ['/name', 'invalid_characters'],
    ],
    ['NUL in a name', { name: 'a\0b', url: 'http://a.example' }, 'validation_failed', ['/name', 'invalid_characters']],
    ['a missing url', { name: 'a' }, 'validation_failed', ['/url', 'required']],
    ['a relative url', { name: 'a', url: '/path' }, 'validation_failed', ['/url', 'invalid_format']],
    ['a url without scheme', { name: 'a', url: '//host' }, 'validation_failed', ['/url', 'invalid_format']],
    ['an ftp url', { name: 'a', url: 'ftp://host' }, 'validation_failed', ['/url', 'unsupported_scheme']],
    [
      'a javascript url',
      { name: 'a', url: 'javascript:alert(1)' },
      'validation_failed',
      ['/url', 'unsupported_scheme'],
    ],
    [
      'credentials in the url',
      { name: 'a', url: 'http://u:p@host' },
      'validation_failed',
      ['/url', 'credentials_in_url'],
    ],
    ['port 0', { name: 'a', url: 'http://host:0' }, 'validation_failed', ['/url', 'invalid_format']],
    ['port 65536', { name: 'a', url: 'http://host:65536' }, 'validation_failed', ['/url', 'invalid_format']],
    [
      'a url of 2049 characters',
      { name: 'a', url: `http://host/${'x'.repeat(2037)}` },
      'validation_failed',
      ['/url', 'too_long'],
    ],
    ['a newline in the url', { name: 'a', url: 'http://ho\nst' }, 'validation_failed', ['/url', 'invalid_characters']],
    [
      'enabled as text',
      { name: 'a', url: 'http://a.example', enabled: 'false' },
      'validation_failed',
      ['/enabled', 'wrong_type'],
    ],
    [
      'enabled as null',
      { name: 'a', url: 'http://a.example', enabled: null },
      'validation_failed',
      ['/enabled', 'wrong_type'],
    ],
    [
      'an unknown field',
      { name: 'a', url: 'http://a.example', organization_id: 'x' },
      'validation_failed',
      ['/organization_id', 'unknown_field'],
    ],
  ])('refuses to create a website with %s', async (_, body, code, field) => {
    const response = await app.write.post<{ code: string; errors?: { pointer: string; code: string }[] }>(
      '/websites',
      body,
    );
    expect([response.status, response.body.code, response.headers['content-type']]).toEqual([
      400,
      code,
      'application/problem+json; charset=utf-8',
    ]);
    if (field !== null)
      expect(response.body.errors).toEqual([expect.objectContaining({ pointer: field[0], code: field[1] })]);
  });

  it('reports all field errors of a website at once', async () => {
    const response = await app.write.post<{ errors: { pointer: string }[] }>('/websites', {
      url: 7,
      enabled: 0,
      nonsense: 1,
    });
    expect(response.body.errors.map(({ pointer }) => pointer).sort()).toEqual([
      '/enabled',
      '/name',
      '/nonsense',
      '/url',
    ]);
  });

  it('refuses writes of websites with a read key, and reads without a key', async () => {
    expect((await app.read.post('/websites', { name: 'a', url: 'http://a.example' })).status).toBe(403);
    expect((await app.anonymous.get('/websites')).status).toBe(401);
  });
});
