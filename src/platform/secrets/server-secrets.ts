import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database';
import { SecretBox } from './secret-box';
import { SecretKeysCheck } from './secret-keys-check';

export const SERVER_SECRETS = [
  'api_key_pepper',
  'cursor',
  'check_id',
  'acknowledge_link',
  'entity_tag',
  'network',
  'single_sign_on',
  'proxy_user',
] as const;
export type ServerSecretName = (typeof SERVER_SECRETS)[number];

interface StoredSecret {
  name: string;
  /** Not encrypted if there are no keys. */
  value: Buffer | null;
  sealed: { sealed: string } | null;
}

const contextOf = (name: string): string => `server_secret:${name}`;

/**
 * Random values that all instances with the same database share. The first instance creates them, and each instance
 * reads them once at startup. If `SECRETS_KEYS` is set, they are encrypted, so that someone who can read the database
 * can't use them to forge anything that the service accepts.
 */
@Injectable()
export class ServerSecrets implements OnModuleInit {
  private readonly values = new Map<string, Buffer>();

  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
    private readonly keys: SecretKeysCheck,
  ) {}

  /** Throws a `StartError` if a key is missing. */
  async onModuleInit(): Promise<void> {
    await this.keys.onModuleInit();
    for (const name of SERVER_SECRETS) {
      const { value, sealed } = this.stored(name, randomBytes(32));
      await this.database.query(
        'INSERT INTO server_secret (name, value, sealed) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [name, value, sealed],
      );
    }
    const rows = await this.database.query<StoredSecret>('SELECT name, value, sealed FROM server_secret');
    for (const row of rows) this.values.set(row.name, await this.opened(row));
  }

  /** Returns the value. If it was stored before there were keys, encrypts it now. */
  private async opened({ name, value, sealed }: StoredSecret): Promise<Buffer> {
    if (sealed !== null) return Buffer.from(this.box.open(sealed.sealed, contextOf(name)), 'base64');
    if (value === null) throw new Error(`server secret ${name} has no value`);
    if (this.box.encrypts)
      await this.database.query(
        'UPDATE server_secret SET value = NULL, sealed = $2 WHERE name = $1 AND value IS NOT NULL',
        [name, this.stored(name, value).sealed],
      );
    return value;
  }

  private stored(name: string, value: Buffer): { value: Buffer | null; sealed: string | null } {
    if (!this.box.encrypts) return { value, sealed: null };
    return {
      value: null,
      sealed: JSON.stringify({ sealed: this.box.seal(value.toString('base64'), contextOf(name)) }),
    };
  }

  get(name: ServerSecretName): Buffer {
    const value = this.values.get(name);
    if (!value) throw new Error(`server secret ${name} was read before the database was ready`);
    return value;
  }
}
