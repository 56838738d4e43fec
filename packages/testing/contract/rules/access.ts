import { callerOf, operationsFor, OPERATIONS, rows } from '../document/contract';
import type { Operation } from '../document/openapi';
import { alike, expectProblem } from '../session/problems';
import type { Caller } from '../session/caller';
import type { TheSession } from '../session/session';
import { SAMPLES, sendTo } from './operations';
import { pathOf, unknownIds } from './sample';
import type { Scene } from './scene';

export function describeAccess(session: TheSession, scene: () => Scene, hasOperator: boolean): void {
  const ask = (by: Caller, { method, path }: Operation) =>
    by.send(
      method,
      pathOf(path, { params: unknownIds(path) }),
      method === 'GET' || method === 'DELETE' ? {} : { json: {} },
    );

  describe('access', () => {
    it.each(
      rows(operationsFor('read', 'write', 'admin', 'person', 'probe', ...(hasOperator ? (['operator'] as const) : []))),
    )('%s without a key is 401 with WWW-Authenticate', async (_, operation) => {
      const response = await ask(session().anonymous, operation);
      expectProblem(response, 401, 'unauthenticated');
      expect(response.headers['www-authenticate']).toMatch(/^Bearer\b/);
    });

    it.each(rows(operationsFor('public')))('%s needs no key', async (_, operation) => {
      const sample = SAMPLES[operation.operationId]?.(scene()) ?? { params: unknownIds(operation.path) };
      const { status } = await sendTo(session().anonymous, operation, await sample);
      expect([401, 403]).not.toContain(status);
    });

    it.each(rows(operationsFor('write')))('%s with a read key is 403', async (_, operation) => {
      expectProblem(await ask(session().read, operation), 403, 'insufficient_role');
    });

    it.each(rows(operationsFor('admin')))('%s with a write key is 403', async (_, operation) => {
      expectProblem(await ask(session().write, operation), 403, 'insufficient_role');
    });

    (hasOperator ? it : it.skip).each(rows(operationsFor('operator')))(
      hasOperator
        ? '%s with an admin key is 403'
        : '%s with an admin key is 403 (skipped: no operator token was given)',
      async (_, operation) => {
        expectProblem(await ask(session().admin, operation), 403, 'insufficient_role');
      },
    );

    it('every other operation that the service documents needs a key as well, or says that it needs none', async () => {
      const known = OPERATIONS.map(({ name }) => name);
      const added = session()
        .additions(known)
        .filter((operation) => callerOf(operation) !== 'public');
      const statuses = [];
      for (const operation of added)
        statuses.push([operation.name, (await ask(session().anonymous, operation)).status]);
      expect(statuses).toEqual(added.map(({ name }) => [name, 401]));
    });

    it('a key in X-API-Key counts as one in Authorization does', async () => {
      const { anonymous, read } = session();
      const response = await anonymous.get('/organization', { headers: { 'x-api-key': read.key ?? '' } });
      expect([response.status, response.text]).toEqual([200, (await read.get('/organization')).text]);
    });

    it('a key in the query string counts for nothing', async () => {
      const { anonymous, read } = session();
      expectProblem(await anonymous.get(`/organization?api_key=${read.key ?? ''}`), 401, 'unauthenticated');
    });

    it('a wrong key and none get the same words, so that nobody learns what is wrong with a key', async () => {
      const without = await session().anonymous.get('/organization');
      expect(alike(await session().as('nonsense').get('/organization'))).toEqual(alike(without));
    });
  });
}
