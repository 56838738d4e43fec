import { sqlState } from './postgres-errors';

/** A PostgreSQL server as messages name it: without the password. */
export interface ServerName {
  /** `PostgreSQL at host:port`. */
  readonly address: string;
  readonly user: string;
  readonly database: string;
}

/** What the URL names, with the defaults of `pg`. */
export function serverName(url: string): ServerName {
  const { hostname, port, username, pathname, searchParams } = new URL(url);
  const host = hostname || searchParams.get('host') || 'localhost';
  const user = decoded(username) || (process.env['PGUSER'] ?? process.env['USER'] ?? 'postgres');
  return {
    address: `PostgreSQL at ${host}:${port || '5432'}`,
    user,
    database: decoded(pathname.slice(1)) || user,
  };
}

/** What nobody can cure by waiting, and the cure; `null` for every other error. */
export function refusalOf(error: unknown, { address, user, database }: ServerName): string | null {
  const text = messageOf(error);
  switch (sqlState(error)) {
    case '28P01':
      return `DATABASE_URL: ${address} refuses the password of user "${user}". Correct the user or the password.`;
    case '28000':
      return /does not exist/.test(text)
        ? `DATABASE_URL: ${address} has no user "${user}". Create it, or correct the user.`
        : `DATABASE_URL: ${address} does not let user "${user}" in (${text}). Correct the user, or the server's pg_hba.conf.`;
    case '3D000':
      return `DATABASE_URL: ${address} has no database "${database}". Create it (CREATE DATABASE), or correct the name.`;
    case '42501':
      return (
        `DATABASE_URL: user "${user}" may not do everything that is needed in database "${database}" of ${address} ` +
        `(${text}). Make the user the owner of that database.`
      );
    default:
      return refusalOfClient(text, address, user);
  }
}

/** What `pg` itself finds, before the server has said anything. */
function refusalOfClient(text: string, address: string, user: string): string | null {
  if (/password must be a string/.test(text))
    return `DATABASE_URL: ${address} wants a password of user "${user}". Put it into the URL, behind the user and a colon.`;
  if (/does not support SSL connections/.test(text))
    return `DATABASE_URL: ${address} does not speak TLS. Remove sslmode from the URL, or switch TLS on there.`;
  if (/certificate/i.test(text))
    return `DATABASE_URL: the certificate of ${address} is not trusted (${text}). Name its authority with sslrootcert.`;
  return null;
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'the name of its host has no address'],
  [/ECONNREFUSED/, 'nothing listens there'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no route to its host'],
  [/ETIMEDOUT|timeout exceeded when trying to connect|Query read timeout/, 'it does not respond'],
  [/ECONNRESET|Connection terminated/, 'it closes the connection'],
];

/** Why a server is not there yet. */
export function unreachableReason(error: unknown): string {
  const text = messageOf(error);
  const [, reason] = REASONS.find(([pattern]) => pattern.test(`${sqlState(error) ?? ''} ${text}`)) ?? [];
  return reason ?? (text || (sqlState(error) ?? 'unknown error'));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
