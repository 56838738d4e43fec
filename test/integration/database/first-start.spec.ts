/**
 * @lane slow
 * @databases both
 */
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StartError } from '../../../src/platform/config/start-error';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { migrations } from '../../../src/platform/database/migrations/migrations';
import { freshDatabase, type TestDatabase } from '../../harness/database/database';

describe('the database at the start of the service', () => {
  let fresh: TestDatabase;
  let server: DatabaseServer;
  let source: DataSource;
  const lines: string[] = [];

  /** A migrated database for each test, which may change it. */
  beforeEach(async () => {
    fresh = await freshDatabase();
    server = await DatabaseServer.open({ databaseUrl: fresh.url, dataDir: '' });
    const options = dataSourceOptions(server.target, { size: 1, name: 'test', queryTimeoutMs: 0 });
    source = await new DataSource(options).initialize();
    lines.length = 0;
    const tell = (line: string): void => void lines.push(line);
    Logger.overrideLogger({ log: tell, warn: tell, error: tell });
  });
  afterEach(async () => {
    await source.destroy();
    await server.close();
    await fresh.drop();
  });
  afterAll(() => Logger.overrideLogger(false));

  it('logs one line for a new database, and nothing for one that is up to date', async () => {
    for (const _ of migrations) await source.undoLastMigration();
    await server.migrate();
    expect(lines).toEqual([`Migrated: ${migrations.at(-1)?.name} and all earlier migrations, in a new database`]);
    await server.migrate();
    expect(lines).toHaveLength(1);
  });

  it('created before 0.1.0 is left unchanged, and the error explains what to do', async () => {
    await source.query(`DELETE FROM migrations`);
    await source.query(`INSERT INTO migrations (timestamp, name) VALUES (1700000000000, 'Initial1700000000000')`);
    await expect(server.migrate()).rejects.toThrow(StartError);
    await expect(server.migrate()).rejects.toThrow(
      /created by a version before 0\.1\.0.* Export the configuration with the version that created it .* empty database/,
    );
    expect(await source.query('SELECT name FROM migrations')).toEqual([{ name: 'Initial1700000000000' }]);
    expect(lines).toEqual([]);
  });

  it('created by a later version is used', async () => {
    await source.query(`INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Later9999999999999')`);
    await server.migrate();
    expect(lines).toEqual([]);
  });
});
