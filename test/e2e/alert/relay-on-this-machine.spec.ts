/** @lane slow */
import { eventually } from '../../../packages/testing/eventually';
import { readMail } from '../../../packages/testing/providers/mail';
import { startApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { Postfix, skippedWithoutPostfix } from '../../harness/servers/postfix';

const SKIPPED = skippedWithoutPostfix();

(SKIPPED === '' ? describe : describe.skip)("an email through Debian's Postfix on the same machine", () => {
  let postfix: Postfix;
  let app: TestApp;

  beforeAll(async () => {
    postfix = await Postfix.start();
    const smtpUrl = `smtp://localhost:${postfix.port}`;
    app = await startApp({ role: 'api', smtpUrl, smtpFrom: 'Uptime <uptime@example.com>' });
  });
  afterAll(async () => {
    await app.close();
    postfix.stop();
  });

  const sendTest = async (config: object): Promise<unknown> => {
    const endpoint_id = await newEndpoint(app.write, await newWebsite(app.write));
    const { body } = await app.write.post('/alerts/test', { endpoint_id, type: 'email', config });
    return body;
  };

  const received = async (user: string): Promise<ReturnType<typeof readMail>> => {
    await eventually('the message is in the mailbox', () => postfix.mailboxOf(user) !== '');
    return readMail(
      postfix
        .mailboxOf(user)
        .replace(/^From .*\n/, '')
        .replaceAll('\n', '\r\n'),
    );
  };

  it(`reaches the mailbox over TLS with only SMTP_URL and SMTP_FROM${SKIPPED}`, async () => {
    expect(await sendTest({ to: ['nobody@localhost'] })).toMatchObject({ state: 'delivered' });
    const { headers } = await received('nobody');
    expect(headers).toMatchObject({
      'return-path': '<uptime@example.com>',
      'delivered-to': 'nobody@localhost',
      from: 'Uptime <uptime@example.com>',
      'auto-submitted': 'auto-generated',
      'message-id': expect.stringMatching(/^<\S+@example\.com>$/),
      received: expect.stringMatching(/^from example\.com \(.* by \S+ \(Postfix\) with ESMTPS id /),
    });
  });

  it(`reaches the mailbox through an account of the alert that does not require TLS${SKIPPED}`, async () => {
    const smtp = { host: 'localhost', port: postfix.port, secure: false };
    const config = { to: ['daemon@localhost'], from: 'ops@example.org', smtp };
    expect(await sendTest(config)).toMatchObject({ state: 'delivered' });
    const { headers } = await received('daemon');
    expect(headers).toMatchObject({ from: 'ops@example.org', received: expect.stringContaining('with ESMTPS') });
  });

  it(`is not sent through an account of the alert that requires a trusted certificate${SKIPPED}`, async () => {
    const smtp = { host: 'localhost', port: postfix.port };
    expect(await sendTest({ to: ['mail@localhost'], from: 'ops@example.org', smtp })).toMatchObject({
      state: 'failed',
    });
    expect(postfix.mailboxOf('mail')).toBe('');
  });
});
