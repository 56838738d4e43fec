// Writes the pre-initialised cluster that a first start of the embedded database unpacks instead of running initdb.
// Run it after an upgrade of @electric-sql/pglite, and commit the result.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

const file = fileURLToPath(new URL('../src/platform/database/embedded/embedded-template.tgz', import.meta.url));

const database = await PGlite.create();
await database.exec('VACUUM (FREEZE, ANALYZE)');
await database.exec('CHECKPOINT');
const tar = Buffer.from(await (await database.dumpDataDir('none')).arrayBuffer());
await database.close();
const tgz = gzipSync(tar, { level: 9 });
writeFileSync(file, tgz);
console.log(`${file}: ${(tgz.length / 1e6).toFixed(1)} MB (unpacked ${(tar.length / 1e6).toFixed(0)} MB)`);
