import { idWith, timestamp } from '../session/forms';
import { expectProblem, pointersOf } from '../session/problems';
import type { TheSession } from '../session/session';
import { newEndpoint, newWindow, type Thing, windowFields } from '../session/things';

/** Tests windows that mute notifications. */
export function describeMaintenance(session: TheSession): void {
  let endpointId: string;
  /** Half a day from now. A window that is already active when it is created would start immediately. */
  const hour = (new Date().getUTCHours() + 12) % 24;
  const daily = () => ({
    name: session().name('window'),
    scope: { endpoint_ids: [endpointId] },
    cron: `0 ${hour} * * *`,
    timezone: 'UTC',
    duration: 3600,
  });
  const post = (fields: object) => session().write.post<Thing>('/maintenance-windows', fields);
  const read = async (id: string) => (await session().read.get<Thing>(`/maintenance-windows/${id}`)).body;

  describe('a maintenance window', () => {
    beforeAll(async () => void (endpointId = (await newEndpoint(session(), { enabled: false })).id));

    it('is active after it starts, and appears in its endpoint until it is ended', async () => {
      const sent = windowFields(session(), endpointId);
      const { status, headers, body } = await post(sent);
      expect([status, session().leadsTo(headers['location'], '/api/v1/maintenance-windows')]).toEqual([
        201,
        `/api/v1/maintenance-windows/${body.id}`,
      ]);
      expect(body).toMatchObject({ ...sent, id: idWith('mw'), status: 'active', mute: true, created_at: timestamp() });
      const inForce = async () => (await session().read.get<Thing>(`/endpoints/${endpointId}`)).body['maintenance'];
      expect(await inForce()).toMatchObject({ mute: true });
      const ended = await session().write.post<Thing>(`/maintenance-windows/${body.id}/end`);
      expect([ended.status, ended.body['status']]).toEqual([200, 'ended']);
      expectProblem(await session().write.post(`/maintenance-windows/${body.id}/end`), 409, 'conflict');
    });

    it('can cover everything, and is returned as documented', async () => {
      const { status, body } = await post({ ...daily(), scope: { all: true } });
      expect([status, body['scope']]).toEqual([201, { all: true }]);
      expect((await session().write.delete(`/maintenance-windows/${body.id}`)).status).toBe(204);
    });

    it('shows its next occurrence if it repeats, as its preview did before it was created', async () => {
      const sent = daily();
      const preview = await session().write.post<Thing[]>('/maintenance-windows/preview?limit=3', sent);
      expect(preview.status).toBe(200);
      const { body } = await post(sent);
      const occurrences = await session().read.get<Thing[]>(`/maintenance-windows/${body.id}/occurrences?limit=3`);
      expect(occurrences.body).toHaveLength(3);
      for (const { starts_at, ends_at } of occurrences.body) {
        const startsAt = new Date(String(starts_at));
        expect([startsAt.getUTCHours(), startsAt.getTime() % 3_600_000]).toEqual([hour, 0]);
        expect(Date.parse(String(ends_at)) - startsAt.getTime()).toBe(3_600_000);
      }
    });

    it.each([
      ['cron', 'nonsense'],
      ['timezone', 'Mars/Olympus'],
      ['duration', 59],
      ['scope', {}],
    ])('with the %s %j is refused', async (field, value) => {
      const response = await post({ ...daily(), [field]: value });
      expectProblem(response, 400, 'validation_failed');
      expect(pointersOf(response)[0]).toMatch(new RegExp(`^/${field}`));
    });

    it('changes only in the fields that are sent', async () => {
      const { id } = await newWindow(session(), endpointId);
      const before = await read(id);
      const { body } = await session().write.put<Thing>(`/maintenance-windows/${id}`, { description: 'changed' });
      expect(body).toEqual({ ...before, description: 'changed', updated_at: timestamp() });
    });

    it('is deleted with 204', async () => {
      const { id } = await newWindow(session(), endpointId);
      expect((await session().write.delete(`/maintenance-windows/${id}`)).status).toBe(204);
      expectProblem(await session().read.get(`/maintenance-windows/${id}`), 404, 'not_found');
    });
  });
}
