// Makes what a first start of the embedded database unpacks instead of running initdb and the initial migration.
// Alone: writes the empty cluster. Run it after an upgrade of @electric-sql/pglite, and commit the result.
// With the folder of a compiled service, for the build: there a cluster that has the schema takes the place of the empty one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

const EMBEDDED = 'platform/database/embedded';

/** The same in every cluster of this version: what depends on the moment is another migration, and runs at the first start. */
async function addSchema(service, dataDir) {
  const require = createRequire(join(resolve(service), 'main.js'));
  const { DataSource } = require('typeorm');
  const { DatabaseServer } = require('./platform/database/database-server');
  const { dataSourceOptions } = require('./platform/database/data-source-options');
  const { Initial1795564800000 } = require('./platform/database/migrations/1795564800000-initial');
  const server = await DatabaseServer.open({ databaseUrl: null, dataDir });
  const options = dataSourceOptions(server.target, { size: 1, name: 'template', queryTimeoutMs: 0 });
  const source = await new DataSource({ ...options, migrations: [Initial1795564800000] }).initialize();
  await source.runMigrations();
  await source.destroy();
  await server.close();
}

async function writeCluster(dataDir, file) {
  const database = await PGlite.create(dataDir === null ? {} : { dataDir });
  await database.exec('VACUUM (FREEZE, ANALYZE)');
  await database.exec('CHECKPOINT');
  const tar = Buffer.from(await (await database.dumpDataDir('none')).arrayBuffer());
  await database.close();
  // A window that reaches across the three databases of a cluster, which are alike: with gzip it is three times as large.
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 9 };
  const packed = brotliCompressSync(tar, { params });
  writeFileSync(file, packed);
}

const [service] = process.argv.slice(2);
if (service === undefined) {
  const folder = fileURLToPath(new URL(`../src/${EMBEDDED}`, import.meta.url));
  await writeCluster(null, join(folder, 'embedded-template.tar.br'));
} else {
  const folder = resolve(service, EMBEDDED);
  const { emptyTemplate, schemaTemplate } = createRequire(import.meta.url)(join(folder, 'cluster-template.js'));
  const data = mkdtempSync(join(tmpdir(), 'uptime-template-'));
  try {
    await addSchema(service, data);
    await writeCluster(join(data, 'pgdata'), schemaTemplate(folder));
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  rmSync(emptyTemplate(folder));
}
