// npm run test:chaos -- [--minutes N | --rounds N] [--seed S] [--database embedded|postgres|in-turn]: runs random
// commands and faults against the built service and two probes. The commands and invariants are in test/chaos. Both
// databases run in parallel, each for half of the minutes or for all of the rounds. `in-turn` runs one of them,
// selected by the commit.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed'], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(1);

const require = createRequire(import.meta.url);
require('./typescript.cjs');
require('../test/chaos/main.ts');
