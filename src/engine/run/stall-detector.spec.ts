import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EventLoopLag } from '../../platform/observability/event-loop-lag';
import { Metrics } from '../../platform/observability/metrics';
import { Clock } from '../../platform/time/clock';
import { StallDetector } from './stall-detector';

const clock = new Clock();

const blockFor = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

/** A clock whose wall time can be moved ahead, as if the machine was suspended or an administrator changed the time. */
class SetClock extends Clock {
  aheadMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() + this.aheadMs);
  }
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error('the condition did not come true within 10 s');
    await nextTurn();
  }
}

describe('StallDetector', () => {
  let detector: StallDetector;
  let lag: EventLoopLag;
  let metrics: Metrics;

  const overlaps = (start: number, end: number) => detector.stalls.some(({ from, to }) => from <= end && start <= to);
  const watch = (of: Clock) => {
    metrics = new Metrics();
    lag = new EventLoopLag(of);
    detector = new StallDetector(lag, metrics);
    lag.onModuleInit();
    detector.enter();
  };

  afterEach(() => lag.onModuleDestroy());

  it('reports no stall while the event loop turns', async () => {
    watch(clock);
    const start = clock.monotonic();
    await until(() => clock.monotonic() - start > 120);
    // A busy machine may cause real stalls. The detector must report those and only those.
    expect(overlaps(start, clock.monotonic())).toBe(detector.stallCount > 0);
  });

  it('reports a stall at once, before a timer has run', () => {
    watch(clock);
    const start = clock.monotonic();
    blockFor(400);
    expect(overlaps(start, clock.monotonic())).toBe(true);
    expect(detector.stallCount).toBe(1);
    expect(detector.lastStallMs).toBeGreaterThan(250);
  });

  it('reports a stall for the checks that ran during it, and for no others', async () => {
    const before = clock.monotonic() - 1000;
    const start = clock.monotonic();
    watch(clock);
    blockFor(400);
    const end = clock.monotonic();
    await until(() => detector.stallCount === 1);
    const after = clock.monotonic() + 1;
    expect(overlaps(before, start - 1)).toBe(false);
    expect(overlaps(before, start + 100)).toBe(true);
    expect(overlaps(start + 100, start + 200)).toBe(true);
    expect(overlaps(end - 1, after + 1000)).toBe(true);
    expect(overlaps(after + 1000, after + 2000)).toBe(false);
    expect(await metrics.expose()).toContain(`uptime_stall_seconds_total ${detector.lastStallMs / 1000}`);
  });

  it('counts a jump of the wall clock as a stall', async () => {
    const jumping = new SetClock();
    watch(jumping);
    const start = jumping.monotonic();
    jumping.aheadMs = 3_600_000;
    await until(() => overlaps(start, jumping.monotonic()));
    expect(detector.stalls.some(({ isJump }) => isJump)).toBe(true);
    expect(await metrics.expose()).toContain('uptime_clock_jumps_total 1');
  });
});

const TYPESCRIPT = join(__dirname, '../../../scripts/typescript.cjs');

describe('StallDetector in another process', () => {
  it('notices that the process was stopped by a signal', async () => {
    const child = spawn(process.execPath, ['-r', TYPESCRIPT, '-e', CHILD], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines = createInterface({ input: child.stdout });
      expect(await once(lines, 'line')).toEqual(['ready']);
      child.kill('SIGSTOP');
      const start = performance.now();
      await until(() => performance.now() - start > 600);
      child.kill('SIGCONT');
      const [line] = (await once(lines, 'line')) as [string];
      expect(Number(line)).toBeGreaterThan(250);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

/** Prints `ready`, then the length of the first stall. */
const CHILD = `
require('reflect-metadata');
const { Clock } = require(${JSON.stringify(join(__dirname, '../../platform/time/clock'))});
const { Metrics } = require(${JSON.stringify(join(__dirname, '../../platform/observability/metrics'))});
const { EventLoopLag } = require(${JSON.stringify(join(__dirname, '../../platform/observability/event-loop-lag'))});
const { StallDetector } = require(${JSON.stringify(join(__dirname, 'stall-detector'))});
const lag = new EventLoopLag(new Clock());
const detector = new StallDetector(lag, new Metrics());
lag.onModuleInit();
detector.enter();
setTimeout(() => {
  detector.stallCount = 0;
  console.log('ready');
  setInterval(() => detector.stallCount > 0 && (console.log(detector.lastStallMs), process.exit(0)), 10);
}, 300);
`;
