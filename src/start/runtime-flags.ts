import { setFlagsFromString } from 'node:v8';
import '../platform/database/embedded/engine-flags.cjs';

// Sets how V8 collects short-lived objects in this process. Import it before anything else, because both settings apply
// from the first collection on, and loading the modules takes several collections.

// Uses one thread. With few cores, waking and waiting for several threads costs more than they save.
setFlagsFromString('--no-parallel-scavenge');

// Allocates all objects in the young generation. Otherwise V8 would allocate the kinds of objects that survived
// startup, such as parts of every connection, directly in the old generation. Old objects are not examined when the
// young generation is collected. Each of them kept the rest of a finished check alive, which was then copied twice
// before it was freed.
setFlagsFromString('--no-allocation-site-pretenuring');

// The number of libuv's threads, which it reads when it needs the first one. At most half of them run `getaddrinfo`,
// and the names of one organization may use half of those (platform/net/dns/host-resolver.ts). With libuv's default of
// four, that would be one.
process.env['UV_THREADPOOL_SIZE'] ??= '8';
