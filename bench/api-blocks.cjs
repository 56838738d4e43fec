// `npm run bench:api -- --blocks` loads this into the service (Linux). It samples the event loop every 2 ms and records
// each delay of 10 ms or more. The kernel's counters split a delay into the time this thread ran and the time it waited
// for a processor. The rest is sleep: garbage collection waiting for its helper threads, or a sample that was taken
// early.
const { appendFileSync, openSync, readSync } = require('node:fs');
const { PerformanceObserver, performance } = require('node:perf_hooks');
const { isMainThread } = require('node:worker_threads');

const LOOK_MS = 2;
const BLOCK_MS = 10;

if (isMainThread && process.env.BENCH_BLOCKS) {
  const counts = openSync('/proc/self/schedstat', 'r');
  const buffer = Buffer.alloc(128);
  const look = () => {
    const [run, waited] = buffer.toString('latin1', 0, readSync(counts, buffer, 0, 128, 0)).split(' ');
    return { at: performance.now(), run: Number(run) / 1e6, waited: Number(waited) / 1e6 };
  };
  const blocks = [];
  const collections = [];
  new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({ entryTypes: ['gc'] });
  let last = look();
  const next = () => {
    const now = look();
    const ms = now.at - last.at - LOOK_MS;
    if (ms >= BLOCK_MS)
      blocks.push({ from: last.at, to: now.at, ms, run: now.run - last.run, waited: now.waited - last.waited });
    last = now;
    setTimeout(next, LOOK_MS).unref();
  };
  setTimeout(next, LOOK_MS).unref();
  // Polled once a second, because garbage collections are reported late.
  setInterval(() => {
    const done = blocks.splice(0, blocks.length);
    const lines = done.map(({ from, to, ms, run, waited }) => {
      const during = collections.filter(({ startTime, duration }) => startTime + duration > from && startTime < to);
      const gc = during.reduce((sum, { duration }) => sum + duration, 0);
      return JSON.stringify({ at: Math.round(performance.timeOrigin + from), ms, run, waited, gc });
    });
    if (lines.length > 0) appendFileSync(process.env.BENCH_BLOCKS, `${lines.join('\n')}\n`);
    const old = performance.now() - 5000;
    while (collections.length > 0 && collections[0].startTime < old) collections.shift();
    last = look();
  }, 1000).unref();
}
