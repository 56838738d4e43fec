import { Injectable, Logger } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { DialError } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import { OPERATORS_EGRESS } from '../../platform/net/egress/egress-policy';
import { holdResponse } from '../../platform/net/http/hold-response';
import { TrustedRoots } from '../../platform/net/dial/trusted-roots';
import { armedFailpoint } from '../../platform/observability/failpoints';
import type { SendOutcome, SendRequest } from '../channel';
import type { Mail } from './email-layout';
import { ATTEMPT_LIMIT_MS } from '../provider-client';
import { publicOutcome, quoting, quotingAnybody, type Quote } from '../send-outcome';
import { judgeSmtpFailure, type SmtpFailure } from './smtp-outcome';
import type { SmtpAccount } from './smtp-account';

type Attempt = Pick<SendRequest<unknown>, 'egress' | 'signal' | 'hidden'>;

interface Conversation {
  connection: Socket;
  quote: Quote;
  signal: AbortSignal;
}

const OPERATORS_FAULT = {
  retry: 'The mail server of this installation could not take the mail now; its operator finds the reason in the log',
  rejected: 'The mail server of this installation refused the mail; its operator finds the reason in the log',
} as const;

/** Hands one mail to a mail server, over a connection of the service's own making, so that the egress policy holds. */
@Injectable()
export class SmtpClient {
  private readonly logger = new Logger(SmtpClient.name);

  constructor(
    private readonly dialer: Dialer,
    private readonly roots: TrustedRoots,
  ) {}

  /** One attempt. What the operator's own mail server says is for the operator's log: address, port and words of it. */
  async send(mail: Mail, account: SmtpAccount, attempt: Attempt): Promise<SendOutcome> {
    const signal = AbortSignal.any([attempt.signal, AbortSignal.timeout(ATTEMPT_LIMIT_MS)]);
    if (!account.operators)
      return publicOutcome(await this.attempt(mail, account, { ...attempt, signal }), attempt.hidden);
    const limits = { ...attempt, egress: OPERATORS_EGRESS, signal };
    const outcome = publicOutcome(await this.attempt(mail, account, limits), attempt.hidden);
    if (outcome.result === 'delivered') return outcome;
    this.logger.warn(`a mail through the account of SMTP_URL was not sent: ${outcome.error}`);
    return { ...outcome, error: OPERATORS_FAULT[outcome.result] };
  }

  private async attempt(mail: Mail, account: SmtpAccount, { egress, signal, hidden }: Attempt): Promise<SendOutcome> {
    let socket: Socket | null = null;
    try {
      const dialed = await this.dialer.dial({ host: account.host, port: account.port, egress, signal });
      socket = dialed.socket;
      const quote = account.operators ? quotingAnybody(hidden) : quoting(dialed.address, hidden);
      return await this.converse(mail, account, { connection: socket, quote, signal });
    } catch (error) {
      if (error instanceof DialError) return outcomeOfDialError(error);
      throw error;
    } finally {
      socket?.destroy();
    }
  }

  private async converse(
    mail: Mail,
    account: SmtpAccount,
    { connection, quote, signal }: Conversation,
  ): Promise<SendOutcome> {
    const transport = createTransport({
      host: account.host,
      port: account.port,
      connection,
      secure: account.implicitTls,
      requireTLS: account.requireTls,
      opportunisticTLS: !account.requireTls,
      tls: { secureContext: this.roots.context },
      forceAuth: account.username !== null,
      ...(account.username === null ? {} : { auth: { user: account.username, pass: account.password ?? '' } }),
      connectionTimeout: ATTEMPT_LIMIT_MS,
      greetingTimeout: ATTEMPT_LIMIT_MS,
      socketTimeout: ATTEMPT_LIMIT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // Set once the whole message has been read by the transport: from then on the server may have taken it.
    const written = { whole: false };
    transport.use('stream', ({ message }, done) => {
      message.transform(() => new PassThrough({ flush: (end) => end(void (written.whole = true)) }));
      done();
    });
    const afterWritten = armedFailpoint('outbox.after_request_written');
    // The message's end has been handed to the socket; over TLS that is a socket of the library's own.
    if (afterWritten) connection.once('unpipe', () => void holdResponse(connection, afterWritten));
    try {
      const sent = await transport.sendMail({ ...mailOptions(mail), signal });
      return delivered(sent.rejected.length, mail.to.length + mail.cc.length);
    } catch (error) {
      return judgeSmtpFailure(error as SmtpFailure, written.whole, signal.aborted, quote);
    }
  }
}

const single = (address: string): { name: string; address: string } => ({ name: '', address });

function mailOptions(mail: Mail): object {
  return {
    from: mail.from,
    to: mail.to.map(single),
    ...(mail.cc.length > 0 ? { cc: mail.cc.map(single) } : {}),
    envelope: { from: mail.from.address, to: [...mail.to, ...mail.cc] },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: mail.messageId,
    ...(mail.references.length > 0 ? { references: [...mail.references], inReplyTo: mail.references.at(-1) } : {}),
    headers: { ...mail.headers },
  };
}

/** At least one recipient was accepted; sending to all of them again would not help a refused one. */
function delivered(refused: number, all: number): SendOutcome {
  if (refused === 0) return { result: 'delivered', status: 250 };
  return { result: 'delivered', status: 250, warning: `The mail server refused ${refused} of ${all} recipients` };
}

function outcomeOfDialError(error: DialError): SendOutcome {
  if (error.code === 'target_blocked') return { result: 'rejected', status: null, error: error.message, gone: false };
  const text = error.code === 'aborted' ? 'The mail server could not be reached in time.' : error.message;
  return { result: 'retry', status: null, error: text, retryAfterMs: null, mayHaveArrived: false };
}
