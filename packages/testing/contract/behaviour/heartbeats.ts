import type { ApiResponse } from '../../service/api';
import { expectFieldError, expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { newEndpoint, type Thing } from '../session/things';

type Heartbeat = Thing & { heartbeat: { ping_id: string; push_token: string } };

const HOURLY = { type: 'HEARTBEAT', url: undefined, interval: undefined, heartbeat: { every: 3600, grace: 60 } };

/** Tests endpoints whose jobs ping them instead of being checked. */
export function describeHeartbeats(session: TheSession): void {
  describe('a heartbeat', () => {
    const made = async () => (await newEndpoint(session(), HOURLY)) as Heartbeat;
    const read = async ({ id }: Thing) => (await session().read.get<Thing>(`/endpoints/${id}`)).body;
    const ping = (path: string, method = 'GET', text?: string): Promise<ApiResponse> =>
      session().anonymous.send(method, path, { ...(text !== undefined && { text, type: 'text/plain' }) });

    it('has a schedule and URLs, which are masked for read keys, and no settings of checks', async () => {
      const endpoint = await made();
      expect(endpoint).toMatchObject({ url: 'heartbeat:', status: 'unknown', interval: null, method: null });
      expect(endpoint.heartbeat.ping_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      const shown = (await session().read.get(`/endpoints/${endpoint.id}`)).text;
      for (const address of [endpoint.heartbeat.ping_id, endpoint.heartbeat.push_token])
        expect(shown).not.toContain(address);
    });

    it('is up after a success ping and down after a failure ping, without any key', async () => {
      const endpoint = await made();
      const { ping_id, push_token } = endpoint.heartbeat;
      expect(await ping(`/ping/${ping_id}`)).toMatchObject({ status: 200, text: 'OK' });
      expect(await read(endpoint)).toMatchObject({ status: 'up', heartbeat: { last_ping_at: expect.any(String) } });
      expect(await ping(`/ping/${ping_id}/3`, 'POST', 'disk full')).toMatchObject({ status: 200 });
      const pings = await session().write.get<Thing[]>(`/endpoints/${endpoint.id}/pings`);
      expect(pings.body).toMatchObject([{ kind: 'fail', exit_code: 3, body: 'disk full' }, { kind: 'success' }]);
      expect(await read(endpoint)).toMatchObject({ status: 'down' });
      expect(await ping(`/api/push/${push_token}?status=up`)).toMatchObject({ status: 200, body: { ok: true } });
      expect(await read(endpoint)).toMatchObject({ status: 'up' });
    });

    it('is not found if it does not exist, and cannot be checked on demand if it does', async () => {
      const { id } = await made();
      expect(await ping('/ping/11111111-1111-4111-8111-111111111111')).toMatchObject({ status: 404 });
      expectProblem(await session().write.post(`/endpoints/${id}/checks`), 409, 'conflict');
    });

    it('refuses fields that only checks have, and other endpoints refuse its schedule', async () => {
      const { id, website_id } = await made();
      expectFieldError(await session().write.put(`/endpoints/${id}`, { interval: 60 }), '/interval', 'unknown_field');
      const fields = {
        name: session().name(),
        type: 'HTTP',
        url: 'https://contract.example/',
        heartbeat: { every: 60 },
      };
      const refused = await session().write.post(`/websites/${String(website_id)}/endpoints`, fields);
      expectFieldError(refused, '/heartbeat', 'unknown_field');
    });
  });
}
