// Runs a file of ours once dist is built: `node scripts/built.cjs dist/main.js …`. In this very process, so that signals and
// the exit code are those of the file. In place of npm's `pre…` scripts, which do not run where install scripts do not.
// CommonJS: an ES module would have started the thread pool before the service says how large it is to be.
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
