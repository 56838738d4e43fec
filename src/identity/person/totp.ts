import { createHmac, randomBytes } from 'node:crypto';
import { SECOND_MS } from '../../platform/time/time-units';

/** The defaults of RFC 6238, which every authenticator app has: SHA-1, 30 seconds, 6 digits. */
const STEP_MS = 30 * SECOND_MS;
const DIGITS = 6;
/** RFC 4226 asks for 128 bits at least, and recommends 160. */
const SECRET_BYTES = 20;
/** Steps before and after the current one that count: the clocks of phones differ, and typing takes time. */
const WINDOW = 1;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** The form in which apps take a secret that is typed: RFC 4648, without padding. */
export function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32.charAt(parseInt(five.padEnd(5, '0'), 2))).join('');
}

/** The code of a time step: RFC 4226 5.3, with the step of RFC 6238 as the counter. */
export function codeAt(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export const stepAt = (at: Date): number => Math.floor(at.getTime() / STEP_MS);

/** The time step that the code is for, if it is about now and later than `after`; else null. A code counts once (RFC 6238 5.2). */
export function stepOf(secret: Buffer, code: string, at: Date, after: number): number | null {
  for (let step = stepAt(at) - WINDOW; step <= stepAt(at) + WINDOW; step++)
    if (step > after && codeAt(secret, step) === code) return step;
  return null;
}

/** What the QR code holds: the URI that authenticator apps read. */
export function totpUri(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
