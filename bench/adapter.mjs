import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seed } from './seed.mjs';
import { prototypeRule, startPostgres, startService } from './service.mjs';
import { seedThroughApi } from './seed-api.mjs';

const { BENCH_TARGET, BENCH_SITES, BENCH_INTERVAL, BENCH_HOOK, BENCH_EMBEDDED } = process.env;
const count = Number(BENCH_SITES);
const interval = Number(BENCH_INTERVAL);
/** Shorter than the interval, like a user would configure it for a fast target. */
const timeout = Math.max(1, Math.min(5, Math.floor((interval - 6) / 2)));
const urlOf = (n) => `${BENCH_TARGET}/site/${n}`;

const stoppers = [];
let stopping = false;
async function stop() {
  if (stopping) return;
  stopping = true;
  for (const stopOne of stoppers.reverse()) await stopOne();
  process.exit(0);
}
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop());

if (BENCH_EMBEDDED === '1') {
  const directory = mkdtempSync(join(tmpdir(), 'uptime-bench-'));
  stoppers.push(() => rmSync(directory, { recursive: true, force: true }));
  const service = await startService({ DATA_DIR: directory });
  stoppers.push(service.stop);
  await seedThroughApi(service.api, { count, interval, timeout, urlOf, hook: BENCH_HOOK });
} else {
  const postgres = await startPostgres();
  stoppers.push(() => postgres.remove());
  const service = await startService({ DATABASE_URL: postgres.url });
  stoppers.push(service.stop);
  const rule = BENCH_HOOK ? await prototypeRule(service.api, BENCH_HOOK) : null;
  await seed(postgres.url, { count, interval, timeout, urlOf, rule });
}
