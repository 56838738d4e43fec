// npm run demo: the service with something to watch, entirely on this machine. A local target (/ok, /slow, /flaky), a
// webhook receiver and a mail server; a website, endpoints and alerts made through the public API; then what happens,
// as it happens. Ends by itself after a trigger and a resolve have arrived by both ways. `-- --stay` keeps it running.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const { SMTPServer } = require('smtp-server');
const KEY = 'demo-key-for-this-machine-only';
const stay = process.argv.includes('--stay');
const LIMIT_MS = 120_000;
const started = performance.now();

const say = (text) => console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`);
const listen = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

/** What has been told so far, e.g. `webhook triggered`. */
const told = new Set();

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
    told.add(`webhook ${event.type}`);
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
      told.add(`mail ${/resolved|up again|recovered/i.test(subject) ? 'resolved' : 'triggered'}`);
      say(`mail received for ${session.envelope.rcptTo.map(({ address }) => address).join(', ')}: ${subject}`);
      done();
    });
  },
});
const mailPort = await new Promise((resolve) => {
  const server = mail.listen(0, '127.0.0.1', () => resolve(server.address().port));
});

const service = spawn(process.execPath, [join(root, 'dist/main.js')], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    PATH: process.env.PATH,
    PORT: process.env.PORT ?? '0',
    DATABASE_URL: 'embedded:memory',
    BOOTSTRAP_API_KEY: KEY,
    SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    SMTP_FROM: 'Uptime demo <uptime@demo.example>',
    LOG_LEVEL: 'error',
  },
});
let banner = '';
service.stdout.on('data', (chunk) => {
  banner += chunk;
  process.stdout.write(chunk);
});

let code = 1;
const stop = () => service.kill('SIGTERM');
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => ((code = 130), stop()));
service.once('exit', () => process.exit(code));

while (!/running at (http\S+)/.test(banner)) await sleep(50);
const url = /running at (http\S+)/.exec(banner)[1];
const api = async (method, path, body) => {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = response.status === 204 ? null : await response.json();
  say(`${method} ${path} → ${response.status} ${answer?.id ?? ''}`);
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
};

try {
  say(`The API key of this demo is ${KEY}`);
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
  say('Checkout breaks now and heals in 9 seconds. Waiting for what the service says about it …');
  brokenUntil = performance.now() + 9000;

  const awaited = ['webhook alert.triggered', 'mail triggered', 'webhook alert.resolved', 'mail resolved'];
  while (!awaited.every((what) => told.has(what))) {
    if (performance.now() - started > LIMIT_MS)
      throw new Error(`not within a minute: ${awaited.filter((what) => !told.has(what)).join(', ')}`);
    await sleep(100);
  }
  const events = await api('GET', '/alerts/events');
  for (const { type, endpoint_name: name, message } of events.reverse()) say(`event ${type}: ${name}: ${message}`);
  say('Triggered and resolved, by webhook and by mail.');
  code = 0;
  if (stay) {
    say(`Still running: ${url}/ with the key ${KEY}. Ctrl-C ends it; checkout breaks again every half minute.`);
    setInterval(() => (brokenUntil = performance.now() + 9000), 30_000);
  } else stop();
} catch (error) {
  say(`The demo failed: ${error.message}`);
  stop();
}
