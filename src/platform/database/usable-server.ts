import type { DataSource } from 'typeorm';
import { StartError } from '../config/start-error';
import { addressOf } from './connection/server-connection';
import { PostgresServer } from './connection/postgres-server';
import { ReadOnlyServerError } from './connection/server-choice';
import { NEEDED } from './connection/session-settings';
import type { ConnectionTarget } from './data-source-options';

const OLDEST_SERVER = 150_000;

interface Found {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  readonly standby: boolean;
  readonly readOnly: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

/** Cost: one statement that reads no table. */
const FOUND = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby,
         current_setting('default_transaction_read_only') = 'on' AS "readOnly",
         json_build_object(${Object.keys(NEEDED)
           .map((name) => `'${name}', current_setting('${name}')`)
           .join(', ')}) AS settings`;

/**
 * Throws a `StartError` if the service can't work with the server, and a `ReadOnlyServerError` if the server is still
 * read-only.
 */
export async function requireUsableServer(source: DataSource, target: ConnectionTarget): Promise<void> {
  if (!(target instanceof PostgresServer)) return;
  const { user, database } = target.connection;
  const where = `database "${database}" of ${addressOf(target.connection)}`;
  for (const found of (await source.query(FOUND)) as Found[]) {
    const { version, number, encoding, standby, readOnly } = found;
    if (number < OLDEST_SERVER)
      throw new StartError(`DATABASE_URL: this is PostgreSQL ${version}; 15 or later is required.`);
    if (encoding !== 'UTF8')
      throw new StartError(
        `DATABASE_URL: ${where} has the encoding ${encoding}; UTF8 is required. Create another one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
      );
    const [odd] = Object.entries(NEEDED).filter(([name, value]) => !isAsNeeded(found.settings[name], value));
    if (odd !== undefined)
      throw new StartError(
        `DATABASE_URL: ${where} has ${odd[0]} set to ${found.settings[odd[0]]}, and the pooler in front of it does ` +
          `not allow clients to change that. Run ALTER ROLE "${user}" SET ${odd[0]} = '${odd[1]}' there.`,
      );
    if (standby) throw new ReadOnlyServerError('standby');
    if (readOnly) throw new ReadOnlyServerError('setting');
  }
}

/** A higher precision than needed is accepted. */
const isAsNeeded = (value: string | undefined, needed: string): boolean =>
  value === needed || (/^\d+$/.test(needed) && Number(value) > Number(needed));
