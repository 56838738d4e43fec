#!/usr/bin/env node
import '../../src/start/node-version.cjs';
import { readEnvironment } from '../../src/platform/config/env';
import { runKeys } from './keys-command';

/** `npm run keys`, and `uptime-monitor-keys` in the package: manages API keys for the operator. */
runKeys(process.argv.slice(2), readEnvironment).then(
  ({ exitCode, output, remark }) => {
    process.exitCode = exitCode;
    if (output !== undefined) process.stdout.write(`${output}\n`);
    if (remark !== undefined) process.stderr.write(`${remark}\n`);
  },
  (error: unknown) => {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  },
);
