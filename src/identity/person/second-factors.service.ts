import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { SecretBox } from '../../platform/secrets/secret-box';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS } from '../../platform/time/time-units';
import { hashOfRecoveryCode, newRecoveryCode, RECOVERY_CODES } from './recovery-code';
import { newTotpSecret, stepOf } from './totp';

/** How long a secret waits for its first code. */
const DRAFT_MS = 10 * MINUTE_MS;
const CODE = /^\d{6}$/;

const contextOf = (personId: string): string => `second_factor:${personId}:secret`;

export interface SecondFactorState {
  since: Date;
  recoveryCodesLeft: number;
}

interface Row {
  secret: { sealed: string };
  /** A bigint, which the driver returns as a string. */
  lastStep: string;
}

/**
 * Stores people's second factors: a TOTP secret (RFC 6238), encrypted with `SECRETS_KEYS`, and ten recovery codes. IDs
 * are UUIDs. Cost: each method runs one or two statements by key.
 */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** False with SECOND_FACTOR=off. In that case, no one needs a second factor. */
  get areOn(): boolean {
    return this.config.secondFactor;
  }

  /** Returns null if the person has no second factor. */
  async stateOf(sql: Sql, personId: string): Promise<SecondFactorState | null> {
    const [row] = await sql.query<SecondFactorState>(
      `SELECT confirmed_at AS since, (SELECT count(*)::int FROM recovery_code WHERE person_id = $1) AS "recoveryCodesLeft"
         FROM second_factor WHERE id = $1 AND confirmed_at IS NOT NULL`,
      [personId],
    );
    return row ?? null;
  }

  /**
   * Stores a new secret and returns it. The secret takes effect once it is confirmed. Returns null for a person who
   * already has a second factor.
   */
  async draft(personId: string): Promise<Buffer | null> {
    const secret = newTotpSecret();
    const sealed = JSON.stringify({ sealed: this.secrets.seal(secret.toString('base64'), contextOf(personId)) });
    const drafted = await this.database.query(
      `INSERT INTO second_factor (id, secret, last_step, created_at) VALUES ($1, $2, 0, $3)
       ON CONFLICT (id) DO UPDATE SET secret = excluded.secret, last_step = 0, created_at = excluded.created_at
         WHERE second_factor.confirmed_at IS NULL RETURNING 1`,
      [personId, sealed, this.clock.now()],
    );
    return drafted.length === 0 ? null : secret;
  }

  /** Activates the draft if the code proves that an app has the secret. Returns whether it does. */
  async confirm(tx: Tx, personId: string, code: string): Promise<boolean> {
    const now = this.clock.now();
    const [row] = await tx.query<Row>(
      `SELECT secret, last_step AS "lastStep" FROM second_factor
        WHERE id = $1 AND confirmed_at IS NULL AND created_at > $2 FOR UPDATE`,
      [personId, new Date(now.getTime() - DRAFT_MS)],
    );
    const step = row ? this.stepOf(personId, row, code) : null;
    if (step === null) return false;
    await tx.query('UPDATE second_factor SET confirmed_at = $2, last_step = $3 WHERE id = $1', [personId, now, step]);
    return true;
  }

  /**
   * Uses up a code from the person's app or a recovery code. Returns null if it is neither. If two requests use the
   * same code, in any process, only one of them succeeds.
   */
  async use(sql: Sql, personId: string, typed: string): Promise<'code' | 'recovery_code' | null> {
    const text = typed.replace(/\s/g, '');
    if (CODE.test(text)) return (await this.useCode(sql, personId, text)) ? 'code' : null;
    const used = await sql.query(
      `DELETE FROM recovery_code r USING second_factor f
        WHERE r.person_id = $1 AND r.hash = $2 AND f.id = r.person_id AND f.confirmed_at IS NOT NULL RETURNING 1`,
      [personId, hashOfRecoveryCode(text)],
    );
    return used.length > 0 ? 'recovery_code' : null;
  }

  /** Replaces all recovery codes and returns the new ones, which are shown only once. */
  async newRecoveryCodes(tx: Tx, personId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await tx.query('DELETE FROM recovery_code WHERE person_id = $1', [personId]);
    await tx.query('INSERT INTO recovery_code (person_id, hash) SELECT $1, unnest($2::bytea[])', [
      personId,
      codes.map(hashOfRecoveryCode),
    ]);
    return codes;
  }

  /** Returns whether there was a second factor or a draft. */
  async remove(tx: Tx, personId: string): Promise<boolean> {
    const removed = await tx.query('DELETE FROM second_factor WHERE id = $1 RETURNING 1', [personId]);
    return removed.length > 0;
  }

  private async useCode(sql: Sql, personId: string, code: string): Promise<boolean> {
    const [row] = await sql.query<Row>(
      'SELECT secret, last_step AS "lastStep" FROM second_factor WHERE id = $1 AND confirmed_at IS NOT NULL',
      [personId],
    );
    const step = row ? this.stepOf(personId, row, code) : null;
    if (step === null) return false;
    const used = await sql.query(
      'UPDATE second_factor SET last_step = $2 WHERE id = $1 AND last_step < $2 RETURNING 1',
      [personId, step],
    );
    return used.length > 0;
  }

  private stepOf(personId: string, { secret, lastStep }: Row, code: string): number | null {
    const bytes = Buffer.from(this.secrets.open(secret.sealed, contextOf(personId)), 'base64');
    return stepOf(bytes, code.replace(/\s/g, ''), this.clock.now(), Number(lastStep));
  }
}
