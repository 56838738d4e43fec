// dist is a single tree that contains the compiled files from both `src` and `packages`. `dist/main.js` is the server,
// and `dist/cli` and `dist/testing` are the packages with the same names.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folders whose sources are compiled to dist. */
export const SOURCES = ['src', 'packages'];

/**
 * Matches an import from one source folder into the other. In dist, both are the same folder, so the path is one step
 * shorter.
 */
const ACROSS = /(["'])((?:\.\.\/)*)\.\.\/(?:src|packages)\//g;
const SOURCE = /"sources":\["(?:\.\.\/)+/;

/** Merges `<folder>/src` and `<folder>/packages` into one tree. */
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
