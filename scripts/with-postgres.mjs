// node scripts/with-postgres.mjs <command…>: starts a temporary PostgreSQL server, runs the command with
// TEST_DATABASE_URL set to its URL, and removes the server afterward. Requires PostgreSQL's programs, but no running
// server.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error('usage: node scripts/with-postgres.mjs <command> [arguments]');
  process.exit(2);
}

const require = createRequire(import.meta.url);
require('./typescript.cjs');
const { PostgresCluster } = require('../test/harness/database/postgres-cluster.ts');

let child = null;
let ending = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    ending = signal;
    child?.kill(signal);
  });

// The data is needed only during the run, so it doesn't have to survive a machine crash.
const cluster = await PostgresCluster.start({ settings: ['fsync=off', 'full_page_writes=off'] });
let status = 1;
try {
  if (ending !== null) throw new Error('interrupted before it was started');
  child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: cluster.url },
  });
  status = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
} catch (error) {
  console.error(`${command}: ${error.message}`);
} finally {
  await cluster.remove();
}
process.exit(status);
