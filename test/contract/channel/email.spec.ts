import { Logger } from '@nestjs/common';
import type { SendOutcome } from '../../../src/channel/channel';
import type { Config } from '../../../src/platform/config/config';
import type { EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { openEgress } from '../../../packages/testing/checker/network';
import { type MailScript, type SinkOptions, SmtpSink } from '../../../packages/testing/servers/smtp-sink';
import { describeChannel } from '../../../packages/testing/channel/describe-channel';
import { type ChannelBench, openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { mailCertificate } from './mail-certificate';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import { EMAIL_ACCOUNT, EMAIL_SECRETS, fakeEmail } from '../../../packages/testing/providers/email';
import { readMail } from '../../../packages/testing/providers/mail';

const ACCOUNT = EMAIL_ACCOUNT;

const smtpAt = (port: number) => ({
  host: '127.0.0.1',
  port,
  secure: false,
  username: ACCOUNT.user,
  password: ACCOUNT.password,
});

describeChannel({
  type: 'email',
  open: fakeEmail,
  secrets: EMAIL_SECRETS,
  statuses: [
    ...[421, 450, 451, 452].map((status) => ({ status, result: 'retry' }) as const),
    ...[501, 550, 552, 554].map((status) => ({ status, result: 'rejected' }) as const),
  ],
  honoursRetryAfter: false,
  limits: ({ headers }) => [{ name: 'subject', text: headers['subject'] ?? '', max: 200 }],
  expectHarmless: ({ headers, path, strings }) => {
    const [, , html] = strings;
    expect(headers['subject']).toMatch(/^[^\r\n]+$/);
    expect(headers).not.toHaveProperty('bcc');
    expect(path).toBe('ops@example.com,team@example.com');
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|<x@/i);
  },
  keyOf: ({ headers }) => headers['message-id'] ?? '',
});

describe('channel email, beyond the contract', () => {
  let certificate: { key: string; cert: string };
  let bench: ChannelBench;
  let sink: SmtpSink | null = null;

  beforeAll(async () => {
    certificate = await mailCertificate();
    bench = await openChannelBench({ certificates: [certificate.cert] });
  });
  afterAll(() => bench.close());
  afterEach(async () => {
    const stopped = sink;
    sink = null;
    await stopped?.stop();
    stopped?.verify();
  });

  const startSink = async (options: SinkOptions, ...scripts: MailScript[]): Promise<SmtpSink> => {
    sink = await SmtpSink.start({ certificate, ...options });
    sink.expect(...scripts);
    return sink;
  };

  const send = (
    smtp: object | undefined,
    changes: object = {},
    from: ChannelBench = bench,
    kind: 'triggered' | 'resolved' = 'triggered',
  ): Promise<SendOutcome> =>
    from.registry.send(
      'email',
      notificationOf(kind),
      { to: ['ops@example.com'], from: 'uptime@example.com', ...(smtp ? { smtp } : {}), ...changes },
      { egress: from.trusted, signal: new AbortController().signal },
    );

  it('sends the resolve in the thread of its trigger and marks both as auto-generated', async () => {
    const server = await startSink({}, { accept: true }, { accept: true });
    const smtp = { host: '127.0.0.1', port: server.port, secure: false };
    await send(smtp);
    await send(smtp, {}, bench, 'resolved');
    const [trigger, resolve] = server.mails.map(({ raw }) => readMail(raw).headers);
    expect(trigger?.['message-id']).toBe(`<${notificationOf('triggered').id}@example.com>`);
    expect(trigger).not.toHaveProperty('references');
    expect(resolve).toMatchObject({
      references: trigger?.['message-id'],
      'in-reply-to': trigger?.['message-id'],
      'auto-submitted': 'auto-generated',
    });
  });

  it('sends over STARTTLS and authenticates', async () => {
    const server = await startSink({ tls: 'starttls', account: ACCOUNT }, { accept: true });
    const smtp = { ...smtpAt(server.port), host: 'localhost', secure: true };
    expect(await send(smtp)).toEqual({ result: 'delivered', status: 250 });
    expect(server.mails[0]).toMatchObject({ encrypted: true, user: ACCOUNT.user });
  });

  it('sends nothing when STARTTLS was stripped although TLS is required', async () => {
    const server = await startSink({ tls: 'none', account: ACCOUNT }, { accept: true });
    expect(await send({ ...smtpAt(server.port), secure: true })).toMatchObject({
      result: 'rejected',
      error: expect.stringContaining('the required encryption'),
    });
    expect(server.mails).toHaveLength(0);
  });

  it('sends nothing to a server whose certificate is not trusted', async () => {
    const stranger = await mailCertificate();
    const server = await startSink({ tls: 'starttls', certificate: stranger }, { accept: true });
    expect(await send({ host: '127.0.0.1', port: server.port, secure: true })).toMatchObject({
      result: 'retry',
      mayHaveArrived: false,
      error: expect.stringContaining('self-signed'),
    });
    expect(server.mails).toHaveLength(0);
  });

  describe('without a password, to a server with a self-signed certificate', () => {
    const selfSigned = async (tls: SinkOptions['tls'], ...scripts: MailScript[]): Promise<SmtpSink> =>
      startSink({ tls, certificate: await mailCertificate() }, ...scripts);

    it('sends over TLS through an account of the alert that does not demand it', async () => {
      const server = await selfSigned('starttls', { accept: true });
      expect(await send({ host: '127.0.0.1', port: server.port, secure: false })).toEqual({
        result: 'delivered',
        status: 250,
      });
      expect(server.mails[0]).toMatchObject({ encrypted: true, user: null });
    });

    it("sends over TLS through the server's account", async () => {
      const server = await selfSigned('starttls', { accept: true });
      const outcome = await throughOperators({ smtpUrl: `smtp://127.0.0.1:${server.port}` });
      expect(outcome).toEqual({ result: 'delivered', status: 250 });
      expect(server.mails[0]).toMatchObject({ encrypted: true, user: null });
    });

    it('sends in clear when the handshake fails', async () => {
      const server = await selfSigned('broken', { accept: true }, { accept: true });
      expect(await send({ host: '127.0.0.1', port: server.port, secure: false })).toMatchObject({
        result: 'delivered',
      });
      expect(server.mails.map(({ encrypted }) => encrypted)).toEqual([false]);
    });
  });

  it('sends neither the password nor the message to a server with a self-signed certificate', async () => {
    const server = await startSink(
      { tls: 'starttls', account: ACCOUNT, certificate: await mailCertificate() },
      { accept: true },
      { accept: true },
    );
    const own = await send(smtpAt(server.port));
    const url = `smtp://${ACCOUNT.user}:${ACCOUNT.password}@127.0.0.1:${server.port}`;
    const operators = await throughOperators({ smtpUrl: url });
    expect([own, operators]).toMatchObject([{ result: 'retry' }, { result: 'retry' }]);
    expect([server.mails, server.refusedLogins]).toEqual([[], []]);
  });

  it.each([
    ['the domain of the sender', {}, 'operator.example'],
    ['the host of PUBLIC_URL', { publicUrl: 'https://uptime.example.org/monitor' }, 'uptime.example.org'],
    ['SMTP_EHLO_NAME', { publicUrl: 'https://a.example', smtpEhloName: 'relay.example.net' }, 'relay.example.net'],
  ])('gives the mail server %s as its name', async (_, settings, name) => {
    const server = await startSink({}, { accept: true });
    await throughOperators({ smtpUrl: `smtp://127.0.0.1:${server.port}`, ...settings });
    expect(server.mails[0]?.hello).toBe(name);
  });

  it('gives the mail server of an alert the domain of the alert as its name', async () => {
    const server = await startSink({}, { accept: true });
    await send({ host: '127.0.0.1', port: server.port, secure: false });
    expect(server.mails[0]?.hello).toBe('example.com');
  });

  it('sends to international domains in their ASCII form, and to names beyond ASCII as they are', async () => {
    const server = await startSink({}, { accept: true });
    const to = ['ada@münchen.test', 'jürgen@example.com'];
    const outcome = await send({ host: '127.0.0.1', port: server.port, secure: false }, { to });
    expect(outcome).toMatchObject({ result: 'delivered' });
    // The sink shows the Unicode form of domains. The header contains the form that was sent.
    expect(server.mails[0]?.recipients).toEqual(to);
    expect(server.mails[0]?.raw).toMatch(/^To: ada@xn--mnchen-3ya\.test, jürgen@example\.com\r$/m);
  });

  it('writes the response of a mail server on a private address only to the log', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const server = await startSink({}, { refuse: 'recipient', code: 554, text: 'Relay access denied' });
    const smtp = { host: '127.0.0.1', port: server.port, secure: false };
    const outcome = await send(smtp);
    expect(outcome).toMatchObject({ result: 'rejected', error: expect.not.stringContaining('Relay') });
    const logged = warn.mock.calls.map(([text]) => String(text));
    warn.mockRestore();
    expect(logged).toEqual([expect.stringMatching(/^Mail server 127\.0\.0\.1:\d+ responded: .*Relay access denied/)]);
  });

  it('rejects a wrong password without repeating it in the error', async () => {
    const server = await startSink({ account: ACCOUNT }, { accept: true });
    const outcome = await send({ ...smtpAt(server.port), password: 'canary-wrong-password' });
    expect(outcome).toMatchObject({ result: 'rejected', status: 535 });
    expect(JSON.stringify(outcome)).not.toContain('canary');
  });

  it.each([
    { refuse: 'connection', code: 421, result: 'retry' },
    { refuse: 'connection', code: 554, result: 'rejected' },
    { refuse: 'sender', code: 451, result: 'retry' },
    { refuse: 'sender', code: 553, result: 'rejected' },
    { refuse: 'recipient', code: 450, result: 'retry' },
    { refuse: 'recipient', code: 550, result: 'rejected' },
  ] as const)('judges $code to the $refuse as $result', async ({ refuse, code, result }) => {
    const server = await startSink({}, { refuse, code, text: 'not today' });
    expect(await send({ host: '127.0.0.1', port: server.port, secure: false })).toMatchObject({
      result,
      status: code,
      error: expect.not.stringContaining('not today'),
      ...(result === 'retry' ? { mayHaveArrived: false } : {}),
    });
    expect(server.mails).toHaveLength(0);
  });

  it('warns about a refused recipient when another one was accepted', async () => {
    const server = await startSink({}, { accept: true, refused: ['gone@example.com'] });
    const smtp = { host: '127.0.0.1', port: server.port, secure: false };
    expect(await send(smtp, { to: ['gone@example.com', 'ops@example.com'] })).toEqual({
      result: 'delivered',
      status: 250,
      warning: 'The mail server refused 1 of 2 recipients',
    });
    expect(server.mails[0]?.recipients).toEqual(['ops@example.com']);
  });

  it('rejects the delivery with a clear error if there is no email account', async () => {
    expect(await send(undefined)).toEqual({
      result: 'rejected',
      status: null,
      error: 'No mail server is configured. Add one to the contact or set SMTP_URL.',
      gone: false,
    });
  });

  it("sends through the server's email account regardless of its address", async () => {
    const server = await startSink({}, { accept: true });
    const own = await openChannelBench({
      settings: {
        smtpUrl: `smtp://127.0.0.1:${server.port}`,
        smtpFrom: 'Uptime <uptime@operator.example>',
      },
    });
    const outcome = await own.registry.send(
      'email',
      notificationOf('triggered'),
      { to: ['ops@example.com'] },
      { egress: own.untrusted, signal: new AbortController().signal },
    );
    await own.close();
    expect(outcome).toEqual({ result: 'delivered', status: 250 });
    expect(server.mails[0]?.from).toBe('uptime@operator.example');
  });

  const throughOperators = async (settings: Partial<Config>, changes: object = {}): Promise<SendOutcome> => {
    const own = await openChannelBench({ settings: { smtpFrom: 'Uptime <uptime@operator.example>', ...settings } });
    try {
      return await send(undefined, changes, own);
    } finally {
      await own.close();
    }
  };

  it("sends from the operator's address through the server's account: the alert chooses the display name at most", async () => {
    const server = await startSink({}, { accept: true });
    const smtpUrl = `smtp://127.0.0.1:${server.port}`;
    const outcome = await throughOperators({ smtpUrl }, { from: 'Shop Alerts <security@operator.example>' });
    expect(outcome).toEqual({ result: 'delivered', status: 250 });
    expect(server.mails[0]?.from).toBe('uptime@operator.example');
    expect(server.mails[0]?.raw).toMatch(/^From: Shop Alerts <uptime@operator\.example>\r$/m);
    expect(server.mails[0]?.raw).not.toContain('security@operator.example');
  });

  it("sends nothing through the server's account when the operator named no sender", async () => {
    const outcome = await throughOperators({ smtpUrl: 'smtp://127.0.0.1:9', smtpFrom: null }, { from: 'a@b.example' });
    expect(outcome).toMatchObject({ result: 'rejected', error: expect.stringContaining('SMTP_FROM') });
  });

  it("shows nothing of the response, address, and port of the operator's mail server", async () => {
    const server = await startSink({}, { refuse: 'message', code: 550, text: 'relay7.internal says no' });
    const refused = await throughOperators({ smtpUrl: `smtp://127.0.0.1:${server.port}` });
    expect(refused).toMatchObject({ result: 'rejected', status: 550 });
    const unreachable = await throughOperators({ smtpUrl: 'smtp://127.0.0.1:9' });
    expect(unreachable).toMatchObject({ result: 'retry', status: null });
    for (const outcome of [refused, unreachable]) {
      expect(JSON.stringify(outcome)).not.toMatch(/relay7|127\.0\.0\.1|:9\b/);
      expect(outcome).toMatchObject({ error: expect.stringContaining('mail server of this installation') });
    }
  });

  it("limits the recipients per hour through the server's account for one organization, but not for others and Default", async () => {
    const server = await startSink({}, ...Array.from({ length: 4 }, (): MailScript => ({ accept: true })));
    const own = await openChannelBench({
      settings: {
        smtpUrl: `smtp://127.0.0.1:${server.port}`,
        smtpFrom: 'uptime@operator.example',
        mailRecipientsPerHour: 5,
      },
    });
    const rule = (organization: string, isDefault = false) => ({ ...openEgress, organization, isDefault });
    const sendTo = (to: string[], egress: EgressRule) =>
      own.registry.send('email', notificationOf('triggered'), { to }, { egress, signal: new AbortController().signal });
    const three = ['a@example.com', 'b@example.com', 'c@example.com'];
    const results = [];
    for (const egress of [rule('b'), rule('b'), rule('c'), rule('d', true), rule('d', true)])
      results.push(await sendTo(three, egress));
    await own.close();

    expect(results.map(({ result }) => result)).toEqual(['delivered', 'retry', 'delivered', 'delivered', 'delivered']);
    expect(results[1]).toMatchObject({ mayHaveArrived: false, error: expect.stringContaining('too many recipients') });
    expect((results[1] as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(0);
    expect(server.mails).toHaveLength(4);
  });

  it("never sends the password of the server's account in clear", async () => {
    const server = await startSink({ tls: 'none', account: ACCOUNT }, { accept: true });
    const own = await openChannelBench({
      settings: {
        smtpUrl: `smtp://canary:${ACCOUNT.password}@127.0.0.1:${server.port}`,
        smtpFrom: 'uptime@operator.example',
      },
    });
    const outcome = await send(undefined, {}, own);
    await own.close();
    expect(outcome).toMatchObject({ result: 'rejected' });
    expect(JSON.stringify(outcome)).not.toContain('canary');
  });
});
