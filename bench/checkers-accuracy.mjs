// Measures the accuracy of the time to first byte while many checks run. An open loop runs evenly paced HTTP checks
// against a target that responds after 50 ms. At the end, the target reports how long each response actually took.
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
const { StallDetector } = load('./engine/run/stall-detector.js');
const { mayExplain } = load('./engine/run/stall-evidence.js');
const { EventLoopLag } = load('./platform/observability/event-loop-lag.js');
const { Metrics } = load('./platform/observability/metrics.js');
const { Clock } = load('./platform/time/clock.js');

const child = fork(fileURLToPath(new URL('checkers/slow-target.mjs', import.meta.url)));
const [port] = await once(child, 'message');
const lag = new EventLoopLag(new Clock());
const stalls = new StallDetector(lag, new Metrics());
lag.onModuleInit();
stalls.enter();

const checkers = new BuiltCheckers(load);
/** The measured times by check number, without the warm-up and the checks that a stall distorted. */
const measured = [];
let started = 0;
let finished = 0;
let stalled = 0;

async function check(number) {
  const begun = performance.now();
  const result = await checkers.check('HTTP', `http://127.0.0.1:${port}/${number}`)();
  finished += 1;
  if (result.outcome !== 'up') throw new Error(`a check failed: ${result.error?.message}`);
  if (number <= WARM_UP) return;
  if (mayExplain(stalls.stalls, { from: begun, to: performance.now() }, 'first')) stalled += 1;
  else measured[number] = result.phases.firstByteMs;
}

const cpu = process.cpuUsage();
const begun = performance.now();
await new Promise((done) => {
  const tick = setInterval(() => {
    const dueNow = Math.min(TOTAL + WARM_UP, ((performance.now() - begun) / 1000) * RATE);
    while (started < dueNow) void check(++started);
    if (finished === TOTAL + WARM_UP) done(clearInterval(tick));
  }, 1);
});
const used = process.cpuUsage(cpu);
child.send('delays');
const [delays] = await once(child, 'message');
child.disconnect();
checkers.close();
lag.onModuleDestroy();

const errors = measured.map((ms, number) => ms - delays[number]).filter((error) => !Number.isNaN(error));
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
