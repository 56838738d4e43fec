import { idWith, timestamp } from '../session/forms';
import { expectFieldError, expectProblem, pointersOf, type Refusal } from '../session/problems';
import type { TheSession } from '../session/session';
import { newAlert, newEndpoint, newWebsite, type Thing } from '../session/things';
import { ACCEPTED_URLS, REFUSED_URLS, WRONG_VALUES } from './endpoint-values';

/** Turns off checks so that the endpoint's state doesn't change. */
const OFF = { enabled: false } as const;

/** Tests section 4 of the contract. */
export function describeEndpoints(session: TheSession): void {
  let websiteId: string;

  const minimal = () => ({ name: session().name('endpoint'), type: 'HTTPS', url: 'https://contract.example/' });
  const post = (fields: object) => session().write.post<Thing>(`/websites/${websiteId}/endpoints`, fields);
  const put = (id: string, fields: object) => session().write.put<Thing>(`/endpoints/${id}`, fields);
  const read = async (id: string) => (await session().read.get<Thing>(`/endpoints/${id}`)).body;
  const made = (fields: object = {}) => newEndpoint(session(), { ...OFF, ...fields }, websiteId);

  describe('an endpoint', () => {
    beforeAll(async () => void (websiteId = (await newWebsite(session())).id));

    it('is created from name, url, and type with 201, a Location, and defaults for everything else', async () => {
      const sent = minimal();
      const { status, headers, body } = await post(sent);
      expect([status, session().leadsTo(headers['location'], `/api/v1/websites/${websiteId}/endpoints`)]).toEqual([
        201,
        `/api/v1/endpoints/${body.id}`,
      ]);
      expect(body).toMatchObject({
        ...sent,
        id: idWith('ep'),
        website_id: websiteId,
        method: 'GET',
        interval: 60,
        timeout: 10,
        enabled: true,
        group: (await session().read.get<Thing>(`/websites/${websiteId}`)).body['name'],
        headers: [],
        body: null,
        assertions: [],
        follow_redirects: true,
        status: 'unknown',
        last_checked_at: null,
        created_at: timestamp(),
        updated_at: body['created_at'],
      });
    });

    it('keeps every field that it is created with, and its method in upper case', async () => {
      const sent = {
        ...minimal(),
        method: 'post',
        interval: 30,
        timeout: 300,
        enabled: false,
        headers: [{ key: 'Accept', value: 'text/plain' }],
        body: '{"a":1}',
        follow_redirects: false,
        assertions: [{ source: 'status_code', comparison: 'in', target: '200-299,301' }],
      };
      const { body } = await post(sent);
      expect(body).toMatchObject({ ...sent, method: 'POST', status: 'paused' });
      expect((await session().write.get(`/endpoints/${body.id}`)).body).toEqual(body);
    });

    it.each(ACCEPTED_URLS)('of type %s accepts the url %s', async (type, url) => {
      const { status, body } = await post({ ...minimal(), ...OFF, type, url });
      expect([status, body]).toEqual([201, expect.objectContaining({ type })]);
    });

    it.each(REFUSED_URLS)('of type %s refuses the url %s and shows the accepted form', async (type, url) => {
      const response = await post({ ...minimal(), type, url });
      expectProblem(response, 400, 'validation_failed');
      expect(pointersOf(response)).toEqual(['/url']);
      expect((response as unknown as Refusal).body?.errors?.[0]?.message).toMatch(/.{10,}/);
    });

    it.each(WRONG_VALUES)('with the %s %j is refused at %s as %s', async (field, value, pointer, code) => {
      expectFieldError(await post({ ...minimal(), [field]: value }), pointer, code);
    });

    it('is refused with all wrong fields at once', async () => {
      const response = await post({ type: 'HTTP', interval: 0, timeout: '1', nonsense: 1 });
      expect(pointersOf(response)).toEqual(['/interval', '/name', '/nonsense', '/timeout', '/url']);
    });

    it('refuses an assertion on a source that its type does not have', async () => {
      const assertions = [{ source: 'body', comparison: 'contains', target: 'x' }];
      const response = await post({ ...minimal(), type: 'TCP', url: 'tcp://contract.example:1', assertions });
      expect(pointersOf(response)).toEqual(['/assertions/0/source']);
    });

    it.each(['http://169.254.169.254/', 'http://0.0.0.0/'])('is never allowed to check %s', async (url) => {
      expectProblem(await post({ ...minimal(), type: 'HTTP', url }), 422, 'target_not_allowed');
    });

    it('changes only in the fields that are sent', async () => {
      const endpoint = await made();
      const { status, body } = await put(endpoint.id, { interval: 120, timeout: 7 });
      expect([status, body]).toEqual([200, { ...endpoint, interval: 120, timeout: 7, updated_at: timestamp() }]);
      expect((await session().write.get(`/endpoints/${endpoint.id}`)).body).toEqual(body);
    });

    it('can be sent back as it was read: read-only fields are ignored, including its group', async () => {
      const endpoint = await made();
      const back = { ...endpoint, id: 'x', group: 'x', status: 'up', last_checked_at: 'x', created_at: 'x' };
      const { status, body } = await put(endpoint.id, back);
      expect([status, body]).toEqual([200, { ...endpoint, updated_at: timestamp() }]);
    });

    it('accepts a body and removes it with null', async () => {
      const { id } = await made();
      expect((await put(id, { body: 'ping' })).body).toMatchObject({ body: 'ping' });
      expect((await put(id, { body: null })).body).toMatchObject({ body: null });
    });

    it('moves to another website of the organization', async () => {
      const { id } = await made();
      const other = await newWebsite(session());
      const { status, body } = await put(id, { website_id: other.id });
      expect([status, body]).toEqual([200, expect.objectContaining({ website_id: other.id, group: other['name'] })]);
      expect((await session().read.get(`/websites/${other.id}`)).body).toMatchObject({ endpoint_count: 1 });
    });

    it('has its url validated again when its type changes', async () => {
      const { id } = await made();
      expect(pointersOf(await put(id, { type: 'TCP' }))).toEqual(['/url']);
    });

    it('is paused when it is disabled', async () => {
      expect(await read((await made()).id)).toMatchObject({ enabled: false, status: 'paused' });
    });

    it('is deleted together with its alerts, with 204 and no body', async () => {
      const { id } = await made();
      const alert = await newAlert(session(), {}, id);
      const { status, text } = await session().write.delete(`/endpoints/${id}`);
      expect([status, text]).toEqual([204, '']);
      expectProblem(await session().read.get(`/endpoints/${id}`), 404, 'not_found');
      expectProblem(await session().read.get(`/alerts/${alert.id}`), 404, 'not_found');
    });

    it('is found among the endpoints of all websites, by key and by name', async () => {
      const key = session().key('found');
      const endpoint = await made({ key });
      const found = async (query: string) =>
        (await session().read.get<Thing[]>(`/endpoints?${query}`)).body.map(({ id }) => id);
      expect(await found(`key=${key}`)).toEqual([endpoint.id]);
      expect(await found(`q=${encodeURIComponent(String(endpoint['name']))}`)).toEqual([endpoint.id]);
    });
  });
}
