import { createHash } from 'node:crypto';
import type { HttpCredentials } from './http-settings';

/** A challenge of a server (RFC 7616). */
export interface DigestChallenge {
  realm: string;
  nonce: string;
  opaque: string | null;
  algorithm: 'MD5' | 'SHA-256';
  /** False for servers that only know the original form of RFC 2069. */
  hasQop: boolean;
}

const MAX_CHALLENGE = 4096;
const PARAMETER = /([a-zA-Z]{1,20})\s{0,5}=\s{0,5}(?:"((?:[^"\\]|\\.){0,1024})"|([^\s",]{1,256}))/g;

/** Reads the value of `WWW-Authenticate`. Returns `null` if it has no challenge that can be answered. */
export function readChallenge(header: string): DigestChallenge | null {
  const start = /(?:^|,\s{0,5})digest\s/i.exec(header.slice(0, MAX_CHALLENGE));
  if (!start) return null;
  const text = header.slice(start.index + start[0].length, MAX_CHALLENGE);
  const fields = new Map<string, string>();
  for (const [, name = '', quoted, plain] of text.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    // The next challenge starts with a second realm.
    if (fields.has(key)) break;
    fields.set(key, quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  const [realm, nonce] = [fields.get('realm'), fields.get('nonce')];
  const algorithm = (fields.get('algorithm') ?? 'MD5').toUpperCase();
  const qop = fields.get('qop');
  if (realm === undefined || nonce === undefined || (algorithm !== 'MD5' && algorithm !== 'SHA-256')) return null;
  if (
    qop !== undefined &&
    !qop
      .toLowerCase()
      .split(/\s{0,5},\s{0,5}/)
      .includes('auth')
  )
    return null;
  return { realm, nonce, opaque: fields.get('opaque') ?? null, algorithm, hasQop: qop !== undefined };
}

/** Returns the value of `Authorization` for one request. */
export function digestAnswer(
  { realm, nonce, opaque, algorithm, hasQop }: DigestChallenge,
  { user, password }: HttpCredentials,
  { method, path, cnonce }: { method: string; path: string; cnonce: string },
): string {
  const hash = (text: string): string =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex');
  const secret = hash(`${user}:${realm}:${password}`);
  const what = hash(`${method}:${path}`);
  const response = hash(hasQop ? `${secret}:${nonce}:00000001:${cnonce}:auth:${what}` : `${secret}:${nonce}:${what}`);
  const quoted = (name: string, value: string): string => `${name}="${value.replace(/["\\]/g, '\\$&')}"`;
  return `Digest ${[
    quoted('username', user),
    quoted('realm', realm),
    quoted('nonce', nonce),
    quoted('uri', path),
    `algorithm=${algorithm}`,
    ...(hasQop ? ['qop=auth', 'nc=00000001', quoted('cnonce', cnonce)] : []),
    quoted('response', response),
    ...(opaque === null ? [] : [quoted('opaque', opaque)]),
  ].join(', ')}`;
}
