'use strict';
/**
 * The baseline for the cost of a service at rest: the engine of the embedded database in its own process, with one
 * connection and without a schema. Prints a line with the CPU milliseconds of its statements, and then waits for a
 * signal.
 */
const path = require('node:path');
const [dist, directory, template, statements] = process.argv.slice(2);
const embedded = path.join(dist, 'platform', 'database', 'embedded');
require(path.join(embedded, 'engine-flags.cjs'));
const { openEngine } = require(path.join(embedded, 'embedded-engine.cjs'));

async function main() {
  const database = await openEngine({ directory, template, sync: true });
  const work = async () => {
    for (let n = 0; n < Number(statements); n++) await database.query('SELECT count(*) FROM pg_class');
  };
  // Compiles what the statement needs.
  await work();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${(user + system) / 1000}\n`);
}

setInterval(() => {}, 60_000);
void main();
