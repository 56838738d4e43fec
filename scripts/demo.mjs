// npm run demo: the service with something to watch, entirely on this machine. A local target (/ok, /slow, /flaky), a
// webhook receiver and a mail server; a website, endpoints and alerts made through the public API; then what happens,
// as it happens. After a trigger and a resolve have arrived both ways it keeps running, with a link into the dashboard,
// until Ctrl-C. `-- --once` ends there by itself.
import '../src/start/node-version.cjs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const dist = (path) => require(fileURLToPath(new URL(`../dist/${path}`, import.meta.url)));
dist('start/gc-flags.js');
require('reflect-metadata');
const { createApp } = dist('app.js');
const { SignInLinks } = dist('identity/session/sign-in-links.js');
const { Bootstrap } = dist('identity/organization/bootstrap.js');
const { loadConfig } = dist('platform/config/config.js');
const { Health } = dist('platform/observability/health.js');
const { SMTPServer } = require('smtp-server');
const KEY = 'demo-key-for-this-machine-only';
const once = process.argv.includes('--once');
const LIMIT_MS = 120_000;
const started = performance.now();

const say = (text) => console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`);
const listen = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

/** What has arrived so far, e.g. `webhook alert.triggered`. */
const arrived = new Set();

// The target: /flaky answers 503 for the first seconds of every half minute, beginning when the rules are in place.
let brokenUntil = 0;
const target = createServer((request, response) => {
  if (request.url === '/slow') return void setTimeout(() => response.end('slow but fine'), 800);
  const broken = request.url === '/flaky' && performance.now() < brokenUntil;
  response.writeHead(broken ? 503 : 200).end(broken ? 'broken' : 'ok');
});
const targetPort = await listen(target);

const hook = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    response.end('ok');
    const event = JSON.parse(body);
    arrived.add(`webhook ${event.type}`);
    const { 'webhook-id': id, 'webhook-signature': signature } = request.headers;
    say(`webhook received, id ${String(id)}, signed ${String(signature).slice(0, 12)}…`);
    console.log(JSON.stringify(event, null, 2).replace(/^/gm, '         '));
  });
});
const hookPort = await listen(hook);

const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, done) {
    let text = '';
    stream.on('data', (chunk) => (text += chunk));
    stream.on('end', () => {
      const subject = /^Subject: (.*)$/im.exec(text)?.[1] ?? '';
      arrived.add(`mail ${/resolved|up again|recovered/i.test(subject) ? 'resolved' : 'triggered'}`);
      say(`mail received for ${session.envelope.rcptTo.map(({ address }) => address).join(', ')}: ${subject}`);
      done();
    });
  },
});
const mailPort = await new Promise((resolve) => {
  const server = mail.listen(0, '127.0.0.1', () => resolve(server.address().port));
});

const config = loadConfig({
  PORT: process.env.PORT ?? '0',
  DATABASE_URL: 'embedded:memory',
  BOOTSTRAP_API_KEY: KEY,
  SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
  SMTP_FROM: 'Uptime demo <uptime@demo.example>',
  LOG_LEVEL: 'error',
});
const app = await createApp(config);
await app.get(Bootstrap).prepare();
await app.listen(config.port, config.host);
const url = `http://${config.host}:${app.getHttpServer().address().port}`;
say(`Uptime monitor is running at ${url}, its API key is ${KEY}`);

/** Ends the service as SIGTERM would, then the process. A second Ctrl-C does not wait. */
let ending = false;
async function end(code) {
  if (ending) process.exit(code);
  ending = true;
  app.get(Health).drain();
  await app.close();
  process.exit(code);
}
let isStoryOver = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end(isStoryOver ? 0 : 130));

const api = async (method, path, body) => {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const result = response.status === 204 ? null : await response.json();
  say(`${method} ${path} → ${response.status} ${result?.id ?? ''}`);
  if (!response.ok) throw new Error(JSON.stringify(result));
  return result;
};

try {
  const website = await api('POST', '/websites', { name: 'Demo shop', url: `http://127.0.0.1:${targetPort}` });
  const create = (name, settings) =>
    api('POST', `/websites/${website.id}/endpoints`, { name, interval: 2, timeout: 5, ...settings });
  await create('Front page', { type: 'HTTP', url: `http://127.0.0.1:${targetPort}/ok` });
  await create('Search, slow', {
    type: 'HTTP',
    url: `http://127.0.0.1:${targetPort}/slow`,
    assertions: [{ source: 'response_time', comparison: 'less_than', target: '2000' }],
  });
  await create('Mail server', { type: 'TCP', url: `tcp://127.0.0.1:${mailPort}` });
  const flaky = await create('Checkout, flaky', { type: 'HTTP', url: `http://127.0.0.1:${targetPort}/flaky` });
  const rule = {
    endpoint_id: flaky.id,
    failure_threshold: 2,
    success_threshold: 2,
    description: 'Call the shop team.',
  };
  await api('POST', '/alerts', { ...rule, type: 'webhook', config: { url: `http://127.0.0.1:${hookPort}/hook` } });
  await api('POST', '/alerts', { ...rule, type: 'email', config: { to: ['shop-team@demo.example'] } });
  say('Checkout breaks now and heals in 9 seconds. Waiting for the notifications …');
  brokenUntil = performance.now() + 9000;

  const awaited = ['webhook alert.triggered', 'mail triggered', 'webhook alert.resolved', 'mail resolved'];
  while (!awaited.every((what) => arrived.has(what))) {
    if (performance.now() - started > LIMIT_MS)
      throw new Error(`not within ${LIMIT_MS / 1000} s: ${awaited.filter((what) => !arrived.has(what)).join(', ')}`);
    await sleep(100);
  }
  const events = await api('GET', '/alerts/events');
  for (const { type, endpoint_name: name, message } of events.reverse()) say(`event ${type}: ${name}: ${message}`);
  say('Triggered and resolved, by webhook and by mail.');
  if (once) await end(0);
  isStoryOver = true;
  console.log(`
  Dashboard  ${url}/#/sign-in/${await app.get(SignInLinks).create()}
             (signs in once, within 15 minutes)
  API key    ${KEY}

  Checkout breaks again every half minute. Ctrl-C ends the demo and forgets everything.
`);
  setInterval(() => (brokenUntil = performance.now() + 9000), 30_000);
} catch (error) {
  say(`The demo failed: ${error.message}`);
  await end(1);
}
