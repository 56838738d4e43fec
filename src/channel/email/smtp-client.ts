import { Injectable, Logger } from '@nestjs/common';
import type * as Nodemailer from 'nodemailer';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { Config } from '../../platform/config/config';
import { onTheWire } from '../../platform/text/mail-address';
import { DialError } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import { OPERATORS_EGRESS } from '../../platform/net/egress/egress-policy';
import { holdResponse } from '../../platform/net/http/hold-response';
import { TrustedRoots } from '../../platform/net/dial/trusted-roots';
import { armedFailpoint } from '../../platform/observability/failpoints';
import type { SendOutcome, SendRequest } from '../channel';
import type { Mail } from './email-layout';
import { ATTEMPT_LIMIT_MS } from '../provider-client';
import { publicOutcome, quotingAnybody, quotingOrLogging, type Quote } from '../send-outcome';
import { ehloName } from './ehlo-name';
import { isHandshakeFailure, judgeSmtpFailure, type SmtpFailure } from './smtp-outcome';
import type { SmtpAccount } from './smtp-account';

/** Loads the package on first use, because it takes 2 MB. */
const nodemailer = (): typeof Nodemailer => require('nodemailer') as typeof Nodemailer;

type Attempt = Pick<SendRequest<unknown>, 'egress' | 'signal' | 'hidden'>;

/** How STARTTLS is used: with a trusted certificate, with any certificate, or never. */
type Encryption = 'verified' | 'offered' | 'none';

interface Conversation {
  connection: Socket;
  quote: Quote;
  signal: AbortSignal;
  tls: Encryption;
}

/** Thrown when the TLS handshake that the server offered fails. No part of the message was sent. */
class HandshakeFailed extends Error {}

const OPERATORS_FAULT = {
  retry:
    'The mail server of this installation could not accept the email at this time; the operator can find the reason in the log',
  rejected: 'The mail server of this installation rejected the email; the operator can find the reason in the log',
} as const;

/** Sends one email to an email server. It opens the connection itself, so that the egress policy applies. */
@Injectable()
export class SmtpClient {
  private readonly logger = new Logger(SmtpClient.name);

  constructor(
    private readonly dialer: Dialer,
    private readonly roots: TrustedRoots,
    private readonly settings: Config,
  ) {}

  /**
   * Makes one attempt. Details of the operator's own email server (address, port, replies) are written only to the
   * operator's log.
   */
  async send(mail: Mail, account: SmtpAccount, attempt: Attempt): Promise<SendOutcome> {
    const signal = AbortSignal.any([attempt.signal, AbortSignal.timeout(ATTEMPT_LIMIT_MS)]);
    if (!account.operators)
      return publicOutcome(await this.attempt(mail, account, { ...attempt, signal }), attempt.hidden);
    const limits = { ...attempt, egress: OPERATORS_EGRESS, signal };
    const outcome = publicOutcome(await this.attempt(mail, account, limits), attempt.hidden);
    if (outcome.result === 'delivered') return outcome;
    this.logger.warn(`Could not send an email through SMTP_URL: ${outcome.error}`);
    return { ...outcome, error: OPERATORS_FAULT[outcome.result] };
  }

  /** If the handshake with opportunistic TLS fails, connects again without encryption. */
  private async attempt(mail: Mail, account: SmtpAccount, attempt: Attempt): Promise<SendOutcome> {
    if (!account.opportunistic) return this.connect(mail, account, attempt, 'verified');
    try {
      return await this.connect(mail, account, attempt, 'offered');
    } catch (error) {
      if (!(error instanceof HandshakeFailed)) throw error;
      return this.connect(mail, account, attempt, 'none');
    }
  }

  private async connect(
    mail: Mail,
    account: SmtpAccount,
    { egress, signal, hidden }: Attempt,
    tls: Encryption,
  ): Promise<SendOutcome> {
    let socket: Socket | null = null;
    try {
      const dialed = await this.dialer.dial({ host: account.host, port: account.port, egress, signal });
      socket = dialed.socket;
      const log = (words: string): void =>
        this.logger.warn(`Mail server ${account.host}:${account.port} responded: ${words}`);
      const quote = account.operators ? quotingAnybody(hidden) : quotingOrLogging(dialed.address, hidden, log);
      return await this.converse(mail, account, { connection: socket, quote, signal, tls });
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
    { connection, quote, signal, tls }: Conversation,
  ): Promise<SendOutcome> {
    const transport = nodemailer().createTransport({
      host: account.host,
      port: account.port,
      connection,
      name: ehloName(this.settings, mail.from.address),
      secure: account.implicitTls,
      requireTLS: account.requireTls,
      opportunisticTLS: !account.requireTls,
      ignoreTLS: tls === 'none',
      tls: { secureContext: this.roots.context, rejectUnauthorized: tls === 'verified' },
      forceAuth: account.username !== null,
      ...(account.username === null ? {} : { auth: { user: account.username, pass: account.password ?? '' } }),
      connectionTimeout: ATTEMPT_LIMIT_MS,
      greetingTimeout: ATTEMPT_LIMIT_MS,
      socketTimeout: ATTEMPT_LIMIT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // Set once the transport has read the whole message. From then on, the server may have accepted it.
    const written = { whole: false };
    transport.use('stream', ({ message }, done) => {
      message.transform(() => new PassThrough({ flush: (end) => end(void (written.whole = true)) }));
      done();
    });
    const afterWritten = armedFailpoint('outbox.after_request_written');
    // The end of the message has been passed to the socket. Over TLS, that socket belongs to the library.
    if (afterWritten) connection.once('unpipe', () => void holdResponse(connection, afterWritten));
    try {
      const sent = await transport.sendMail({ ...mailOptions(mail), signal });
      return delivered(sent.rejected.length, mail.to.length + mail.cc.length);
    } catch (error) {
      const failure = error as SmtpFailure;
      if (tls === 'offered' && !signal.aborted && isHandshakeFailure(failure)) throw new HandshakeFailed();
      return judgeSmtpFailure(failure, written.whole, signal.aborted, quote);
    }
  }
}

const single = (address: string): { name: string; address: string } => ({ name: '', address });

function mailOptions(mail: Mail): object {
  const from = { ...mail.from, address: onTheWire(mail.from.address) };
  const [to, cc] = [mail.to.map(onTheWire), mail.cc.map(onTheWire)];
  return {
    from,
    to: to.map(single),
    ...(cc.length > 0 ? { cc: cc.map(single) } : {}),
    envelope: { from: from.address, to: [...to, ...cc] },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: mail.messageId,
    ...(mail.references.length > 0 ? { references: [...mail.references], inReplyTo: mail.references.at(-1) } : {}),
    headers: { ...mail.headers },
  };
}

/**
 * Returns the outcome if at least one recipient was accepted. Sending to everyone again would not help a refused
 * recipient.
 */
function delivered(refused: number, all: number): SendOutcome {
  if (refused === 0) return { result: 'delivered', status: 250 };
  return { result: 'delivered', status: 250, warning: `The mail server refused ${refused} of ${all} recipients` };
}

function outcomeOfDialError(error: DialError): SendOutcome {
  if (error.code === 'target_blocked') return { result: 'rejected', status: null, error: error.message, gone: false };
  const text = error.code === 'aborted' ? 'The mail server could not be reached in time.' : error.message;
  return { result: 'retry', status: null, error: text, retryAfterMs: null, mayHaveArrived: false };
}
