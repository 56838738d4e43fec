import { idWith, timestamp } from '../session/forms';
import type { TheSession } from '../session/session';
import { newWebsite, type Thing } from '../session/things';

export function describeAudit(session: TheSession): void {
  describe('the audit log', () => {
    it('has each change with its author and its request, the newest first, and stays when the thing is gone', async () => {
      const { id, name } = await newWebsite(session());
      const renamed = session().name('renamed');
      const { headers } = await session().write.put(`/websites/${id}`, { name: renamed });
      await session().write.delete(`/websites/${id}`);
      const { key_name } = (await session().write.get<Thing>('/organization')).body;
      const { body } = await session().admin.get<Thing[]>(`/audit-log?resource_id=${id}`);
      expect(body.map(({ action }) => action)).toEqual(['delete', 'update', 'create']);
      expect(body[1]).toMatchObject({
        id: idWith('au'),
        created_at: timestamp(),
        resource: 'website',
        resource_id: id,
        changed: ['name'],
        before: { name },
        after: { name: renamed },
        author: { via: 'api_key', key_name },
        request_id: headers['x-request-id'],
      });
    });

    it('has no entry for a request that was refused or changed nothing', async () => {
      const { id, name } = await newWebsite(session());
      await session().write.put(`/websites/${id}`, { name });
      await session().write.put(`/websites/${id}`, { name: '' });
      await session().read.delete(`/websites/${id}`);
      const { body } = await session().admin.get<Thing[]>(`/audit-log?resource_id=${id}`);
      expect(body.map(({ action }) => action)).toEqual(['create']);
    });
  });
}
