// Creates the cluster that the embedded database unpacks at its first start instead of running initdb and the initial
// migration. Without an argument, it creates the empty cluster that the service uses when it runs from its sources. It
// does nothing if this engine version has already created it. The cluster isn't committed, because no one could review
// it. The build passes the folder of a compiled service. In that case, the cluster has the schema and replaces the
// empty one.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

const EMBEDDED = 'platform/database/embedded';
const require = createRequire(import.meta.url);
const { packCluster } = require(`../src/${EMBEDDED}/cluster-archive.cjs`);
const root = fileURLToPath(new URL('..', import.meta.url));
/** Contains the engine version that created the empty cluster. */
const stamp = join(root, '.cache/embedded-template-version');

/**
 * The result is the same in every cluster with this version. Steps that depend on the time are in another migration,
 * which runs at the first start.
 */
async function addSchema(service, dataDir) {
  const requireBuilt = createRequire(join(resolve(service), 'main.js'));
  const { DataSource } = requireBuilt('typeorm');
  const { DatabaseServer } = requireBuilt('./platform/database/database-server');
  const { dataSourceOptions } = requireBuilt('./platform/database/data-source-options');
  const { Initial1795564800000 } = requireBuilt('./platform/database/migrations/1795564800000-initial');
  const server = await DatabaseServer.open({ databaseUrl: null, dataDir, databaseSync: false });
  const options = dataSourceOptions(server.target, { size: 1, name: 'template', queryTimeoutMs: 0 });
  const source = await new DataSource({ ...options, migrations: [Initial1795564800000] }).initialize();
  await source.runMigrations();
  await source.destroy();
  await server.close();
}

/**
 * Removes the two databases that CREATE DATABASE copies. The service never creates databases, and these two make up two
 * thirds of all files.
 */
async function dropTemplates(database) {
  await database.exec('UPDATE pg_database SET datistemplate = false');
  for (const name of ['template0', 'template1']) await database.exec(`DROP DATABASE IF EXISTS ${name}`);
}

/** Closes the cluster before it is packed, because a copy of an open cluster has to recover at its first start. */
async function writeCluster(dataDir, file, quality) {
  const database = await PGlite.create({ dataDir });
  await dropTemplates(database);
  await database.exec('VACUUM (FREEZE, ANALYZE)');
  await database.close();
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: quality };
  // Renamed at the end, because several processes may create it at the same time.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, brotliCompressSync(packCluster(dataDir), { params }));
  renameSync(draft, file);
}

async function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'uptime-template-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeEmpty() {
  const file = join(root, 'src', EMBEDDED, 'embedded-template.tar.br');
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@electric-sql/pglite/package.json'), 'utf8'));
  if (existsSync(file) && existsSync(stamp) && readFileSync(stamp, 'utf8') === version) return;
  await inTemporaryFolder((data) => writeCluster(join(data, 'pgdata'), file, 4));
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, version);
}

const [service] = process.argv.slice(2);
if (service === undefined) await writeEmpty();
else {
  const folder = resolve(service, EMBEDDED);
  const { emptyTemplate, schemaTemplate } = require(join(folder, 'cluster-template.js'));
  await inTemporaryFolder(async (data) => {
    await addSchema(service, data);
    await writeCluster(join(data, 'pgdata'), schemaTemplate(folder), 9);
  });
  rmSync(emptyTemplate(folder));
}
