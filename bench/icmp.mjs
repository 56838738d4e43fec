// Measures what an ICMP check costs over each transport and how accurate its time is. The CPU per check includes the
// `ping` processes. The round trip to 127.0.0.1 is measured on an idle event loop and while the event loop is blocked
// in bursts. Runs itself again in a network namespace that permits every transport, which requires root.
// Usage: node bench/icmp.mjs [--checks N] [--rounds N] [--concurrency N] [--block MS] [--json] [--dist DIR]
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BuiltCheckers, loadBuilt } from './checkers/built-checkers.mjs';

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '9' },
    concurrency: { type: 'string', default: '50' },
    block: { type: 'string', default: '30' },
    json: { type: 'boolean', default: false },
    dist: { type: 'string' },
    /** Set by this file when it runs itself again. */
    isolated: { type: 'boolean', default: false },
  },
});
if (!values.isolated) {
  const permitted = 'ip link set lo up; echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range; exec "$@"';
  const again = [process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2), '--isolated'];
  process.exit(spawnSync('unshare', ['-n', 'sh', '-ec', permitted, 'sh', ...again], { stdio: 'inherit' }).status ?? 1);
}
const CHECKS = Number(values.checks);
const ROUNDS = Number(values.rounds);
const CONCURRENCY = Number(values.concurrency);
const BLOCK_MS = Number(values.block);
/** A check that uses the command starts a process, so fewer of them are enough. */
const SHARE = { 'ping command': 0.1 };
const TARGET = '127.0.0.1';

const load = loadBuilt(values.dist);
const checkers = new BuiltCheckers(load);
const { TRANSPORTS } = load('./checker/icmp/icmp-transports.js');

/** Returns the CPU microseconds used by this process and by the children it has waited for. */
function cpuUs() {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return userCPUTime + systemCPUTime + childrenUs();
}

/** Returns `cutime` and `cstime` from /proc/self/stat, in ticks of a hundredth of a second. */
function childrenUs() {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const [cutime, cstime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return (cutime + cstime) * 10_000;
}

async function runAll(check, total, concurrency) {
  let left = total;
  const times = [];
  const lane = async () => {
    while (left-- > 0) {
      const result = await check();
      if (result.outcome !== 'up') throw new Error(JSON.stringify(result.error));
      times.push(result.phases.firstByteMs);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, total) }, lane));
  return times;
}

/** Blocks the event loop for `BLOCK_MS` out of every 2 × `BLOCK_MS`, like a busy process. */
function blockInBursts() {
  const timer = setInterval(() => {
    const until = performance.now() + BLOCK_MS;
    while (performance.now() < until);
  }, BLOCK_MS * 2);
  return () => clearInterval(timer);
}

const quantile = (numbers, q) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))];

async function measure(name) {
  const check = checkers.check('ICMP', TARGET, { checker: checkers.icmpOf(name) });
  const total = Math.ceil(CHECKS * (SHARE[name] ?? 1));
  await runAll(check, Math.min(total, 50), CONCURRENCY);
  const before = cpuUs();
  await runAll(check, total, CONCURRENCY);
  const cpu = (cpuUs() - before) / total;
  const calm = await runAll(check, Math.ceil(total / 4), 1);
  const unblock = blockInBursts();
  const blocked = await runAll(check, Math.ceil(total / 4), 8);
  unblock();
  return { cpu, calm, blocked };
}

const available = [];
for (const option of TRANSPORTS) {
  const transport = option.open();
  if (typeof transport === 'string') console.error(`${option.name} is not measured: ${transport}`);
  else {
    transport.close();
    available.push(option.name);
  }
}

const samples = new Map(available.map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const name of round % 2 ? [...available].reverse() : available) samples.get(name).push(await measure(name));
}
checkers.close();

const rows = available.map((name) => {
  const rounds = samples.get(name);
  const [calm, blocked] = ['calm', 'blocked'].map((key) => rounds.flatMap((round) => round[key]));
  return {
    name,
    cpuUs: rounds.map(({ cpu }) => Math.round(cpu)).sort((a, b) => a - b),
    calmMs: [quantile(calm, 0.5), quantile(calm, 0.99)],
    blockedMs: [quantile(blocked, 0.5), quantile(blocked, 0.99)],
  };
});
if (values.json) console.log(JSON.stringify({ node: process.version, rows }));
else {
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}; ${ROUNDS} rounds of ` +
      `${CHECKS} checks of ${TARGET}, ${CONCURRENCY} at once\n`,
  );
  console.log(
    `                              CPU us/check (min - max)   round trip ms p50, p99   blocked ${BLOCK_MS} of ${BLOCK_MS * 2} ms: p50, p99`,
  );
  for (const { name, cpuUs: cpu, calmMs, blockedMs } of rows) {
    const range = `${cpu[Math.floor(cpu.length / 2)]} (${cpu[0]} - ${cpu.at(-1)})`;
    const [calm, blocked] = [calmMs, blockedMs].map((pair) => pair.map((ms) => ms.toFixed(3)).join(', '));
    console.log(`${name.padEnd(30)}${range.padEnd(27)}${calm.padEnd(25)}${blocked}`);
  }
}
