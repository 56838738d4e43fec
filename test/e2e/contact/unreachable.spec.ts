import type { AlertView } from '../../../src/alert/alert.dto';
import type { ContactView } from '../../../src/contact/contact.dto';
import { startApp, type TestApp } from '../../harness/app/app';
import { newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

const SMTP = { host: 'smtp.example.com', username: 'uptime@example.com', password: 'correct horse battery staple' };

describe('a contact that cannot be reached', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ role: 'api', smtpUrl: null });
  });
  afterAll(() => app.close());

  const contact = async (id: string) => (await app.read.get<ContactView>(`/contacts/${id}`)).body;
  const mail = (config: object) => newContact(app.write, { name: 'Mail', type: 'email', config });

  it('is marked, with its alert rules, if it sends email and no mail server is configured', async () => {
    const id = await mail({ to: ['ops@example.com'] });
    expect((await contact(id)).cannot_send).toMatch(/^No mail server is configured\./);
    const endpoint_id = await newEndpoint(app.write, await newWebsite(app.write));
    const rule = await app.write.post<AlertView>('/alerts', { endpoint_id, contact_id: id });
    expect(rule.body.cannot_send).toMatch(/^No mail server is configured\./);
    const { body } = await app.read.get<AlertView[]>(`/alerts?endpoint_id=${endpoint_id}`);
    expect(body.map(({ cannot_send }) => cannot_send)).toEqual([rule.body.cannot_send]);
  });

  it('is not marked with its own mail server, or with another channel', async () => {
    const own = await mail({ to: ['ops@example.com'], smtp: SMTP });
    expect((await contact(own)).cannot_send).toBeNull();
    expect((await contact(await newContact(app.write))).cannot_send).toBeNull();
  });

  it('is no longer marked after a mail server was added', async () => {
    const id = await mail({ to: ['ops@example.com'] });
    const changed = await app.write.put<ContactView>(`/contacts/${id}`, {
      config: { to: ['ops@example.com'], smtp: SMTP },
    });
    expect([changed.status, changed.body.cannot_send]).toEqual([200, null]);
  });
});
