import { oneLine, cut } from '../../platform/text/text-limits';
import type { SendOutcome } from '../channel';
import type { Quote } from '../send-outcome';

/** The error that nodemailer reports for a failed attempt. */
export interface SmtpFailure extends Error {
  /** `ECONNECTION`, `ETIMEDOUT`, `ETLS`, `EAUTH`, `EENVELOPE`, or a similar code. */
  code?: string;
  /** The server's complete reply, if it sent one. */
  response?: string;
  responseCode?: number;
  /** The underlying code from the system or TLS. */
  originalCode?: string;
}

/** Matches the codes for a refused certificate and for a failed handshake. */
const TLS_FAULT = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/;

/**
 * Returns true if the server offered STARTTLS and the handshake failed. No part of the message was sent in this case.
 */
export const isHandshakeFailure = ({ code, originalCode = '', responseCode }: SmtpFailure): boolean =>
  responseCode === undefined && (code === 'ETLS' || TLS_FAULT.test(originalCode));

/** Connection failures. The same attempt may succeed later. */
const CONNECTION = new Set(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'EABORT', 'EPROTOCOL']);

/**
 * Returns the outcome of a failed SMTP session. After a 4xx reply, another attempt may succeed. After a 5xx reply, none
 * can succeed without a change. If the whole message was written (`messageWritten`) and there is no reply, the server
 * may have accepted it. Required TLS is never skipped.
 */
export function judgeSmtpFailure(
  error: SmtpFailure,
  messageWritten: boolean,
  aborted: boolean,
  quote: Quote,
): SendOutcome {
  const reply = error.responseCode ?? null;
  const text = failureText(error, aborted, quote(error.response));
  const retry = (mayHaveArrived: boolean): SendOutcome => ({
    result: 'retry',
    status: reply,
    error: text,
    retryAfterMs: null,
    mayHaveArrived,
  });
  if (reply !== null && reply >= 400 && reply < 500) return retry(false);
  if (reply !== null && reply >= 500) return { result: 'rejected', status: reply, error: text, gone: false };
  if (aborted || CONNECTION.has(error.code ?? '')) return retry(messageWritten);
  if (error.code === 'ETLS') return retry(false);
  return { result: 'rejected', status: reply, error: text, gone: false };
}

function failureText(error: SmtpFailure, aborted: boolean, quoted: string): string {
  const code = error.responseCode === undefined ? '' : ` (${error.responseCode})`;
  const said = quoted === '' ? code : `: ${quoted}`;
  if (aborted) return 'The mail server did not respond in time';
  if (TLS_FAULT.test(error.originalCode ?? '')) return `TLS with the mail server failed: ${tlsReason(error)}`;
  switch (error.code) {
    case 'ETLS':
      return `The mail server does not offer the required encryption${said || `: ${tlsReason(error)}`}`;
    case 'EAUTH':
      return `The mail server rejected the user name and password${said}`;
    case 'ETIMEDOUT':
      return 'The mail server did not respond in time';
    case 'ECONNECTION':
    case 'ESOCKET':
      return `The mail server closed the connection${said}`;
    default:
      return `The mail server rejected the message${said}`;
  }
}

const tlsReason = (error: SmtpFailure): string =>
  cut(oneLine(error.message).replace(/^Error initiating TLS - /, ''), 160) || 'the handshake failed';
