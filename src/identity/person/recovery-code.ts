import { createHash, randomBytes } from 'node:crypto';

export const RECOVERY_CODES = 10;
const BYTES = 10;
/** Crockford's base32 alphabet, which omits letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Returns 80 random bits in four groups, `k3m9-x2qa-7hwn-p4tz`. They can't be guessed, not even from the stored hashes.
 */
export function newRecoveryCode(): string {
  const bits = [...randomBytes(BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const text = (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET.charAt(parseInt(five, 2))).join('');
  return (text.match(/.{4}/g) ?? []).join('-');
}

/** Returns the hash of a code, ignoring case, spaces, and similar typing differences. */
export function hashOfRecoveryCode(typed: string): Buffer {
  const text = typed
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1');
  return createHash('sha256').update(text).digest();
}
