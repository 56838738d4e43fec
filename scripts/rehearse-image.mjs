// Runs the Dockerfile without a container engine. Its COPY and RUN steps run stage by stage in a temporary directory,
// using the committed files that .dockerignore doesn't exclude. Then CMD starts as an unprivileged user who can write
// only to the data directory. The script waits until HEALTHCHECK succeeds, and stops the service like an engine does.
// Steps that use the system's package manager are skipped. Requires the package registry or npm's cache. With --keep,
// the directory is kept.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readDockerfile } from './dockerfile.mjs';

const LIMIT_MS = 120_000;
const POLL_MS = 200;

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'uptime-image-'));
const isRoot = process.getuid?.() === 0;
const outer = { PATH: process.env.PATH, HOME: process.env.HOME };
const say = (text) => console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${text}`);

function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

/** Creates the build context: committed files that .dockerignore doesn't exclude. */
function makeContext() {
  const context = join(work, 'context');
  mkdirSync(context);
  run('git', ['clone', '--quiet', '--depth=1', `file://${root}`, context]);
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const allowed = new Set(lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1)));
  return { context, allowed };
}

function copy({ context, allowed }, stages, stage, { from, sources, target }) {
  for (const source of sources) {
    if (from === null && !allowed.has(source)) throw new Error(`.dockerignore keeps ${source} out of the image`);
    const origin = from === null ? join(context, source) : join(stages.get(from), source);
    const goal = target.endsWith('/') || sources.length > 1 ? join(target, basename(source)) : target;
    cpSync(origin, join(stage, goal), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => from !== null || !/\.spec\.ts$|\/node_modules(\/|$)/.test(path.slice(context.length)),
    });
  }
}

function build({ stages: planned }) {
  const context = makeContext();
  const stages = new Map();
  let app = '';
  for (const [index, { name, steps }] of planned.entries()) {
    const stage = join(work, `stage-${name ?? index}`);
    mkdirSync(stage);
    if (name !== null) stages.set(name, stage);
    for (const step of steps) {
      if (step.keyword === 'WORKDIR') mkdirSync((app = join(stage, step.text)), { recursive: true });
      if (step.keyword === 'COPY') copy(context, stages, app, step.copy);
      if (step.keyword === 'RUN' && !step.text.includes('apt-get')) {
        say(`${name ?? 'image'}: ${step.text}`);
        run('sh', ['-c', step.text], { cwd: app, env: { ...outer } });
      }
    }
  }
  return app;
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

async function start(image, app) {
  const data = join(work, 'data');
  mkdirSync(data, { mode: 0o700 });
  // The image's own files belong to root. Without root, they are made read-only.
  const user = isRoot ? { uid: Number(image.user.split(':')[0]), gid: Number(image.user.split(':')[1]) } : {};
  if (isRoot) chownSync(data, user.uid, user.gid);
  else run('chmod', ['-R', 'a-w', app]);
  const env = {
    ...image.env,
    PATH: process.env.PATH,
    PORT: String(await freePort()),
    HOST: '127.0.0.1',
    DATA_DIR: data,
  };
  const [program, ...args] = image.command;
  const service = spawn(program, args, { cwd: app, env, ...user, stdio: ['ignore', 'ignore', 'inherit'] });
  const [probe, ...probeArgs] = image.healthcheck;
  const isHealthy = () => spawnSync(probe, probeArgs, { cwd: app, env, ...user, stdio: 'ignore' }).status === 0;
  const since = performance.now();
  while (!isHealthy()) {
    if (service.exitCode !== null) throw new Error(`the service ended with ${service.exitCode}`);
    if (performance.now() - since > LIMIT_MS) throw new Error('the service did not become healthy');
    await delay(POLL_MS);
  }
  const ready = await fetch(`http://127.0.0.1:${env.PORT}/health/ready`);
  const page = await fetch(`http://127.0.0.1:${env.PORT}/`);
  say(
    `healthy ${((performance.now() - since) / 1000).toFixed(1)} s after its start; ready ${ready.status}, dashboard ${page.status}`,
  );
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  const [code] = await ended;
  say(`ended with ${code}`);
  if (!ready.ok || !page.ok || code !== 0) throw new Error('the image does not do what it should');
}

try {
  const image = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));
  // Allows another user to enter the directory.
  chmodSync(work, 0o755);
  const app = build(image);
  const size = spawnSync('du', ['-sm', dirname(app)], { encoding: 'utf8' }).stdout.split('\t')[0];
  say(`the image adds ${size} MB to its base`);
  await start(image, app);
} finally {
  if (process.argv.includes('--keep')) say(`kept ${work}`);
  else {
    if (!isRoot) spawnSync('chmod', ['-R', 'u+w', work]);
    rmSync(work, { recursive: true, force: true });
  }
}
