// Preloaded into a service and its threads (NODE_OPTIONS): at each SIGUSR2 every thread collects all its garbage and
// writes to the file HEAP_LOG what is left, one line of JSON a thread. `round` counts the signals.
const { appendFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { BroadcastChannel, isMainThread, threadId } = require('node:worker_threads');

// A flag of V8, not of Node 20's NODE_OPTIONS; contexts made after it have the function.
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
