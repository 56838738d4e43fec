// dist is one tree: what the compiler writes below `src` and `packages` stands side by side in it, so `dist/main.js` is the
// server, and `dist/cli` and `dist/testing` are the packages of these names.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folders whose sources make up dist. */
export const SOURCES = ['src', 'packages'];

/** From one source folder into another: both are the same folder in dist, one step nearer. */
const ACROSS = /(["'])((?:\.\.\/)*)\.\.\/(?:src|packages)\//g;
const SOURCE = /"sources":\["(?:\.\.\/)+/;

/** Makes one tree of `<folder>/src` and `<folder>/packages`. */
export function asOneTree(folder) {
  for (const sources of SOURCES) {
    const from = join(folder, sources);
    for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
      if (!statSync(join(from, name)).isFile()) continue;
      const text = readFileSync(join(from, name), 'utf8');
      const moved = name.endsWith('.map')
        ? text.replace(SOURCE, `"sources":["${'../'.repeat(name.split(/[\\/]/).length)}`)
        : text.replaceAll(ACROSS, (_, quote, up) => `${quote}${up || './'}`);
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      if (moved === text) renameSync(join(from, name), join(folder, name));
      else writeFileSync(join(folder, name), moved);
    }
    rmSync(from, { recursive: true });
  }
}
