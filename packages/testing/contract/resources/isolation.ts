import { expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { newIncident } from '../session/incidents';
import { newAlert, newContact, newEndpoint, newPage, newWebsite, type Thing } from '../session/things';
import type { Scene } from '../rules/scene';

/** Tests that one organization can't see another organization's data. */
export function describeIsolation(session: TheSession, scene: () => Scene, hasOperator: boolean): void {
  const describeIt = hasOperator ? describe : describe.skip;
  describeIt(`another organization${hasOperator ? '' : ' (skipped: no operator token was given)'}`, () => {
    it('finds nothing of this one in its lists', async () => {
      const { id } = await newEndpoint(session(), { enabled: false });
      await Promise.all([
        newAlert(session(), {}, id),
        newContact(session()),
        newPage(session(), id),
        newIncident(session(), id),
      ]);
      const { admin } = await scene().other();
      const lists = [
        '/websites',
        '/endpoints',
        '/alerts',
        '/contacts',
        '/status-pages',
        '/overview',
        '/alerts/events',
        '/incidents',
      ];
      for (const path of lists)
        expect([path, (await admin.get(path)).text]).toEqual([path, expect.not.stringContaining(session().prefix)]);
    });

    it('cannot put an alert on an endpoint of this one', async () => {
      const { id } = await newEndpoint(session(), { enabled: false });
      const { admin } = await scene().other();
      const config = { url: 'https://contract.example/' };
      expectProblem(await admin.post('/alerts', { endpoint_id: id, type: 'webhook', config }), 404, 'not_found');
    });

    it('cannot change or delete a website of this one', async () => {
      const website = await newWebsite(session());
      const { admin } = await scene().other();
      await admin.put(`/websites/${website.id}`, { name: 'taken' });
      await admin.delete(`/websites/${website.id}`);
      expect((await session().write.get<Thing>(`/websites/${website.id}`)).body).toEqual(website);
    });

    it('cannot use a cursor of this one', async () => {
      await Promise.all([newWebsite(session()), newWebsite(session())]);
      const cursor = (await session().read.get('/websites?limit=1')).headers['x-next-cursor'] ?? 'no X-Next-Cursor';
      const { admin } = await scene().other();
      expectProblem(await admin.get(`/websites?cursor=${encodeURIComponent(cursor)}`), 400, 'invalid_cursor');
    });

    it('may not check addresses in the private network of the service', async () => {
      const { admin } = await scene().other();
      const website = await newWebsite(session(), { name: 'theirs' }, admin);
      const endpoint = { name: 'private', type: 'HTTP', url: 'http://10.0.0.1/' };
      expectProblem(await admin.post(`/websites/${website.id}/endpoints`, endpoint), 422, 'target_not_allowed');
    });

    it('is listed and renamed by the operator, and is deleted with everything in it', async () => {
      const { operator } = session();
      const made = await operator.post<{ id: string; api_key: { key: string; role: string } }>('/organizations', {
        name: session().name('organization'),
      });
      const { id, api_key } = made.body;
      expect([made.status, api_key.role, session().leadsTo(made.headers['location'], '/api/v1/organizations')]).toEqual(
        [201, 'admin', `/api/v1/organizations/${id}`],
      );
      const theirs = session().as(api_key.key);
      expect((await theirs.get('/organization')).body).toMatchObject({ id, role: 'admin' });
      const name = session().name('renamed');
      expect((await operator.put(`/organizations/${id}`, { name })).body).toMatchObject({ id, name });
      expect((await operator.delete(`/organizations/${id}`)).status).toBe(204);
      expectProblem(await theirs.get('/websites'), 401, 'unauthenticated');
    });
  });
}
