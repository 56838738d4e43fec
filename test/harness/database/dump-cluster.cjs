'use strict';
/** node dump-cluster.cjs <cluster> <file>: writes the embedded database's directory as a tar that it can start from. */
const { writeFileSync } = require('node:fs');
const { PGlite } = require('@electric-sql/pglite');

const [dataDir, file] = process.argv.slice(2);

void (async () => {
  const database = await PGlite.create({ dataDir });
  const tar = await database.dumpDataDir('none');
  writeFileSync(file, Buffer.from(await tar.arrayBuffer()));
  await database.close();
})();
