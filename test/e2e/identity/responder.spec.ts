import { Api } from '../../../packages/testing/service/api';
import { Database } from '../../../src/platform/database/database';
import { startApp, type TestApp } from '../../harness/app/app';
import { newDetectedIncident } from '../../harness/app/incidents';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Thing {
  id: string;
  code: string;
}

describe('a responder', () => {
  let app: TestApp;
  let responder: Api;
  let endpoint: string;
  let incident: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    const { body } = await app.admin.post<{ key: string }>('/api-keys', { name: 'On call', role: 'responder' });
    responder = new Api(app.url, body.key);
    endpoint = await newEndpoint(app.write, await newWebsite(app.write), {
      url: 'https://shop.example/health?token=hidden',
      headers: [{ key: 'Authorization', value: 'Bearer hidden' }],
    });
    incident = await newDetectedIncident(app.app.get(Database), [{ endpoint }]);
  });
  afterAll(() => app.close());

  const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  const window = () => ({
    name: 'Mute',
    scope: { endpoint_ids: [endpoint] },
    starts_at: inMinutes(0),
    ends_at: inMinutes(60),
  });

  it('acknowledges an incident and withdraws the acknowledgement', async () => {
    const path = `/incidents/${incident}/acknowledgement`;
    expect(await responder.put(path, { note: 'On it.' })).toMatchObject({
      status: 200,
      body: { by: 'On call', note: 'On it.' },
    });
    expect((await responder.delete(path)).status).toBe(204);
  });

  it('writes, edits, and deletes updates', async () => {
    const said = await responder.post<Thing>(`/incidents/${incident}/updates`, { text: 'We look.' });
    const path = `/incidents/${incident}/updates/${said.body.id}`;
    expect([said.status, (await responder.put(path, { text: 'We look at it.' })).status]).toEqual([201, 200]);
    expect((await responder.delete(path)).status).toBe(204);
  });

  it('mutes an endpoint with a one-off window and ends it', async () => {
    const made = await responder.post<Thing>('/maintenance-windows', window());
    expect([made.status, (await responder.post(`/maintenance-windows/${made.body.id}/end`)).status]).toEqual([201, 200]);
  });

  it('may not create a recurring window, which is configuration', async () => {
    const sent = { name: 'Weekly', scope: { all: true }, cron: '0 2 * * SUN', timezone: 'UTC', duration: 3600 };
    const refused = await responder.post<Thing>('/maintenance-windows', sent);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_role']);
    expect((await app.write.post('/maintenance-windows', sent)).status).toBe(201);
  });

  it('sees no credentials, like a reader', async () => {
    const [seen, byReader, byWriter] = await Promise.all(
      [responder, app.read, app.write].map((by) => by.get(`/endpoints/${endpoint}`)),
    );
    expect(JSON.stringify(seen?.body)).not.toContain('hidden');
    expect(seen?.body).toEqual(byReader?.body);
    expect(JSON.stringify(byWriter?.body)).toContain('hidden');
  });

  it('may not change the configuration, and is told the role that may', async () => {
    const refused = await responder.put<{ detail: string }>(`/endpoints/${endpoint}`, { enabled: false });
    expect([refused.status, refused.body.detail]).toEqual([403, 'This requires an API key with the role "write".']);
  });

  it('is invited like a user with another role', async () => {
    const invited = await app.admin.post('/invitations', { email: 'call@people.example', role: 'responder' });
    expect(invited.status).toBe(201);
    expect((await app.admin.get('/invitations')).body).toMatchObject([{ role: 'responder' }]);
  });
});
