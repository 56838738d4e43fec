/**
 * @lane slow
 * @databases embedded
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../../src/platform/config/start-error';
import { EmbeddedPostgres } from '../../../src/platform/database/embedded/embedded-postgres';

describe('a data directory that the engine cannot start with', () => {
  let folder: string;
  let whole: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-broken-'));
    whole = join(folder, 'whole');
    const engine = await EmbeddedPostgres.start({ directory: whole });
    await engine.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each<[string, (cluster: string) => void, string, string]>([
    [
      'a directory without its log',
      (cluster) => {
        for (const name of readdirSync(join(cluster, 'pg_wal')))
          rmSync(join(cluster, 'pg_wal', name), { recursive: true });
      },
      'could not locate a valid checkpoint record at',
      'Move the directory away and restore a backup into a new one.',
    ],
    [
      'a directory whose control file is cut off',
      (cluster) => truncateSync(join(cluster, 'global/pg_control'), 100),
      'could not read file "global/pg_control": read 100 of 296.',
      'Move the directory away and restore a backup into a new one.',
    ],
    [
      'a directory of another version of PostgreSQL',
      (cluster) => writeFileSync(join(cluster, 'PG_VERSION'), '17\n'),
      'The data directory was initialized by PostgreSQL version 17,',
      'Start the version of the service that created the directory, or restore a backup that this version created.',
    ],
  ])(
    '%s is refused with the reason from the engine and an explanation of what to do',
    async (_, damage, reason, cure) => {
      const directory = mkdtempSync(join(folder, 'damaged-'));
      cpSync(whole, directory, { recursive: true });
      damage(join(directory, 'pgdata'));
      const error = await EmbeddedPostgres.start({ directory }).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(StartError);
      const { message } = error as StartError;
      expect(message.startsWith(`DATA_DIR: the embedded database in ${directory} cannot start: `)).toBe(true);
      expect(message).toContain(reason);
      expect(message.endsWith(` ${cure}`)).toBe(true);
      expect(readdirSync(directory)).not.toContain('database.lock');
    },
  );
});
