// node scripts/jest/compile.mjs: compiles everything that the specs import, once and using all cores, before the
// workers start. Otherwise, each worker would compile the same thousand files at the same moment. Takes half a second
// if nothing has changed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { isCompiled, process: compile } = createRequire(import.meta.url)('./transformer.cjs');

const [share = 0, shares = 1] = process.argv.slice(2).map(Number);
const stale = ['src', 'packages', 'test']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(root, folder, name)))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .filter((_, index) => index % shares === share)
  .map((file) => ({ file, source: readFileSync(file, 'utf8') }))
  .filter(({ file, source }) => !isCompiled(source, file));

if (process.argv.length > 2) {
  for (const { file, source } of stale) compile(source, file);
} else if (stale.length > 0) {
  const count = Math.min(4, os.availableParallelism(), Math.ceil(stale.length / 50));
  const children = Array.from({ length: count }, (_, index) =>
    spawn(process.execPath, [fileURLToPath(import.meta.url), `${index}`, `${count}`], { stdio: 'inherit' }),
  );
  const ends = await Promise.all(children.map((child) => once(child, 'exit')));
  process.exit(ends.some(([code]) => code !== 0) ? 1 : 0);
}
