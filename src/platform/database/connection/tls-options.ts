import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { StartError } from '../../config/start-error';
import type { Tls } from './server-connection';

/** The error for an unusable TLS file for the database connection. Waiting doesn't help. */
export class TlsFileError extends StartError {
  override readonly code = 'TLS_FILE';
}

/**
 * Returns the TLS options. Reads the files for each connection, because certificates are replaced while the service
 * runs. Throws a `TlsFileError` that names the parameter and the file.
 */
export function tlsOptions({ verifies, rootCert, cert, key }: Tls): ConnectionOptions {
  const options: ConnectionOptions = {
    rejectUnauthorized: verifies !== 'nothing',
    ...(rootCert === null || verifies === 'nothing' ? {} : { ca: authorities(rootCert) }),
    ...(cert === null ? {} : { cert: textOf('sslcert', cert) }),
    ...(key === null ? {} : { key: textOf('sslkey', key) }),
    ...(verifies === 'authority' ? { checkServerIdentity: () => undefined } : {}),
  };
  requirePair(options, cert, key);
  return options;
}

const BLOCK = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;

function authorities(path: string): string {
  const text = textOf('sslrootcert', path);
  const blocks = text.match(BLOCK) ?? [];
  if (blocks.length === 0 || !blocks.every(isCertificate))
    throw new TlsFileError(
      `DATABASE_URL: sslrootcert must be a file of certificates in PEM, but ${path} is not. Set it to the file with the server's CA certificate.`,
    );
  return text;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** Throws unless the key can be read without a password and matches the certificate. */
function requirePair(options: ConnectionOptions, cert: string | null, key: string | null): void {
  if (cert === null && key === null) return;
  if (cert === null || key === null)
    throw new TlsFileError('DATABASE_URL: sslcert and sslkey require each other. Set both to a file, or neither.');
  try {
    createSecureContext(options);
  } catch (error) {
    throw new TlsFileError(
      `DATABASE_URL: sslcert and sslkey cannot be used (${reasonOf(error)}). Both must be PEM, the key must have no password, and they must belong together.`,
      { cause: error },
    );
  }
}

function textOf(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new TlsFileError(
      `DATABASE_URL: ${parameter} cannot be read (${reasonOf(error)}). Set it to a file that this user may read.`,
      { cause: error },
    );
  }
}

const reasonOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
