export interface SmtpAccount {
  host: string;
  port: number;
  /** Uses TLS from the first byte. */
  implicitTls: boolean;
  /** If implicit TLS is off: fail rather than send over an unencrypted connection. */
  requireTls: boolean;
  /**
   * Uses TLS only against eavesdropping (RFC 7435), as relays do among themselves. The certificate isn't verified, and
   * if TLS fails, the message is sent unencrypted. Never used with a password.
   */
  opportunistic: boolean;
  username: string | null;
  password: string | null;
  /** True if the operator configured the account. The organization's egress rule does not apply to it. */
  operators: boolean;
}

const IMPLICIT_TLS_PORT = 465;
export const SUBMISSION_PORT = 587;

/** Returns the account of one alert. TLS is required unless `secure` is false. */
export function alertAccount(smtp: {
  host: string;
  port?: number;
  secure?: boolean;
  username?: string;
  password?: string;
}): SmtpAccount {
  const port = smtp.port ?? SUBMISSION_PORT;
  const secure = smtp.secure ?? true;
  const password = smtp.password ?? null;
  return {
    host: smtp.host,
    port,
    implicitTls: secure && port === IMPLICIT_TLS_PORT,
    requireTls: secure,
    opportunistic: !secure && password === null,
    username: smtp.username ?? null,
    password,
    operators: false,
  };
}

/**
 * Parses `SMTP_URL` and returns the server-wide account. `smtps://` means implicit TLS. `smtp://` with a password
 * requires STARTTLS, so that the password is never sent unencrypted. Without a password, STARTTLS is used if the server
 * offers it. An example is a local relay with a self-signed certificate.
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
    opportunistic: !implicitTls && password === null,
    username: url.username === '' ? null : decodeURIComponent(url.username),
    password,
    operators: true,
  };
}
