// CPU per check and checks per second on one core, for every type, on fresh connections to targets of this machine,
// interleaved in one process with bare loops that do the same network work and nothing else.
// Usage: node bench/checkers.mjs [--checks N] [--rounds N] [--concurrency N] [--json] [--dist DIR]
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTargets } from './checkers/targets.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
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

if (!values.dist) spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], { stdio: 'inherit' });
const dist = resolve(values.dist ?? join(root, 'dist'));
const load = createRequire(join(dist, 'bench.js'));
load('reflect-metadata');
const { Dialer } = load('./platform/net/dialer.js');
const { HostResolver } = load('./platform/net/host-resolver.js');
const { TrustedRoots } = load('./platform/net/trusted-roots.js');
const { EgressPolicy } = load('./platform/net/egress-policy.js');
const { loadConfig } = load('./platform/config/config.js');
const { startDeadline } = load('./checker/deadline.js');
const { HttpProbe } = load('./checker/http-probe.js');
const { HttpChecker } = load('./checker/http.checker.js');
const { HttpsChecker } = load('./checker/https.checker.js');
const { TcpChecker } = load('./checker/tcp.checker.js');
const { DnsChecker } = load('./checker/dns.checker.js');
const { SystemResolvers } = load('./checker/system-resolvers.js');
const { IcmpCapability } = load('./checker/icmp-capability.js');
const { IcmpChecker } = load('./checker/icmp.checker.js');
const { SshChecker } = load('./checker/ssh.checker.js');

const targets = await startTargets();
const dialer = new Dialer(new HostResolver(), new TrustedRoots([targets.rootPem]));
const egress = new EgressPolicy(loadConfig({})).forOrganization({ isDefault: true });
const icmp = new IcmpCapability();
const agentlessTls = { agent: false, ca: targets.rootPem };

/** One check as the scheduler runs it. */
function checkOf(checker, url) {
  const request = {
    target: checker.parseTarget(url),
    method: 'GET',
    headers: [],
    body: null,
    followRedirects: true,
    assertions: [],
    egress,
  };
  return async () => {
    const deadline = startDeadline(10_000);
    const report = await checker.check(request, deadline.signal);
    deadline.clear();
    if (report.outcome !== 'up') throw new Error(`${url}: ${JSON.stringify(report.error)}`);
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

const probe = new HttpProbe(dialer);
const cases = [
  { name: 'HTTP', type: 'HTTP', run: checkOf(new HttpChecker(probe), targets.http) },
  { name: 'bare node:http', bareOf: 'HTTP', limit: 1.25, run: bareGet(http, targets.http, { agent: false }) },
  { name: 'HTTPS', type: 'HTTPS', share: 0.2, run: checkOf(new HttpsChecker(probe), targets.https) },
  {
    name: 'bare node:https',
    bareOf: 'HTTPS',
    limit: 0.75,
    share: 0.2,
    run: bareGet(https, targets.https, agentlessTls),
  },
  { name: 'TCP', type: 'TCP', share: 2, run: checkOf(new TcpChecker(dialer), `127.0.0.1:${targets.tcpPort}`) },
  { name: 'bare net.connect', bareOf: 'TCP', limit: 1.4, share: 2, run: bareConnect(targets.tcpPort) },
  { name: 'DNS', type: 'DNS', run: checkOf(new DnsChecker(dialer, new SystemResolvers()), targets.dns) },
  { name: 'ICMP', type: 'ICMP', run: checkOf(new IcmpChecker(dialer, icmp), '127.0.0.1') },
  { name: 'SSH', type: 'SSH', share: 0.05, run: checkOf(new SshChecker(dialer), `127.0.0.1:${targets.sshPort}`) },
];

/** Runs `total` checks, `CONCURRENCY` at a time; CPU of this process and wall time per check. */
async function measure(run, total) {
  let left = total;
  const lane = async () => {
    while (left-- > 0) await run();
  };
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, total) }, lane));
  const used = process.cpuUsage(cpu);
  return { cpuUs: (used.user + used.system) / total, wallUs: ((performance.now() - startedAt) * 1000) / total };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function measureAll() {
  const samples = new Map(cases.map(({ name }) => [name, []]));
  for (const { run, share = 1 } of cases) await measure(run, Math.ceil(CHECKS * share));
  for (let round = 0; round < ROUNDS; round++) {
    // Every other round runs backwards, so that what a case leaves behind falls on both neighbours.
    for (const { name, run, share = 1 } of round % 2 ? [...cases].reverse() : cases) {
      samples.get(name).push(await measure(run, Math.ceil(CHECKS * share)));
    }
  }
  return cases.map(({ name, type, bareOf, limit }) => {
    const cpu = samples.get(name).map(({ cpuUs }) => cpuUs);
    return { name, type, bareOf, limit, cpuUs: median(cpu), min: Math.min(...cpu), max: Math.max(...cpu), cpu };
  });
}

function ratioOf(rows, { bareOf, cpu }) {
  const ours = rows.find(({ type }) => type === bareOf);
  return ours && median(cpu.map((bare, round) => ours.cpu[round] / bare));
}

const blackbox = ['/usr/bin/prometheus-blackbox-exporter', '/usr/local/bin/blackbox_exporter'].find(existsSync);
try {
  const rows = await measureAll();
  const ratios = rows
    .filter(({ bareOf }) => bareOf)
    .map((row) => ({ type: row.bareOf, against: row.name, limit: row.limit, ratio: ratioOf(rows, row) }));
  if (values.json) console.log(JSON.stringify({ node: process.version, rows, ratios }));
  else {
    console.log(`Node ${process.version}, ${ROUNDS} rounds of ${CHECKS} checks, ${CONCURRENCY} at once, one process\n`);
    console.log('                    CPU µs/check (min – max)        checks/s/core');
    for (const { name, cpuUs, min, max } of rows) {
      const range = `(${min.toFixed(0)} – ${max.toFixed(0)})`;
      console.log(
        `${name.padEnd(20)}${cpuUs.toFixed(0).padStart(6)} ${range.padEnd(22)}${(1e6 / cpuUs).toFixed(0).padStart(14)}`,
      );
    }
    console.log('\nratio to the bare loop (median of the rounds)');
    for (const { type, against, ratio, limit } of ratios) {
      console.log(
        `${type.padEnd(7)}${ratio.toFixed(2)} × ${against.padEnd(18)} limit ${limit}  ${ratio <= limit ? 'held' : 'MISSED'}`,
      );
    }
    if (!blackbox) console.log('\nprometheus-blackbox-exporter is not installed: not compared');
  }
} finally {
  icmp.onModuleDestroy();
  targets.stop();
}
