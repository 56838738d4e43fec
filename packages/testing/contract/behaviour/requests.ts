import { expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { newEndpoint, newWebsite, type Thing } from '../session/things';

/** Tests the rules that apply to every request: retrying safely and preventing lost updates. */
export function describeRequests(session: TheSession): void {
  const website = () => ({ name: session().name('website'), url: 'https://contract.example/' });
  const withKey = (key: string, body: object) =>
    session().write.post<Thing>('/websites', body, { 'idempotency-key': key });

  describe('a POST with an Idempotency-Key', () => {
    it('gets the first response again if it is repeated, and creates nothing', async () => {
      const [key, body] = [session().key('idempotent'), website()];
      const [first, again] = [await withKey(key, body), await withKey(key, body)];
      expect([again.status, again.text, again.headers['location']]).toEqual([
        201,
        first.text,
        first.headers['location'],
      ]);
      expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([
        undefined,
        'true',
      ]);
      const found = await session().read.get<Thing[]>(`/websites?q=${encodeURIComponent(body.name)}`);
      expect(found.body).toHaveLength(1);
    });

    it('is refused if the key was used with another body', async () => {
      const key = session().key('idempotent');
      await withKey(key, website());
      expectProblem(await withKey(key, website()), 422, 'idempotency_key_reused');
    });

    it('is refused if the key is invalid', async () => {
      expectProblem(await withKey('x'.repeat(256), website()), 400, 'invalid_idempotency_key');
    });

    it('is refused on routes that do not support the key', async () => {
      const { id } = await newEndpoint(session(), { enabled: false });
      const response = await session().write.post(`/endpoints/${id}/checks`, undefined, { 'idempotency-key': 'once' });
      expectProblem(response, 400, 'idempotency_key_not_supported');
    });
  });

  describe('a PUT or DELETE with If-Match', () => {
    const tagOf = async (path: string) => (await session().write.get(path)).headers['etag'] ?? 'no ETag';
    const rename = (path: string, tag: string) =>
      session().write.put(path, { name: session().name('renamed') }, { 'if-match': tag });

    it('is carried out if the ETag is unchanged', async () => {
      const path = `/websites/${(await newWebsite(session())).id}`;
      const { status, headers } = await rename(path, await tagOf(path));
      expect([status, headers['etag']]).toEqual([200, await tagOf(path)]);
      expect((await session().write.delete(path, { 'if-match': await tagOf(path) })).status).toBe(204);
    });

    it('gets 412 after someone else changed the resource, and changes nothing', async () => {
      const path = `/websites/${(await newWebsite(session())).id}`;
      const tag = await tagOf(path);
      await session().write.put(path, { tags: ['changed'] });
      const before = (await session().read.get(path)).text;
      expectProblem(await rename(path, tag), 412, 'precondition_failed');
      expectProblem(await session().write.delete(path, { 'if-match': tag }), 412, 'precondition_failed');
      expect((await session().read.get(path)).text).toBe(before);
    });

    it("is refused if the value isn't an ETag", async () => {
      const path = `/websites/${(await newWebsite(session())).id}`;
      expectProblem(await rename(path, 'nonsense'), 400, 'invalid_if_match');
    });

    it('uses an ETag that is the same for every key and differs after a change', async () => {
      const path = `/websites/${(await newWebsite(session())).id}`;
      const tag = await tagOf(path);
      expect(tag).toMatch(/^"[^"]+"$/);
      expect((await session().read.get(path)).headers['etag']).toBe(tag);
      await session().write.put(path, { tags: ['changed'] });
      expect(await tagOf(path)).not.toBe(tag);
    });
  });

  describe('a request', () => {
    const post = (text: string, type = 'application/json') =>
      session().write.send('POST', '/api/v1/websites', { text, type });

    it('keeps its request ID if it sends a valid one, and gets a new one otherwise', async () => {
      const idOf = async (id: string) =>
        (await session().read.get('/organization', { headers: { 'x-request-id': id } })).headers['x-request-id'];
      const mine = session().key('request');
      expect(await idOf(mine)).toBe(mine);
      expect(await idOf('x')).toMatch(/^.{8,}$/);
    });

    it.each(['{"name":', '{"name":"a",}', '', '{}{}'])('with the body %j is refused as malformed', async (text) => {
      expectProblem(await post(text), 400, 'malformed_json');
    });

    it('with a body that is too large is refused with 413', async () => {
      expectProblem(await post(JSON.stringify({ name: 'x'.repeat(140_000) })), 413, 'payload_too_large');
    });

    it.each(['text/plain', 'application/json; charset=latin1'])('of type %s is refused with 415', async (type) => {
      expectProblem(await post('{}', type), 415, 'unsupported_media_type');
    });

    it('gets the format and method of the route even if a header asks for others', async () => {
      const headers = { accept: 'text/xml', 'x-http-method-override': 'DELETE' };
      const response = await session().read.get('/organization', { headers });
      expect([response.status, response.headers['content-type']]).toEqual([
        200,
        expect.stringMatching(/^application\/json/),
      ]);
    });

    it('with the method HEAD gets the headers of GET without the body', async () => {
      const path = '/api/v1/organization';
      const head = await session().read.send('HEAD', path);
      const get = await session().read.send('GET', path);
      expect([head.status, head.headers['content-type'], head.text]).toEqual([200, get.headers['content-type'], '']);
    });
  });
}
