import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Role } from '../../platform/access/permissions';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PROBE_TOKEN = /^ump_[0-9A-Za-z]{36}$/;
const LETTERS: Readonly<Record<Role, string>> = { read: 'r', responder: 'p', write: 'w', admin: 'a' };
const FORM = /^ums_([rpwa])_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

function checksum(text: string): string {
  let rest = crc32(text);
  let out = '';
  for (let i = 0; i < 6; i++) {
    out = BASE62.charAt(rest % 62) + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

/**
 * Returns `ums_<role letter>_<30 base62 random><6 base62 CRC32>`. It contains 178 random bits, a prefix that secret
 * scanners recognize, and a checksum that detects typos without a query.
 */
export function generateApiKey(role: Role): string {
  return generated(`ums_${LETTERS[role]}_`);
}

/** Returns `ump_<30 base62 random><6 base62 CRC32>`. It has the format of an API key without the role. */
export const generateProbeToken = (): string => generated('ump_');

function generated(prefix: string): string {
  const head = prefix + Array.from({ length: 30 }, () => BASE62.charAt(randomInt(62))).join('');
  return head + checksum(head);
}

/** Returns false if the string isn't a probe token or has a wrong checksum. */
export const isPlausibleProbeToken = (token: string): boolean =>
  PROBE_TOKEN.test(token) && checksum(token.slice(0, -6)) === token.slice(-6);

/**
 * Returns false for a key that has the service's format but a wrong checksum. Other strings may be a
 * `BOOTSTRAP_API_KEY`.
 */
export function isPlausibleApiKey(key: string): boolean {
  if (!key.startsWith('ums_')) return /^[\x21-\x7e]{24,200}$/.test(key);
  const match = FORM.exec(key);
  return match !== null && checksum(key.slice(0, -6)) === match[3];
}

/**
 * Returns the lookup limit for a credential in a header. A client that sends a credential in the service's format has
 * at least computed its checksum.
 */
export const lookUpOf = (credential: string): 'checked' | 'other' =>
  /^um[sp]_/.test(credential) ? 'checked' : 'other';

/** The stored form of a key or token. `lookup` finds the row, and `hash` proves the key. Neither reveals it. */
export interface HashedKey {
  lookup: string;
  hash: Buffer;
}

export function hashApiKey(key: string, pepper: Buffer): HashedKey {
  return {
    lookup: createHmac('sha256', pepper).update(`lookup:${key}`).digest('hex').slice(0, 32),
    hash: createHmac('sha256', pepper).update(key).digest(),
  };
}
