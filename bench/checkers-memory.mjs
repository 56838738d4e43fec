// Measures memory over many checks of all six types, including every hostile target, with a heap limit of 256 MB.
// Usage: node bench/checkers-memory.mjs [--checks N] [--concurrency N] [--samples N] [--hostile-every N] [--json]
//        [--dist DIR]
// Exits with code 1 if memory use keeps growing, a descriptor isn't closed, or a target was never checked.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BuiltCheckers, loadBuilt } from './checkers/built-checkers.mjs';
import { ownNetwork } from './checkers/own-network.mjs';

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '200000' },
    concurrency: { type: 'string', default: '300' },
    samples: { type: 'string', default: '20' },
    'hostile-every': { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
    dist: { type: 'string' },
    /** Set by this file when it runs itself again in a separate network namespace. */
    isolated: { type: 'boolean', default: false },
  },
});
const CHECKS = Number(values.checks);
const SEGMENTS = Number(values.samples);
const HEAP = '--max-old-space-size=256';
const LIMIT_MB = 20;
/**
 * The 16 resolvers in the pool, and those in the previous pool, keep querying an unresponsive DNS server for a while.
 */
const RESOLVER_SOCKETS = 32;
/**
 * Destroyed sockets and abandoned lookups are released over several seconds. Collect garbage until nothing was freed
 * this many times in a row.
 */
const SETTLE_MS = 1000;
const USELESS_COLLECTIONS = 2;
const NOTHING_BYTES = 20_000;
const TIMEOUT_MS = 1000;
const INTERRUPTED_AFTER_MS = 50;
/** One in this many checks has a hostile target. */
const HOSTILE_EVERY = Number(values['hostile-every']);

