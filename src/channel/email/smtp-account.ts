import { isMailAddress } from '../config/config-fields';

/** One account on a mail server. */
export interface SmtpAccount {
  host: string;
  port: number;
  /** TLS from the first byte. */
  implicitTls: boolean;
  /** Without implicit TLS: fail rather than send over an unencrypted connection. */
  requireTls: boolean;
  username: string | null;
  password: string | null;
  /** Set by the operator of the service: the egress rule of the organization does not apply to it. */
  operators: boolean;
}

const IMPLICIT_TLS_PORT = 465;
/** The port of an account that names none. */
export const SUBMISSION_PORT = 587;

/** The account of one alert. TLS is required unless `secure` is false. */
export function alertAccount(smtp: {
  host: string;
  port?: number;
  secure?: boolean;
  username?: string;
  password?: string;
}): SmtpAccount {
  const port = smtp.port ?? SUBMISSION_PORT;
  const secure = smtp.secure ?? true;
  return {
    host: smtp.host,
    port,
    implicitTls: secure && port === IMPLICIT_TLS_PORT,
    requireTls: secure,
    username: smtp.username ?? null,
    password: smtp.password ?? null,
    operators: false,
  };
}

/**
 * The server-wide account from `SMTP_URL`. `smtps://` is implicit TLS. `smtp://` requires STARTTLS when it carries a
 * password, so that it is never sent in clear; without one it uses STARTTLS when offered (a relay on the same machine).
 */
export function serverAccount(smtpUrl: string): SmtpAccount {
  const url = new URL(smtpUrl);
  const implicitTls = url.protocol === 'smtps:';
  const password = url.password === '' ? null : decodeURIComponent(url.password);
  return {
    host: url.hostname,
    port: url.port === '' ? (implicitTls ? IMPLICIT_TLS_PORT : SUBMISSION_PORT) : Number(url.port),
    implicitTls,
    requireTls: implicitTls || password !== null,
    username: url.username === '' ? null : decodeURIComponent(url.username),
    password,
    operators: true,
  };
}

/** The sender in the header of a mail. */
export interface MailSender {
  name: string;
  address: string;
}

/** `Uptime <uptime@example.com>` or a bare address; `null` for anything else, lists and line ends included. */
export function parseSender(text: string): MailSender | null {
  const [, quoted, bare, inBrackets] = /^\s*(?:"([^"<>]*)"|([^"<>,;]*?))\s*<([^<>\s]+)>\s*$/.exec(text) ?? [];
  const address = inBrackets ?? text.trim();
  if (!isMailAddress(address)) return null;
  return { name: (quoted ?? bare ?? '').trim(), address };
}
