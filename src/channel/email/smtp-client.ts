import { Injectable } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { DialError } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import { type EgressRule, OPERATORS_EGRESS } from '../../platform/net/egress/egress-policy';
import { holdResponse } from '../../platform/net/http/hold-response';
import { TrustedRoots } from '../../platform/net/dial/trusted-roots';
import { armedFailpoint } from '../../platform/observability/failpoints';
import type { AttemptLimits, SendOutcome, SendRequest } from '../channel';
import type { Mail } from './email-message';
import { ATTEMPT_LIMIT_MS } from '../provider-client';
import { publicOutcome } from '../send-outcome';
import { judgeSmtpFailure, type SmtpFailure } from './smtp-outcome';
import type { SmtpAccount } from './smtp-account';

/** The operator's own mail server may have any address: egress rules protect the operator from organizations. */

type Attempt = Pick<SendRequest<unknown>, 'egress' | 'signal' | 'hidden'>;

/** Hands one mail to a mail server, over a connection of the service's own making, so that the egress policy holds. */
@Injectable()
export class SmtpClient {
  constructor(
    private readonly dialer: Dialer,
    private readonly roots: TrustedRoots,
  ) {}

  /** One attempt. */
  async send(mail: Mail, account: SmtpAccount, { egress, signal, hidden }: Attempt): Promise<SendOutcome> {
    const limits = {
      egress: account.operators ? OPERATORS_EGRESS : egress,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_LIMIT_MS)]),
    };
    return publicOutcome(await this.attempt(mail, account, limits), hidden);
  }

  private async attempt(mail: Mail, account: SmtpAccount, { egress, signal }: AttemptLimits): Promise<SendOutcome> {
    let socket: Socket | null = null;
    try {
      ({ socket } = await this.dialer.dial({ host: account.host, port: account.port, egress, signal }));
      return await this.converse(mail, account, socket, signal);
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
    connection: Socket,
    signal: AbortSignal,
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
      return judgeSmtpFailure(error as SmtpFailure, written.whole, signal.aborted);
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
