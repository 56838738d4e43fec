/** @databases both */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Test, type TestingModule } from '@nestjs/testing';
import { Config } from '../../../src/platform/config/config';
import { ConfigModule } from '../../../src/platform/config/config.module';
import { Database } from '../../../src/platform/database/database';
import { DatabaseModule } from '../../../src/platform/database/database.module';
import { freshDatabase, type TestDatabase } from '../../harness/database/database';
import type { Statement } from '../../harness/database/print-statements';

const root = join(__dirname, '../../..');

/** Returns the constant statements of the service, found in a process that loads all its modules. */
async function constantStatements(): Promise<Statement[]> {
  const program = ['-r', './scripts/typescript.cjs', 'test/harness/database/print-statements.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root, maxBuffer: 64 * 1024 ** 2 });
  return JSON.parse(stdout) as Statement[];
}

/** Statements that can be prepared. The others are DDL and locks. */
const isPreparable = ({ sql }: Statement): boolean => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(sql);

describe('every constant SQL statement', () => {
  let fresh: TestDatabase;
  let app: TestingModule;
  let database: Database;

  beforeAll(async () => {
    fresh = await freshDatabase();
    const config = Object.assign(new Config(), { databaseUrl: fresh.url });
    const imports = [ConfigModule.forRoot(config), DatabaseModule.forRoot()];
    app = await (await Test.createTestingModule({ imports }).compile()).init();
    database = app.get(Database);
  });
  afterAll(async () => {
    await app.close();
    await fresh.drop();
  });

  /** Returns the error of the database, or `null` if it can prepare the statement. */
  const errorOf = (sql: string): Promise<string | null> =>
    database
      .transaction(async (tx) => {
        await tx.query(`PREPARE statement AS ${sql}`);
        await tx.query('DEALLOCATE statement');
      })
      .then(
        () => null,
        (error: unknown) => String(error),
      );

  it('fits the schema: its tables, columns, functions, and types exist', async () => {
    const statements = (await constantStatements()).filter(isPreparable);
    expect(statements.length).toBeGreaterThan(600);
    const wrong: string[] = [];
    for (const { at, sql } of statements) {
      const error = await errorOf(sql);
      if (error !== null) wrong.push(`${at} ${error}`);
    }
    expect(wrong).toEqual([]);
  });

  it('is refused if it names a column that does not exist', async () => {
    expect(await errorOf('SELECT no_such_column FROM endpoint WHERE id = $1')).toContain('no_such_column');
  });
});
