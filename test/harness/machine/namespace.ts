import { spawnSync } from 'node:child_process';

/** Tries these shell commands in a new network namespace. Returns why they can't run on this machine, or `null`. */
export function obstacleTo(...commands: readonly string[]): string | null {
  if (process.platform !== 'linux') return 'not Linux';
  const options = { encoding: 'utf8' } as const;
  const { error, status, stderr } = spawnSync('unshare', ['-n', '-m', 'sh', '-ec', commands.join('\n')], options);
  if (error) return 'needs unshare';
  return status === 0 ? null : stderr.trim().split('\n').at(-1) || `ended with ${status}`;
}

/** Commands that create a network with no host at its other end, `v1`. */
export const CABLE = ['ip link set lo up', 'ip link add v0 type veth peer name v1'];

const LIMIT_MS = 50_000;

/** Runs a TypeScript file in a new network namespace after the shell commands in `setup`. Returns its output. */
export function runInNamespace(setup: readonly string[], file: string, argument: string, prefix = ''): string {
  const node = `${prefix} ${process.execPath} -r ./scripts/typescript.cjs ${file} '${argument}'`;
  const { status, stdout, stderr } = spawnSync('unshare', ['-n', 'sh', '-ec', [...setup, `exec ${node}`].join('\n')], {
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  if (status !== 0) throw new Error(`the process in the namespace failed: ${stderr}`);
  return stdout;
}

/**
 * Returns shell commands that move the other end of the cable into a second network namespace and run commands there.
 * The namespace is removed when the process that replaces the shell exits.
 */
export const farSide = (...commands: readonly string[]): string[] => [
  'unshare -n setpriv --pdeathsig KILL sleep 600 & far=$!',
  'until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done',
  'ip link set v1 netns $far',
  `nsenter -t $far -n sh -ec '${commands.join('\n')}'`,
];
