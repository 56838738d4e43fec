/**
 * @lane slow
 * @databases both
 */
import { DataSource } from 'typeorm';
import { IS_MISSING } from '../../../src/incident/incident-adoption';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { downgrade } from '../../../src/platform/database/downgrade';
import { migrations } from '../../../src/platform/database/migrations/migrations';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { freshDatabase, plainDatabase, type TestDatabase } from '../../harness/database/database';
import { FIRST_RELEASE } from '../../harness/database/first-release';
import { schemaOf } from '../../harness/database/schema-of';

describe('a database of version 0.1.0', () => {
  const opened: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of opened.reverse()) await close();
  });

  async function open(database: TestDatabase): Promise<{ server: DatabaseServer; source: DataSource }> {
    const server = await DatabaseServer.open({ databaseUrl: database.url, dataDir: '' });
    const options = dataSourceOptions(server.target, { size: 1, name: 'test', queryTimeoutMs: 0 });
    const source = await new DataSource(options).initialize();
    opened.push(async () => {
      await source.destroy();
      await server.close();
      await database.drop();
    });
    return { server, source };
  }
  const empty = (): Promise<TestDatabase> => {
    const server = process.env['TEST_DATABASE_URL'] ?? '';
    return server === '' ? Promise.resolve({ url: 'embedded:memory', drop: async () => {} }) : plainDatabase(server);
  };

  it('has the schema of a new one after an upgrade, and all its data', async () => {
    const { server, source } = await open(await empty());
    await source.query(FIRST_RELEASE);
    await server.migrate();
    const fresh = await open(await freshDatabase());
    // If this fails before the release, the initial migration was changed. scripts/dump-release.mjs then creates the
    // dump again.
    expect(await schemaOf(source)).toEqual(await schemaOf(fresh.source));
    expect(await source.query('SELECT name FROM contact')).toEqual([{ name: 'Operations' }]);
    expect(await source.query('SELECT endpoints FROM website_use')).toEqual([{ endpoints: 1 }]);
  });

  it('keeps an alert that is triggered: the consistency check finds that its endpoint is in no incident', async () => {
    const { server, source } = await open(await empty());
    await source.query(FIRST_RELEASE);
    await source.query(`UPDATE alert SET triggered = true, incident_no = 1, incident_started_at = now()`);
    const [{ count }] = await source.query<[{ count: number }]>('SELECT count(*)::int AS count FROM alert');
    expect(count).toBeGreaterThan(0);
    await server.migrate();
    expect(await source.query(`SELECT a.triggered FROM alert a WHERE ${IS_MISSING}`)).toHaveLength(count);
  });

  /** Ignores the order of columns and the layout of functions, which a downgrade may change. */
  const essence = async (source: DataSource): Promise<string[]> =>
    (await schemaOf(source))
      .map(({ kind, name, text }) => `${kind} ${name}: ${text.replaceAll(/\s+/g, ' ').replace(/^\d+ /, '')}`)
      .sort();

  it('is the result of `npm run downgrade -- 0.1.0` after an upgrade, with all data that 0.1.0 had stored', async () => {
    const { server, source } = await open(await empty());
    await source.query(FIRST_RELEASE);
    const before = await essence(source);
    await server.migrate();
    await expect(downgrade(server.target, '0.0.9')).rejects.toThrow('The earlier releases are: 0.1.0');
    const undone = await downgrade(server.target, '0.1.0');
    expect(undone.at(0)).toBe(migrations.at(-1)?.name);
    expect(undone).toHaveLength(migrations.length - 2);
    expect(await essence(source)).toEqual(before);
    expect(await source.query('SELECT name FROM contact')).toEqual([{ name: 'Operations' }]);
    expect(await downgrade(server.target, '0.1.0')).toEqual([]);
    await server.migrate();
  });
});
