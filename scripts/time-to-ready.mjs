// Measures what a newcomer waits for: clones the current commit into a temporary directory, runs `npm ci` and
// `npm start` there until the service says it is ready, stops it, and starts it a second time. Prints the times and the
// service's peak memory. Needs the package registry, or npm's cache of it.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 300_000;
const POLL_MS = 50;

const root = fileURLToPath(new URL('..', import.meta.url));
const clone = mkdtempSync(join(tmpdir(), 'uptime-clone-'));
const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** The process and all its descendants. */
function tree(pid) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)]);
  const found = [pid];
  for (const member of found) for (const [child, parent] of parents) if (parent === member) found.push(child);
  return found;
}

const procFile = (pid, name) => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
};
const parentOf = (pid) => Number(procFile(pid, 'status').match(/^PPid:\s+(\d+)/m)?.[1] ?? -1);
const servicePid = (npm) => tree(npm).find((pid) => procFile(pid, 'cmdline').split('\0').includes('dist/main.js'));
const peakMegabytes = (pid) => Math.round(Number(procFile(pid, 'status').match(/^VmHWM:\s+(\d+)/m)?.[1] ?? 0) / 1024);

async function isReady(port) {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok;
  } catch {
    return false;
  }
}

async function start(title) {
  const port = await freePort();
  const since = performance.now();
  const npm = spawn('npm', ['start'], {
    cwd: clone,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port) },
    detached: true,
  });
  try {
    while (!(await isReady(port))) {
      if (npm.exitCode !== null) throw new Error(`npm start ended with ${npm.exitCode}`);
      if (performance.now() - since > LIMIT_MS) throw new Error(`not ready after ${LIMIT_MS / 1000} s`);
      await delay(POLL_MS);
    }
    const service = servicePid(npm.pid);
    const stat = procFile(service, 'stat').split(') ')[1]?.split(' ') ?? [];
    const cpu = ((Number(stat[11]) + Number(stat[12])) / 100).toFixed(1);
    console.log(
      `${title}: ready after ${seconds(since)} s (service: ${cpu} s of CPU, ${peakMegabytes(service)} MB at most)`,
    );
  } finally {
    await stop(npm.pid);
  }
}

/** Ends the whole process group and waits for its last member. */
async function stop(group) {
  if (group === undefined) return;
  for (let signal = 'SIGTERM'; ; signal = 0) {
    try {
      process.kill(-group, signal);
    } catch {
      return;
    }
    await delay(POLL_MS);
  }
}

try {
  run('git', 'clone', '--quiet', root, clone);
  const since = performance.now();
  run('npm', 'ci', '--no-audit', '--no-fund');
  console.log(`npm ci: ${seconds(since)} s`);
  await start('npm start, first (builds)');
  await start('npm start, again');
} finally {
  rmSync(clone, { recursive: true, force: true });
}
