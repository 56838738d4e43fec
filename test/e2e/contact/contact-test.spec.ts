import type { AuditEntryView } from '../../../src/audit/audit.dto';
import type { ContactView } from '../../../src/contact/contact.dto';
import { Database } from '../../../src/platform/database/database';
import { startApp, type TestApp } from '../../harness/app/app';
import { newContact } from '../../harness/app/resources';
import { FakeProvider } from '../../../packages/testing/servers/fake-provider';
import { SmtpSink } from '../../../packages/testing/servers/smtp-sink';

interface Verdict {
  state: string;
  response_status: number | null;
  error: string | null;
  code: string;
}

describe('testing a contact', () => {
  let app: TestApp;
  let provider: FakeProvider;
  let mailServer: SmtpSink;

  beforeAll(async () => {
    [app, provider, mailServer] = await Promise.all([
      startApp({ role: 'api' }),
      FakeProvider.start(),
      SmtpSink.start(),
    ]);
  });
  afterAll(async () => {
    await app.close();
    await provider.stop();
    await mailServer.stop();
  });
  afterEach(() => {
    provider.verify();
    mailServer.verify();
  });

  const webhook = (path: string) =>
    newContact(app.write, { type: 'webhook', config: { url: `${provider.url}${path}` } });
  const test = (id: string) => app.write.post<Verdict>(`/contacts/${id}/test`);

  it('sends a message that names the contact through its webhook, and stores nothing but an audit entry', async () => {
    const id = await webhook('/delivered?token=very-secret');
    provider.expect({ status: 204 });
    const { status, body } = await test(id);

    expect([status, body]).toEqual([200, { state: 'delivered', response_status: 204, error: null }]);
    const sent = JSON.parse(provider.requests.at(-1)?.body ?? '{}') as { type: string };
    expect(sent.type).toBe('alert.test');
    const rows = await app.app.get(Database).query('SELECT FROM notification WHERE org_id = $1', [app.orgId]);
    expect(rows).toEqual([]);
    const contact = await app.read.get<ContactView>(`/contacts/${id}`);
    expect(contact.body).toMatchObject({ last_delivery: null, failing_since: null });
    const [entry] = (await app.admin.get<AuditEntryView[]>('/audit-log?limit=1')).body;
    expect(entry).toMatchObject({ action: 'test', resource: 'contact', resource_id: id });
    expect(JSON.stringify(entry)).not.toContain('very-secret');
  });

  it('sends through a contact that is not saved, names it, and stores nothing but an audit entry', async () => {
    provider.expect({ status: 204 });
    const unsaved = { name: 'New team', type: 'webhook', config: { url: `${provider.url}/unsaved?token=very-secret` } };
    const { status, body } = await app.write.post<Verdict>('/contacts/test', unsaved);

    expect([status, body.state]).toEqual([200, 'delivered']);
    expect(provider.requests.at(-1)?.body).toContain('New team');
    const contacts = await app.read.get<ContactView[]>('/contacts?limit=1000');
    expect(contacts.body.map(({ name }) => name)).not.toContain('New team');
    const [entry] = (await app.admin.get<AuditEntryView[]>('/audit-log?limit=1')).body;
    expect(entry).toMatchObject({ action: 'test', resource: 'contact', after: { name: 'New team' } });
    expect(JSON.stringify(entry)).not.toContain('very-secret');
  });

  it('sends an email to the addresses of the contact', async () => {
    mailServer.expect({ accept: true });
    const smtp = { host: '127.0.0.1', port: mailServer.port, secure: false };
    const config = { to: ['ops@example.com', 'night@example.com'], from: 'uptime@example.com', smtp };
    const { status, body } = await test(await newContact(app.write, { type: 'email', config }));

    expect([status, body.state, body.error]).toEqual([200, 'delivered', null]);
    expect(mailServer.mails.map(({ recipients }) => recipients)).toEqual([['ops@example.com', 'night@example.com']]);
  });

  it("responds with the provider's message if the provider refuses the test; the contact does not count it", async () => {
    const id = await webhook('/refused?token=very-secret');
    provider.expect({ status: 403, body: 'go away' });
    const { status, body } = await test(id);

    expect([status, body.state, body.response_status]).toEqual([200, 'failed', 403]);
    expect(JSON.stringify(body)).not.toContain('very-secret');
    const contact = await app.read.get<ContactView>(`/contacts/${id}`);
    expect(contact.body).toMatchObject({ last_delivery: null, failing_since: null });
  });

  it('uses the current config', async () => {
    const id = await webhook('/old');
    await app.write.put(`/contacts/${id}`, { config: { url: `${provider.url}/new` } });
    provider.expect({ status: 204 });
    await test(id);
    expect(provider.requests.map(({ path }) => path)).toEqual(['/new']);
  });

  it('answers 409 for a config that cannot be read, and sends nothing', async () => {
    const id = await webhook('/unreadable');
    await app.app
      .get(Database)
      .query(`UPDATE contact SET config = '{"sealed": "v1:nobody:AAAA"}' WHERE type = 'webhook'`);
    const { status, body } = await test(id);
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect((await app.write.get<ContactView>(`/contacts/${id}`)).body).toMatchObject({ config: {}, destination: null });
    const repaired = await app.write.put(`/contacts/${id}`, { config: { url: `${provider.url}/again` } });
    expect(repaired.status).toBe(200);
    provider.expect({ status: 204 });
    expect((await test(id)).body.state).toBe('delivered');
  });

  it('refuses the eleventh test at one destination within a minute, regardless of the contact', async () => {
    const [one, two, elsewhere] = [await webhook('/often'), await webhook('/often'), await webhook('/seldom')];
    provider.standingResponse({ status: 204 });
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await test(n % 2 === 0 ? one : two)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
    expect((await test(elsewhere)).status).toBe(200);
  });
});
