/**
 * @lane slow
 * @databases both
 */
import { OrganizationPurgeJob } from '../../../src/identity/organization/organization-purge.job';
import { PERSON_RETENTION } from '../../../src/identity/person/person-retention';
import { Database } from '../../../src/platform/database/database';
import { formatId } from '../../../src/platform/ids/id';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { hashCheaply, newPerson, PASSWORD } from '../../harness/app/person';

describe('people who leave', () => {
  let app: TestApp;
  let organization: ServiceOrganization;
  let organizations = 0;

  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);
  const isThere = async (email: string): Promise<boolean> =>
    (await sql('SELECT FROM person WHERE email = $1', [email])).length > 0;
  /** Runs the hourly job this many days later. */
  const later = async (days: number): Promise<void> => {
    await sql(`UPDATE person SET homeless_since = homeless_since - make_interval(days => $1)`, [days]);
    await app.app.get(RetentionJob).run(PERSON_RETENTION);
  };
  const remove = async ({ orgId }: ServiceOrganization): Promise<void> => {
    expect((await app.operator.delete(`/organizations/${formatId('organization', orgId)}`)).status).toBe(204);
    await app.app.get(OrganizationPurgeJob).run();
  };

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: 0 });
    hashCheaply(app);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    organization = await app.organization(`Organization ${++organizations}`);
  });

  it('every organization are erased after 30 days, unless they are invited again or are operators', async () => {
    for (const name of ['Gone', 'Back', 'Op', 'Stays']) await newPerson(organization.admin, name, 'read');
    const { body: people } = await organization.admin.get<{ id: string; name: string }[]>('/people');
    for (const { id, name } of people)
      if (name !== 'Stays') expect((await organization.admin.delete(`/people/${id}`)).status).toBe(204);
    await sql(`UPDATE person SET is_operator = true WHERE email = 'op@example.com'`);
    await later(0);
    await later(29);
    expect(await isThere('gone@example.com')).toBe(true);
    const { body } = await organization.admin.post<{ token: string }>('/invitations', {
      email: 'back@example.com',
      role: 'read',
    });
    const back = new Browser(app);
    await back.send('POST', '/auth/session', { email: 'back@example.com', password: PASSWORD });
    expect((await back.send('POST', '/auth/join', { token: body.token })).status).toBe(201);
    await later(2);
    const there = await sql<{ email: string }>('SELECT email FROM person ORDER BY email');
    expect(there.map(({ email }) => email)).toEqual(['back@example.com', 'op@example.com', 'stays@example.com']);
  });

  it('together with their organization are in no organization, nor are their sessions; its invitations no longer work', async () => {
    const other = await app.organization('Another');
    const ann = await newPerson(organization.admin, 'Ann', 'admin');
    const ben = await newPerson(organization.admin, 'Ben', 'write');
    const { body: more } = await other.admin.post<{ token: string }>('/invitations', {
      email: 'ben@example.com',
      role: 'read',
    });
    await ben.send('POST', '/auth/join', { token: more.token });
    await organization.admin.post('/invitations', { email: 'open@example.com', role: 'read' });
    await remove(organization);
    expect((await ann.send('GET', '/auth/session')).body).toMatchObject({ organization: null, organizations: [] });
    expect((await ann.send('GET', '/api/v1/websites')).status).toBe(403);
    expect((await ben.send('GET', '/auth/session')).body).toMatchObject({ organization: { name: 'Another' } });
    for (const table of ['membership', 'invitation', 'session'])
      expect(await sql(`SELECT FROM ${table} WHERE org_id = $1`, [organization.orgId])).toEqual([]);
    await later(0);
    await later(31);
    expect([await isThere('ann@example.com'), await isThere('ben@example.com')]).toEqual([false, true]);
  });

  it('take the keys they created with them if this is requested, and all or nothing of it', async () => {
    const ada = await newPerson(organization.admin, 'Ada', 'admin');
    await newPerson(organization.admin, 'Eve', 'admin');
    const made = async (name: string, role: string): Promise<string> =>
      (await ada.send<{ id: string }>('POST', '/api/v1/api-keys', { name, role })).body.id;
    const [pipeline, second] = [await made('Pipeline', 'write'), await made('Second', 'admin')];
    const keys = async (query = ''): Promise<string[]> =>
      (await ada.send<{ id: string; name: string }[]>('GET', `/api/v1/api-keys${query}`)).body.map(({ name }) => name);
    expect(await keys(`?created_by_id=${ada.id}`)).toEqual(['Pipeline', 'Second']);
    const { body: all } = await ada.send<{ id: string; role: string }[]>('GET', '/api/v1/api-keys');
    for (const { id, role } of all)
      if (role === 'admin' && id !== second) await ada.send('DELETE', `/api/v1/api-keys/${id}`);
    // The last admin key without expiry belongs to this user.
    expect((await ada.send('DELETE', `/api/v1/people/${ada.id}?revoke_keys=true`)).status).toBe(409);
    expect(await keys(`?created_by_id=${ada.id}`)).toEqual(['Pipeline', 'Second']);
    await sql(`UPDATE api_key SET created_by_id = NULL WHERE name = 'Second' AND org_id = $1`, [organization.orgId]);
    expect((await ada.send('DELETE', `/api/v1/people/${ada.id}?revoke_keys=true`)).status).toBe(204);
    const left = await sql<{ name: string }>('SELECT name FROM api_key WHERE org_id = $1 ORDER BY name', [
      organization.orgId,
    ]);
    expect(left.map(({ name }) => name)).not.toContain('Pipeline');
    expect(left.map(({ name }) => name)).toContain('Second');
    expect(pipeline).toMatch(/^key_/);
  });

  it('leave at least one administrator behind, even if two of them leave at the same time', async () => {
    const acts: ((one: Browser & { id: string }) => Promise<{ status: number }>)[] = [
      (one) => one.send('PUT', `/api/v1/people/${one.id}`, { role: 'read' }),
      (one) => one.send('DELETE', `/api/v1/people/${one.id}`),
      (one) => one.send('DELETE', '/auth/account'),
    ];
    let administrators = 0;
    const next = () => newPerson(organization.admin, `Administrator ${++administrators}`, 'admin');
    await newPerson(organization.admin, 'Reader', 'read');
    let left = await next();
    for (const first of acts)
      for (const second of acts) {
        const other = await next();
        const statuses = (await Promise.all([first(left), second(other)])).map(({ status }) => status);
        expect(statuses.filter((status) => status === 409)).toHaveLength(1);
        expect(statuses.every((status) => [200, 204, 409].includes(status))).toBe(true);
        if (statuses[1] === 409) left = other;
        const { body } = await organization.admin.get<{ id: string }[]>('/people?role=admin');
        expect(body.map(({ id }) => id)).toEqual([left.id]);
      }
  });
});
