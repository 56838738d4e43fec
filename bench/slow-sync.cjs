'use strict';
/** Preloaded with `-r`: each call that synchronizes with the disk takes SYNC_DELAY_MS longer, as on a slower disk. */
const fs = require('node:fs');
const threads = require('node:worker_threads');

const delayMs = Number(process.env.SYNC_DELAY_MS ?? 0);
const clock = new Int32Array(new SharedArrayBuffer(4));
for (const name of ['fsyncSync', 'fdatasyncSync']) {
  const call = fs[name];
  fs[name] = (...of) => {
    if (delayMs > 0) Atomics.wait(clock, 0, 0, delayMs);
    return call(...of);
  };
}

// The engine's thread is started without options of the process.
threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    super(file, { ...options, execArgv: ['-r', __filename] });
  }
};
