// npm run bench:slow-disk -- [--delays 0,1,10,40] [--endpoints 100] [--interval 5] [--seconds 15]
//
// Measures the embedded database on slower disks: each synchronization takes so many milliseconds longer. While the
// endpoints are checked, one client writes through the API, and then eight do. Prints latency and writes per second, and
// how late checks start.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { quantiles } from './schedule-report.mjs';
import { seedThroughApi } from './seed-api.mjs';
import { startService } from './service.mjs';
import { startTarget } from './target-process.mjs';

const { values: options } = parseArgs({
  options: {
    delays: { type: 'string', default: '0,1,10,40' },
    endpoints: { type: 'string', default: '100' },
    interval: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '15' },
  },
});

async function write(api, clients) {
  const until = performance.now() + Number(options.seconds) * 1000;
  const took = [];
  const client = async (id) => {
    for (let n = 0; performance.now() < until; n++) {
      const began = performance.now();
      await api('POST', '/websites', { name: `Site ${id} ${n}`, url: 'https://a.example' });
      took.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, id) => client(id)));
  const { p50, p99 } = quantiles(took);
  return `${p50.toFixed(1)} / ${p99.toFixed(1)} ms, ${(took.length / Number(options.seconds)).toFixed(0)}/s`;
}

/** Returns the share of checks that started at most 0.1 s late, and the number of skipped slots. */
async function onTime(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const sum = (name, label = '') =>
    [...text.matchAll(new RegExp(`^${name}\\{?([^}\\n]*)\\}? (\\S+)$`, 'gm'))]
      .filter(([, labels]) => labels.includes(label))
      .reduce((all, [, , value]) => all + Number(value), 0);
  const inTime = sum('uptime_check_lateness_seconds_bucket', 'le="0.1"') / sum('uptime_check_lateness_seconds_count');
  return `${(100 * inTime).toFixed(2)} %, ${sum('uptime_slots_skipped_total')} skipped`;
}

async function measure(delay, target) {
  const directory = mkdtempSync(join(tmpdir(), 'uptime-slow-disk-'));
  process.env.BENCH_NODE_FLAGS = `-r ${fileURLToPath(new URL('slow-sync.cjs', import.meta.url))}`;
  const service = await startService({ DATA_DIR: directory, SYNC_DELAY_MS: String(delay), MAX_WEBSITES: '100000' });
  try {
    const plan = { count: Number(options.endpoints), interval: Number(options.interval), timeout: 5, hook: null };
    await seedThroughApi(service.api, { ...plan, urlOf: (n) => `${target.url}/site/${n}` });
    const [one, eight] = [await write(service.api, 1), await write(service.api, 8)];
    console.log(`| ${delay} ms | ${one} | ${eight} | ${await onTime(service.url)} |`);
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const target = await startTarget(Number(options.endpoints));
console.log('| Longer by | 1 client: p50 / p99, writes | 8 clients | Checks at most 0.1 s late |\n|---|---|---|---|');
for (const delay of options.delays.split(',')) await measure(Number(delay), target);
target.stop();