const root = fileURLToPath(new URL('..', import.meta.url));
/** Runs this file again with a small heap, in a separate network if one can be created. */
async function runInOwnProcess() {
  const network = ownNetwork();
  const [command, ...args] = [
    ...(network ?? []),
    process.execPath,
    HEAP,
    '--expose-gc',
    fileURLToPath(import.meta.url),
    ...process.argv.slice(2),
    ...(network ? ['--isolated'] : []),
  ];
  const child = spawn(command, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

async function run() {
  const load = loadBuilt(values.dist);
  const [ordinary, web, others] = await Promise.all(['ordinary', 'web', 'others'].map(startTargets));
  const checkers = new BuiltCheckers(load, { roots: [ordinary.root, web.root], nameServers: [others.nameServer] });
  const counts = [];
  const next = turns(
    ordinary.targets.flatMap(({ weight, ...target }) => Array(weight).fill(checkOf(checkers, target, counts))),
    evenlyMixed([...web.targets, ...others.targets]).map((target) => checkOf(checkers, target, counts, TIMEOUT_MS)),
  );
  const samples = await sampled(next);
  checkers.close();
  for (const { child } of [ordinary, web, others]) child.disconnect();
  return conclude(samples, counts);
}

async function startTargets(part) {
  const file = fileURLToPath(new URL('checkers/hostile-targets.ts', import.meta.url));
  const child = fork(file, [part, ...(values.isolated ? ['isolated'] : [])], {
    execArgv: ['-r', join(root, 'scripts/typescript.cjs')],
  });
  const [message] = await once(child, 'message');
  return { child, ...message };
}

/** Spreads each type over the whole list, so that a series of handshakes doesn't delay the other checks. */
function evenlyMixed(targets) {
  const placed = targets.map((target, index) => {
    const same = targets.filter(({ type }) => type === target.type);
    return { target, position: (same.indexOf(target) + 0.5) / same.length, index };
  });
  return placed.sort((a, b) => a.position - b.position || a.index - b.index).map(({ target }) => target);
}

const EGRESS = { open: { refusal: () => null }, closed: { refusal: () => 'every address is refused here' } };

/** Returns a check of the target that counts its outcomes in `counts`. */
function checkOf(checkers, target, counts, timeoutMs) {
  const { type, name, url, resolvers, transport, wantsBody, refused, interrupted } = target;
  const checker = resolvers ? checkers.dnsOf(resolvers) : transport ? checkers.icmpOf(transport) : undefined;
  const check = checkers.check(type, url, {
    checker,
    timeoutMs,
    assertions: wantsBody ? [{ source: 'body', comparison: 'contains', target: 'nothing like it' }] : [],
    egress: refused ? EGRESS.closed : EGRESS.open,
    shutdown: interrupted && soon,
  });
  const codes = {};
  counts.push({ type, name, isHostile: timeoutMs !== undefined, codes });
  return async () => {
    const { outcome, error } = await check();
    const code = error ? `${outcome} ${error.code}` : outcome;
    codes[code] = (codes[code] ?? 0) + 1;
  };
}

function soon() {
  const shutdown = new AbortController();
  setTimeout(() => shutdown.abort(new Error('shutting down')), INTERRUPTED_AFTER_MS);
  return shutdown.signal;
}

/** Returns a function that selects the check for a given number in the run. */
const turns = (ordinary, hostile) => (number) =>
  number % HOSTILE_EVERY === 0
    ? hostile[(number / HOSTILE_EVERY) % hostile.length]
    : ordinary[(number - Math.floor(number / HOSTILE_EVERY)) % ordinary.length];

/** Returns the memory use after each segment of the run, when nothing is in flight. */
async function sampled(next) {
  const samples = [];
  let started = 0;
  const lane = async (until) => {
    while (started < until) await next(started++)();
  };
  if (!values.json) console.log('  checks   rss MB  heap MB  outside the heap MB  descriptors');
  for (let segment = 1; segment <= SEGMENTS; segment++) {
    const until = Math.ceil((CHECKS * segment) / SEGMENTS);
    await Promise.all(Array.from({ length: Number(values.concurrency) }, () => lane(until)));
    samples.push(await sample(started));
  }
  return samples;
}

async function sample(checks) {
  const { rss, heapUsed, external } = await collected();
  const descriptors = readdirSync('/proc/self/fd').length;
  const one = { checks, rss: rss / 1e6, heap: heapUsed / 1e6, external: external / 1e6, descriptors };
  if (!values.json) {
    const [rssMb, heapMb, externalMb] = [one.rss, one.heap, one.external].map((mb) => mb.toFixed(1).padStart(9));
    console.log(
      `${String(checks).padStart(8)}${rssMb}${heapMb}${externalMb.padStart(21)}${String(descriptors).padStart(13)}`,
    );
  }
  return one;
}

/** Returns the memory use when garbage collection can't free anything more. */
async function collected() {
  const held = ({ heapUsed, external }) => heapUsed + external;
  let least = process.memoryUsage();
  for (let useless = 0; useless < USELESS_COLLECTIONS;) {
    await delay(SETTLE_MS);
    globalThis.gc();
    const now = process.memoryUsage();
    useless = held(now) < held(least) - NOTHING_BYTES ? 0 : useless + 1;
    if (held(now) < held(least)) least = now;
  }
  return least;
}

/** Prints the result and returns the exit code. */
function conclude(samples, counts) {
  // The first quarter fills caches and pools. Nothing may grow after that.
  const settled = samples.slice(Math.ceil(samples.length / 4) - 1);
  const [begin, end] = [settled[0], settled.at(-1)];
  const spread = (key) => Math.max(...settled.map((one) => one[key])) - Math.min(...settled.map((one) => one[key]));
  const leak = growth(settled);
  const unmet = counts
    .filter(({ codes }) => Object.keys(codes).length === 0)
    .map(({ type, name }) => `${type}: ${name}`);
  const verdicts = {
    'resident memory flat within ± 20 MB': spread('rss') <= 2 * LIMIT_MB,
    'heap flat within ± 20 MB': spread('heap') <= 2 * LIMIT_MB,
    'no descriptor left open': spread('descriptors') <= RESOLVER_SOCKETS,
    'every target met': unmet.length === 0,
  };
  const peakMb = (process.resourceUsage().maxRSS * 1024) / 1e6;
  if (values.json) console.log(JSON.stringify({ samples, leak, peakMb, targets: counts, verdicts }));
  else {
    printOutcomes(counts);
    console.log(`\nhighest resident memory ${peakMb.toFixed(0)} MB; from ${begin.checks} to ${end.checks} checks:`);
    console.log(`rss ${difference(begin.rss, end.rss)}, highest and lowest ${spread('rss').toFixed(1)} MB apart`);
    console.log(`heap ${difference(begin.heap, end.heap)}, highest and lowest ${spread('heap').toFixed(1)} MB apart`);
    console.log(`growth ${leak.mb.toFixed(1)} MB, ${leak.bytesPerCheck.toFixed(0)} bytes per check`);
    for (const [what, isHeld] of Object.entries(verdicts)) console.log(`${what}: ${isHeld ? 'held' : 'MISSED'}`);
    if (unmet.length > 0) console.log(`never met: ${unmet.join('; ')}`);
    if (!values.isolated)
      console.log('no network of its own (needs root, unshare and ip): ICMP only by name and policy');
  }
  return Object.values(verdicts).every(Boolean) ? 0 : 1;
}

/**
 * Returns the growth in memory that the garbage collector can't free: the lowest later sample minus the lowest earlier
 * one.
 */
function growth(samples) {
  const lowest = (some) => Math.min(...some.map(({ heap, external }) => heap + external));
  const half = Math.ceil(samples.length / 2);
  const mb = lowest(samples.slice(half)) - lowest(samples.slice(0, half));
  return { mb, bytesPerCheck: (mb * 1e6) / (samples[half].checks - samples[0].checks) };
}

const difference = (from, to) => `${from.toFixed(1)} → ${to.toFixed(1)} MB`;

function printOutcomes(counts) {
  for (const type of new Set(counts.map((one) => one.type))) {
    const sums = {};
    const ofType = counts.filter((one) => one.type === type);
    for (const [code, count] of ofType.flatMap(({ codes }) => Object.entries(codes)))
      sums[code] = (sums[code] ?? 0) + count;
    const hostile = ofType.filter(({ isHostile }) => isHostile).length;
    const outcomes = Object.entries(sums).map(([code, count]) => `${code} ${count}`);
    console.log(`\n${type}: ${hostile} hostile targets; ${outcomes.join(', ')}`);
  }
}

process.exitCode = await (process.execArgv.includes(HEAP) ? run() : runInOwnProcess());
