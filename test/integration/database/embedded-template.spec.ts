/**
 * @lane slow @alone
 * @databases embedded
 */
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import {
  clusterTemplate,
  emptyTemplate,
  schemaTemplate,
} from '../../../src/platform/database/embedded/cluster-template';
import { HOUR_MS } from '../../../src/platform/time/time-units';
import { schemaOf } from '../../harness/database/schema-of';

const EMBEDDED = 'platform/database/embedded';
const BUILT = join(__dirname, '../../../dist', EMBEDDED);
const SOURCES = join(__dirname, '../../../src', EMBEDDED);

/** Compares the template from the build with the migrations of the sources. */
describe('a first start from the template of the build', () => {
  const opened: (() => Promise<void>)[] = [];
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(async () => {
    for (const close of opened.reverse()) await close();
  });

  async function open(template: string): Promise<{ server: DatabaseServer; source: DataSource }> {
    const server = await DatabaseServer.open({ databaseUrl: `embedded:memory:${template}`, dataDir: '' });
    const options = dataSourceOptions(server.target, { size: 1, name: 'test', queryTimeoutMs: 0 });
    const source = await new DataSource(options).initialize();
    opened.push(async () => {
      await source.destroy();
      await server.close();
    });
    return { server, source };
  }

  it('has the schema and the migrations of a database that ran them all', async () => {
    expect(clusterTemplate(BUILT)).toBe(schemaTemplate(BUILT));
    const built = await open(clusterTemplate(BUILT));
    const migrated = await open(emptyTemplate(SOURCES));
    for (const { server } of [built, migrated]) await server.migrate();
    expect(await schemaOf(built.source)).toEqual(await schemaOf(migrated.source));
    const migrations = 'SELECT id, timestamp, name FROM migrations ORDER BY id';
    expect(await built.source.query(migrations)).toEqual(await migrated.source.query(migrations));
  });

  it('starts history at its own moment, not at the moment of the build', async () => {
    const { server, source } = await open(clusterTemplate(BUILT));
    const progress = (): Promise<{ name: string; until: Date }[]> =>
      source.query('SELECT name, done_until AS until FROM history_progress');
    expect(await progress()).toEqual([]);
    const before = Date.now();
    await server.migrate();
    const until = new Map((await progress()).map((row) => [row.name, row.until.getTime()]));
    expect([...until.keys()].sort()).toEqual(['day', 'hour', 'new', 'purge']);
    for (const name of ['purge', 'new']) expect(until.get(name)).toBeGreaterThanOrEqual(before);
    expect(until.get('hour')).toBeGreaterThan(before - 2 * HOUR_MS);
    await server.migrate();
    expect(new Map((await progress()).map((row) => [row.name, row.until.getTime()]))).toEqual(until);
  });
});
