// Measures CPU per check and checks per second on one core for every type, on new connections to local targets. The
// checks are interleaved, in one process, with bare loops that do only the same network work. If
// prometheus-blackbox-exporter is installed, they are also interleaved with its probes.
// Usage: node bench/checkers.mjs [--checks N] [--rounds N] [--concurrency N] [--json] [--dist DIR]
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { parseArgs } from 'node:util';
import { startBlackboxExporter } from './checkers/blackbox-exporter.mjs';
import { BuiltCheckers, loadBuilt } from './checkers/built-checkers.mjs';
import { startTargets } from './checkers/targets.mjs';

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '21' },
    concurrency: { type: 'string', default: '50' },
    json: { type: 'boolean', default: false },
    dist: { type: 'string' },
  },
});
const CHECKS = Number(values.checks);
const ROUNDS = Number(values.rounds);
const CONCURRENCY = Number(values.concurrency);

const targets = await startTargets();
const checkers = new BuiltCheckers(loadBuilt(values.dist), { roots: [targets.rootPem] });
const blackbox = await startBlackboxExporter(targets.rootPem, CONCURRENCY);
const agentlessTls = { agent: false, ca: targets.rootPem };

function checkOf(type, url) {
  const check = checkers.check(type, url);
  return async () => {
    const result = await check();
    if (result.outcome !== 'up') throw new Error(`${url}: ${JSON.stringify(result.error)}`);
  };
}

const bareGet = (module, url, options) => () =>
  new Promise((done, fail) => {
    module
      .get(url, options, (response) => {
        response.resume();
        response.on('end', done);
      })
      .on('error', fail);
  });
const bareConnect = (port) => () =>
  new Promise((done, fail) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      done();
    });
    socket.on('error', fail);
  });

/**
 * Counts only the CPU of the exporter's process, including its responses to `/probe`, because its users pay for both.
 */
const probeOf = (module, target) =>
  blackbox
    ? { run: blackbox.probe(module, target), cpuUs: blackbox.cpuUs }
    : { absent: 'prometheus-blackbox-exporter is not installed' };

const cases = [
  { name: 'HTTP', run: checkOf('HTTP', targets.http) },
  { name: 'bare node:http', peerOf: 'HTTP', limit: 1.25, run: bareGet(http, targets.http, { agent: false }) },
  { name: 'blackbox HTTP', peerOf: 'HTTP', limit: 0.35, ...probeOf('http', targets.http) },
  { name: 'HTTPS', share: 0.2, run: checkOf('HTTPS', targets.https) },
  {
    name: 'bare node:https',
    peerOf: 'HTTPS',
    limit: 0.75,
    share: 0.2,
    run: bareGet(https, targets.https, agentlessTls),
  },
  { name: 'blackbox HTTPS', peerOf: 'HTTPS', limit: 1.1, share: 0.5, ...probeOf('https', targets.https) },
  { name: 'TCP', share: 2, run: checkOf('TCP', `127.0.0.1:${targets.tcpPort}`) },
  { name: 'bare net.connect', peerOf: 'TCP', limit: 1.4, share: 2, run: bareConnect(targets.tcpPort) },
  { name: 'DNS', run: checkOf('DNS', targets.dns) },
  { name: 'ICMP', run: checkOf('ICMP', '127.0.0.1') },
  { name: 'SSH', share: 0.05, run: checkOf('SSH', `127.0.0.1:${targets.sshPort}`) },
];

function ownCpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Returns the CPU microseconds per run over `CHECKS` × `share` runs, `CONCURRENCY` at a time. */
async function measure({ run, share = 1, cpuUs = ownCpuUs }) {
  const total = Math.ceil(CHECKS * share);
  let left = total;
  const lane = async () => {
    while (left-- > 0) await run();
  };
  const before = cpuUs();
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, total) }, lane));
  return (cpuUs() - before) / total;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function measureAll() {
  const present = cases.filter(({ absent }) => !absent);
  const samples = new Map(present.map(({ name }) => [name, []]));
  for (const one of present) await measure(one);
  for (let round = 0; round < ROUNDS; round++) {
    // Every other round runs in reverse order, so that a case's side effects affect both of its neighbors.
    for (const one of round % 2 ? [...present].reverse() : present) samples.get(one.name).push(await measure(one));
  }
  return samples;
}

/** Divides the checker's CPU by its peer's CPU for each round. */
function ratioOf({ name, peerOf, limit, absent }, samples) {
  if (absent) return { type: peerOf, against: name, limit, ratio: null, absent };
  const own = samples.get(peerOf);
  const ratio = median(samples.get(name).map((cpu, round) => own[round] / cpu));
  return { type: peerOf, against: name, limit, ratio, isHeld: ratio <= limit };
}

function printTable(samples, ratios) {
  console.log(`Node ${process.version}, ${ROUNDS} rounds of ${CHECKS} checks, ${CONCURRENCY} at once, one process\n`);
  console.log('                    CPU µs/check (min – max)        checks/s/core');
  for (const [name, cpu] of samples) {
    const range = `(${Math.min(...cpu).toFixed(0)} – ${Math.max(...cpu).toFixed(0)})`;
    const rate = (1e6 / median(cpu)).toFixed(0);
    console.log(`${name.padEnd(20)}${median(cpu).toFixed(0).padStart(6)} ${range.padEnd(22)}${rate.padStart(14)}`);
  }
  console.log('\nratio to a peer (median of the rounds)');
  for (const { type, against, limit, ratio, isHeld, absent } of ratios) {
    const verdict = absent ? `not compared: ${absent}` : isHeld ? 'held' : 'MISSED';
    console.log(
      `${type.padEnd(7)}${(ratio?.toFixed(2) ?? '–').padStart(5)} × ${against.padEnd(18)} limit ${limit}  ${verdict}`,
    );
  }
  if (blackbox) {
    console.log(
      "blackbox: utime + stime of the exporter's process, its responses to /probe over kept-alive connections included",
    );
  }
}

try {
  const samples = await measureAll();
  const ratios = cases.filter(({ peerOf }) => peerOf).map((one) => ratioOf(one, samples));
  if (values.json) console.log(JSON.stringify({ node: process.version, samples: Object.fromEntries(samples), ratios }));
  else printTable(samples, ratios);
} finally {
  await blackbox?.stop();
  checkers.close();
  targets.stop();
}
