import { idWith, timestamp } from '../session/forms';
import { newInvitation, PASSWORD } from '../session/members';
import { expectFieldError, expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { createdIn, type Thing } from '../session/things';

type CreatedKey = Thing & { key: string };

/** Tests section 2 of the contract: API keys and the organization they belong to. */
export function describeKeys(session: TheSession): void {
  const made = async (fields: object = {}): Promise<CreatedKey> => {
    const body = { name: session().name('key'), role: 'read', ...fields };
    return createdIn(await session().admin.post<CreatedKey>('/api-keys', body));
  };

  describe('an API key', () => {
    it('is shown once, when it is created, in a form that secret scanners recognize', async () => {
      const key = await made({ role: 'write' });
      expect(key).toMatchObject({
        id: idWith('key'),
        key: expect.stringMatching(/^ums_w_[0-9A-Za-z]{36}$/),
        role: 'write',
        expires_at: null,
        last_used_at: null,
        created_at: timestamp(),
      });
      const { text, body } = await session().admin.get<Thing[]>('/api-keys?limit=1000');
      expect(body.map(({ id }) => id)).toContain(key.id);
      expect(text).not.toContain(key.key);
    });

    it.each(['read', 'responder', 'write', 'admin'] as const)('with the role %s reads its own name and role', async (role) => {
      const { key, name } = await made({ role });
      expect((await session().as(key).get('/organization')).body).toMatchObject({
        id: (await session().read.get<Thing>('/organization')).body.id,
        key_name: name,
        role,
      });
    });

    it('is refused after it was deleted', async () => {
      const { id, key } = await made();
      expect((await session().as(key).get('/websites?limit=1')).status).toBe(200);
      expect((await session().admin.delete(`/api-keys/${id}`)).status).toBe(204);
      expectProblem(await session().as(key).get('/websites?limit=1'), 401, 'unauthenticated');
    });

    it('is refused with an unknown role', async () => {
      const response = await session().admin.post('/api-keys', { name: session().name('key'), role: 'owner' });
      expect([response.status, response.text]).toEqual([400, expect.stringContaining('"/role"')]);
    });

    it('is refused if it has already expired', async () => {
      const sent = { name: session().name('key'), role: 'read', expires_at: '2020-01-01T00:00:00.000Z' };
      expectFieldError(await session().admin.post('/api-keys', sent), '/expires_at', 'out_of_range');
    });
  });

  describe('an invitation', () => {
    it('creates one account, which is signed in, reads its own identity, and is removed from the organization', async () => {
      const { admin, anonymous } = session();
      const { token, email } = await newInvitation(session());
      const join = () =>
        anonymous.send<{ person: { id: string }; role: string }>('POST', '/auth/account', {
          json: { token, name: session().name('person'), password: PASSWORD },
        });
      const joined = await join();
      expect([joined.status, joined.body.role]).toEqual([201, 'read']);
      expectProblem(await join(), 401, 'unauthenticated');
      const headers = session().browserOf(joined);
      const organization = () => anonymous.get<{ person: { id: string } }>('/organization', { headers });
      expect((await organization()).body.person).toMatchObject({ id: joined.body.person.id });
      expect((await admin.get(`/people/${joined.body.person.id}`)).body).toMatchObject({ email, role: 'read' });
      expect((await admin.delete(`/people/${joined.body.person.id}`)).status).toBe(204);
      expectProblem(await organization(), 403, 'insufficient_role');
    });
  });

  describe('the organization', () => {
    it('shows how much of each quota it uses', async () => {
      const { body } = await session().read.get<{ quotas: Record<string, { used: number; limit: number | null }> }>(
        '/organization',
      );
      expect(Object.keys(body.quotas)).toEqual(expect.arrayContaining(['websites', 'endpoints', 'alerts']));
      const [limit, used] = [body.quotas['websites']?.limit ?? Infinity, body.quotas['websites']?.used ?? NaN];
      expect(used).toBeGreaterThanOrEqual(0);
      expect(used).toBeLessThanOrEqual(limit);
    });
  });

  describe('a browser', () => {
    it('signs in with a key, is recognized by its cookie, and is not recognized after it signs out', async () => {
      const { anonymous, read, url } = session();
      const { headers } = await anonymous.send('POST', '/auth/session', { json: { api_key: read.key } });
      expect(headers['set-cookie']).toMatch(/; *HttpOnly/i);
      const cookie = headers['set-cookie']?.split(';')[0] ?? '';
      const who = () => anonymous.send<Thing>('GET', '/auth/session', { headers: { cookie } });
      expect([(await who()).status, (await who()).body]).toEqual([200, expect.objectContaining({ role: 'read' })]);
      const out = { cookie, origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' };
      expect((await anonymous.send('DELETE', '/auth/session', { headers: out })).status).toBe(204);
      expect((await who()).status).toBe(204);
    });
  });
}
