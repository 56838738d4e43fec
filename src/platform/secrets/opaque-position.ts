import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Positions are padded to a multiple of this number, because the length of a number would reveal its size. */
const PADDED_TO = 16;

/**
 * Encrypts positions in lists and streams. These positions are numbers that count across the whole installation, which
 * would reveal the activity of other organizations. A client receives a position encrypted for its organization and
 * list (the context), and any other use is rejected.
 */
export class OpaquePositions {
  private readonly encryption: Buffer;
  private readonly nonces: Buffer;

  constructor(secret: Buffer) {
    const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
    this.encryption = keyFor('position encryption');
    this.nonces = keyFor('position nonce');
  }

  /**
   * Returns at least 64 URL-safe characters. Equal positions result in equal strings, because the nonce is a hash of
   * the plaintext.
   */
  seal(context: string, position: string): string {
    const length = Buffer.byteLength(position);
    const padded = Buffer.alloc(Math.ceil((length + 1) / PADDED_TO) * PADDED_TO);
    padded.write(position);
    const iv = createHmac('sha256', this.nonces).update(`${context}\n${position}`).digest().subarray(0, IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.encryption, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(padded), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Returns the position, or `null` for a string that `seal` did not create for this context. */
  open(context: string, text: string): string | null {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return null;
    try {
      const decipher = createDecipheriv(CIPHER, this.encryption, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const padded = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      return padded.toString('utf8', 0, padded.indexOf(0));
    } catch {
      return null;
    }
  }
}
