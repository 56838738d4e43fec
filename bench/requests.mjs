// npm run bench:requests -- --checkout <dir> --checkout <dir> [--requests 1500] [--windows 9]
//
// Compares the CPU time of API requests between built checkouts. Each has its own service and PostgreSQL server with the
// same 50 endpoints. In each window, each service answers the same requests one after the other. Prints CPU time per
// request, and the CPU time in terms of the first checkout: median and quartiles of the windows.
import { relative, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuMs } from './processes.mjs';
import { seedThroughApi } from './seed-api.mjs';
import { startPostgres, startService } from './service.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    checkout: { type: 'string', multiple: true, default: [root] },
    requests: { type: 'string', default: '1500' },
    windows: { type: 'string', default: '9' },
  },
});
const cleanups = [];

async function start(checkout) {
  const postgres = await startPostgres();
  cleanups.push(() => postgres.remove());
  const service = await startService({
    DATABASE_URL: postgres.url,
    BENCH_ENTRY: relative(root, join(resolve(checkout), 'dist/main.js')),
  });
  cleanups.push(service.stop);
  // Nothing is due while requests are measured.
  const plan = { count: 50, interval: 86_400, timeout: 5, hook: null };
  await seedThroughApi(service.api, { ...plan, urlOf: (n) => `http://127.0.0.1:9/${n}` });
  const [website] = await service.api('GET', '/websites');
  const paths = ['/websites', `/websites/${website.id}`, '/endpoints?limit=50', '/alerts', '/incidents'];
  return { checkout, paths, api: service.api, roots: [service.child.pid, postgres.pid], costs: [] };
}

async function window(one) {
  const before = cpuMs(one.roots);
  for (let n = 0; n < Number(options.requests); n++) await one.api('GET', one.paths[n % one.paths.length]);
  return cpuMs(one.roots) - before;
}

async function main() {
  const all = [];
  for (const checkout of options.checkout) all.push(await start(checkout));
  // Compiles what the requests need.
  for (const one of all) await window(one);
  for (let n = 0; n < Number(options.windows); n++)
    for (const one of n % 2 === 0 ? all : all.toReversed()) one.costs.push(await window(one));
  for (const { checkout, costs } of all) {
    const ratios = costs.map((cost, n) => cost / all[0].costs[n]).sort((a, b) => a - b);
    const at = (share) => ratios[Math.round(share * (ratios.length - 1))].toFixed(3);
    const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length / Number(options.requests);
    console.log(
      `${checkout}: ${mean.toFixed(3)} ms per request; median ${at(0.5)}, quartiles ${at(0.25)} and ${at(0.75)} of ${ratios.length}`,
    );
  }
}

try {
  await main();
} finally {
  for (const clean of cleanups.toReversed()) await clean();
}
