// Runs a file in this project after building dist: `node scripts/built.cjs dist/main.js …`. The file runs in this
// process, so signals and exit codes work as usual. This replaces npm's `pre…` scripts, which don't run if install
// scripts are disabled. It is CommonJS, because an ES module would start the thread pool before the service sets its
// size.
const { spawnSync } = require('node:child_process');
const paths = require('node:path');
const { pathToFileURL } = require('node:url');

const [file = '', ...words] = process.argv.slice(2);
const { status } = spawnSync(process.execPath, [paths.join(__dirname, 'build.mjs'), '--if-needed'], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
const path = paths.resolve(__dirname, '..', file);
process.argv = [process.execPath, path, ...words];
if (path.endsWith('.mjs')) void import(pathToFileURL(path).href);
else require(path);
