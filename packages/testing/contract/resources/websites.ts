import { idWith, timestamp } from '../session/forms';
import { expectFieldError, expectProblem, pointersOf } from '../session/problems';
import type { TheSession } from '../session/session';
import { newEndpoint, newWebsite, type Thing } from '../session/things';

const WRONG: readonly [field: string, value: unknown, code: string][] = [
  ['name', undefined, 'required'],
  ['name', '', 'invalid_format'],
  ['name', null, 'wrong_type'],
  ['name', 7, 'wrong_type'],
  ['name', 'x'.repeat(256), 'too_long'],
  ['name', 'a\nb', 'invalid_characters'],
  ['url', undefined, 'required'],
  ['url', null, 'wrong_type'],
  ['url', 'contract.example', 'invalid_format'],
  ['url', 'ftp://contract.example/', 'unsupported_scheme'],
  ['url', 'https://user:secret@contract.example/', 'credentials_in_url'],
  ['url', `https://contract.example/${'x'.repeat(2048)}`, 'too_long'],
  ['enabled', 'yes', 'wrong_type'],
  ['enabled', null, 'wrong_type'],
];

/** Tests section 3 of the contract. */
export function describeWebsites(session: TheSession): void {
  const fields = () => ({ name: session().name('website'), url: 'https://contract.example/' });
  // With a read key, the ping key is masked.
  const read = async (id: string) => (await session().write.get<Thing>(`/websites/${id}`)).body;

  describe('a website', () => {
    it('is created from name and url with 201, a Location, and every field', async () => {
      const sent = fields();
      const { status, headers, body } = await session().write.post<Thing>('/websites', sent);
      expect([status, session().leadsTo(headers['location'], '/api/v1/websites')]).toEqual([
        201,
        `/api/v1/websites/${body.id}`,
      ]);
      expect(body).toMatchObject({
        ...sent,
        id: idWith('ws'),
        enabled: true,
        status: 'unknown',
        endpoint_count: 0,
        last_checked_at: null,
        created_at: timestamp(),
        updated_at: body['created_at'],
      });
      expect(await read(body.id)).toEqual(body);
    });

    it('trims its name', async () => {
      const name = session().name('trimmed');
      expect(await newWebsite(session(), { name: `  ${name} ` })).toMatchObject({ name });
    });

    it('is paused if it is created disabled', async () => {
      expect(await newWebsite(session(), { enabled: false })).toMatchObject({ enabled: false, status: 'paused' });
    });

    it.each(WRONG)('with the %s %p is refused as %s', async (field, value, code) => {
      const response = await session().write.post('/websites', { ...fields(), [field]: value });
      expectFieldError(response, `/${field}`, code);
    });

    it('is refused with all wrong fields at once', async () => {
      const response = await session().write.post('/websites', { name: 7, enabled: 'yes', nonsense: 1 });
      expect(pointersOf(response)).toEqual(['/enabled', '/name', '/nonsense', '/url']);
    });

    it('changes only in the fields that are sent', async () => {
      const website = await newWebsite(session());
      const name = session().name('renamed');
      const { status, body } = await session().write.put<Thing>(`/websites/${website.id}`, { name });
      expect([status, body]).toEqual([200, { ...website, name, updated_at: timestamp() }]);
      expect(await read(website.id)).toEqual(body);
    });

    it('can be sent back as it was read: read-only fields are ignored', async () => {
      const website = await newWebsite(session());
      const back = { ...website, id: 'x', endpoint_count: 9, last_checked_at: 'x', created_at: 'x', status: 'down' };
      const { status, body } = await session().write.put<Thing>(`/websites/${website.id}`, back);
      expect([status, body]).toEqual([200, { ...website, updated_at: timestamp() }]);
    });

    it('keeps its url: another one is refused as immutable, the same one is accepted', async () => {
      const { id } = await newWebsite(session());
      const other = await session().write.put(`/websites/${id}`, { url: 'https://other.example/' });
      expectFieldError(other, '/url', 'immutable');
      expect((await session().write.put(`/websites/${id}`, { url: 'https://contract.example/' })).status).toBe(200);
    });

    it('refuses null for fields that always have a value', async () => {
      const { id } = await newWebsite(session());
      expectFieldError(await session().write.put(`/websites/${id}`, { name: null }), '/name', 'wrong_type');
    });

    it('counts its endpoints', async () => {
      const { id } = await newWebsite(session());
      const endpoint = await newEndpoint(session(), { enabled: false }, id);
      expect(await read(id)).toMatchObject({ endpoint_count: 1 });
      await session().write.delete(`/endpoints/${endpoint.id}`);
      expect(await read(id)).toMatchObject({ endpoint_count: 0 });
    });

    it('gives its name to its endpoints as their group', async () => {
      const { id } = await newWebsite(session());
      const endpoint = await newEndpoint(session(), { enabled: false }, id);
      const name = session().name('renamed');
      await session().write.put(`/websites/${id}`, { name });
      expect((await session().read.get(`/endpoints/${endpoint.id}`)).body).toMatchObject({ group: name });
    });

    it('pauses all of its endpoints when it is disabled', async () => {
      const { id } = await newWebsite(session());
      const endpoint = await newEndpoint(session(), {}, id);
      await session().write.put(`/websites/${id}`, { enabled: false });
      expect((await session().read.get(`/endpoints/${endpoint.id}`)).body).toMatchObject({
        enabled: true,
        status: 'paused',
      });
    });

    it('is deleted together with its endpoints and their history, with 204 and no body', async () => {
      const { id } = await newWebsite(session());
      const endpoint = await newEndpoint(session(), {}, id);
      const { status, text } = await session().write.delete(`/websites/${id}`);
      expect([status, text]).toEqual([204, '']);
      for (const path of [`/websites/${id}`, `/websites/${id}/endpoints`, `/endpoints/${endpoint.id}`])
        expectProblem(await session().read.get(path), 404, 'not_found');
      expectProblem(await session().read.get(`/endpoints/${endpoint.id}/checks`), 404, 'not_found');
      expectProblem(await session().write.delete(`/websites/${id}`), 404, 'not_found');
    });
  });
}
