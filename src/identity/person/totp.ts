import { createHmac, randomBytes } from 'node:crypto';
import { SECOND_MS } from '../../platform/time/time-units';

/** The RFC 6238 defaults, which every authenticator app supports: SHA-1, 30 seconds, 6 digits. */
const STEP_MS = 30 * SECOND_MS;
const DIGITS = 6;
/** RFC 4226 requires at least 128 bits and recommends 160. */
const SECRET_BYTES = 20;
/** The number of accepted steps before and after the current one, because phone clocks differ and typing takes time. */
const WINDOW = 1;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** Returns a secret in the form that users type into an app: base32 (RFC 4648) without padding. */
export function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32.charAt(parseInt(five.padEnd(5, '0'), 2))).join('');
}

/** Returns the code for a time step, as defined in RFC 4226 5.3 with the RFC 6238 step as the counter. */
export function codeAt(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export const stepAt = (at: Date): number => Math.floor(at.getTime() / STEP_MS);

/**
 * Returns the code's time step if it is near the current one and later than `after`, otherwise null. A code works only
 * once (RFC 6238 5.2).
 */
export function stepOf(secret: Buffer, code: string, at: Date, after: number): number | null {
  for (let step = stepAt(at) - WINDOW; step <= stepAt(at) + WINDOW; step++)
    if (step > after && codeAt(secret, step) === code) return step;
  return null;
}

/** Returns the content of the QR code: a URI that authenticator apps can read. */
export function totpUri(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
