// Starts the built service for benchmarks like a user would: on its own PostgreSQL server or on the embedded database.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** Starts a temporary PostgreSQL server: `{ url, remove() }`. */
export async function startPostgres() {
  require('../scripts/typescript.cjs');
  const { PostgresCluster } = require('../test/harness/database/postgres-cluster.ts');
  return PostgresCluster.start();
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Starts one process of the service and returns when it is ready for requests. `env` overrides the benchmark's
 * defaults. `checkout` is the built tree to run it from, for comparisons with another version.
 */
export async function startService(env, checkout = root) {
  const port = await freePort();
  const key = env.BOOTSTRAP_API_KEY ?? `bench-${randomBytes(18).toString('hex')}`;
  const entry = env.BENCH_ENTRY ? join(root, env.BENCH_ENTRY) : join(checkout, 'dist/main.js');
  const child = spawn(process.execPath, [...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? []), entry], {
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      BOOTSTRAP_API_KEY: key,
      LOG_LEVEL: 'warn',
      CONFIRM_FAILURES: 'off',
      RATE_LIMIT_PER_SECOND: '0',
      BENCH_CHECKOUT: checkout,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const api = async (method, path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null) throw new Error('the service ended while it started');
    const ready = await fetch(`${url}/health/ready`).catch(() => null);
    if (ready?.ok) break;
    if (tries > 600) throw new Error('the service did not become ready');
    await sleep(100);
  }
  const stop = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('exit', resolve);
      child.kill('SIGTERM');
    });
  return { child, url, key, api, stop };
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
export function uuidOf(id) {
  const value = Array.from(id.slice(id.indexOf('_') + 1)).reduce(
    (sum, character) => (sum << 5n) | BigInt(ALPHABET.indexOf(character)),
    0n,
  );
  return value
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Creates one webhook alert (with both thresholds set to 1) on an endpoint that is never checked. `seed` copies it.
 * Returns its UUID.
 */
export async function prototypeRule(api, hook) {
  const website = await api('POST', '/websites', { name: 'Prototype', url: 'http://127.0.0.1/' });
  const endpoint = await api('POST', `/websites/${website.id}/endpoints`, {
    name: 'Prototype',
    type: 'HTTP',
    url: 'http://127.0.0.1:9/',
    enabled: false,
  });
  const alert = await api('POST', '/alerts', {
    endpoint_id: endpoint.id,
    type: 'webhook',
    config: { url: hook },
    failure_threshold: 1,
    success_threshold: 1,
  });
  return uuidOf(alert.id);
}
