import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tls from 'node:tls';
import type { ServerConnection, Tls } from './server-connection';

type Variables = Record<string, string>;
type Environment = Readonly<Record<string, string | undefined>>;

const MS_PER_SECOND = 1000;
/** The permission bits for users other than the owner. */
const OPEN_TO_OTHERS = 0o077;

/**
 * Runs `work` with an environment in which libpq's programs connect like the service does. All settings are passed in
 * the environment, because every user on the host can read a program's arguments.
 */
export async function withLibpq<T>(
  connection: ServerConnection,
  work: (environment: Environment) => Promise<T>,
  own: Environment = process.env,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'uptime-libpq-'));
  try {
    const files = connection.tls === null ? NO_FILES : filesFor(connection.tls, folder, own);
    return await work({ ...withoutLibpq(own), ...libpqVariables(connection, files) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files that libpq reads. If libpq must not find a file, its path doesn't exist. */
export interface TlsFiles {
  readonly rootCert: string;
  readonly cert: string;
  readonly key: string;
}

const NO_FILES: TlsFiles = { rootCert: '', cert: '', key: '' };

/** Returns libpq's variables for this connection. Has no side effects. */
export function libpqVariables(connection: ServerConnection, files: TlsFiles): Variables {
  const { servers, user, password, database, options, applicationName, accepts } = connection;
  return {
    PGHOST: servers.map(({ host }) => host).join(','),
    PGPORT: servers.map(({ port }) => port).join(','),
    PGUSER: user,
    PGDATABASE: database,
    ...(password === null ? {} : { PGPASSWORD: password }),
    ...(options === null ? {} : { PGOPTIONS: options }),
    ...(applicationName === null ? {} : { PGAPPNAME: applicationName }),
    PGTARGETSESSIONATTRS: accepts,
    PGCONNECT_TIMEOUT: String(Math.ceil(connection.connectTimeoutMs / MS_PER_SECOND)),
    // The service doesn't support GSS encryption.
    PGGSSENCMODE: 'disable',
    PGCHANNELBINDING: connection.usesChannelBinding ? 'prefer' : 'disable',
    ...tlsVariables(connection, files),
  };
}

const SSL_MODE = { nothing: 'require', authority: 'verify-ca', name: 'verify-full' } as const;

function tlsVariables({ tls: settings, isDirectTls }: ServerConnection, files: TlsFiles): Variables {
  if (settings === null) return { PGSSLMODE: 'disable' };
  return {
    PGSSLMODE: SSL_MODE[settings.verifies],
    PGSSLROOTCERT: files.rootCert,
    PGSSLCERT: files.cert,
    PGSSLKEY: files.key,
    ...(isDirectTls ? { PGSSLNEGOTIATION: 'direct' } : {}),
  };
}

/**
 * Returns the TLS files to pass. Without explicit files, libpq would read `~/.postgresql`. libpq also rejects a key
 * that other users can read, and trusts no public authorities.
 */
function filesFor({ verifies, rootCert, cert, key }: Tls, folder: string, own: Environment): TlsFiles {
  const none = join(folder, 'none');
  return {
    rootCert: verifies === 'nothing' ? none : (rootCert ?? trustedByNode(join(folder, 'authorities.pem'), own)),
    cert: cert ?? none,
    key: key === null ? none : closed(key, join(folder, 'client.key')),
  };
}

function closed(key: string, copy: string): string {
  if ((statSync(key).mode & OPEN_TO_OTHERS) === 0) return key;
  copyFileSync(key, copy);
  chmodSync(copy, 0o600);
  return copy;
}

/** Writes the authorities that this process trusts to a file. */
function trustedByNode(file: string, own: Environment): string {
  writeFileSync(file, authorities(own).join('\n'));
  return file;
}

function authorities(own: Environment): readonly string[] {
  // Available since Node 22.15.
  const all: unknown = Reflect.get(tls, 'getCACertificates');
  if (typeof all === 'function') return Reflect.apply(all, tls, ['default']) as string[];
  const more = own['NODE_EXTRA_CA_CERTS'] ?? '';
  return more === '' ? tls.rootCertificates : [...tls.rootCertificates, readFileSync(more, 'utf8')];
}

/**
 * Removes libpq's variables. Only PGPASSFILE is kept, because the service uses it as well. All other settings are
 * passed explicitly.
 */
const withoutLibpq = (own: Environment): Environment =>
  Object.fromEntries(Object.entries(own).filter(([name]) => !name.startsWith('PG') || name === 'PGPASSFILE'));
