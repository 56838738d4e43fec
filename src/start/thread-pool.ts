// How many threads libuv makes: it reads this when the first one is needed. Half of them at most run `getaddrinfo`, and one
// organization's names have half of that half (platform/net/dns/host-resolver.ts): with libuv's own four that would be one.
process.env['UV_THREADPOOL_SIZE'] ??= '8';
