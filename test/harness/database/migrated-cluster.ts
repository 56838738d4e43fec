import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { HOUR_MS } from '../../../src/platform/time/time-units';

const ROOT = join(__dirname, '../../..');
const SHELF = join(ROOT, '.cache/test-clusters');

/**
 * Returns a tar file of the embedded database, migrated and empty. In-memory databases start from it, because the
 * migrations account for a third of an application's start time. The first test that needs it creates it. It is kept
 * only for the hour in which it was created, because the migrations store the hour from which the history is rolled up.
 */
export async function migratedCluster(): Promise<string> {
  const file = join(SHELF, `${migrationsFingerprint()}.tar`);
  if (existsSync(file)) return file;
  mkdirSync(SHELF, { recursive: true });
  const draft = mkdtempSync(join(SHELF, 'draft-'));
  try {
    const server = await DatabaseServer.open({ databaseUrl: null, dataDir: draft, databaseSync: false });
    // Each service that starts later sets its own logger.
    Logger.overrideLogger(['warn', 'error', 'fatal']);
    await server.migrate();
    await server.close();
    const tar = join(draft, 'cluster.tar');
    await promisify(execFile)(process.execPath, [join(__dirname, 'dump-cluster.cjs'), join(draft, 'pgdata'), tar]);
    forgetOld();
    // Another worker may have created the same file. Either one is fine.
    renameSync(tar, file);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return file;
}

/** Returns a hash of everything that a migrated, empty database depends on, including the hour. */
export function migrationsFingerprint(): string {
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 'yyyy-mm-ddThh'.length));
  const directories = ['', 'embedded', 'migrations', 'migrations/initial'].map((name) =>
    join(ROOT, 'src/platform/database', name),
  );
  const sources = directories.flatMap((directory) =>
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(directory, name)),
  );
  const engine = require.resolve('@electric-sql/pglite');
  for (const file of [...sources, engine]) hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

/**
 * Deletes files for earlier sources or hours, except for the previous hour, whose file a running test may be about to
 * read.
 */
function forgetOld(): void {
  for (const name of readdirSync(SHELF)) {
    const path = join(SHELF, name);
    if (Date.now() - statSync(path).mtimeMs > 2 * HOUR_MS) rmSync(path, { recursive: true, force: true });
  }
}
