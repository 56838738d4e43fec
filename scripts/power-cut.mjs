// npm run test:power-cut -- [--cut N] [--cut-again N] [--service N] [--not-synchronized N] [--seconds N] [--seed S]
// [--json]: records a run of the service on the embedded database, and examines random disk states that a power cut
// could leave behind (test/power-cut).
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed'], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (status !== 0) process.exit(1);

const require = createRequire(import.meta.url);
// Must come first, because it replaces the functions that write files.
require('../test/power-cut/disk-recorder.cjs');
require('./typescript.cjs');
require('../test/power-cut/main.ts');
