// An independent target. It serves any number of sites on one loopback port, records when each check arrives, and
// receives the service's webhooks. run.mjs controls it over HTTP:
//   GET /site/<n>                a check of site n: 200, or 503 while it is broken, after --delay ms
//   POST /hook                   a webhook; records every site/<n> in its body
//   POST /control/reset          discards all arrivals and webhooks
//   POST /control/break?site=n   site n fails from now on; /control/heal?site=n repairs it
//   GET /control/seen            { arrivals: [[site, ms], …], hooks: [[site, ms after the first failing response], …] }
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { sites: { type: 'string', default: '1000' }, delay: { type: 'string', default: '5' } },
});
const sites = Number(values.sites);
const delayMs = Number(values.delay);
const CAPACITY = 4_000_000;

const at = new Float64Array(CAPACITY);
const site = new Uint32Array(CAPACITY);
let count = 0;
const broken = new Map();
let hooks = [];

function respondToCheck(n, response) {
  if (count < CAPACITY) {
    at[count] = performance.now();
    site[count++] = n;
  }
  setTimeout(() => {
    const failing = broken.get(n);
    if (failing && failing.respondedAt === null) failing.respondedAt = performance.now();
    response.writeHead(failing ? 503 : 200, { 'content-length': 2, connection: 'close' }).end('ok');
  }, delayMs);
}

function receiveHook(body) {
  const now = performance.now();
  for (const n of new Set(Array.from(body.matchAll(/site\/(\d+)/g), ([, digits]) => Number(digits)))) {
    const failing = broken.get(n);
    if (failing && failing.respondedAt !== null && !failing.isNotified) {
      failing.isNotified = true;
      hooks.push([n, now - failing.respondedAt]);
    }
  }
}

function control(url) {
  const n = Number(url.searchParams.get('site'));
  switch (url.pathname) {
    case '/control/reset':
      count = 0;
      hooks = [];
      broken.clear();
      return {};
    case '/control/break':
      broken.set(n, { respondedAt: null, isNotified: false });
      return {};
    case '/control/heal':
      broken.delete(n);
      return {};
    case '/control/seen':
      return { arrivals: Array.from({ length: count }, (_, i) => [site[i], at[i]]), hooks };
    case '/control/count':
      return { count };
    default:
      return null;
  }
}

const server = createServer((request, response) => {
  const check = /^\/site\/(\d+)$/.exec(request.url);
  if (check && Number(check[1]) < sites) return respondToCheck(Number(check[1]), response);
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    if (request.url === '/hook') receiveHook(body.replaceAll('\\/', '/'));
    const reply = request.url === '/hook' ? {} : control(new URL(request.url, 'http://target'));
    response
      .writeHead(reply === null ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(reply ?? {}));
  });
});
server.keepAliveTimeout = 1000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
