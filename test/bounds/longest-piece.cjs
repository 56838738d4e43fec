// Preloaded into the service (NODE_OPTIONS): writes to the file PIECE_LOG when the main thread has used more than 20 ms of
// CPU in one piece, a line of JSON for each. A timer looks every 10 ms, so up to 10 ms of what was before are in a piece.
const { appendFileSync, readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const SHORT_MS = 20;

/** By the kernel's own account: what others run does not count. */
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
