/**
 * @lane slow
 * @databases both
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrations } from '../../../src/platform/database/migrations/migrations';
import { freshDatabase, plainDatabase, type TestDatabase } from '../../harness/database/database';

const root = join(__dirname, '../../..');
const run = promisify(execFile);

describe('the migrations on the command line', () => {
  let directory: string;
  let fresh: TestDatabase;

  /** Returns the output. Throws if the command fails. */
  const typeorm = async (...words: string[]): Promise<string> => {
    const server = fresh.url.startsWith('embedded:') ? {} : { DATABASE_URL: fresh.url };
    const program = ['-r', './scripts/typescript.cjs', 'node_modules/typeorm/cli.js'];
    const { stdout } = await run(process.execPath, [...program, ...words, '-d', 'ormconfig.ts'], {
      cwd: root,
      env: { PATH: process.env['PATH'], DATA_DIR: directory, ...server },
    });
    return stdout;
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'uptime-migrations-'));
    const server = process.env['TEST_DATABASE_URL'] ?? '';
    fresh = await (server === '' ? freshDatabase() : plainDatabase(server));
  });
  afterAll(async () => {
    await fresh.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('the migrations create the schema that the entities describe, and can be reverted one by one', async () => {
    const migrated = await typeorm('migration:run');
    for (const { name } of migrations) expect(migrated).toContain(`Migration ${name} has been executed successfully`);

    expect(await typeorm('migration:generate', '--check', join(directory, 'change'))).toContain('No changes');

    const newest = migrations.at(-1)?.name;
    expect(await typeorm('migration:revert')).toContain(`Migration ${newest} has been reverted successfully`);
    expect(await typeorm('migration:run')).toContain(`Migration ${newest} has been executed successfully`);
    expect(readdirSync(directory)).not.toContain('database.lock');
  }, 180_000);
});
