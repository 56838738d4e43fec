import { createHmac } from 'node:crypto';
import { type Member, newMember, PASSWORD } from './members';
import type { Session } from './session';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

/** Returns the current authenticator app code for a base32 secret: RFC 6238 with SHA-1, 30 seconds, and 6 digits. */
export function codeOf(secret: string): string {
  const bits = Array.from(secret, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS)));
  const digest = createHmac('sha1', key).update(step).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Starts setting up a second factor. Returns the code that confirms it, or `null` if the member already has one. */
export async function draftSecondFactor(session: Session, { headers }: Member): Promise<string | null> {
  const json = { current_password: PASSWORD };
  const draft = await session.anonymous.send<{ secret: string }>('POST', '/auth/account/second-factor', {
    headers,
    json,
  });
  if (draft.status === 409) return null;
  if (draft.status !== 201) throw new Error(`no second factor was started: ${draft.status} ${draft.text}`);
  return codeOf(draft.body.secret);
}

/** A member who has a second factor and an unused recovery code whenever a test needs them. */
export class SecondFactorHolder {
  private codes: string[] = [];

  private constructor(
    private readonly session: Session,
    readonly member: Member,
  ) {}

  static async make(session: Session): Promise<SecondFactorHolder> {
    return new SecondFactorHolder(session, await newMember(session));
  }

  async recoveryCode(): Promise<string> {
    const code = await draftSecondFactor(this.session, this.member);
    if (code !== null) {
      const { headers } = this.member;
      const confirmed = await this.session.anonymous.send<{ recovery_codes: string[] }>(
        'POST',
        '/auth/account/second-factor/confirm',
        { headers, json: { code } },
      );
      if (confirmed.status !== 201) throw new Error(`no second factor: ${confirmed.status} ${confirmed.text}`);
      this.codes = confirmed.body.recovery_codes;
    }
    return this.codes.pop() ?? '';
  }
}
