/**
 * @lane slow
 * @databases both
 */
import { Database } from '../../../src/platform/database/database';
import { formatId } from '../../../src/platform/ids/id';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { hashCheaply, newPerson, PASSWORD } from '../../harness/app/person';

type Person = Browser & { id: string };

interface Session {
  organization: { name: string } | null;
  role: string | null;
  person: { id: string } | null;
}
interface Invitation {
  id: string;
  email: string;
  token: string;
  created_by: string | null;
  created_by_id: string | null;
}

const OTHER = 'a mill by the river';

// tokens-and-events.spec.ts tests when each kind of token stops working.
describe('open links and invitations', () => {
  let app: TestApp;
  let a: ServiceOrganization;
  let b: ServiceOrganization;
  let names = 0;

  const name = (text: string): string => `${text} ${++names}`;
  const passwordLink = async (by: Person, of: Person): Promise<string> =>
    (await by.send<{ token: string }>('POST', `/api/v1/people/${of.id}/password-link`)).body.token;
  const invite = async (by: Person, role = 'write'): Promise<Invitation> => {
    const email = `${name('guest').replace(' ', '.')}@example.com`;
    return (await by.send<Invitation>('POST', '/api/v1/invitations', { email, role })).body;
  };
  const join = async (who: Browser, into: ServiceOrganization, role: string): Promise<void> => {
    const { body } = await into.admin.post<{ token: string }>('/invitations', {
      email: `${name('x').replace(' ', '.')}@example.com`,
      role,
    });
    expect((await who.send('POST', '/auth/join', { token: body.token })).status).toBe(201);
  };
  const setPassword = (token: string) =>
    new Browser(app).send<Session>('POST', '/auth/password', { token, password: OTHER });
  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: 0, publicUrl: 'https://uptime.example.com' });
    hashCheaply(app);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    [a, b] = [await app.organization(name('A')), await app.organization(name('B'))];
  });

  it('of one organization do not open an account that also belongs to another organization', async () => {
    const mal = await newPerson(a.admin, name('Mal'), 'admin');
    const bo = await newPerson(a.admin, name('Bo'), 'read');
    const token = await passwordLink(mal, bo);
    await join(bo, b, 'admin');
    expect((await mal.send('POST', `/api/v1/people/${bo.id}/password-link`)).status).toBe(409);
    expect((await mal.send('DELETE', `/api/v1/people/${bo.id}`)).status).toBe(204);
    expect((await new Browser(app).send('POST', '/auth/link', { token })).status).toBe(401);
    expect((await setPassword(token)).status).toBe(401);
    expect((await bo.send<Session>('GET', '/auth/session')).body).toMatchObject({
      organization: { id: formatId('organization', b.orgId) },
      role: 'admin',
    });
  });

  it('are checked in the transaction that uses them: of a simultaneous link and second organization only one succeeds', async () => {
    const mal = await newPerson(a.admin, name('Mal'), 'admin');
    for (let round = 0; round < 6; round++) {
      const bo = await newPerson(a.admin, name('Bo'), 'read');
      const token = await passwordLink(mal, bo);
      const { body } = await b.admin.post<{ token: string }>('/invitations', {
        email: `${name('y').replace(' ', '.')}@example.com`,
        role: 'admin',
      });
      const [used] = await Promise.all([setPassword(token), bo.send('POST', '/auth/join', { token: body.token })]);
      const roles = await sql('SELECT FROM membership WHERE person_id = (SELECT id FROM person WHERE name = $1)', [
        `Bo ${names - 1}`,
      ]);
      // If the link came first, the password differs. Otherwise the user is in both organizations.
      const kept = await new Browser(app).send('POST', '/auth/session', {
        email: `bo.${names - 1}@example.com`,
        password: PASSWORD,
      });
      if (used.status === 201) expect(kept.status).toBe(401);
      else expect([used.status, kept.status, roles.length]).toEqual([401, 201, 2]);
    }
  });

  it('are listed with their creator, and revoked', async () => {
    const ada = await newPerson(a.admin, name('Ada'), 'admin');
    const bo = await newPerson(a.admin, name('Bo'), 'read');
    const read = async () => (await ada.send('GET', `/api/v1/people/${bo.id}`)).body['password_link'];
    expect(await read()).toBeNull();
    expect((await ada.send('DELETE', `/api/v1/people/${bo.id}/password-link`)).status).toBe(404);
    const token = await passwordLink(ada, bo);
    const shown = { created_by: `Ada ${names - 1}`, created_at: expect.any(String), expires_at: expect.any(String) };
    expect(await read()).toEqual(shown);
    expect((await bo.send('GET', '/auth/account')).body['password_link']).toEqual(shown);
    expect((await ada.send('DELETE', `/api/v1/people/${bo.id}/password-link`)).status).toBe(204);
    expect([await read(), (await setPassword(token)).status]).toEqual([null, 401]);
    const { body: byKey } = await a.admin.post<{ token: string }>(`/people/${bo.id}/password-link`);
    expect(await read()).toMatchObject({ created_by: expect.stringMatching(/\w/) });
    expect((await setPassword(byKey.token)).status).toBe(201);
    expect(await read()).toBeNull();
  });

  it('end with the removal of the admin who created them, unless the one who removes takes over the invitations', async () => {
    const boss = await newPerson(a.admin, name('Boss'), 'admin');
    const list = async (by: Person) =>
      (await boss.send<Invitation[]>('GET', `/api/v1/invitations?created_by_id=${by.id}`)).body.map(({ id }) => id);
    const describeLink = async (token: string) => (await new Browser(app).send('POST', '/auth/link', { token })).status;

    const ada = await newPerson(a.admin, name('Ada'), 'admin');
    const first = await invite(ada);
    expect(await list(ada)).toEqual([first.id]);
    expect((await ada.send('DELETE', `/api/v1/people/${ada.id}?revoke_invitations=false`)).status).toBe(409);
    expect((await boss.send('DELETE', `/api/v1/people/${ada.id}?revoke_invitations=maybe`)).status).toBe(400);
    expect((await boss.send('DELETE', `/api/v1/people/${ada.id}`)).status).toBe(204);
    expect([await describeLink(first.token), await list(ada)]).toEqual([401, []]);
    const { body: entries } = await a.admin.get<{ action: string; resource_id: string }[]>(
      '/audit-log?resource=invitation',
    );
    expect(entries.filter(({ action, resource_id }) => action === 'delete' && resource_id === first.id)).toMatchObject([
      { before: { role: 'write' }, author: { person_id: boss.id } },
    ]);

    const eve = await newPerson(a.admin, name('Eve'), 'admin');
    const second = await invite(eve);
    expect((await boss.send('DELETE', `/api/v1/people/${eve.id}?revoke_invitations=false`)).status).toBe(204);
    expect([await describeLink(second.token), await list(boss)]).toEqual([200, [second.id]]);
    // It ends if its new creator is demoted.
    const other = await newPerson(a.admin, name('Other'), 'admin');
    expect((await other.send('PUT', `/api/v1/people/${boss.id}`, { role: 'write' })).status).toBe(200);
    expect(await describeLink(second.token)).toBe(401);
  });

  it('leave identities visible, which the person and an admin can remove', async () => {
    const ada = await newPerson(a.admin, name('Ada'), 'admin');
    const bo = await newPerson(a.admin, name('Bo'), 'read');
    const uuid = await sql<{ id: string }>('SELECT id FROM person WHERE name = $1', [`Bo ${names}`]);
    const connect = (subject: string) =>
      sql('INSERT INTO identity (issuer, subject, person_id, created_at) VALUES ($1, $2, $3, now())', [
        'https://login.example.com',
        subject,
        uuid[0]?.id,
      ]);
    for (const subject of ['bo', 'not bo']) await connect(`${subject} ${names}`);
    const identities = async (by: Person) =>
      (await by.send<{ identities: { subject: string }[] | null }>('GET', `/api/v1/people/${bo.id}`)).body.identities;
    expect((await identities(ada))?.map(({ subject }) => subject)).toEqual([`bo ${names}`, `not bo ${names}`]);
    const query = (subject: string) =>
      `?issuer=${encodeURIComponent('https://login.example.com')}&subject=${encodeURIComponent(subject)}`;
    expect((await bo.send('DELETE', `/auth/account/identities${query('nobody')}`)).status).toBe(404);
    expect((await bo.send('DELETE', '/auth/account/identities')).status).toBe(400);
    expect((await bo.send('DELETE', `/auth/account/identities${query(`not bo ${names}`)}`)).status).toBe(204);
    expect(await identities(ada)).toMatchObject([{ subject: `bo ${names}` }]);
    await sql('UPDATE person SET password = NULL WHERE id = $1', [uuid[0]?.id]);
    expect((await bo.send('DELETE', `/auth/account/identities${query(`bo ${names}`)}`)).status).toBe(409);
    expect((await ada.send('DELETE', `/api/v1/people/${bo.id}/identities`)).status).toBe(204);
    expect([await identities(ada), (await ada.send('DELETE', `/api/v1/people/${bo.id}/identities`)).status]).toEqual([
      [],
      404,
    ]);
    // A user who is also a member of another organization keeps them private.
    await connect(`bo ${names}`);
    await join(bo, b, 'read');
    expect([await identities(ada), (await ada.send('DELETE', `/api/v1/people/${bo.id}/identities`)).status]).toEqual([
      null,
      409,
    ]);
    expect(formatId('person', uuid[0]?.id ?? '')).toBe(bo.id);
  });
});
