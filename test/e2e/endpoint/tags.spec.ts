import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Tagged {
  id: string;
  tags: string[];
  endpoints?: Tagged[];
}
interface Problem {
  code: string;
  errors: { pointer: string; code: string }[];
}

const SITE = { name: 'Shop', url: 'https://shop.example' };
const PAGE = { name: 'Front', type: 'HTTPS', url: 'https://shop.example/' };

describe('tags', () => {
  let app: TestApp;
  let owner: ServiceOrganization;
  let counter = 0;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await app.organization(`Owner ${++counter}`);
  });

  const tagsOf = async (path: string): Promise<string[]> => (await owner.read.get<Tagged>(path)).body.tags;
  const idsIn = async (path: string): Promise<string[]> =>
    (await owner.read.get<Tagged[]>(path)).body.map(({ id }) => id);
  const revisionOf = async (endpoint: string): Promise<number | undefined> => {
    const [row] = await app.app
      .get(Database)
      .query<{ revision: number }>('SELECT revision FROM endpoint WHERE id = $1', [parseId('endpoint', endpoint)]);
    return row?.revision;
  };
  const lastEntryOf = async (id: string) =>
    (await owner.admin.get<AuditEntryView[]>(`/audit-log?resource_id=${id}&limit=1`)).body[0];

  it('of a website and its first endpoints are kept in lower case and in order, none twice', async () => {
    const { status, body } = await owner.write.post<Tagged>('/websites', {
      ...SITE,
      tags: ['Web', 'db', 'WEB', 'team:A'],
      endpoints: [{ ...PAGE, tags: ['b', 'A'] }, PAGE],
    });
    expect([status, body.tags]).toEqual([201, ['db', 'team:a', 'web']]);
    expect(body.endpoints?.map(({ tags }) => tags)).toEqual([['a', 'b'], []]);
    expect(await tagsOf(`/websites/${body.id}`)).toEqual(['db', 'team:a', 'web']);
  });

  it('are replaced by a partial change, emptied by an empty list and kept when they are not sent', async () => {
    const website = await newWebsite(owner.write);
    const endpoint = await newEndpoint(owner.write, website, { tags: ['old'] });
    for (const path of [`/websites/${website}`, `/endpoints/${endpoint}`]) {
      expect((await owner.write.put<Tagged>(path, { tags: ['B', 'a'] })).body.tags).toEqual(['a', 'b']);
      expect((await owner.write.put<Tagged>(path, { name: 'Other' })).body.tags).toEqual(['a', 'b']);
      expect(await tagsOf(path)).toEqual(['a', 'b']);
      expect((await owner.write.put<Tagged>(path, { tags: [] })).body.tags).toEqual([]);
    }
  });

  it('do not change what is checked', async () => {
    const endpoint = await newEndpoint(owner.write, await newWebsite(owner.write));
    const before = await revisionOf(endpoint);
    await owner.write.put(`/endpoints/${endpoint}`, { tags: ['new'] });
    expect(before).toBe(1);
    expect(await revisionOf(endpoint)).toBe(1);
  });

  it('are in the audit log', async () => {
    const website = await newWebsite(owner.write);
    const endpoint = await newEndpoint(owner.write, website);
    await owner.write.put(`/websites/${website}`, { tags: ['x'] });
    await owner.write.put(`/endpoints/${endpoint}`, { tags: ['y'] });
    const changed = { changed: ['tags'], before: { tags: [] } };
    expect(await lastEntryOf(website)).toMatchObject({ ...changed, after: { tags: ['x'] } });
    expect(await lastEntryOf(endpoint)).toMatchObject({ ...changed, after: { tags: ['y'] } });
  });

  it('stay with an endpoint that moves to another website', async () => {
    const [from, to] = [await newWebsite(owner.write), await newWebsite(owner.write)];
    const endpoint = await newEndpoint(owner.write, from, { tags: ['mine'] });
    await owner.write.put(`/endpoints/${endpoint}`, { website_id: to });
    expect(await tagsOf(`/endpoints/${endpoint}`)).toEqual(['mine']);
  });

  it('may be twenty of fifty characters', async () => {
    const tags = Array.from({ length: 20 }, (_, i) => `${String(i).padStart(2, '0')}${'x'.repeat(48)}`);
    expect((await owner.write.post<Tagged>('/websites', { ...SITE, tags })).body.tags).toEqual(tags);
  });

  it.each([
    ['a space', ['a b'], 'invalid_format'],
    ['a dash at the start', ['-a'], 'invalid_format'],
    ['too many characters', ['x'.repeat(51)], 'invalid_format'],
    ['an empty text', [''], 'invalid_format'],
    ['a number', [7], 'invalid_format'],
    ['a text instead of a list', 'web', 'wrong_type'],
    ['null instead of a list', null, 'wrong_type'],
    ['one more than twenty', Array.from({ length: 21 }, (_, i) => `t${i}`), 'out_of_range'],
  ])('with %s are refused', async (_, tags, code) => {
    const website = await newWebsite(owner.write);
    const sent = [
      await owner.write.post<Problem>('/websites', { ...SITE, tags }),
      await owner.write.put<Problem>(`/websites/${website}`, { tags }),
      await owner.write.post<Problem>(`/websites/${website}/endpoints`, { ...PAGE, tags }),
    ];
    for (const { status, body } of sent) {
      expect([status, body.code]).toEqual([400, 'validation_failed']);
      expect(body.errors).toMatchObject([{ pointer: '/tags', code }]);
    }
  });

  describe('as a filter', () => {
    let website: string;
    let tagged: string;
    beforeEach(async () => {
      website = await newWebsite(owner.write);
      tagged = (await owner.write.post<Tagged>('/websites', { ...SITE, tags: ['prod', 'eu'] })).body.id;
    });

    it('list the websites that have it, in any case, and count them', async () => {
      const { status, headers, body } = await owner.read.get<Tagged[]>('/websites?tag=PROD&limit=1');
      expect([status, body.map(({ id }) => id)]).toEqual([200, [tagged]]);
      expect(headers['x-total-count']).toBe('1');
      expect(await idsIn('/websites?tag=pro')).toEqual([]);
      expect(await idsIn('/websites')).toEqual([website, tagged]);
      expect(await idsIn('/websites?tag=prod&q=nowhere')).toEqual([]);
      expect(await idsIn('/websites?tag=prod&q=shop')).toEqual([tagged]);
    });

    it('list the endpoints that have it themselves or from their website, page by page', async () => {
      const [own] = [
        await newEndpoint(owner.write, website, { tags: ['prod'] }),
        await newEndpoint(owner.write, website),
      ];
      const inherited = [
        await newEndpoint(owner.write, tagged),
        await newEndpoint(owner.write, tagged, { tags: ['x'] }),
      ];
      expect(await idsIn(`/websites/${website}/endpoints?tag=prod`)).toEqual([own]);
      expect(await idsIn(`/websites/${tagged}/endpoints?tag=prod`)).toEqual(inherited);
      const first = await owner.read.get<Tagged[]>(`/websites/${tagged}/endpoints?tag=prod&limit=1`);
      expect(first.headers['x-total-count']).toBe('2');
      const cursor = encodeURIComponent(first.headers['x-next-cursor'] ?? '');
      expect(await idsIn(`/websites/${tagged}/endpoints?tag=prod&limit=1&cursor=${cursor}`)).toEqual([inherited[1]]);
    });

    it('give cursors that are only valid with the same tag', async () => {
      await owner.write.post<Tagged>('/websites', { ...SITE, tags: ['prod'] });
      const { headers } = await owner.read.get<Tagged[]>('/websites?tag=prod&limit=1');
      const cursor = encodeURIComponent(headers['x-next-cursor'] ?? '');
      expect((await owner.read.get(`/websites?tag=prod&cursor=${cursor}`)).status).toBe(200);
      for (const other of ['', 'tag=eu&']) {
        const { status, body } = await owner.read.get<Problem>(`/websites?${other}cursor=${cursor}`);
        expect([status, body.code]).toEqual([400, 'invalid_cursor']);
      }
    });

    it.each(['', 'a b', 'x'.repeat(51), 'a&tag=b'])('are refused if they are not a valid tag: %j', async (tag) => {
      for (const path of ['/websites', `/websites/${website}/endpoints`]) {
        const { status, body } = await owner.read.get<Problem>(`${path}?tag=${tag}`);
        expect([status, body.code]).toEqual([400, 'invalid_query']);
        expect(body.errors).toMatchObject([{ pointer: '?tag' }]);
      }
    });
  });
});
