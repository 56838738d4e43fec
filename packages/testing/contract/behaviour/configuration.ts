import { expectProblem } from '../session/problems';
import type { Session, TheSession } from '../session/session';
import type { Thing } from '../session/things';

interface Plan {
  summary: { create: number; update: number; adopt: number; delete: number; unchanged: number };
  changes: { action: string; resource: string; key: string; id: string | null }[];
}

/** Returns a document with its own owner: a website, an endpoint, and an alert with a contact. */
function documentOf(
  session: Session,
  owner: string,
): Record<string, unknown> & { websites: Record<string, unknown>[] } {
  return {
    version: 1,
    owner,
    contacts: [
      {
        key: `${owner}-chat`,
        name: session.name('contact'),
        type: 'webhook',
        config: { url: session.bench.url(`/${owner}`) },
      },
    ],
    websites: [
      {
        key: owner,
        name: session.name('declared'),
        url: 'https://contract.example/',
        endpoints: [
          {
            key: 'front',
            name: session.name('declared'),
            type: 'HTTPS',
            url: 'https://contract.example/',
            enabled: false,
            alerts: [{ key: 'chat', contact: `${owner}-chat`, failure_threshold: 2 }],
          },
        ],
      },
    ],
  };
}

/** Tests configuration as code: plan, apply, and export. */
export function describeConfiguration(session: TheSession): void {
  const plan = (document: object, query = '') => session().read.post<Plan>(`/configuration/plan${query}`, document);
  const apply = async (document: object, query = '', headers: Record<string, string> = {}) => {
    const response = await session().write.put<Plan>(`/configuration${query}`, document, headers);
    if (response.status === 200)
      for (const { id } of response.body.changes) if (id !== null) session().willRemove(session().write, id);
    return response;
  };
  const NOTHING = { create: 0, update: 0, adopt: 0, delete: 0 };

  describe('a configuration document', () => {
    it('is planned without a change, applied as planned, and then has nothing left to do', async () => {
      const document = documentOf(session(), session().key('owner'));
      const planned = await plan(document);
      expect([planned.status, planned.body.summary]).toEqual([200, { ...NOTHING, create: 4, unchanged: 0 }]);
      expect((await plan(document)).text).toBe(planned.text);
      const applied = await apply(document, '', { 'if-match': planned.headers['etag'] ?? 'no ETag' });
      expect([applied.status, applied.body.summary]).toEqual([200, planned.body.summary]);
      expect((await plan(document)).body.summary).toEqual({ ...NOTHING, unchanged: 4 });
    });

    it('is exported so that it can be applied again', async () => {
      const owner = session().key('owner');
      await apply(documentOf(session(), owner));
      const { status, body } = await session().read.get<{ owner: string }>(`/configuration?owner=${owner}`);
      expect([status, body.owner]).toEqual([200, owner]);
      expect((await plan(body)).body.summary).toEqual({ ...NOTHING, unchanged: 4 });
    });

    it('removes what it no longer declares only when it is asked to, and nothing of others', async () => {
      const owner = session().key('owner');
      const { body } = await apply(documentOf(session(), owner));
      const website = body.changes.find(({ resource }) => resource === 'website')?.id ?? 'no website';
      const empty = { version: 1, owner };
      expect((await apply(empty)).body.summary).toMatchObject({ delete: 0 });
      expect((await session().read.get<Thing>(`/websites/${website}`)).body).toMatchObject({ owner: null });
      // A released resource can't be removed until a document declares it again.
      expect((await apply(empty, '?prune=true')).body.summary).toMatchObject({ delete: 0 });
      await apply(documentOf(session(), owner));
      const changes = (await apply(empty, '?prune=true')).body.changes;
      expect(changes.map(({ action }) => action)).toEqual(changes.map(() => 'delete'));
      expectProblem(await session().read.get(`/websites/${website}`), 404, 'not_found');
    });

    it('with a wrong value is refused whole, with the place of it', async () => {
      const owner = session().key('owner');
      const document = documentOf(session(), owner);
      const broken = {
        ...document,
        websites: [...document.websites, { key: 'broken', name: 'broken', url: 'nonsense' }],
      };
      const response = await apply(broken);
      expectProblem(response, 400, 'validation_failed');
      expect(response.text).toContain('"/websites/1/url"');
      expect((await session().read.get<Thing[]>(`/websites?q=${owner}`)).body).toEqual([]);
    });

    it('that was planned before somebody changed something is not applied', async () => {
      const owner = session().key('owner');
      const { headers } = await plan(documentOf(session(), owner));
      const other = { ...documentOf(session(), owner), websites: [] };
      expectProblem(await apply(other, '', { 'if-match': headers['etag'] ?? 'no ETag' }), 412, 'precondition_failed');
    });
  });
}
