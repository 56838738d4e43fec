import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database';
import { SecretBox } from './secret-box';
import { SEALED_COLUMNS } from './sealed-columns';

/** Refuses to start while the key of a stored secret is missing: a delivery must not be the first to notice. */
@Injectable()
export class SecretKeysCheck implements OnModuleInit {
  private readonly logger = new Logger(SecretKeysCheck.name);

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /** One scan per column. Throws an error with the ids of the missing keys. */
  async onModuleInit(): Promise<void> {
    const missing = (await this.storedKeyIds()).filter((id) => !this.secrets.hasKey(id));
    if (missing.length > 0) {
      throw new Error(
        `The database holds secrets encrypted with keys that SECRETS_KEYS lacks: ${missing.join(', ')}. ` +
          'Add these keys again, behind the first one if it should seal from now on.',
      );
    }
    if (!this.secrets.encrypts) {
      this.logger.warn('SECRETS_KEYS is not set: credentials of alerts and endpoints are stored unencrypted');
    }
  }

  private async storedKeyIds(): Promise<string[]> {
    const scans = SEALED_COLUMNS.map(
      ({ table, column, path }) =>
        `SELECT substring(found #>> '{}' FROM '^v1:([A-Za-z0-9_-]+):') AS id
         FROM ${table}, jsonb_path_query(${column}, '${path}') AS found`,
    );
    const rows = await this.database.query<{ id: string }>(
      `SELECT DISTINCT id FROM (${scans.join(' UNION ALL ')}) AS stored WHERE id IS NOT NULL ORDER BY id`,
    );
    return rows.map(({ id }) => id);
  }
}
