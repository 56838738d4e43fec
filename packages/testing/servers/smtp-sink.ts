import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createRequire } from 'node:module';
import type { SMTPServer, SMTPServerOptions } from 'smtp-server';

/** An email as it arrived, with its envelope. */
export interface ReceivedMail {
  from: string;
  recipients: string[];
  /** The whole message, including headers and body, as sent. */
  raw: string;
  /** Whether it was sent over TLS. */
  encrypted: boolean;
  /** The account that sent it, or `null` if there was no authentication. */
  user: string | null;
  /** The name that the client announced (EHLO). */
  hello: string;
}

/**
 * The script for one email. The sink accepts the email, rejects it at some stage of the conversation, never responds to
 * the message, or drops the connection after the message. `refused` rejects only those recipients and accepts the
 * others.
 */
export type MailScript =
  | { accept: true; refused?: readonly string[] }
  | { refuse: 'connection' | 'sender' | 'recipient' | 'message'; code: number; text: string }
  | 'hang'
  | 'drop';

/** Options for the sink. TLS is implicit, by STARTTLS, offered but broken, or unavailable. */
export interface SinkOptions {
  tls?: 'implicit' | 'starttls' | 'broken' | 'none';
  certificate?: { key: string; cert: string };
  account?: { user: string; password: string };
  /** Rejects an email that breaks a rule, regardless of its script. `null` leaves the decision to the script. */
  judge?: (mail: ReceivedMail) => { code: number; text: string } | null;
}

/**
 * A real email server on the loopback interface. Each connection takes the next queued script, or else the standing
 * script. If there is neither, the email is rejected with 550, and `verify` fails.
 */
export class SmtpSink {
  readonly mails: ReceivedMail[] = [];
  /** The usernames from failed logins. */
  readonly refusedLogins: string[] = [];
  private readonly unexpected: string[] = [];
  private readonly sockets = new Set<Socket>();
  private scripts: MailScript[] = [];
  private standing: MailScript | null = null;
  /** The script for each open connection, by connection ID. */
  private readonly current = new Map<string, MailScript | null>();
  private readonly server: SMTPServer;

  private constructor(options: SinkOptions) {
    this.server = new (smtpServer())({
      ...securityOf(options),
      disableReverseLookup: true,
      socketTimeout: 10_000,
      closeTimeout: 100,
      onAuth: ({ username, password }, _session, done) => {
        const isRight = username === options.account?.user && password === options.account?.password;
        if (!isRight) this.refusedLogins.push(username ?? '');
        if (isRight) done(null, { user: username });
        else done(refusal(535, 'Authentication credentials invalid'));
      },
      onConnect: ({ id }, done) => {
        this.current.set(id, this.scripts.shift() ?? this.standing);
        done(this.refusalAt('connection', id));
      },
      onClose: ({ id }) => void this.current.delete(id),
      onMailFrom: (address, { id }, done) => {
        const isExpected = this.scriptOf(id) !== null;
        if (!isExpected) this.unexpected.push(address.address);
        done(isExpected ? this.refusalAt('sender', id) : refusal(550, 'this email is not expected'));
      },
      onRcptTo: (address, { id }, done) => done(this.recipientRefusal(address.address, id)),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const mail = {
            from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
            recipients: session.envelope.rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString('utf8'),
            encrypted: session.secure,
            user: typeof session.user === 'string' ? session.user : null,
            hello: session.hostNameAppearsAs,
          };
          this.mails.push(mail);
          const broken = options.judge?.(mail) ?? null;
          const script = this.scriptOf(session.id);
          if (script === 'drop') for (const socket of this.sockets) socket.destroy();
          if (script === 'hang' || script === 'drop') return;
          done(this.refusalAt('message', session.id) ?? (broken && refusal(broken.code, broken.text)));
        });
      },
    });
    // Many tests disconnect in the middle of a conversation.
    this.server.on('error', () => undefined);
    this.server.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  static async start(options: SinkOptions = {}): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    sink.server.listen(0, '127.0.0.1');
    await once(sink.server.server, 'listening');
    return sink;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** Queues one script for each of the next connections. */
  expect(...scripts: MailScript[]): void {
    this.scripts.push(...scripts);
  }

  /** Sets the script to use when the queue is empty. `null` makes such emails unexpected again. */
  standingScript(script: MailScript | null): void {
    this.standing = script;
  }

  /** Throws: an error if an email had no script, or if a script wasn't used. Clears the record. */
  verify(): void {
    const [problem] = this.takeProblems();
    if (problem !== undefined) throw new Error(problem);
  }

  /**
   * Returns the problems that `verify` would report, so that the caller can add more. Clears the record and the
   * scripts.
   */
  takeProblems(): string[] {
    const unexpected = this.unexpected.splice(0);
    const unused = this.scripts.splice(0);
    this.mails.splice(0);
    this.refusedLogins.splice(0);
    this.standing = null;
    return [
      ...(unexpected.length > 0 ? [`The mail server received unexpected emails from ${unexpected.join()}`] : []),
      ...(unused.length > 0 ? [`The mail server still expects ${unused.length} emails`] : []),
    ];
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  private scriptOf(connection: string): MailScript | null {
    return this.current.get(connection) ?? null;
  }

  private refusalAt(stage: string, connection: string): Error | null {
    const script = this.scriptOf(connection);
    if (script === null || typeof script === 'string' || !('refuse' in script) || script.refuse !== stage) return null;
    return refusal(script.code, script.text);
  }

  private recipientRefusal(address: string, connection: string): Error | null {
    const script = this.scriptOf(connection);
    if (script !== null && typeof script === 'object' && 'accept' in script && script.refused?.includes(address))
      return refusal(550, 'no such user here');
    return this.refusalAt('recipient', connection);
  }
}

/** An optional peer. Only users who send email to a sink must install it. */
function smtpServer(): typeof SMTPServer {
  try {
    return (createRequire(__filename)('smtp-server') as { SMTPServer: typeof SMTPServer }).SMTPServer;
  } catch (error) {
    throw new Error('SmtpSink needs the package smtp-server: npm install --save-dev smtp-server', { cause: error });
  }
}

function securityOf({ tls = 'none', certificate, account }: SinkOptions): SMTPServerOptions {
  const disabledCommands = [...(tls === 'none' ? ['STARTTLS'] : []), ...(account ? [] : ['AUTH'])];
  // Anonymous ciphers, which no client offers.
  const broken =
    tls === 'broken' ? { ciphers: 'ADH-AES128-GCM-SHA256:@SECLEVEL=0', maxVersion: 'TLSv1.2' as const } : {};
  return { secure: tls === 'implicit', ...certificate, ...broken, disabledCommands, allowInsecureAuth: true };
}

const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });
