import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refused } from '../dialogue';

/** PostgreSQL uses 4,096 by default. A server chooses the number, and each hundred thousand cost 50 ms. */
const MAX_ITERATIONS = 100_000;

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const derive = promisify(pbkdf2);

/** The client's half of SCRAM-SHA-256 (RFC 5802, RFC 7677). Throws: `Refused`. */
export class Scram {
  private readonly bare: string;
  private signature: Buffer | null = null;

  constructor(private readonly nonce = randomBytes(18).toString('base64')) {
    this.bare = `n=,r=${nonce}`;
  }

  get first(): string {
    return `n,,${this.bare}`;
  }

  /** Returns the answer to the server's first message. */
  async final(serverFirst: string, password: string): Promise<string> {
    const [, nonce = '', salt = '', count = ''] = /^r=([^,]+),s=([A-Za-z0-9+/=]+),i=(\d{1,9})$/.exec(serverFirst) ?? [];
    if (!nonce.startsWith(this.nonce) || nonce.length === this.nonce.length)
      throw new Refused('The server sent an invalid SCRAM message.');
    const iterations = Number(count);
    if (iterations < 1 || iterations > MAX_ITERATIONS)
      throw new Refused(`The server wants more than ${MAX_ITERATIONS} SCRAM iterations.`);
    const salted = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), iterations, 32, 'sha256');
    const clientKey = hmac(salted, 'Client Key');
    const withoutProof = `c=biws,r=${nonce}`;
    const authenticated = `${this.bare},${serverFirst},${withoutProof}`;
    const clientSignature = hmac(sha256(clientKey), authenticated);
    this.signature = hmac(hmac(salted, 'Server Key'), authenticated);
    const proof = clientKey.map((byte, i) => byte ^ (clientSignature[i] ?? 0));
    return `${withoutProof},p=${Buffer.from(proof).toString('base64')}`;
  }

  /** Returns true if the server's last message proves that the server also knows the password. */
  isProven(serverFinal: string): boolean {
    const sent = Buffer.from(/^v=([A-Za-z0-9+/=]+)/.exec(serverFinal)?.[1] ?? '', 'base64');
    return this.signature !== null && sent.length === this.signature.length && timingSafeEqual(sent, this.signature);
  }
}
