import { Logger } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { isUnavailable } from './postgres-errors';
import { StartError } from '../config/start-error';

/** A schema change that belongs to an extension. */
export interface ExtensionMigration {
  readonly extension: string;
  /** The name must be unique within the extension. */
  readonly name: string;
  readonly up: (runner: QueryRunner) => Promise<void>;
}

const logger = new Logger('Database');

/** Returns the migrations that all extensions have applied. Cost: one statement, one row per migration. */
async function applied(runner: QueryRunner): Promise<{ extension: string; name: string }[]> {
  return (await runner.query('SELECT extension, name FROM extension_migration ORDER BY extension, name')) as {
    extension: string;
    name: string;
  }[];
}

/**
 * Runs the migration in the open transaction unless it has already run, and records its name in the same transaction.
 * Call this under the migration lock, and don't check beforehand, because another instance may run the migration before
 * this one gets the lock. Throws a `StartError` that names the migration. Errors that may succeed on retry (a lock, a
 * connection) are thrown unchanged.
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

/**
 * Returns the start time of the open transaction. It stays the same within a transaction, but differs between
 * statements if there is none.
 */
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

/** Logs which extensions still have tables although they, or some of their migrations, are no longer installed. */
export async function reportLeftBehind(runner: QueryRunner, present: readonly ExtensionMigration[]): Promise<void> {
  for (const text of leftBehind(await applied(runner), present)) logger.warn(text);
}

/** Returns one sentence for each extension that has migrations that are no longer installed. */
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
