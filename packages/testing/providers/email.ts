import { failWith, type ProviderFake, type ReceivedMessage } from '../channel/provider-double';
import { type ReceivedMail, SmtpSink } from '../servers/smtp-sink';
import { decodeWords, goldenOf, readMail } from './mail';
import { brokenMailRules } from './mail-rules';
import { cut } from '../../../src/platform/text/text-limits';

/** The account used by `fakeEmail`. */
export const EMAIL_ACCOUNT = { user: 'canary-user@example.com', password: 'canary-mail-password' } as const;

/** Every credential in the `fakeEmail` config, and its recipients. */
export const EMAIL_SECRETS: readonly string[] = [
  EMAIL_ACCOUNT.password,
  EMAIL_ACCOUNT.user,
  'ops@example.com',
  'team@example.com',
];

/** An email server with one account. */
export interface EmailFake extends ProviderFake {
  readonly port: number;
  /** The emails received since `verify`, unchanged. */
  readonly mails: readonly ReceivedMail[];
}

/**
 * Starts an email server without TLS. It requires its account's login (otherwise 535), and rejects an email that breaks
 * RFC 5322 with 554. Needs the `smtp-server` package. For TLS and for rejections at other stages, use `SmtpSink`.
 */
export async function fakeEmail(): Promise<EmailFake> {
  const sentences: string[] = [];
  const judge = (mail: ReceivedMail): { code: number; text: string } | null => {
    const [first, ...others] = brokenMailRules(mail);
    sentences.push(...[...(first ? [first] : []), ...others].map(({ sentence }) => sentence));
    return first ? { code: first.status, text: first.error } : null;
  };
  const sink = await SmtpSink.start({ account: EMAIL_ACCOUNT, judge });
  const wrongLogins = (): string[] =>
    sink.refusedLogins.map((user) => `Mail: the login must use the user ${EMAIL_ACCOUNT.user}, not "${user}"`);
  return {
    port: sink.port,
    mails: sink.mails,
    goldenExtension: 'txt',
    config: (elsewhere) => configAt(sink.port, elsewhere),
    succeed: () => sink.expect({ accept: true }),
    acceptAll: () => sink.standingScript({ accept: true }),
    fail: (code, text = 'something is wrong') => sink.expect({ refuse: 'message', code, text: cut(text, 400, '') }),
    hang: () => sink.expect('hang'),
    drop: () => sink.expect('drop'),
    messages: () => sink.mails.map(asMessage),
    verify: () => failWith([...sentences.splice(0), ...wrongLogins(), ...sink.takeProblems()]),
    stop: () => sink.stop(),
  };
}

/** Only the host in the `elsewhere` URL is used, as a different account. */
function configAt(port: number, elsewhere: string | undefined): object {
  const { user, password } = EMAIL_ACCOUNT;
  const smtp = { host: '127.0.0.1', port, secure: false, username: user, password };
  return {
    to: ['ops@example.com'],
    cc: ['team@example.com'],
    from: 'Uptime <uptime@example.com>',
    smtp: elsewhere ? { ...smtp, host: new URL(elsewhere).hostname, port: 9, username: 'x' } : smtp,
  };
}

function asMessage(mail: ReceivedMail): ReceivedMessage {
  const { headers, parts } = readMail(mail.raw);
  const subject = decodeWords(headers['subject'] ?? '');
  const texts = parts.map(({ text }) => text);
  return {
    text: [subject, ...texts].join('\n'),
    strings: [subject, ...texts],
    data: {},
    headers: { ...headers, subject },
    path: mail.recipients.join(','),
    golden: goldenOf(mail),
  };
}
