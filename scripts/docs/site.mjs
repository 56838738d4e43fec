// npm run docs:site [FOLDER]: writes the documentation as a website for any web server, .cache/site by default. It has the
// same pages and the same search as /help of the service, without links to a running service.
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = resolve(process.argv[2] ?? join(root, '.cache/site'));

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run('packages/client/generate.mjs');
run('node_modules/vite/bin/vite.js', 'build', 'web/help', '--outDir', out, '--emptyOutDir', '--logLevel', 'error');
renameSync(join(out, 'index.html'), join(out, '.template'));
run('-r', './scripts/typescript.cjs', 'scripts/docs/build.mjs', '--out', out, '--site');
rmSync(join(out, '.template'));
console.log(`Wrote the website to ${out}`);
