import { idWith, timestamp } from '../session/forms';
import { expectFieldError, expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { newProbe, type Thing } from '../session/things';

/** Tests the probe resource. `docs/reference/probe-protocol.md` describes how probes communicate with the service. */
export function describeProbes(session: TheSession): void {
  describe('a probe', () => {
    it('shows its token once, when it is created, in a form that secret scanners recognize', async () => {
      const key = session().key('probe');
      const { token, ...probe } = await newProbe(session(), { key });
      expect(token).toMatch(/^ump_[0-9A-Za-z]{36}$/);
      expect(probe).toMatchObject({
        id: idWith('pr'),
        key,
        name: key,
        region: '',
        enabled: true,
        allow_private: false,
        shared: false,
        status: 'new',
        status_since: timestamp(),
        last_seen_at: null,
        endpoint_count: 0,
      });
      const { text, body } = await session().read.get<Thing>(`/probes/${probe.id}`);
      expect(body).toEqual(probe);
      expect(text).not.toContain(token);
    });

    it('keeps its key when it is disabled and enabled', async () => {
      const { id, key } = await newProbe(session());
      const put = (fields: object) => session().admin.put<Thing>(`/probes/${id}`, fields);
      expect((await put({ enabled: false })).body).toMatchObject({ key, status: 'disabled' });
      expect((await put({ enabled: true, key })).body).toMatchObject({ key, status: 'new' });
      expectFieldError(await put({ key: 'another' }), '/key', 'immutable');
    });

    it('gets a new token in addition to the old one, or instead of it', async () => {
      const { id, token } = await newProbe(session());
      const rotate = async (grace: number) =>
        (
          await session().admin.post<{ token: string; previous_until: string | null }>(`/probes/${id}/rotate`, {
            grace,
          })
        ).body;
      const [beside, instead] = [await rotate(60), await rotate(0)];
      expect([beside.previous_until, instead.previous_until]).toEqual([timestamp(), null]);
      expect(new Set([token, beside.token, instead.token]).size).toBe(3);
    });

    it("has its own key, which isn't a reserved word", async () => {
      const { key } = await newProbe(session());
      expectProblem(await session().admin.post('/probes', { key }), 409, 'conflict');
      for (const word of ['local', 'shared'])
        expectFieldError(await session().admin.post('/probes', { key: word }), '/key', 'reserved');
    });

    it('cannot use any API route with its token', async () => {
      const { token } = await newProbe(session());
      expectProblem(await session().as(token).get('/probes'), 401, 'unauthenticated');
    });
  });
}
