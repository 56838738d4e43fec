// How far a measured first byte is from the truth while many checks run: an open loop of HTTP checks, evenly paced,
// against a target that responds after 50 ms and states in a header how long it really took.
// Usage: node bench/checkers-accuracy.mjs [--rate N] [--seconds N] [--dist DIR]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BuiltCheckers, loadBuilt } from './checkers/built-checkers.mjs';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    dist: { type: 'string' },
  },
});
const RATE = Number(values.rate);
const TOTAL = RATE * Number(values.seconds);
const WARM_UP = RATE;

const load = loadBuilt(values.dist);
const { StallDetector } = load('./monitoring/run/stall-detector.js');
const { EventLoopLag } = load('./platform/observability/event-loop-lag.js');
const { Metrics } = load('./platform/observability/metrics.js');
const { Clock } = load('./platform/time/clock.js');

const child = fork(fileURLToPath(new URL('checkers/slow-target.mjs', import.meta.url)));
const [port] = await once(child, 'message');
const lag = new EventLoopLag(new Clock());
const stalls = new StallDetector(lag, new Metrics());
lag.onModuleInit();

// The target's own time is in a header, which a result does not contain: an assertion that cannot hold reports it.
const assertions = [{ source: 'header', property: 'X-Delay', comparison: 'equals', target: '-' }];
const checkers = new BuiltCheckers(load);
const runCheck = checkers.check('HTTP', `http://127.0.0.1:${port}/`, { assertions });
const errors = [];
let started = 0;
let finished = 0;
let stalled = 0;

async function check(counts) {
  const begun = performance.now();
  const result = await runCheck();
  finished += 1;
  const truth = Number(/but it was ([\d.]+)\.$/.exec(result.error?.message ?? '')?.[1]);
  if (Number.isNaN(truth)) throw new Error(`no time in ${JSON.stringify(result.error)}`);
  if (!counts) return;
  if (stalls.overlaps(begun, performance.now())) stalled += 1;
  else errors.push(result.phases.firstByteMs - truth);
}

const cpu = process.cpuUsage();
const begun = performance.now();
await new Promise((done) => {
  const tick = setInterval(() => {
    const dueNow = Math.min(TOTAL + WARM_UP, ((performance.now() - begun) / 1000) * RATE);
    while (started < dueNow) void check(++started > WARM_UP);
    if (finished === TOTAL + WARM_UP) done(clearInterval(tick));
  }, 1);
});
const used = process.cpuUsage(cpu);
child.disconnect();
checkers.close();
lag.onModuleDestroy();

errors.sort((a, b) => a - b);
const at = (share) => (errors[Math.min(errors.length - 1, Math.floor(errors.length * share))] ?? NaN).toFixed(2);
const load_ = ((used.user + used.system) / 1000 / (performance.now() - begun)).toFixed(2);
console.log(`load of the machine: ${loadavg()[0].toFixed(1)} on ${availableParallelism()} cores`);
console.log(`Node ${process.version}: ${TOTAL} HTTP checks, ${RATE} a second, CPU ${load_} of a core`);
console.log(
  `error of the first byte in ms: p1 ${at(0.01)}  p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  max ${at(1)}`,
);
console.log(`stalled, to be run again: ${stalled}`);
console.log(Number(at(0.99)) < 5 ? 'p99 < 5 ms: held' : 'p99 < 5 ms: MISSED');
