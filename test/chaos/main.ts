import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { currentCommit, turnAt } from '../harness/in-turn';
import { type ChaosOrder, type ChaosReport, playChaos } from './chaos-run';
import type { DatabaseName } from './commands';

const BOTH: readonly DatabaseName[] = ['embedded', 'postgres'];
const USAGE =
  'usage: npm run test:chaos -- [--minutes N | --rounds N] [--seed S] [--database embedded|postgres|in-turn]';

function readOrders(): ChaosOrder[] {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '2' },
      rounds: { type: 'string' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      database: { type: 'string' },
    },
  });
  const databases = values.database === 'in-turn' ? [inTurn()] : named(values.database);
  const [minutes, seed] = [Number(values.minutes) / databases.length, Number(values.seed)];
  const rounds = values.rounds === undefined ? null : Number(values.rounds);
  const isLong = rounds === null ? minutes > 0 : Number.isInteger(rounds) && rounds > 0;
  if (databases.length === 0 || !isLong || !Number.isInteger(seed)) {
    console.error(USAGE);
    process.exit(2);
  }
  return databases.map((database) => ({ database, seed, length: rounds === null ? { minutes } : { rounds } }));
}

const named = (word: string | undefined) => BOTH.filter((name) => word === undefined || word === name);

/** Returns one of the two databases, which the commit selects, to keep CI short. */
function inTurn(): DatabaseName {
  const commit = currentCommit();
  const database = BOTH[turnAt(commit ?? '0', BOTH.length)] ?? 'embedded';
  const why = commit === null ? 'without git' : `at commit ${commit.slice(0, 8)}`;
  console.log(`In turn ${why}: ${database}. Both: npm run test:chaos -- --minutes 4`);
  return database;
}

function show({ commands, totals: figures, memory, broken, lastCommands }: ChaosReport, title: string): void {
  console.log(`\n${title}`);
  for (const [what, count] of [...commands, ...figures]) console.log(`  ${String(count).padStart(7)}  ${what}`);
  if (memory !== '') console.log(`  ${memory}`);
  if (broken.length === 0) return;
  console.log(`\nThe last commands:\n${lastCommands.join('\n')}`);
  console.log(`\nBroken promises (${title}):\n${broken.map((line) => `  ${line}`).join('\n')}`);
}

/** Plays all orders in parallel, because a run mostly waits. They share nothing but this process. */
async function main(): Promise<number> {
  const orders = readOrders();
  const reports = await Promise.all(
    orders.map((order) => {
      const { database, length, seed } = order;
      const how = 'rounds' in length ? `${length.rounds} rounds` : `${length.minutes} minutes`;
      console.log(`Chaos on the database "${database}", ${how}, --seed ${seed}`);
      return playChaos(order, (line) => console.log(orders.length > 1 ? `${database.padEnd(8)} ${line}` : line));
    }),
  );
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [index, report] of reports.entries()) {
    const { database, seed } = orders[index] ?? {};
    if (report) show(report, `chaos on ${database}, seed ${seed}`);
    else console.log(`Skipped ${database}: the programs of PostgreSQL are not installed.`);
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
