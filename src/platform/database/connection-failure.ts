import { addressOf, type ServerConnection } from './connection/server-connection';
import { sqlState } from './postgres-errors';

/**
 * Returns a description of the problem and its fix if waiting doesn't help. Returns `null` for all other errors. Never
 * contains a password.
 */
export function refusalOf(error: unknown, connection: ServerConnection): string | null {
  const text = messageOf(error);
  const { user, database } = connection;
  const address = addressOf(connection);
  const refusal = ((): string | null => {
    switch (sqlState(error)) {
      case '28P01':
        return `${address} rejected the password for user "${user}". Correct the user or the password.`;
      case '28000':
        return refusalOfUser(error, address, user);
      case '3D000':
        return `${address} has no database "${database}". Create it (CREATE DATABASE), or correct the name.`;
      case '3F000':
        return (
          `in database "${database}" of ${address}, user "${user}" has no schema to create tables in (${text}). Create ` +
          'the schema in its search_path, or correct search_path.'
        );
      case '42501':
        return (
          `in database "${database}" of ${address}, user "${user}" does not have all required permissions (${text}). ` +
          'Make the user the owner of that database.'
        );
      default:
        return refusalOfClient(error, text, address, user) ?? refusalOfTls(error, text, address);
    }
  })();
  return refusal === null ? null : `DATABASE_URL: ${refusal}`;
}

/** Recognizes the error by its routine name, because the server's messages can be in any language. */
function refusalOfUser(error: unknown, address: string, user: string): string {
  const text = messageOf(error);
  if (routineOf(error) === 'InitializeSessionUserId' && !/log in/.test(text))
    return `${address} has no user "${user}". Create it, or correct the user.`;
  return `${address} rejected user "${user}" (${text}). Correct the user, or pg_hba.conf of the server.`;
}

/** Explains errors that `pg` raises before the server has replied. */
function refusalOfClient(error: unknown, text: string, address: string, user: string): string | null {
  if (/password must be a string/.test(text))
    return `${address} requires a password for user "${user}". Put it into the URL, after the user and a colon, or set PGPASSWORD.`;
  if (/does not support SSL connections/.test(text))
    return `${address} does not support TLS. Set sslmode=disable in the URL, or turn on TLS there.`;
  return null;
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
  'INVALID_PURPOSE',
]);

/** TLS alerts for a wrong or missing client certificate. */
const ALERT_OF_CERTIFICATE = /SSL alert number (4[0-68]|116)\b/;

/** Explains problems with the server's or the client's certificate. */
function refusalOfTls(error: unknown, text: string, address: string): string | null {
  const code = sqlState(error) ?? '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return (
      `the certificate of ${address} is for another host (${text}). Use a name in the certificate, or ` +
      'sslmode=verify-ca with sslrootcert to trust every server whose certificate that CA issued.'
    );
  if (UNTRUSTED.has(code))
    return (
      `the certificate of ${address} is not trusted (${text}). Set sslrootcert or NODE_EXTRA_CA_CERTS to the file ` +
      'with its CA certificate. sslmode=no-verify encrypts without verification.'
    );
  if (code === 'CERT_HAS_EXPIRED') return `the certificate of ${address} has expired. Renew it there.`;
  if (code === 'CERT_NOT_YET_VALID')
    return `the certificate of ${address} is not valid yet. Correct the clock of this machine, or the certificate.`;
  if (ALERT_OF_CERTIFICATE.test(text))
    return `${address} does not accept the client certificate (${text}). Set sslcert and sslkey to a certificate that it accepts.`;
  return /^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO)/.test(code)
    ? `TLS with ${address} failed (${text}). Correct sslmode and its files.`
    : null;
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'its host name has no address'],
  [/ECONNREFUSED/, 'nothing listens there'],
  [/ENOENT/, 'the socket does not exist'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no route to its host'],
  [
    /ETIMEDOUT|timeout exceeded when trying to connect|due to connection timeout|timeout expired|Query read timeout/,
    'it does not respond',
  ],
  [/ECONNRESET|Connection terminated/, 'it closed the connection'],
];
/** Errors for which the server's own message is more helpful. */
const EXPLAINED: readonly (readonly [string, string])[] = [
  [
    '53300',
    'all of its connections are in use; raise max_connections, or lower DATABASE_POOL_API and DATABASE_POOL_WORKER',
  ],
];

/** Returns true if the server responds but can't be used. */
export const isThere = (error: unknown): boolean => /^(25006|53300|08001|57P03)$/.test(sqlState(error) ?? '');

/** Returns why a server can't be used yet. */
export function unreachableReason(error: unknown): string {
  const text = messageOf(error);
  const state = sqlState(error) ?? '';
  const explained = EXPLAINED.find(([code]) => code === state);
  if (explained !== undefined) return `${explained[1]} (${text})`;
  const [, reason] = REASONS.find(([pattern]) => pattern.test(`${state} ${text}`)) ?? [];
  return reason ?? (text || state || 'unknown error');
}

/** Checks the shape, because OpenSSL errors are not an instance of `Error` in every realm. */
const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
    ? error.message
    : '';

const routineOf = (error: unknown): unknown => {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('driverError' in error) return routineOf(error.driverError);
  return 'routine' in error ? error.routine : undefined;
};
