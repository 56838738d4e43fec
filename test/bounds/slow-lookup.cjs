'use strict';
/**
 * Loaded into the main thread of the service by NODE_OPTIONS. Makes the system's name lookup take 60 ms, as in a
 * network with a slow resolver. It knows one name, the victim's.
 */
const dns = require('node:dns');
const { isMainThread } = require('node:worker_threads');

const MS = 60;
/** getaddrinfo blocks one of libuv's threads the whole time. At most four run at once. */
const THREADS = 4;
const waiting = [];
let running = 0;

function next() {
  while (running < THREADS && waiting.length > 0) {
    const { name, callback } = waiting.shift();
    running++;
    setTimeout(() => {
      running--;
      if (name === 'victim.internal') callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
      next();
    }, MS);
  }
}

/** `lookup` with a callback, as earlier versions of the service call it, and with a promise. */
const system = dns.lookup;
const systemPromise = dns.promises.lookup;
const slow = (name, callback) => {
  waiting.push({ name, callback });
  next();
};
if (isMainThread) {
  dns.lookup = (name, options, callback) =>
    name.endsWith('.internal') ? slow(name, callback) : system(name, options, callback);
  dns.promises.lookup = (name, options) =>
    name.endsWith('.internal')
      ? new Promise((resolve, reject) => slow(name, (error, found) => (error ? reject(error) : resolve(found))))
      : systemPromise(name, options);
}
