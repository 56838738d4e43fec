import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../config/start-error';

/** The programs in one PostgreSQL client installation. */
export interface ClientPrograms {
  readonly version: number;
  readonly pgDump: string;
  readonly pgRestore: string;
  readonly psql: string;
}

/**
 * The parent directories in which packages install each version separately, on Debian, Red Hat, Alpine, and Homebrew.
 */
const PARENTS: readonly (readonly [string, (version: string) => string])[] = [
  ['/usr/lib/postgresql', (version) => join(version, 'bin')],
  ['/usr', (name) => (/^pgsql-\d+$/.test(name) ? join(name, 'bin') : '')],
  ['/usr/libexec', (name) => (/^postgresql\d+$/.test(name) ? name : '')],
  ['/opt/homebrew/opt', (name) => (/^(postgresql@\d+|libpq)$/.test(name) ? join(name, 'bin') : '')],
];

/** Returns the directories in the path and in known packages. */
function searched(path = process.env['PATH'] ?? ''): string[] {
  const packaged = PARENTS.flatMap(([parent, below]) =>
    (existsSync(parent) ? readdirSync(parent) : [])
      .map(below)
      .flatMap((name) => (name === '' ? [] : join(parent, name))),
  );
  return [...new Set([...path.split(delimiter).filter((directory) => directory !== ''), ...packaged])];
}

export type FindPrograms = typeof clientPrograms;

/**
 * Returns the installations that work with a server of this major version, starting with the same version. Throws a
 * `StartError` if there are none, because older programs reject a newer server.
 */
export async function clientPrograms(
  serverVersion: number,
  directories: readonly string[] = searched(),
): Promise<readonly [ClientPrograms, ...ClientPrograms[]]> {
  const found = (await Promise.all(directories.map(programsIn))).flatMap((each) => each ?? []);
  const [first, ...others] = found
    .filter(({ version }) => version >= serverVersion)
    .sort((a, b) => a.version - b.version);
  if (first !== undefined) return [first, ...others];
  const versions = [...new Set(found.map(({ version }) => version))].sort((a, b) => a - b).join(', ');
  const there = versions === '' ? 'they are not installed' : `only version ${versions} is installed`;
  throw new StartError(
    `pg_dump, pg_restore and psql of version ${serverVersion} or later are required for this server; ${there}. ` +
      `Install postgresql-client-${serverVersion} or later on this machine.`,
  );
}

/** Returns `null` if one of the three programs is missing or doesn't run. */
async function programsIn(directory: string): Promise<ClientPrograms | null> {
  const [pgDump = '', pgRestore = '', psql = ''] = ['pg_dump', 'pg_restore', 'psql'].map((name) =>
    join(directory, name),
  );
  if (![pgDump, pgRestore, psql].every((file) => existsSync(file))) return null;
  try {
    const { stdout } = await promisify(execFile)(pgDump, ['--version'], { timeout: 10_000 });
    const version = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
    return version > 0 ? { version, pgDump, pgRestore, psql } : null;
  } catch {
    return null;
  }
}
