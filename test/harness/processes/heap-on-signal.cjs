// Preloaded into a service and its threads (NODE_OPTIONS). On each SIGUSR2, every thread collects all its garbage and
// appends the remaining heap size to the HEAP_LOG file, as one line of JSON per thread. `round` counts the signals.
const { appendFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { BroadcastChannel, isMainThread, threadId } = require('node:worker_threads');

// This is a V8 flag that NODE_OPTIONS in Node 20 doesn't accept. Contexts created later have the function.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const threads = new BroadcastChannel('heap-on-signal');
threads.unref();
let signals = 0;

function measure(round) {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const line = { round, at: Date.now(), thread: threadId, heapBytes: heapUsed, externalBytes: external, rssBytes: rss };
  appendFileSync(process.env.HEAP_LOG, `${JSON.stringify(line)}\n`);
}

if (isMainThread)
  process.on('SIGUSR2', () => {
    threads.postMessage(++signals, []);
    measure(signals);
  });
else threads.addEventListener('message', ({ data }) => measure(data));
