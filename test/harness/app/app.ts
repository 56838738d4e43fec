import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Extension } from '../../../src/extension/extension';
import type { Config } from '../../../src/platform/config/config';
import { type Service, startExactly } from '../../../src/testing/service/start-service';
import { freshDatabase } from '../database/database';

export type TestApp = Service;

/**
 * Starts the service on a database of its own (embedded in memory, or PostgreSQL with TEST_DATABASE_URL), as `startService` of the
 * test kit does, with nothing added. With `durable` it may be restarted. Call it in `beforeAll` and `close()` in `afterAll`.
 */
export async function startApp(
  overrides: Partial<Config> = {},
  { durable = false, extensions = [] }: { durable?: boolean; extensions?: readonly Extension[] } = {},
): Promise<TestApp> {
  const database = await freshDatabase();
  const directory =
    durable && database.url.startsWith('embedded:') ? await mkdtemp(join(tmpdir(), 'uptime-test-')) : null;
  const kept = directory === null ? {} : { databaseUrl: null, dataDir: directory };
  const app = await startExactly({ database: database.url, extensions, config: { ...kept, ...overrides } });
  const close = app.close.bind(app);
  app.close = async () => {
    await close();
    await database.drop();
    if (directory !== null) await rm(directory, { recursive: true, force: true });
  };
  return app;
}
