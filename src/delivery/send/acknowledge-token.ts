import { createHmac, timingSafeEqual } from 'node:crypto';
import { toUuid } from '../../platform/ids/id';
import { SECOND_MS } from '../../platform/time/time-units';

/** The one episode that a link can acknowledge, and when the link expires. */
export interface AcknowledgeClaim {
  /** UUID. */
  alertId: string;
  episodeNo: number;
  expiresAt: Date;
}

const UUID_BYTES = 16;
const NUMBER_BYTES = 4;
const CLAIM_BYTES = UUID_BYTES + 2 * NUMBER_BYTES;
/**
 * Together with the claim, this is a multiple of three bytes. So base64 has no spare bits, and each token has only one
 * spelling.
 */
const SIGNATURE_BYTES = 18;
const TOKEN = /^[A-Za-z0-9_-]{56}$/;

/** Returns 56 URL-safe characters, which are the same for the same claim. The expiry is truncated to whole seconds. */
export function signClaim(key: Buffer, { alertId, episodeNo, expiresAt }: AcknowledgeClaim): string {
  const claim = Buffer.alloc(CLAIM_BYTES);
  claim.write(alertId.replaceAll('-', ''), 'hex');
  claim.writeUInt32BE(episodeNo, UUID_BYTES);
  claim.writeUInt32BE(Math.floor(expiresAt.getTime() / SECOND_MS), UUID_BYTES + NUMBER_BYTES);
  return Buffer.concat([claim, signatureOf(key, claim)]).toString('base64url');
}

/** Returns the claim in a token, or `null` if it has expired or wasn't created by `signClaim` with this key. */
export function readClaim(key: Buffer, token: string, now: Date): AcknowledgeClaim | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const claim = bytes.subarray(0, CLAIM_BYTES);
  if (!timingSafeEqual(bytes.subarray(CLAIM_BYTES), signatureOf(key, claim))) return null;
  const expiresAt = new Date(claim.readUInt32BE(UUID_BYTES + NUMBER_BYTES) * SECOND_MS);
  if (expiresAt <= now) return null;
  return {
    alertId: toUuid(claim.subarray(0, UUID_BYTES)),
    episodeNo: claim.readUInt32BE(UUID_BYTES),
    expiresAt,
  };
}

const signatureOf = (key: Buffer, claim: Buffer): Buffer =>
  createHmac('sha256', key).update('acknowledge\n').update(claim).digest().subarray(0, SIGNATURE_BYTES);
