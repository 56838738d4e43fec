import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database';

const NAMES = [
  'api_key_pepper',
  'cursor',
  'check_id',
  'acknowledge_link',
  'entity_tag',
  'network',
  'single_sign_on',
  'proxy_user',
] as const;
export type ServerSecretName = (typeof NAMES)[number];

/** Random values shared by every instance on one database, made by the first that starts. Read once at the start. */
@Injectable()
export class ServerSecrets implements OnModuleInit {
  private readonly values = new Map<string, Buffer>();

  constructor(private readonly database: Database) {}

  async onModuleInit(): Promise<void> {
    for (const name of NAMES) {
      await this.database.query('INSERT INTO server_secret (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        name,
        randomBytes(32),
      ]);
    }
    const rows = await this.database.query<{ name: string; value: Buffer }>('SELECT name, value FROM server_secret');
    for (const row of rows) this.values.set(row.name, row.value);
  }

  get(name: ServerSecretName): Buffer {
    const value = this.values.get(name);
    if (!value) throw new Error(`server secret ${name} was read before the database was ready`);
    return value;
  }
}
