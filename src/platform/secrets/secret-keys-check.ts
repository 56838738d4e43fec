import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database';
import { StartError } from '../config/start-error';
import { SecretBox } from './secret-box';
import { SEALED_COLUMNS } from './sealed-columns';

/**
 * Prevents startup if the key for a stored secret is missing. Otherwise, the missing key would not be noticed until a
 * delivery fails.
 */
@Injectable()
export class SecretKeysCheck implements OnModuleInit {
  private readonly logger = new Logger(SecretKeysCheck.name);
  private checked: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * Runs the check once, even if called repeatedly. Throws an error with the IDs of missing keys. Cost: one scan per
   * column.
   */
  onModuleInit(): Promise<void> {
    return (this.checked ??= this.check());
  }

  private async check(): Promise<void> {
    const stored = await this.storedSecrets();
    const missing = stored.flatMap(({ id }) => (id === null || this.secrets.hasKey(id) ? [] : [id]));
    if (missing.length > 0) {
      throw new StartError(
        `The database contains secrets that are encrypted with keys missing from SECRETS_KEYS: ${missing.join(', ')}. ` +
          'Add these keys again, after the key that should encrypt new values.',
      );
    }
    const plain = stored.find(({ id }) => id === null)?.secrets ?? 0;
    if (!this.secrets.encrypts) {
      this.logger.warn(
        'SECRETS_KEYS is not set: credentials of alerts and endpoints, and the secrets of the service, are stored unencrypted',
      );
    } else if (plain > 0) {
      this.logger.warn(
        `${plain} stored ${plain === 1 ? 'secret is not encrypted: it was' : 'secrets are not encrypted: they were'} saved without SECRETS_KEYS, here or by another instance. ` +
          'Run "npm run secrets:rotate" to encrypt them.',
      );
    }
  }

  /** Returns how many secrets are encrypted with each key. `id` is `null` for unencrypted secrets. */
  private storedSecrets(): Promise<{ id: string | null; secrets: number }[]> {
    const scans = SEALED_COLUMNS.map(
      ({ table, column, path }) =>
        `SELECT substring(found #>> '{}' FROM '^v1:([A-Za-z0-9_-]+):') AS id
         FROM ${table}, jsonb_path_query(${column}, '${path}') AS found`,
    );
    return this.database.query<{ id: string | null; secrets: number }>(
      `SELECT id, count(*)::int AS secrets FROM (${scans.join(' UNION ALL ')}) AS stored GROUP BY id ORDER BY id`,
    );
  }
}
