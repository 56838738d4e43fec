import { idWith, timestamp } from '../session/forms';
import { expectProblem, pointersOf } from '../session/problems';
import type { TheSession } from '../session/session';
import { newEndpoint, newPage, newWebsite, type Thing } from '../session/things';

export function describeStatusPages(session: TheSession): void {
  let endpoint: Thing;
  const show = (slug: unknown, accept: string) =>
    session().anonymous.send<Thing>('GET', `/status/${String(slug)}`, { headers: { accept } });

  describe('a status page', () => {
    beforeAll(async () => void (endpoint = await newEndpoint(session(), { enabled: false })));

    it('is created with 201 and its Location, and is public at its path without a key', async () => {
      const slug = session().key('page');
      const groups = [{ name: 'Shown', endpoints: [endpoint.id], websites: [] }];
      const sent = { title: session().name('page'), slug, groups, enabled: true };
      const { status, headers, body } = await session().write.post<Thing>('/status-pages', sent);
      expect([status, session().leadsTo(headers['location'], '/api/v1/status-pages')]).toEqual([
        201,
        `/api/v1/status-pages/${body.id}`,
      ]);
      expect(body).toMatchObject({
        ...sent,
        id: idWith('sp'),
        path: session().seen(`/status/${slug}`),
        updated_at: timestamp(),
      });
      const page = await show(slug, 'text/html');
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(String(endpoint['name']))]);
      expect((await show(`${slug}.json`, '*/*')).body).toMatchObject({ name: sent.title });
    });

    it('shows nobody the addresses of what it shows', async () => {
      const { slug } = await newPage(session(), endpoint.id);
      for (const accept of ['text/html', 'application/json'])
        expect((await show(slug, accept)).text).not.toContain(String(endpoint['url']));
    });

    it('that is not published is as one that does not exist', async () => {
      const { slug } = await newPage(session(), endpoint.id, { enabled: false });
      expectProblem(await show(slug, 'application/json'), 404, 'not_found');
    });

    it('never shares its address with another one', async () => {
      const { slug } = await newPage(session(), endpoint.id);
      const again = await session().write.post('/status-pages', { title: session().name(), slug, groups: [] });
      expectProblem(again, 409, 'conflict');
    });

    it.each([
      ['slug', 'Not A Slug'],
      ['accent', 'red'],
      ['logo', 'nonsense'],
      ['groups', 'x'],
    ])('with the %s %j is refused', async (field, value) => {
      const sent = { title: session().name('page'), slug: session().key('page'), groups: [], [field]: value };
      expect(pointersOf(await session().write.post('/status-pages', sent))).toEqual([`/${field}`]);
    });

    it('has its logo and a feed', async () => {
      const { slug } = await newPage(session(), endpoint.id);
      const typeOf = async (file: string) =>
        (await session().anonymous.send('GET', `/status/${String(slug)}/${file}`)).headers['content-type'];
      expect(await typeOf('logo')).toBe('image/png');
      expect(await typeOf('feed.atom')).toMatch(/xml/);
    });

    it('of a website is off until it is published', async () => {
      const { id } = await newWebsite(session());
      const path = `/websites/${id}/status-page`;
      expect((await session().read.get(path)).body).toMatchObject({ enabled: false });
      const slug = session().key('page');
      const { body } = await session().write.put(path, { enabled: true, slug });
      expect(body).toEqual({ enabled: true, slug, path: session().seen(`/status/${slug}`) });
      expect((await show(slug, 'text/html')).status).toBe(200);
    });

    it('is deleted with 204, and its address is gone', async () => {
      const { id, slug } = await newPage(session(), endpoint.id);
      expect((await session().write.delete(`/status-pages/${id}`)).status).toBe(204);
      expectProblem(await session().read.get(`/status-pages/${id}`), 404, 'not_found');
      expectProblem(await show(slug, 'application/json'), 404, 'not_found');
    });
  });
}
