// npm run demo: starts the service with something to monitor, entirely on this machine. It starts a local target (/ok,
// /slow, /flaky), a webhook receiver, and a mail server. It creates a contact and a website with endpoints and alerts
// through the public API. Then it prints what happens. An outage is reported, and a user acknowledges it using the link
// in the email, so that the manager isn't notified. Then the recovery is reported. Next, an address that four endpoints
// share fails, which causes one incident and one update on the status page. After that, it keeps running, with a link
// to the dashboard, until Ctrl-C. `-- --once` exits at that point.
import '../src/start/node-version.cjs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const dist = (path) => require(fileURLToPath(new URL(`../dist/${path}`, import.meta.url)));
dist('start/runtime-flags.js');
require('reflect-metadata');
const { createApp } = dist('app.js');
const { SignInLinks } = dist('identity/session/sign-in-links.js');
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

async function freePort() {
  const server = createServer();
  const free = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return free;
}

/** Everything that has arrived so far, such as `webhook alert.triggered`. */
const arrived = new Set();

// The target: /flaky responds with 503 during the first seconds of every half minute, starting after the rules have
// been created.
let brokenUntil = 0;
const target = createServer((request, response) => {
  if (request.url === '/slow') return void setTimeout(() => response.end('slow but fine'), 800);
  const broken = request.url === '/flaky' && performance.now() < brokenUntil;
  response.writeHead(broken ? 503 : 200).end(broken ? 'broken' : 'ok');
});
const targetPort = await listen(target);

// The server that four endpoints share. It is closed for a while.
const warehouse = createServer((_, response) => response.end('ok'));
const warehousePort = await listen(warehouse);

const hook = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    response.end('ok');
    const { type, data } = JSON.parse(body);
    arrived.add(`webhook ${type}`);
    say(`  webhook   ${type}: ${data.event.message}`);
  });
});
const hookPort = await listen(hook);

/** The link that acknowledges the outage, from the newest email that contained one. */
let acknowledgeLink = '';
const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, done) {
    let text = '';
    stream.on('data', (chunk) => (text += chunk));
    stream.on('end', () => {
      const [to] = session.envelope.rcptTo.map(({ address }) => address);
      const [, subject = ''] = /^Subject: (.*)$/im.exec(text) ?? [];
      // Quoted-printable folds long lines.
      [acknowledgeLink = acknowledgeLink] = /http\S+\/ack\/[\w.~-]+/.exec(text.replace(/=\r?\n/g, '')) ?? [];
      arrived.add(`mail to ${to} ${/resolved|back up|recovered/i.test(subject) ? 'resolved' : 'triggered'}`);
      say(`  mail      to ${to}: ${subject}`);
      done();
    });
  },
});
const mailPort = await new Promise((resolve) => {
  const server = mail.listen(0, '127.0.0.1', () => resolve(server.address().port));
});

/** Selected before the service listens, because links in messages need it. */
const port = Number(process.env.PORT ?? 0) || (await freePort());
const url = `http://127.0.0.1:${port}`;
const config = loadConfig({
  PORT: String(port),
  PUBLIC_URL: url,
  DATABASE_URL: 'embedded:memory',
  BOOTSTRAP_API_KEY: KEY,
  SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
  SMTP_FROM: 'Uptime demo <uptime@demo.example>',
  LOG_LEVEL: 'error',
});
const app = await createApp(config);
await app.listen(config.port, config.host);
say(`Uptime monitor is running at ${url}, its API key is ${KEY}`);

