// Measures how long a newcomer has to wait. Clones the current commit into a temporary directory, and runs `npm ci` and
// `npm start` until the service is ready. Creates and starts a probe, and waits for its first check. Then it stops both
// and starts the service a second time. Prints the times and the service's peak memory. Requires the package registry
// or npm's cache. Reading and typing take no time here.
// `--here 5` instead starts the built checkout, alternately with and without its bundle, five times each, first on a
// new database and then again on the same one. It prints the lowest wall and CPU seconds for each.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 300_000;
const POLL_MS = 50;
const KEY = randomUUID();

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'uptime-start-'));
const seconds = (since) => (performance.now() - since) / 1000;

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

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
const servicePid = (npm) => tree(npm).find((pid) => /(^|[/\0])dist\/main\.js\0/.test(procFile(pid, 'cmdline')));
const peakMegabytes = (pid) => Math.round(Number(procFile(pid, 'status').match(/^VmHWM:\s+(\d+)/m)?.[1] ?? 0) / 1024);

async function isReady(port) {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok;
  } catch {
    return false;
  }
}

/** Starts a program in the folder with a minimal environment, as the leader of a new process group. */
const launch = (env, program, ...args) =>
  spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    detached: true,
  });

async function until(what, isSo, started) {
  for (const since = performance.now(); !(await isSo()); await delay(POLL_MS)) {
    if (started.exitCode !== null) throw new Error(`${started.spawnfile} ended with ${started.exitCode}`);
    if (performance.now() - since > LIMIT_MS) throw new Error(`not ${what} after ${LIMIT_MS / 1000} s`);
  }
}

/**
 * Starts the service, runs `meanwhile`, and stops the service. Returns how long it took to get ready, how much CPU it
 * used until then, and its peak memory.
 */
async function start(command, meanwhile = async () => {}) {
  const port = await freePort();
  const since = performance.now();
  const started = launch({ PORT: String(port), BOOTSTRAP_API_KEY: KEY }, ...command);
  try {
    await until('ready', () => isReady(port), started);
    const wall = seconds(since);
    const service = servicePid(started.pid);
    const stat = procFile(service, 'stat').split(') ')[1]?.split(' ') ?? [];
    const found = { wall, cpu: (Number(stat[11]) + Number(stat[12])) / 100, megabytes: peakMegabytes(service) };
    await meanwhile(`http://127.0.0.1:${port}`);
    return found;
  } finally {
    await stop(started.pid);
  }
}

/**
 * Creates a probe and an endpoint that it checks, and starts the probe. Resolves when its first check has been
 * recorded.
 */
async function firstCheckOfProbe(url) {
  const api = async (path, body) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const response = await fetch(
      `${url}/api/v1${path}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
    );
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const { token } = await api('/probes', { key: 'here', allow_private: true });
  const website = await api('/websites', { name: 'Here', url });
  const fields = { name: 'Health', type: 'HTTP', url: `${url}/health/live`, locations: ['here'] };
  const { id } = await api(`/websites/${website.id}/endpoints`, fields);
  const env = { ROLE: 'probe', PORT: '0', PROBE_URL: url, PROBE_TOKEN: token };
  const started = launch(env, process.execPath, 'dist/main.js');
  try {
    await until('checked', async () => (await api(`/endpoints/${id}/checks`)).length > 0, started);
  } finally {
    await stop(started.pid);
  }
}

const print = (title, { wall, cpu, megabytes }) =>
  console.log(
    `${title}: ready after ${wall.toFixed(1)} s (service: ${cpu.toFixed(1)} s of CPU, ${megabytes} MB at most)`,
  );

/** Stops the whole process group and waits for its last member to exit. */
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

async function measureClone() {
  const cloned = performance.now();
  run('git', 'clone', '--quiet', root, folder);
  const since = performance.now();
  run('npm', 'ci', '--no-audit', '--no-fund');
  console.log(`npm ci: ${seconds(since).toFixed(1)} s`);
  const first = await start(['npm', 'start'], async (url) => {
    const asked = performance.now();
    await firstCheckOfProbe(url);
    const [all, own] = [seconds(cloned), seconds(asked)].map((each) => each.toFixed(1));
    console.log(
      `first check of a probe on this machine: ${all} s after git clone began, ${own} s after the service was ready`,
    );
  });
  print('npm start, first (builds)', first);
  print('npm start, again', await start(['npm', 'start']));
}

/** Returns the minimum of each value. Anything above it is caused by other load on the machine. */
const least = (runs) =>
  Object.fromEntries(Object.keys(runs[0]).map((name) => [name, Math.min(...runs.map((run) => run[name]))]));

async function measureHere(times) {
  const bundle = join(root, 'dist/bundle');
  const aside = join(root, 'dist/bundle-aside');
  const runs = { 'one by one': [], 'from the bundle': [] };
  const startHere = () => start([process.execPath, join(root, 'dist/main.js')]);
  try {
    for (let time = 0; time < times; time++)
      for (const [title, found] of Object.entries(runs)) {
        if (title === 'one by one') renameSync(bundle, aside);
        rmSync(join(folder, 'data'), { recursive: true, force: true });
        found.push([await startHere(), await startHere()]);
        if (existsSync(aside)) renameSync(aside, bundle);
      }
  } finally {
    if (existsSync(aside)) renameSync(aside, bundle);
  }
  for (const [title, found] of Object.entries(runs)) {
    print(`first start, modules ${title}`, least(found.map(([first]) => first)));
    print(`restart, modules ${title}`, least(found.map(([, again]) => again)));
  }
}

try {
  const here = process.argv.indexOf('--here');
  await (here < 0 ? measureClone() : measureHere(Number(process.argv[here + 1] ?? 3)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
