import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { Database } from '../../../src/platform/database/database';
import { formatId, parseId } from '../../../src/platform/ids/id';
import { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startOwnApp, type TestApp } from '../../harness/app/app';

interface Invited {
  id: string;
  name: string;
  sign_in_token: string;
  invitation: { expires_at: string; accepted_at: string | null } | null;
}

const DAY = 86_400_000;

describe('invitations', () => {
  let app: TestApp;
  let own: ServiceOrganization;
  beforeAll(async () => {
    // Of its own: it sends wrong credentials, and an address may send only so many.
    app = await startOwnApp({ role: 'api' });
    own = await app.organization('Guests');
  });
  afterAll(() => app.close());

  const invite = async (fields: object = {}, by: Api = own.admin): Promise<Invited> =>
    (await by.post<Invited>('/api-keys/invite', { name: 'Ada', role: 'read', ...fields })).body;
  const renew = (id: string) => own.admin.post<Invited & { code?: string }>(`/api-keys/${id}/invite`);
  const signIn = async (sign_in_token: string) => {
    const response = await fetch(`${app.url}/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sign_in_token }),
    });
    const body = (await response.json()) as { api_key?: string | null };
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    return { status: response.status, key: body.api_key ?? '', cookie };
  };
  const listed = async (id: string) =>
    (await own.admin.get<Invited[]>('/api-keys')).body.find((key) => key.id === id)?.invitation;
  const inForce = async (key: string) => (await new Api(app.url, key).get('/organization')).status;
  const sql = (text: string, values: unknown[]) => app.app.get(Database).query(text, values);

  it('live seven days, and never longer than their key', async () => {
    const untilOf = async (fields: object) => Date.parse((await invite(fields)).invitation?.expires_at ?? '');
    const left = (await untilOf({})) - Date.now();
    expect([left > 6.9 * DAY, left <= 7 * DAY]).toEqual([true, true]);
    const tomorrow = new Date(Date.now() + DAY).toISOString();
    expect(await untilOf({ expires_at: tomorrow })).toBe(Date.parse(tomorrow));
  });

  it('of two people who use one link, let only one in', async () => {
    const { id, sign_in_token } = await invite();
    const both = await Promise.all([signIn(sign_in_token), signIn(sign_in_token)]);
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 401]);
    expect(await listed(id)).toMatchObject({ accepted_at: expect.stringMatching(/Z$/) });
  });

  it('store neither token nor key', async () => {
    const { id, sign_in_token } = await invite();
    const stored = await sql('SELECT k.*, l.* FROM api_key k JOIN sign_in_link l ON l.key_id = k.id WHERE k.id = $1', [
      parseId('apiKey', id),
    ]);
    expect(stored).toEqual([expect.objectContaining({ lookup: null, is_invitation: true })]);
    expect(JSON.stringify(stored)).not.toContain(sign_in_token);
  });

  it.each([
    ['its time is over', (id: string) => sql(`UPDATE sign_in_link SET expires_at = now() WHERE key_id = $1`, [id])],
    ['its key is revoked', (id: string) => sql('DELETE FROM api_key WHERE id = $1', [id])],
    ['its key has expired', (id: string) => sql('UPDATE api_key SET expires_at = now() WHERE id = $1', [id])],
  ])('let nobody in once %s', async (_, end) => {
    const { id, sign_in_token } = await invite();
    await end(parseId('apiKey', id) ?? '');
    expect((await signIn(sign_in_token)).status).toBe(401);
  });

  it('that are renewed end the link before, and what it gave as soon as the new one is used', async () => {
    const first = await invite();
    const second = (await renew(first.id)).body;
    expect((await signIn(first.sign_in_token)).status).toBe(401);
    const ada = await signIn(second.sign_in_token);
    const third = (await renew(first.id)).body;
    expect([await inForce(ada.key), await listed(first.id)]).toEqual([200, { ...third.invitation, accepted_at: null }]);
    const again = await signIn(third.sign_in_token);
    const session = await fetch(`${app.url}/auth/session`, { headers: { cookie: ada.cookie } });
    expect([await inForce(ada.key), session.status, await inForce(again.key)]).toEqual([401, 204, 200]);
  });

  it('are not made for a key of a program, nor for one that another organization has', async () => {
    const program = (await own.admin.post<Invited>('/api-keys', { name: 'CI', role: 'read' })).body;
    expect([program.invitation, (await renew(program.id)).status]).toEqual([null, 409]);
    expect((await renew((await invite({}, app.admin)).id)).status).toBe(404);
  });

  it('count as keys', async () => {
    const few = await app.organization('Few');
    await app.operator.put(`/organizations/${formatId('organization', few.orgId)}`, { quotas: { api_keys: 1 } });
    const { status, body } = await few.admin.post<{ code: string }>('/api-keys/invite', { name: 'Ada', role: 'read' });
    expect([status, body.code]).toEqual([409, 'quota_exceeded']);
  });

  it('that nobody has accepted are no administrator that could be left alone', async () => {
    const { admin, keyId } = await lonely();
    const { id } = await invite({ role: 'admin' }, admin);
    expect((await admin.delete(`/api-keys/${keyId}`)).status).toBe(409);
    expect((await admin.delete(`/api-keys/${id}`)).status).toBe(204);
  });

  it('are in the audit log: who invited whom, and that it was accepted', async () => {
    const { id, sign_in_token } = await invite({ name: 'Grace', role: 'write' });
    await signIn(sign_in_token);
    const { body } = await own.admin.get<AuditEntryView[]>(`/audit-log?resource_id=${id}`);
    expect(body.map(({ action, author, after }) => [action, author.via, author.key_name, after])).toEqual([
      ['sign_in', 'sign_in_link', 'Grace', null],
      ['update', 'sign_in_link', 'Grace', { invitation: expect.objectContaining({ accepted_at: expect.any(String) }) }],
      ['create', 'api_key', expect.any(String), expect.objectContaining({ name: 'Grace', role: 'write' })],
    ]);
    expect(JSON.stringify(body)).not.toContain(sign_in_token);
  });

  /** An organization whose only admin key is its first. */
  async function lonely(): Promise<{ admin: Api; keyId: string }> {
    const { body } = await app.operator.post<{ api_key: { id: string; key: string } }>('/organizations', {
      name: 'One',
    });
    return { admin: new Api(app.url, body.api_key.key), keyId: body.api_key.id };
  }
});
