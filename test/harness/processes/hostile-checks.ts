/**
 * A program that checks hostile targets and prints how long they blocked the event loop, as JSON (`HostileRun`). Its
 * argument is a `HostileOrder` as JSON. It is a separate process, because a test's globals are slow and its garbage is
 * collected in between.
 */
import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { startDeadline } from '../../../src/platform/net/deadline';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import { hostileCase } from '../servers/hostile-responses';

export interface HostileOrder {
  seed: number;
  responses: number;
  limitMs: number;
}

export interface HostileRun {
  longest: { held: number; name: string };
  tooLong: string[];
  /** The result for forty parallel checks. */
  together: number;
}

/** Longer blocks are measured again, because garbage may have been collected in between. */
const REPEATS = 4;
/** The number of parallel checks. If they block the loop for long, each one is measured separately. */
const AT_ONCE = 5;
const MANY = 40;
/** A target may send back all of these headers. */
const HEADERS = Array.from({ length: 4 }, (_, i) => ({
  key: `X-Token-${i}`,
  value: Array.from({ length: 500 }, (__, k) => `aaaaaa${(500 * i + k).toString(36)}`)
    .join(' ')
    .slice(0, 4000),
}));

/**
 * Returns the longest time that the event loop was blocked while something ran, in milliseconds. It is the lower of
 * wall time and CPU time between two timer ticks. Other processes may have used the CPU, and compression uses threads.
 */
async function heldBy(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = { at: performance.now(), cpu: process.cpuUsage() };
  const tick = () => {
    const { user, system } = process.cpuUsage(last.cpu);
    longest = Math.max(longest, Math.min(performance.now() - last.at, (user + system) / 1000));
    last = { at: performance.now(), cpu: process.cpuUsage() };
  };
  const timer = setInterval(tick, 1);
  await run();
  clearInterval(timer);
  tick();
  return longest;
}

async function runAll({ seed, responses, limitMs }: HostileOrder, port: number): Promise<HostileRun> {
  const checker = new HttpChecker(new HttpCheck(dialerWith()));
  const check = async (index: number) => {
    const { assertions, end } = hostileCase(seed, index);
    const deadline = startDeadline(end === 'silence' ? 100 : 10_000);
    const request = {
      target: checker.parseTarget(`http://127.0.0.1:${port}/${index}`),
      settings: {},
      method: 'GET',
      headers: HEADERS,
      body: null,
      followRedirects: true,
      tls: null,
      assertions,
      egress: openEgress,
    };
    await checker.check(request, deadline.signal);
    deadline.clear();
  };
  /** Repeats a run that took too long and returns the lowest value. */
  const leastHeldBy = async (run: () => Promise<unknown>) => {
    let held = await heldBy(run);
    for (let again = 1; again < REPEATS && held > limitMs; again++) held = Math.min(held, await heldBy(run));
    return held;
  };
  let longest = { held: 0, name: '' };
  const tooLong: string[] = [];
  for (let first = 0; first < responses; first += AT_ONCE) {
    const indices = Array.from({ length: Math.min(AT_ONCE, responses - first) }, (_, i) => first + i);
    const together = await heldBy(() => Promise.all(indices.map(check)));
    if (together <= Math.max(limitMs / 2, longest.held)) continue;
    for (const index of indices) {
      const held = await leastHeldBy(() => check(index));
      const { name } = hostileCase(seed, index);
      if (held > longest.held) longest = { held, name };
      if (held > limitMs) tooLong.push(`${Math.round(held)} ms, case ${index}: ${name}`);
    }
  }
  const together = await leastHeldBy(() => Promise.all(Array.from({ length: MANY }, (_, index) => check(index))));
  return { longest, tooLong, together };
}

async function main(): Promise<void> {
  const order = JSON.parse(process.argv[2] ?? '{}') as HostileOrder;
  const program = ['-r', './scripts/typescript.cjs', join(__dirname, 'hostile-server.ts'), String(order.seed)];
  const server = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const run = await runAll(order, Number(String(line)));
  process.stdout.write(JSON.stringify(run));
  server.kill();
}

void main();
