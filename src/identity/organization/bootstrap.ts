import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { StartError } from '../../platform/config/start-error';
import { makeDirectory } from '../../platform/files/durable-files.cjs';
import { failpoint } from '../../platform/observability/failpoints';
import { writeSecretFile } from '../../platform/secrets/secret-file';
import { Clock } from '../../platform/time/clock';
import { generateApiKey, isPlausibleApiKey } from '../api-key/api-key-secret';
import { ApiKeyService } from '../api-key/api-key.service';
import { OrganizationService } from './organization.service';

/** Where the first admin key can be found. `before` means that it was shown at an earlier start. */
export type BootstrapKey =
  { from: 'environment' } | { from: 'generated'; key: string } | { from: 'file'; path: string } | { from: 'before' };

/** Every route would reject such a key, so no one could sign in. */
const WRONG_CHECKSUM =
  'BOOTSTRAP_API_KEY starts with ums_, like the keys of this service, but its last characters do not match the ' +
  'others. Copy the whole key, or choose one that does not start with ums_.';

const KEY_FILE = 'bootstrap-api-key';

/** Creates the Default organization and its admin key in an empty database. Does nothing in any other database. */
@Injectable()
export class Bootstrap {
  private made: BootstrapKey = { from: 'before' };

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly organizations: OrganizationService,
    private readonly keys: ApiKeyService,
    private readonly clock: Clock,
  ) {}

  /** Where the first key can be found. Set after `prepare` has created or found the key. */
  get key(): BootstrapKey {
    return this.made;
  }

  /**
   * Creates or finds the first key. Several instances may call this at the same time. A table lock lets only one of
   * them create the key. A generated key is written to its file before it is stored in the database, so that no active
   * key is lost if the process exits in between.
   */
  async prepare(): Promise<void> {
    const made = await this.make();
    if (made !== null) await failpoint('start.after_first_key');
    this.made = made ?? (await this.find());
  }

  /**
   * Whether the key is only shown on the terminal. An in-memory database is lost when the process exits, and so is its
   * key.
   */
  get isShownOnly(): boolean {
    return process.stdout.isTTY && this.config.databaseUrl === 'embedded:memory';
  }

  /** Returns `null` if any organization already exists. */
  private make(): Promise<BootstrapKey | null> {
    return this.database.transaction(async (tx): Promise<BootstrapKey | null> => {
      await tx.query('LOCK TABLE organization IN SHARE ROW EXCLUSIVE MODE');
      const [any] = await tx.query('SELECT 1 FROM organization LIMIT 1');
      if (any) return null;
      const given = this.config.bootstrapApiKey;
      if (given !== null && !isPlausibleApiKey(given)) throw new StartError(WRONG_CHECKSUM);
      const key = given ?? generateApiKey('admin');
      if (given === null && !this.isShownOnly) await this.writeKeyFile(key);
      const organization = await this.organizations.insert(tx, 'Default', true);
      await this.keys.store(tx, organization.id, { name: 'First admin key', role: 'admin', key, expiresAt: null });
      await failpoint('start.before_first_key');
      return given === null ? { from: 'generated', key } : { from: 'environment' };
    });
  }

  /**
   * Returns true until a key of the Default organization has been used or has opened a session. Returns false if the
   * organization has no valid admin key.
   */
  async isUnused(): Promise<boolean> {
    const [found] = await this.database.query<{ unused: boolean | null }>(
      `SELECT bool_and(k.last_used_at IS NULL AND NOT EXISTS (SELECT FROM session s WHERE s.key_id = k.id))
              AND bool_or(k.role = 'admin' AND (k.expires_at IS NULL OR k.expires_at > $1)) AS unused
         FROM api_key k JOIN organization o ON o.id = k.org_id WHERE o.is_default`,
      [this.clock.now()],
    );
    return found?.unused === true;
  }

  private async writeKeyFile(key: string): Promise<void> {
    try {
      makeDirectory(this.config.dataDir, 0o700);
      await writeSecretFile(this.keyFile, `${key}\n`);
    } catch (error) {
      throw new StartError(
        `DATA_DIR: the first admin key cannot be written to ${this.keyFile} (${reasonOf(error)}). Set DATA_DIR to a ` +
          'directory that this user may write to, or set BOOTSTRAP_API_KEY to your own key.',
        { cause: error },
      );
    }
  }

  /** Deletes the file after the key was shown. */
  async removeKeyFile(): Promise<void> {
    await rm(this.keyFile, { force: true });
  }

  get keyFile(): string {
    return join(this.config.dataDir, KEY_FILE);
  }

  /**
   * Finds a key from an earlier start. The file may belong to another database, so this reports only a key that works.
   */
  private async find(): Promise<BootstrapKey> {
    const given = this.config.bootstrapApiKey;
    if (given !== null && (await this.keys.isValid(given))) return { from: 'environment' };
    const kept = await readFile(this.keyFile, 'utf8').catch(() => '');
    return (await this.keys.isValid(kept.trim())) ? { from: 'file', path: this.keyFile } : { from: 'before' };
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
