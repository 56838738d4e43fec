// Preloaded into the service (NODE_OPTIONS). If the main thread has used more than 20 ms of CPU in one piece, appends
// a line of JSON to the file PIECE_LOG. A timer runs every 10 ms, so a piece may include up to 10 ms of earlier work.
const { appendFileSync, readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const SHORT_MS = 20;

/** Counted by the kernel, so other processes do not matter. */
const cpuMs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;

if (isMainThread && process.env.PIECE_LOG) {
  let before = cpuMs();
  setInterval(() => {
    const now = cpuMs();
    const ms = now - before;
    before = now;
    if (ms > SHORT_MS) appendFileSync(process.env.PIECE_LOG, `${JSON.stringify({ at: Date.now(), ms })}\n`);
  }, 10).unref();
}
