import { Logger } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { isUnavailable } from './postgres-errors';
import { StartError } from '../config/start-error';

/** A change of the schema that an extension brings. */
export interface ExtensionMigration {
  readonly extension: string;
  /** Unique within the extension. */
  readonly name: string;
  readonly up: (runner: QueryRunner) => Promise<void>;
}

const logger = new Logger('Database');

/** Which have run, of whatever extension. One statement; a row per migration ever run. */
async function applied(runner: QueryRunner): Promise<{ extension: string; name: string }[]> {
  return (await runner.query('SELECT extension, name FROM extension_migration ORDER BY extension, name')) as {
    extension: string;
    name: string;
  }[];
}

/**
 * Runs one in the open transaction unless it has run; with it its name is written down, or nothing is. Call it under the lock
 * of migrations and look no earlier: what is read before the lock is held may have been done by another instance meanwhile.
 * A failure is a `StartError` that names the migration; one that is worth another attempt (a lock, a connection) is thrown as it is.
 */
export async function runOnce(runner: QueryRunner, { extension, name, up }: ExtensionMigration): Promise<void> {
  if ((await applied(runner)).some((row) => row.extension === extension && row.name === name)) return;
  const transaction = await transactionOf(runner);
  try {
    await up(runner);
    if ((await transactionOf(runner)) !== transaction) throw endsItsTransaction(extension, name);
    await runner.query('INSERT INTO extension_migration (extension, name) VALUES ($1, $2)', [extension, name]);
  } catch (error) {
    throw isUnavailable(error) || error instanceof StartError ? error : failure(extension, name, error);
  }
  logger.log(`Migrated: ${name} of extension "${extension}"`);
}

/** When the open transaction began: the same throughout it, another one in each statement without one. */
async function transactionOf(runner: QueryRunner): Promise<string | undefined> {
  const [row] = (await runner.query('SELECT now()::text AS began')) as { began: string }[];
  return row?.began;
}

const endsItsTransaction = (extension: string, name: string): StartError =>
  new StartError(
    `Extension "${extension}": migration ${name} ends the transaction that it runs in. Its changes may be incomplete, and it was not recorded as run. Leave COMMIT and ROLLBACK to the service.`,
  );

function failure(extension: string, name: string, error: unknown): StartError {
  const why = error instanceof Error ? error.message : String(error);
  return new StartError(
    `Extension "${extension}": migration ${name} failed (${why}). It was rolled back; earlier migrations were kept. Fix it, or start without the extension.`,
    { cause: error },
  );
}

/** Says of which extensions there are tables although they, or these migrations of theirs, are not here any more. */
export async function reportLeftBehind(runner: QueryRunner, present: readonly ExtensionMigration[]): Promise<void> {
  for (const text of leftBehind(await applied(runner), present)) logger.warn(text);
}

/** One sentence for each extension that was here with more than it has now. */
export function leftBehind(
  rows: readonly { extension: string; name: string }[],
  present: readonly Pick<ExtensionMigration, 'extension' | 'name'>[],
): string[] {
  const isPresent = (row: { extension: string; name: string }): boolean =>
    present.some(({ extension, name }) => extension === row.extension && name === row.name);
  const missing = rows.filter((row) => !isPresent(row));
  return [...new Set(missing.map(({ extension }) => extension))].map((extension) => {
    const names = missing.filter((row) => row.extension === extension).map(({ name }) => name);
    return present.some((migration) => migration.extension === extension)
      ? `Extension "${extension}" is older than its tables: it does not contain the migrations ${names.join(', ')}. Nothing was undone.`
      : `Extension "${extension}" is no longer loaded. Its tables and their rows are kept (${names.join(', ')}).`;
  });
}
