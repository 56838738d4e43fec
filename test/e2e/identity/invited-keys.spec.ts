import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { hashOf, newToken } from '../../../src/identity/session/session.service';
import { Database } from '../../../src/platform/database/database';
import { formatId, newUuid } from '../../../src/platform/ids/id';
import { Api } from '../../../packages/testing/service/api';
import { startOwnApp, type TestApp } from '../../harness/app/app';

describe('a link by which 0.1.0 invited a user to a key', () => {
  let app: TestApp;
  beforeAll(async () => {
    // A separate service, because the spec sends wrong credentials, which are limited by address.
    app = await startOwnApp({ role: 'api' });
  });
  afterAll(() => app.close());

  const sql = (text: string, values: unknown[]) => app.app.get(Database).query(text, values);
  /** Inserts the two rows as that version did. */
  const invited = async (until = "now() + interval '1 day'"): Promise<{ keyId: string; token: string }> => {
    const [keyId, token] = [newUuid(), newToken()];
    await sql(
      `INSERT INTO api_key (id, org_id, name, role, invitation_expires_at) VALUES ($1, $2, 'Grace', 'write', ${until})`,
      [keyId, app.orgId],
    );
    await sql(`INSERT INTO sign_in_link (hash, key_id, expires_at, is_invitation) VALUES ($1, $2, ${until}, true)`, [
      hashOf(token),
      keyId,
    ]);
    return { keyId, token };
  };
  const send = async (path: string, body: object) => {
    const response = await fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as { api_key?: string | null } };
  };
  const signIn = (sign_in_token: string) => send('/auth/session', { sign_in_token });

  it('still signs in once, gives the key its secret, and is recorded in the audit log', async () => {
    const { keyId, token } = await invited();
    const both = await Promise.all([signIn(token), signIn(token)]);
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 401]);
    const key = both.find(({ status }) => status === 201)?.body.api_key ?? '';
    expect((await new Api(app.url, key).get('/organization')).body).toMatchObject({ key_name: 'Grace', role: 'write' });
    const { body } = await app.admin.get<AuditEntryView[]>(`/audit-log?resource_id=${formatId('apiKey', keyId)}`);
    expect(body.map(({ action, author, changed }) => [action, author.via, changed])).toEqual([
      ['sign_in', 'sign_in_link', []],
      ['update', 'sign_in_link', ['key']],
    ]);
  });

  it('creates no account, also while there are no accounts', async () => {
    const { token } = await invited();
    expect((await send('/auth/link', { token })).body).toMatchObject({
      kind: 'sign_in',
      organization: { name: 'Default' },
    });
    const fields = { token, name: 'Grace', email: 'grace@people.example', password: 'three wise monkeys' };
    expect((await send('/auth/account', fields)).status).toBe(401);
  });

  it('signs no one in after its expiry', async () => {
    expect((await signIn((await invited('now()')).token)).status).toBe(401);
  });
});
