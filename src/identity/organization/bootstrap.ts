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

/** Where the first admin key is. `before`: an earlier start has told it. */
export type BootstrapKey =
  { from: 'environment' } | { from: 'generated'; key: string } | { from: 'file'; path: string } | { from: 'before' };

/** Such a key would be refused by every route, and nobody could get in. */
const WRONG_CHECKSUM =
  'BOOTSTRAP_API_KEY starts with ums_, like the keys of this service, but its last characters do not match the ' +
  'others. Copy the whole key, or choose one that does not start with ums_.';

/** Name of the file that keeps a generated key. */
const KEY_FILE = 'bootstrap-api-key';

/** Creates the organization "Default" and its admin key in an empty database; in any other it does nothing. */
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

  /** Where the first key is, once `prepare` has made or found it. */
  get key(): BootstrapKey {
    return this.made;
  }

  /**
   * Several instances may call this at once: the table lock lets one of them create the key. A generated one is in its file
   * before the database has it: whenever the process ends, no key is in force that is written nowhere.
   */
  async prepare(): Promise<void> {
    const made = await this.make();
    if (made !== null) await failpoint('start.after_first_key');
    this.made = made ?? (await this.find());
  }

  /** A database in memory ends with the process, and its key with it: on a terminal it is only shown. */
  get isShownOnly(): boolean {
    return process.stdout.isTTY && this.config.databaseUrl === 'embedded:memory';
  }

  /** `null` when there are organizations already. */
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

  /** True until a key of "Default" was used or signed somebody in. False when it has no valid admin key. */
  async isUnused(): Promise<boolean> {
    const [found] = await this.database.query<{ unused: boolean | null }>(
      `SELECT bool_and(k.last_used_at IS NULL AND NOT EXISTS (SELECT FROM session s WHERE s.key_id = k.id))
              AND bool_or(k.role = 'admin' AND (k.expires_at IS NULL OR k.expires_at > $1)) AS unused
         FROM api_key k JOIN organization o ON o.id = k.org_id WHERE o.is_default`,
      [this.clock.now()],
    );
    return found?.unused === true;
  }

  /** Writes the generated key to a file that only the service's user can read. */
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

  /** For a key that was shown to somebody. */
  async removeKeyFile(): Promise<void> {
    await rm(this.keyFile, { force: true });
  }

  get keyFile(): string {
    return join(this.config.dataDir, KEY_FILE);
  }

  /** A key that was not made just now. The file may be of another database: only a key that works is told. */
  private async find(): Promise<BootstrapKey> {
    const given = this.config.bootstrapApiKey;
    if (given !== null && (await this.keys.isValid(given))) return { from: 'environment' };
    const kept = await readFile(this.keyFile, 'utf8').catch(() => '');
    return (await this.keys.isValid(kept.trim())) ? { from: 'file', path: this.keyFile } : { from: 'before' };
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
