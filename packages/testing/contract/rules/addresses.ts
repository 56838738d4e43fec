import { callerOf, CONTRACT, OPERATIONS, rows } from '../document/contract';
import type { Operation } from '../document/openapi';
import { alike, expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { callerFor, sampleOf, sendTo } from './operations';
import { OUT_OF_REACH, pathOf, unknownIds } from './sample';
import type { Scene } from './scene';

/**
 * Tests that a missing resource and another organization's resource return the same 404, and that an unsupported method
 * returns 405.
 */
export function describeAddresses(session: TheSession, scene: () => Scene, hasOperator: boolean): void {
  const withIds = OPERATIONS.filter(
    (each) =>
      each.path.includes('{') && !(each.operationId in OUT_OF_REACH) && (hasOperator || callerOf(each) !== 'operator'),
  );
  const ofOrganizations = withIds.filter((each) => each.path.startsWith('/api/v1/') && callerOf(each) !== 'operator');

  describe('addresses', () => {
    it.each(rows(withIds))('%s gets the same 404 for an unknown and a malformed ID', async (_, operation) => {
      const sample = await sampleOf(scene(), operation);
      const by = callerFor(session(), operation);
      const unknown = await sendTo(by, operation, { ...sample, params: unknownIds(operation.path) });
      expectProblem(unknown, 404, 'not_found');
      for (const id of malformed(operation)) {
        const params = Object.fromEntries(Object.keys(unknownIds(operation.path)).map((name) => [name, id]));
        expect([id, alike(await sendTo(by, operation, { ...sample, params }))]).toEqual([id, alike(unknown)]);
      }
    });

    (hasOperator ? it : it.skip).each(rows(ofOrganizations))(
      hasOperator
        ? '%s gets the same 404 for an ID of another organization, byte for byte'
        : '%s gets the same 404 for an ID of another organization (skipped: no operator token was given)',
      async (_, operation) => {
        const sample = await sampleOf(scene(), operation);
        const { admin } = await scene().other();
        const unknown = await sendTo(admin, operation, { ...sample, params: unknownIds(operation.path) });
        expectProblem(unknown, 404, 'not_found');
        expect(alike(await sendTo(admin, operation, sample))).toEqual(alike(unknown));
      },
    );

    it.each([...new Set(OPERATIONS.map(({ path }) => path))])(
      'PATCH %s gets 405, and Allow lists the possible methods',
      async (path) => {
        const response = await session().admin.send('PATCH', pathOf(path, { params: unknownIds(path) }), { json: {} });
        expectProblem(response, 405, 'method_not_allowed');
        const possible = Object.keys(CONTRACT.paths[path] ?? {}).map((method) => method.toUpperCase());
        expect((response.headers['allow'] ?? '').split(/, */)).toEqual(expect.arrayContaining(possible));
      },
    );

    it('an unknown URL gets 404 with a problem', async () => {
      expectProblem(await session().read.get('/nonsense'), 404, 'not_found');
    });
  });
}

/** Returns invalid IDs: malformed, too short, and with another resource's prefix. */
function malformed({ path }: Operation): string[] {
  const [known = ''] = Object.values(unknownIds(path));
  const prefix = known.split('_')[0] ?? '';
  return ['nonsense', `${prefix}_0`, known.replace(prefix, 'xx'), known.toUpperCase()];
}
