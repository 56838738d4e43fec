// node scripts/postgres-versions.mjs <directory…>: saves and restores a service database with every installed version
// of PostgreSQL. Each server is combined with the client programs of the same version and of every newer version. A
// directory has a `bin` with a server (initdb, postgres), a client (pg_dump, pg_restore, psql), or both.
// POSTGRES_INSTALLATIONS lists additional ones, separated by colons. Debian's directories are found automatically.
// Prints a table and counts. Exits with code 1 if anything failed.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
require('./typescript.cjs');
const { PostgresCluster } = require('../test/harness/database/postgres-cluster.ts');
const { asSuperuser } = require('../test/harness/database/on-cluster.ts');
const { clientPrograms } = require('../src/platform/database/dump/client-programs.ts');
const { restoreServer, saveServer } = require('../src/platform/database/dump/server-dump.ts');
const { DatabaseServer } = require('../src/platform/database/database-server.ts');

const DEBIAN = '/usr/lib/postgresql';
const installed = [
  ...process.argv.slice(2),
  ...(process.env.POSTGRES_INSTALLATIONS ?? '').split(':').filter((directory) => directory !== ''),
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version)) : []),
].map((directory) => join(directory, 'bin'));

async function versionOf(bin, program) {
  try {
    const { stdout } = await promisify(execFile)(join(bin, program), ['--version']);
    return /\(PostgreSQL\) ([\d.]+)/.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}

async function withProgram(program) {
  const found = await Promise.all(installed.map(async (bin) => ({ bin, version: await versionOf(bin, program) })));
  return found
    .filter(({ version }) => version !== null)
    .sort((a, b) => Number.parseFloat(a.version) - Number.parseFloat(b.version));
}

const major = (version) => Number.parseInt(version, 10);
const servers = await withProgram('postgres');
const clients = await withProgram('pg_dump');
const folder = mkdtempSync(join(tmpdir(), 'uptime-versions-'));
const rows = [];

const CONTENTS = `
  SELECT (SELECT count(*)::int FROM migrations) AS migrations, (SELECT array_agg(name) FROM organization) AS organizations,
         (SELECT count(*)::int FROM pg_class WHERE relnamespace = 'public'::regnamespace) AS relations,
         (SELECT count(*)::int FROM pg_trigger WHERE NOT tgisinternal) AS triggers`;

async function tryPair(cluster, server, client) {
  const url = `postgres://postgres@127.0.0.1:${cluster.port}/saved`;
  const file = join(folder, `${server.version}-${client.version}`);
  try {
    // Uses only this version's programs.
    const find = (version) => clientPrograms(version, [client.bin]);
    await saveServer(url, file, find);
    await asSuperuser(cluster, 'postgres', 'DROP DATABASE IF EXISTS restored', 'CREATE DATABASE restored');
    await restoreServer(url.replace('/saved', '/restored'), file, find);
    const [before] = await asSuperuser(cluster, 'saved', CONTENTS);
    const [after] = await asSuperuser(cluster, 'restored', CONTENTS);
    return JSON.stringify(before) === JSON.stringify(after) ? 'saved and restored' : 'DIFFERENT';
  } catch (error) {
    return `FAILED: ${error.message.replaceAll(/\s+/g, ' ')}`;
  }
}

try {
  for (const server of servers) {
    const cluster = await PostgresCluster.start({ bin: server.bin, settings: ['fsync=off'] });
    try {
      await asSuperuser(cluster, 'postgres', 'CREATE DATABASE saved');
      const opened = await DatabaseServer.open({ databaseUrl: `postgres://postgres@127.0.0.1:${cluster.port}/saved` });
      await opened.migrate();
      await opened.close();
      await asSuperuser(cluster, 'saved', `INSERT INTO organization (id, name) VALUES (gen_random_uuid(), 'Zoë & Co')`);
      for (const client of clients.filter(({ version }) => major(version) >= major(server.version)))
        rows.push([server.version, client.version, await tryPair(cluster, server, client)]);
    } finally {
      await cluster.remove();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log('| Server | pg_dump, pg_restore, psql | Result |\n| --- | --- | --- |');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
if (new Set(servers.map(({ version }) => major(version))).size < 2)
  console.log('Only one version of the server is installed: name the directories of others.');
const passed = rows.filter(([, , result]) => result === 'saved and restored').length;
console.log(`${passed} passed, ${rows.length - passed} failed, 0 skipped`);
process.exit(rows.length > 0 && passed === rows.length ? 0 : 1);
