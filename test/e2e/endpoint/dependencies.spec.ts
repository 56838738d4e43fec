/** @databases both */
import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { Database } from '../../../src/platform/database/database';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Endpoint {
  id: string;
  depends_on: string[];
  dependents: string[];
}
interface Problem {
  code: string;
  errors: { pointer: string; code: string }[];
}

const PAGE = { name: 'Front', type: 'HTTPS', url: 'https://shop.example/' };
const UNKNOWN = 'ep_00000000000000000000000000';

describe('the depends_on list of an endpoint', () => {
  let app: TestApp;
  let owner: ServiceOrganization;
  let website: string;
  let counter = 0;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await app.organization(`Owner ${++counter}`);
    website = await newWebsite(owner.write);
  });

  const made = (fields: object = {}, by: Api = owner.write): Promise<string> => newEndpoint(by, website, fields);
  const put = (id: string, depends_on: unknown) =>
    owner.write.put<Endpoint & Problem>(`/endpoints/${id}`, { depends_on });
  const parentsOf = async (id: string): Promise<string[]> =>
    (await owner.read.get<Endpoint>(`/endpoints/${id}`)).body.depends_on;
  /** Creates `count` endpoints, each of which depends on the one before. */
  const chain = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await made({ depends_on: ids.slice(-1) }));
    return ids;
  };

  it('is a set in order, nothing at first, and is in every view', async () => {
    const [a, b] = [await made(), await made()];
    expect(await parentsOf(a)).toEqual([]);
    const child = await made({ depends_on: [b, a, b] });
    expect(await parentsOf(child)).toEqual([a, b]);
    const { body } = await owner.read.get<Endpoint[]>(`/websites/${website}/endpoints`);
    expect(body.map(({ depends_on }) => depends_on)).toEqual([[], [], [a, b]]);
  });

  it('is replaced by a partial change, emptied by an empty list and kept when it is not sent', async () => {
    const [a, b, child] = [await made(), await made(), await made()];
    expect((await put(child, [a])).body.depends_on).toEqual([a]);
    expect((await put(child, [b])).body.depends_on).toEqual([b]);
    await owner.write.put(`/endpoints/${child}`, { name: 'Other' });
    expect(await parentsOf(child)).toEqual([b]);
    expect((await put(child, [])).body.depends_on).toEqual([]);
  });

  it('may be named by the first endpoints of a new website', async () => {
    const parent = await made();
    const { status, body } = await owner.write.post<{ endpoints: Endpoint[] }>('/websites', {
      name: 'New',
      url: 'https://new.example',
      endpoints: [PAGE, { ...PAGE, depends_on: [parent] }],
    });
    expect(status).toBe(201);
    expect(body.endpoints.map(({ depends_on }) => depends_on)).toEqual([[], [parent]]);
  });

  it('stays with the endpoint in another website, and may be in another one', async () => {
    const [other, parent] = [await newWebsite(owner.write), await made()];
    const child = await made({ depends_on: [parent] });
    await owner.write.put(`/endpoints/${child}`, { website_id: other });
    expect(await parentsOf(child)).toEqual([parent]);
  });

  it('is shown at the parent, and does not count as a change of the parent in the audit log', async () => {
    const parent = await made();
    const children = [await made({ depends_on: [parent] }), await made({ depends_on: [parent] })];
    const { body } = await owner.read.get<Endpoint>(`/endpoints/${parent}`);
    expect(body.dependents).toEqual(children);
    await owner.write.put(`/endpoints/${parent}`, { name: 'Database' });
    const entries = await owner.admin.get<AuditEntryView[]>(`/audit-log?resource_id=${parent}&limit=1`);
    expect(entries.body).toMatchObject([{ changed: ['name'] }]);
  });

  it('is in the audit log', async () => {
    const [parent, child] = [await made(), await made()];
    await put(child, [parent]);
    const { body } = await owner.admin.get<AuditEntryView[]>(`/audit-log?resource_id=${child}`);
    expect(body).toMatchObject([
      { changed: ['depends_on'], before: { depends_on: [] }, after: { depends_on: [parent] } },
      { action: 'create', after: { depends_on: [] } },
    ]);
  });

  it('loses a parent that is deleted, alone or with its website', async () => {
    const other = await newWebsite(owner.write);
    const [a, b] = [await made(), await newEndpoint(owner.write, other)];
    const child = await made({ depends_on: [a, b] });
    await owner.write.delete(`/endpoints/${a}`);
    expect(await parentsOf(child)).toEqual([b]);
    expect((await owner.write.delete(`/websites/${other}`)).status).toBe(204);
    expect(await parentsOf(child)).toEqual([]);
  });

  it.each([
    ['an unknown id', () => Promise.resolve([UNKNOWN])],
    ['an endpoint of another organization', async () => [await foreign()]],
    ["another organization's endpoint next to a valid one", async () => [await made(), await foreign()]],
  ])('is refused with %s as if the parent did not exist', async (_, parents) => {
    const [depends_on, child] = [await parents(), await made()];
    const sent: [{ status: number; body: Problem }, string][] = [
      [await put(child, depends_on), '/depends_on'],
      [await owner.write.post<Problem>(`/websites/${website}/endpoints`, { ...PAGE, depends_on }), '/depends_on'],
      [
        await owner.write.post<Problem>('/websites', {
          name: 'New',
          url: 'https://new.example',
          endpoints: [PAGE, { ...PAGE, depends_on }],
        }),
        '/endpoints/1/depends_on',
      ],
    ];
    for (const [{ status, body }, pointer] of sent) {
      expect([status, body.code]).toEqual([404, 'not_found']);
      expect(body.errors).toMatchObject([{ pointer, code: 'not_found' }]);
    }
    expect(await parentsOf(child)).toEqual([]);
  });
  const foreign = async (): Promise<string> => {
    const other = await app.organization(`Foreign ${++counter}`);
    return newEndpoint(other.write, await newWebsite(other.write));
  };

  it.each([
    ['an id of another kind', ['ws_00000000000000000000000000'], 'invalid_format'],
    ['not a list', 'ep_00000000000000000000000000', 'wrong_type'],
    ['null', null, 'wrong_type'],
    ['more than ten', Array.from({ length: 11 }, () => UNKNOWN), 'out_of_range'],
  ])('is refused when it is %s', async (_, depends_on, code) => {
    const { status, body } = await put(await made(), depends_on);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.errors).toMatchObject([{ pointer: '/depends_on', code }]);
  });

  it('gives the usual 404 for an endpoint that does not exist', async () => {
    const { status, body } = await put(UNKNOWN, [await made()]);
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect(body).not.toHaveProperty('errors');
  });

  it.each([1, 2, 3, 12])('never becomes a cycle of %d endpoints', async (length) => {
    const ids = await chain(length);
    const [first, last] = [ids[0] ?? '', ids.at(-1) ?? ''];
    const { status, body } = await put(first, [last]);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.errors).toMatchObject([{ pointer: '/depends_on', code: 'cycle' }]);
    expect(await parentsOf(first)).toEqual([]);
  });

  it('may have two ways to one parent, which is not a cycle', async () => {
    const top = await made();
    const [left, right] = [await made({ depends_on: [top] }), await made({ depends_on: [top] })];
    const bottom = await made();
    expect((await put(bottom, [left, right, top])).status).toBe(200);
  });

  it('never becomes a cycle when both directions are requested at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await made(), await made()];
      const statuses = (await Promise.all([put(a, [b]), put(b, [a])])).map(({ status }) => status);
      expect(statuses.sort((x, y) => x - y)).toEqual([200, 400]);
    }
  });

  it('never becomes a cycle when every step of a ring is requested at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => made()));
    const sent = await Promise.all(ids.map((id, i) => put(id, [ids[(i + 1) % ids.length] ?? ''])));
    expect(sent.filter(({ status }) => status === 400)).toHaveLength(1);
    const links = await app.app.get(Database).query<{ ok: boolean }>(
      `WITH RECURSIVE above AS (
         SELECT endpoint_id AS start, parent_id AS id FROM endpoint_dependency
         UNION SELECT start, parent_id FROM above JOIN endpoint_dependency ON endpoint_id = above.id)
       SELECT start = id AS ok FROM above WHERE start = id`,
    );
    expect(links).toEqual([]);
  });

  it('stays intact while parents and children are deleted at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b, child] = [await made(), await made(), await made()];
      await put(child, [a]);
      const [changed, ...removed] = await Promise.all([
        put(child, [a, b]),
        owner.write.delete(`/endpoints/${a}`),
        owner.write.delete(`/endpoints/${b}`),
      ]);
      expect([200, 404]).toContain(changed.status);
      expect(removed.map(({ status }) => status)).toEqual([204, 204]);
      expect(await parentsOf(child)).toEqual([]);
    }
  });
});