/** Stops the service like SIGTERM would, then the process. A second Ctrl-C doesn't wait. */
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
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(result)}`);
  return result;
};

async function until(what, isSo) {
  while (!(await isSo())) {
    if (performance.now() - started > LIMIT_MS) throw new Error(`not within ${LIMIT_MS / 1000} s: ${what}`);
    await sleep(100);
  }
}
const untilArrived = (...awaited) => until(awaited.join(', '), () => awaited.every((what) => arrived.has(what)));

const TEAM = 'shop-team@demo.example';
const MANAGER = 'manager@demo.example';

try {
  const operations = await api('POST', '/contacts', {
    name: 'Operations',
    type: 'webhook',
    config: { url: `http://127.0.0.1:${hookPort}/hook` },
    default: true,
    alert_defaults: { failure_threshold: 2, success_threshold: 2 },
  });
  say('The contact "Operations" is a webhook. It is the default: new endpoints get their alert through it.');
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
  const { alert_count: alerts } = await api('GET', `/contacts/${operations.id}`);
  say(`The website "Demo shop" has four endpoints, checked every 2 seconds. Alerts through Operations: ${alerts}.`);
  const mailTo = (to, after) => ({
    endpoint_id: flaky.id,
    type: 'email',
    config: { to: [to] },
    description: 'Call the shop team.',
    failure_threshold: 2,
    success_threshold: 2,
    after,
  });
  await api('POST', '/alerts', mailTo(TEAM, 0));
  await api('POST', '/alerts', mailTo(MANAGER, 6));
  say('Checkout also tells the shop team by mail, and the manager when it has been down for 6 seconds.');
  say('Checkout breaks now and heals in 9 seconds. Waiting for the first messages …');
  brokenUntil = performance.now() + 9000;

  await untilArrived('webhook alert.triggered', `mail to ${TEAM} triggered`);
  const taken = await fetch(acknowledgeLink, {
    method: 'POST',
    body: new URLSearchParams({ note: 'Restarting the shop.' }),
  });
  if (!taken.ok) throw new Error(`POST ${acknowledgeLink}: ${taken.status}`);
  const { note } = await api('GET', `/endpoints/${flaky.id}/acknowledgement`);
  say(`The shop team takes it in hand, by the link in the mail: "${note}" Nobody else is woken from now on.`);

  await untilArrived('webhook alert.resolved', `mail to ${TEAM} resolved`);
  const wasQuiet = ![...arrived].some((what) => what.includes(MANAGER));
  say(`Triggered and resolved, by webhook and by mail. ${wasQuiet ? 'The manager heard nothing.' : ''}`);

  const { id: depot } = await api('POST', '/websites', {
    name: 'Demo warehouse',
    url: `http://127.0.0.1:${warehousePort}`,
  });
  await api('PUT', `/websites/${depot}/status-page`, { enabled: true, slug: 'demo-warehouse' });
  for (const name of ['Orders', 'Stock', 'Labels', 'Returns'])
    await api('POST', `/websites/${depot}/endpoints`, {
      name,
      type: 'HTTP',
      url: `http://127.0.0.1:${warehousePort}/${name.toLowerCase()}`,
      interval: 2,
      timeout: 5,
    });
  const four = await api('GET', `/endpoints?website_id=${depot}`);
  await until('four endpoints are up', async () => {
    const now = await api('GET', `/endpoints?website_id=${depot}`);
    return now.filter(({ status }) => status === 'up').length === four.length;
  });
  say('The website "Demo warehouse" has four endpoints at one address, and a status page. The address breaks now.');
  warehouse.close();
  warehouse.closeAllConnections();
  const incidentNow = async () => (await api('GET', `/incidents?website_id=${depot}`))[0];
  await until('one incident of four endpoints', async () => (await incidentNow())?.endpoint_count === 4);
  const { id, number, summary } = await incidentNow();
  await api('POST', `/incidents/${id}/updates`, {
    text: 'Nothing answers in the warehouse. Somebody is on the way.',
    status: 'identified',
    public: true,
  });
  say(`Incident #${number}: ${summary}. One update for customers, at ${url}/status/demo-warehouse`);
  await new Promise((resolve) => warehouse.listen(warehousePort, '127.0.0.1', resolve));
  await until('the end of the incident', async () => (await incidentNow()).state === 'ended');
  say(`Incident #${number} is over, and the status page says so by itself.`);
  if (once) await end(0);
  isStoryOver = true;
  console.log(`
  Dashboard  ${url}/#/sign-in/${await app.get(SignInLinks).create()}
             (signs in once, within 15 minutes)
  API key    ${KEY}

  Checkout breaks again every half minute; take it in hand yourself before the manager hears of it.
  Ctrl-C ends the demo and forgets everything.
`);
  setInterval(() => (brokenUntil = performance.now() + 9000), 30_000);
} catch (error) {
  say(`The demo failed: ${error.message}`);
  await end(1);
}
