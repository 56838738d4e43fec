// node scripts/with-postgres.mjs node scripts/dump-release.mjs: writes test/fixtures/<version>.sql, the database of the
// built service (npm run build) after a few checks. Upgrade tests start from it. Run it again when the initial
// migration changes. After the version is released, neither changes again.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
require('./typescript.cjs');
const { findPostgres } = require('../test/harness/database/postgres-cluster.ts');
const { DatabaseWitness, ServiceProcess } = require('../test/harness/processes/service-process.ts');

const root = fileURLToPath(new URL('..', import.meta.url));
const url = process.env.TEST_DATABASE_URL;
if (!url) throw new Error('run it through scripts/with-postgres.mjs');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const target = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
await new Promise((resolve) => target.once('listening', resolve));
const service = await ServiceProcess.start(url);
const witness = DatabaseWitness.on(url);
const created = async (path, body) => {
  const { status, text, body: made } = await service.api.post(path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
  return made.id;
};
try {
  const website = await created('/websites', { name: 'Shop', url: 'https://shop.example.com', tags: ['shop'] });
  const endpoint = await created(`/websites/${website}/endpoints`, {
    name: 'Home page',
    url: `http://127.0.0.1:${target.address().port}/`,
    type: 'HTTP',
    interval: 1,
    headers: [{ key: 'Authorization', value: 'Bearer secret' }],
  });
  const config = { url: 'https://hooks.example.com/incidents' };
  const contact = await created('/contacts', { name: 'Operations', type: 'webhook', config });
  await created('/alerts', { endpoint_id: endpoint, contact_id: contact });
  await created('/alerts', { endpoint_id: endpoint, type: 'webhook', config, failure_threshold: 5 });
  while ((await witness.count('SELECT FROM endpoint_state WHERE consecutive_successes > 2')) === 0) await delay(50);
  // Tests that continue from here send no notifications.
  await service.api.put(`/endpoints/${endpoint}`, { enabled: false });
} finally {
  service.signal('SIGTERM');
  await service.ended();
  await witness.close();
  target.close();
}
const program = join(findPostgres(), 'pg_dump');
const dump = execFileSync(program, ['--inserts', '--no-owner', '--no-acl', '-d', url], { encoding: 'utf8' });
// Drops psql commands and settings that would remain in the session that loads the file.
const lines = dump.split('\n').filter((line) => !/^(--.*|\\(un)?restrict .*|SET .*|.*'search_path'.*|)$/.test(line));
const head = `-- What ${version} leaves in a database. Made by: node scripts/with-postgres.mjs node scripts/dump-release.mjs`;
writeFileSync(join(root, `test/fixtures/${version}.sql`), `${[head, ...lines].join('\n')}\n`);
