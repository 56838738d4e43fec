import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type ChaosReport, playChaos } from './chaos-run';
import type { DatabaseName } from './commands';

const BOTH: readonly DatabaseName[] = ['embedded', 'postgres'];

function readOrder(): { minutes: number; seed: number; databases: readonly DatabaseName[] } {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '2' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      database: { type: 'string' },
    },
  });
  const databases = BOTH.filter((name) => values.database === undefined || values.database === name);
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (databases.length === 0 || !(minutes > 0) || !Number.isInteger(seed)) {
    console.error('usage: npm run test:chaos -- [--minutes N] [--seed S] [--database embedded|postgres]');
    process.exit(2);
  }
  return { minutes, seed, databases };
}

function show({ commands, totals: figures, memory, broken, lastCommands }: ChaosReport, title: string): void {
  console.log(`\n${title}`);
  for (const [what, count] of [...commands, ...figures]) console.log(`  ${String(count).padStart(7)}  ${what}`);
  if (memory !== '') console.log(`  ${memory}`);
  if (broken.length === 0) return;
  console.log(`\nThe last commands:\n${lastCommands.join('\n')}`);
  console.log(`\nBroken promises (${title}):\n${broken.map((line) => `  ${line}`).join('\n')}`);
}

async function main(): Promise<number> {
  const { minutes, seed, databases } = readOrder();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const database of databases) {
    console.log(`Chaos on the database "${database}", ${minutes / databases.length} minutes, --seed ${seed}`);
    const order = { database, seed, minutes: minutes / databases.length };
    const report = await playChaos(order, (line) => console.log(line));
    if (report) show(report, `chaos on ${database}, seed ${seed}`);
    else console.log('Skipped: the programs of PostgreSQL are not installed.');
    if (!report) counts.skipped++;
    else if (report.broken.length > 0) counts.failed++;
    else counts.passed++;
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed > 0 ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
void main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
