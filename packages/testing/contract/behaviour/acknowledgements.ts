import { CheckedEndpoint } from '../session/checked-endpoint';
import { timestamp } from '../session/forms';
import { expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';

export function describeAcknowledgements(session: TheSession): void {
  describe('an acknowledgement', () => {
    let endpoint: CheckedEndpoint;
    let path: string;
    beforeEach(async () => {
      endpoint = await CheckedEndpoint.take(session());
      path = `/endpoints/${endpoint.id}/acknowledgement`;
    });

    it('of an endpoint that is up is refused', async () => {
      expectProblem(await session().write.put(path, {}), 409, 'conflict');
      expectProblem(await session().read.get(path), 404, 'not_found');
    });

    it('says who has an endpoint in hand that is down, until it is taken back', async () => {
      await endpoint.check('down');
      const { status, body } = await session().write.put<object>(path, { note: 'on it' });
      const acknowledgement = { note: 'on it', at: timestamp(), until: null };
      expect([status, body]).toEqual([200, expect.objectContaining(acknowledgement)]);
      expect((await session().read.get(path)).body).toEqual(body);
      expect(await endpoint.read()).toMatchObject({ acknowledgement });
      expect((await session().write.delete(path)).status).toBe(204);
      expect(await endpoint.read()).toMatchObject({ acknowledgement: null });
    });
  });
}
