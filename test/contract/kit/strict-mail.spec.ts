import { createTransport } from 'nodemailer';
import { openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import { EMAIL_ACCOUNT, type EmailFake, fakeEmail } from '../../../packages/testing/providers/email';

/** An email that another program sends: the envelope, and the bytes of the message. */
interface RawMail {
  from: string;
  to: string[];
  raw: string;
}

/** Replaces a header line or a part of the body, which must exist. */
const replaced =
  (found: string | RegExp, by: string) =>
  (mail: RawMail): RawMail => {
    const raw = mail.raw.replace(found, by);
    if (raw === mail.raw) throw new Error(`the mail has no ${String(found)}`);
    return { ...mail, raw };
  };

describe('the strict fake of a mail server', () => {
  let fake: EmailFake;
  let real: RawMail;
  beforeAll(async () => {
    fake = await fakeEmail();
    const bench = await openChannelBench();
    fake.acceptAll();
    const limits = { egress: bench.trusted, signal: new AbortController().signal };
    await bench.registry.send('email', notificationOf('resolved'), fake.config(), limits);
    await bench.close();
    const [mail] = fake.mails;
    if (!mail) throw new Error('the channel sent no mail');
    real = { from: mail.from, to: mail.recipients, raw: mail.raw };
    fake.verify();
  });
  afterAll(() => fake.stop());

  const hand = ({ from, to, raw }: RawMail, password: string = EMAIL_ACCOUNT.password): Promise<number> => {
    const auth = { user: EMAIL_ACCOUNT.user, pass: password };
    const transport = createTransport({ host: '127.0.0.1', port: fake.port, secure: false, auth });
    return transport.sendMail({ envelope: { from, to }, raw }).then(
      () => 250,
      (error: unknown) => (error as { responseCode: number }).responseCode,
    );
  };

  it('accepts what the channel sends', async () => {
    fake.succeed();
    expect(await hand(real)).toBe(250);
    expect(() => fake.verify()).not.toThrow();
  });

  it.each<{ what: string; change: (mail: RawMail) => RawMail; sentence: string }>([
    {
      what: 'a header line from foreign text',
      change: replaced('Subject: ', 'Bcc: victim@example.com\r\nSubject: '),
      sentence: 'Mail: "bcc" must be absent, not "victim@example.com"',
    },
    {
      what: 'a second subject',
      change: replaced('Subject: ', 'Subject: another\r\nSubject: '),
      sentence: 'Mail: "subject" must be there at most once, not 2',
    },
    {
      what: 'an email without a subject',
      change: replaced(/^Subject: .*\r\n/m, ''),
      sentence: 'Mail: "subject" is required',
    },
    {
      what: 'an email without a Message-ID',
      change: replaced(/^Message-ID: .*\r\n/m, ''),
      sentence: 'Mail: "message-id" is required',
    },
    {
      what: 'a Message-ID without a domain',
      change: replaced(/^Message-ID: .*$/m, 'Message-ID: <ev_1>'),
      sentence: 'Mail: "message-id" must be one <id@domain>, not "<ev_1>"',
    },
    {
      what: 'references that are not ids',
      change: replaced(/^References: .*$/m, 'References: the trigger'),
      sentence: 'Mail: "references" must be a list of <id@domain>, not "the trigger"',
    },
    {
      what: 'an invalid date',
      change: replaced(/^Date: .*$/m, 'Date: yesterday'),
      sentence: 'Mail: "date" must be a date, not "yesterday"',
    },
    {
      what: 'a header that is not ASCII',
      change: replaced(/^Subject: .*$/m, 'Subject: Café'),
      sentence: 'Mail: "subject" must be printable ASCII on one line, not "Café"',
    },
    {
      what: 'a line of more than 998 bytes',
      change: replaced('X-Auto-Response-Suppress: All', `X-Long: ${'x'.repeat(1000)}`),
      sentence: 'Mail: the request must be of lines of at most 998 bytes, not 1008',
    },
    {
      what: 'an envelope from another sender',
      change: (mail) => ({ ...mail, from: 'bounces@example.com' }),
      sentence: 'Mail: "MAIL FROM" must be the address of From (uptime@example.com), not "bounces@example.com"',
    },
    {
      what: 'a recipient whom the header does not name',
      change: (mail) => ({ ...mail, to: [...mail.to, 'hidden@example.com'] }),
      sentence: 'Mail: "RCPT TO" must be the addresses of To and Cc (ops@example.com,team@example.com), not',
    },
    {
      what: 'an email without its HTML part',
      change: replaced('Content-Type: text/html; charset=utf-8', 'Content-Type: application/octet-stream'),
      sentence: 'Mail: "parts" must be text/plain and then text/html, not ["text/plain","application/octet-stream"]',
    },
    {
      what: 'an email of one part',
      change: replaced('multipart/alternative;', 'text/plain;'),
      sentence: 'Mail: "content-type" must be multipart/alternative, not "text/plain;',
    },
  ])('refuses $what', async ({ change, sentence }) => {
    fake.acceptAll();
    expect(await hand(change(real))).toBe(554);
    expect(() => fake.verify()).toThrow(sentence);
  });

  it('refuses a wrong password, and names the account', async () => {
    fake.acceptAll();
    expect(await hand(real, 'wrong')).toBe(535);
    expect(() => fake.verify()).toThrow('Mail: the login must use the user canary-user@example.com');
  });

  it('fails "verify" for a broken rule although the script had the server fail', async () => {
    fake.fail(451);
    expect(await hand(replaced(/^Subject: .*\r\n/m, '')(real))).toBe(451);
    expect(() => fake.verify()).toThrow('Mail: "subject" is required');
  });

  it('fails "verify" for an email that no script covers, and for a script that no email used', async () => {
    expect(await hand(real)).toBe(550);
    expect(() => fake.verify()).toThrow('unexpected emails from uptime@example.com');
    fake.succeed();
    expect(() => fake.verify()).toThrow('still expects 1 emails');
  });
});
