import { createDecipheriv } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readEnvironment } from '../../config/env';

/**
 * Allows server secrets to be encrypted with SECRETS_KEYS, like credentials. In that case, `sealed` contains the
 * envelope and `value` is NULL. The service encrypts them when it starts with keys. Affects only a few rows.
 */
export class SealedServerSecrets1796432412000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE server_secret
        ALTER COLUMN value DROP NOT NULL,
        ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
        ADD COLUMN sealed jsonb,
        ADD CONSTRAINT server_secret_id UNIQUE (id),
        ADD CONSTRAINT server_secret_stored CHECK (num_nonnulls(value, sealed) = 1)`);
  }

  /** An older version reads unencrypted secrets. Throws if the keys with which they were encrypted are missing. */
  async down(runner: QueryRunner): Promise<void> {
    const rows: { name: string; sealed: string | null }[] = await runner.query(
      `SELECT name, sealed ->> 'sealed' AS sealed FROM server_secret WHERE sealed IS NOT NULL`,
    );
    await runner.query('ALTER TABLE server_secret DROP CONSTRAINT server_secret_stored');
    for (const { name, sealed } of rows)
      await runner.query('UPDATE server_secret SET value = $2 WHERE name = $1', [name, opened(name, sealed ?? '')]);
    await runner.query(`
      ALTER TABLE server_secret DROP COLUMN sealed, DROP COLUMN id, ALTER COLUMN value SET NOT NULL`);
  }
}

/** Decrypts like `SecretBox` in this version, even if `SecretBox` changes later. */
function opened(name: string, sealed: string): Buffer {
  const [, id = '', encoded = ''] = /^v1:([\w-]+):([A-Za-z0-9+/=]+)$/.exec(sealed) ?? [];
  const keys = (readEnvironment()['SECRETS_KEYS'] ?? '').split(',').map((one) => one.trim());
  const key = keys.find((one) => one.startsWith(`${id}:`));
  if (id === '' || key === undefined)
    throw new Error(`server_secret.${name} is encrypted: set SECRETS_KEYS as for the service, then revert again`);
  const bytes = Buffer.from(encoded, 'base64');
  const decipher = createDecipheriv(
    'aes-256-gcm',
    Buffer.from(key.slice(id.length + 1), 'base64'),
    bytes.subarray(0, 12),
  )
    .setAAD(Buffer.from(`server_secret:${name}`))
    .setAuthTag(bytes.subarray(12, 28));
  const text = decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
  return Buffer.from(text, 'base64');
}
