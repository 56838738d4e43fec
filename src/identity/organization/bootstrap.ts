import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { writeSecretFile } from '../../platform/secrets/secret-file';
import { generateApiKey } from '../api-key/api-key-secret';
import { ApiKeyService } from '../api-key/api-key.service';
import { OrganizationService } from './organization.service';

/** Where the first admin key is. `null` when this was not the first start. */
export type BootstrapKey = { from: 'environment' } | { from: 'generated'; key: string; keyId: string } | null;

/** Name of the file for a generated key when the start is not watched on a terminal. */
const KEY_FILE = 'bootstrap-api-key';

/** Creates the organization "Default" and its admin key in an empty database; in any other it does nothing. */
@Injectable()
export class Bootstrap {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly organizations: OrganizationService,
    private readonly keys: ApiKeyService,
  ) {}

  /** Several instances may call this at once: the table lock lets one of them create the key. */
  async prepare(): Promise<BootstrapKey> {
    return this.database.transaction(async (tx) => {
      await tx.query('LOCK TABLE organization IN SHARE ROW EXCLUSIVE MODE');
      const [any] = await tx.query('SELECT 1 FROM organization LIMIT 1');
      if (any) return null;
      const organization = await this.organizations.insert(tx, 'Default', true);
      const given = this.config.bootstrapApiKey;
      const key = given ?? generateApiKey('admin');
      const row = await this.keys.store(tx, organization.id, {
        name: 'First admin key',
        role: 'admin',
        key,
        expiresAt: null,
      });
      return given === null ? { from: 'generated', key, keyId: row.id } : { from: 'environment' };
    });
  }

  /** Writes the generated key to a file that only the service's user can read, and returns its path. */
  async writeKeyFile(key: string): Promise<string> {
    await mkdir(this.config.dataDir, { recursive: true, mode: 0o700 });
    const path = join(this.config.dataDir, KEY_FILE);
    await writeSecretFile(path, `${key}\n`);
    return path;
  }
}
