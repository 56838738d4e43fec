// The witness for bench/overload.mjs. It works like bench/target.mjs, but a bare TCP responder serves the sites,
// because the target, the service, and PostgreSQL share the machine. It closes each connection after one response.
//   prints "<port of the sites> <port of control and hook>"
//   GET /site/<n> (sites)        200, or 503 while site n is broken, after --delay ms
//   POST /hook                   a webhook; an event that triggers for a site that never failed is counted as untrue
//   `POST /control/begin`        starts a step: arrivals are counted from 0, all sites work again
//   POST /control/break?site=n   site n fails from now on; /control/heal repairs all sites
//   GET /control/count           { total } since the start: what the recorder must keep up with
//   GET /control/step            `{ counts, told: [[site, ms after its first failing response]], failing, untrue }`
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { sites: { type: 'string', default: '1000' }, delay: { type: 'string', default: '5' } },
});
const sites = Number(values.sites);
const delayMs = Number(values.delay);

const counts = new Uint32Array(sites);
let total = 0;
let untrue = 0;
let told = [];
const broken = new Map();
const everBroken = new Set();

const GOOD = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
const BAD = Buffer.from('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
const PREFIX = 'GET /site/'.length;

/** Returns the number after `GET /site/`, or -1. */
function siteOf(request) {
  let n = 0;
  let at = PREFIX;
  for (; request[at] >= 48 && request[at] <= 57; at++) n = n * 10 + request[at] - 48;
  return at > PREFIX && n < sites ? n : -1;
}

function respond(socket, n) {
  if (socket.destroyed) return;
  const failing = broken.get(n);
  if (failing) failing.respondedAt ??= performance.now();
  socket.end(failing ? BAD : GOOD);
}

const sitesServer = createTcpServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.once('data', (request) => {
    const n = siteOf(request);
    if (n < 0) return socket.destroy();
    total++;
    counts[n]++;
    if (delayMs === 0) respond(socket, n);
    else setTimeout(respond, delayMs, socket, n);
  });
});

function receiveHook(body) {
  const now = performance.now();
  const triggers = body.includes('"alert.triggered"');
  for (const n of new Set(Array.from(body.matchAll(/site\/(\d+)/g), ([, digits]) => Number(digits)))) {
    const failing = broken.get(n);
    if (failing && failing.respondedAt !== null && !failing.isTold && triggers) {
      failing.isTold = true;
      told.push([n, now - failing.respondedAt]);
    }
    if (triggers && !everBroken.has(n)) untrue++;
  }
}

function control(url) {
  const n = Number(url.searchParams.get('site'));
  switch (url.pathname) {
    case '/control/begin':
      counts.fill(0);
      told = [];
      untrue = 0;
      broken.clear();
      return {};
    case '/control/break':
      broken.set(n, { respondedAt: null, isTold: false });
      everBroken.add(n);
      return {};
    case '/control/heal':
      broken.clear();
      return {};
    case '/control/count':
      return { total };
    case '/control/step':
      return {
        counts: Array.from(counts),
        told,
        failing: [...broken.values()].filter(({ respondedAt }) => respondedAt !== null).length,
        untrue,
      };
    default:
      return null;
  }
}

const controlServer = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    const isHook = request.url === '/hook';
    if (isHook) receiveHook(body.replaceAll('\\/', '/'));
    const reply = isHook ? {} : control(new URL(request.url, 'http://target'));
    response
      .writeHead(reply === null ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(reply ?? {}));
  });
});

const port = (server) =>
  new Promise((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 8192 }, () => resolve(server.address().port)),
  );
console.log(`${await port(sitesServer)} ${await port(controlServer)}`);
process.on('SIGTERM', () => process.exit(0));
