import { setFlagsFromString } from 'node:v8';
import '../platform/database/embedded/engine-flags.cjs';

// How V8 collects short-lived objects in this process. Imported before anything else: both settings count from the first
// collection on, and loading the modules takes several.

// By one thread: on few cores several cost more in waking and waiting than they save.
setFlagsFromString('--no-parallel-scavenge');

// All of them are born young. V8 would let the kinds of object that survived while the service started be born old from
// then on: parts of every connection among them. Old ones are not looked at when the young are collected, so each kept
// everything else of a finished check alive, which was then copied twice before it was freed.
setFlagsFromString('--no-allocation-site-pretenuring');

// How many threads libuv makes: it reads this when the first one is needed. Half of them at most run `getaddrinfo`, and one
// organization's names have half of that half (platform/net/dns/host-resolver.ts): with libuv's own four that would be one.
process.env['UV_THREADPOOL_SIZE'] ??= '8';
