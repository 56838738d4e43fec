import 'reflect-metadata';
import { Database } from '../src/platform/database/database';
import { startApp } from '../test/harness/app/app';

/**
 * Measures what it costs to export an organization with many endpoints and two alerts each: time, bytes, the process's
 * memory, and the slowest request to the same process during the export.
 * On the embedded database: `node --expose-gc -r ./scripts/typescript.cjs bench/export.ts`
 * On PostgreSQL: `node scripts/with-postgres.mjs node --expose-gc -r ./scripts/typescript.cjs bench/export.ts`
 */
const ENDPOINTS = Number(process.env['ENDPOINTS'] ?? 20_000);
/** All endpoints have the same name and no keys. */
const IS_KEYLESS = process.env['KEYLESS'] === '1';
const MIB = 1024 * 1024;

const SEED = {
  version: 1,
  contacts: [{ key: 'chat', name: 'Chat', type: 'slack', config: { webhook_url: 'https://hooks.example.com/x' } }],
  websites: [
    {
      key: 'site',
      name: 'Site',
      url: 'https://site.example.com/',
      endpoints: [
        {
          key: 'page',
          name: 'Page',
          type: 'HTTPS',
          url: 'https://site.example.com/page',
          interval: 300,
          headers: [{ key: 'Authorization', value: 'Bearer x' }],
          assertions: [{ source: 'status_code', comparison: 'equals', target: '200' }],
          alerts: [
            { key: 'chat', contact: 'chat', failure_threshold: 2 },
            { key: 'second', contact: 'chat', condition: 'degraded' },
          ],
        },
      ],
    },
  ],
};

/** Copies the rows in a table. `changed` maps each column that isn't copied to its new value. */
async function copied(database: Database, table: string, changed: Record<string, string>, from: string): Promise<void> {
  const columns = await database.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
      WHERE table_name = $1 AND table_schema = current_schema() AND column_name <> 'key'`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  await database.query(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map((name) => changed[name] ?? `t.${name}`).join(', ')} ${from}`,
  );
}

const held = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;

async function main(): Promise<void> {
  const url = process.env['TEST_DATABASE_URL'];
  // If this variable were set, the harness would create a database for a test file.
  delete process.env['TEST_DATABASE_URL'];
  const app = await startApp({ role: 'api', ...(url !== undefined && { databaseUrl: url }) });
  const database = app.app.get(Database);
  const { write } = await app.organization('bench');
  const applied = await write.put('/configuration', SEED);
  if (applied.status !== 200) throw new Error(applied.text);
  const endpoint = `FROM endpoint t CROSS JOIN generate_series(2, ${ENDPOINTS}) n WHERE t.external_key = 'page'`;
  const [name, key] = IS_KEYLESS ? [`'Page'`, 'NULL'] : [`'Page ' || n`, `'page-' || n`];
  await copied(database, 'endpoint', { id: 'gen_random_uuid()', name, external_key: key }, endpoint);
  const alert = `FROM alert t JOIN endpoint e ON e.org_id = t.org_id AND e.id <> t.endpoint_id`;
  await copied(database, 'alert', { id: 'gen_random_uuid()', endpoint_id: 'e.id' }, alert);
  await database.query('ANALYZE');

  for (const accept of ['application/yaml', 'application/json', 'application/yaml']) {
    let longest = 0;
    const ended = new AbortController();
    const others = (async () => {
      while (!ended.signal.aborted) {
        const began = performance.now();
        await write.get('/contacts');
        longest = Math.max(longest, performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    global.gc?.();
    const [before, began] = [held(), performance.now()];
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, held())), 20);
    const response = await fetch(`${write.url}/api/v1/configuration`, {
      headers: { accept, authorization: `Bearer ${write.key}` },
    });
    const text = await response.text();
    const ms = performance.now() - began;
    clearInterval(watch);
    ended.abort();
    await others;
    console.log(
      `${accept}: ${response.status}, ${Math.round(ms)} ms, ${(text.length / MIB).toFixed(1)} MiB of text, ` +
        `${Math.round((most - before) / MIB)} MiB more memory with the client's, another request ${Math.round(longest)} ms at most`,
    );
  }
  await app.close();
}

void main();
