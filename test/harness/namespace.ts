import { spawnSync } from 'node:child_process';

/**
 * Why no network namespace can be made here, or `null`. In one, addresses that are silent or unreachable can be had for
 * sure, and the machine's settings stay untouched.
 */
export const noNamespace: string | null = (() => {
  if (process.platform !== 'linux') return 'not Linux';
  const { error, status } = spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up']);
  return !error && status === 0 ? null : 'needs root, unshare and ip';
})();

const LIMIT_MS = 50_000;

/** Runs a TypeScript file in a network namespace of its own after the shell commands of `setup`; answers its output. */
export function runInNamespace(setup: readonly string[], file: string, argument: string, prefix = ''): string {
  const node = `${prefix} ${process.execPath} -r ts-node/register/transpile-only ${file} '${argument}'`;
  const { status, stdout, stderr } = spawnSync('unshare', ['-n', 'sh', '-ec', [...setup, `exec ${node}`].join('\n')], {
    encoding: 'utf8',
    timeout: LIMIT_MS,
    env: { ...process.env, TS_NODE_PROJECT: 'tsconfig.spec.json' },
  });
  if (status !== 0) throw new Error(`the process in the namespace failed: ${stderr}`);
  return stdout;
}
