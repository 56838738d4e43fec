import 'reflect-metadata';
import type { StreakUpdate } from '../src/endpoint/streak-update';
import { Alerting } from '../test/harness/app/alerting';

/**
 * Measures how much time alert evaluation adds to the transaction for a batch of checks, as the median in milliseconds.
 * On the embedded database: `node -r ./scripts/typescript.cjs bench/alert-evaluation.ts`
 * On PostgreSQL: `node scripts/with-postgres.mjs node -r ./scripts/typescript.cjs bench/alert-evaluation.ts`
 */
const ALERTS = Number(process.env['ALERTS'] ?? 20_000);
const BATCH = 500;
const ROUNDS = 9;

const median = (values: readonly number[]): string =>
  (values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0).toFixed(1);

async function fill(alerting: Alerting): Promise<{ orgId: string; endpointIds: string[] }> {
  const { database } = alerting;
  const orgId = await alerting.organization();
  const first = await alerting.endpoint(orgId);
  await alerting.alert(orgId, first, { failureThreshold: 1, successThreshold: 1 });
  await database.query(
    `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
     SELECT gen_random_uuid(), e.org_id, e.website_id, 'Endpoint ' || n, e.url, e.type
     FROM endpoint e, generate_series(2, $2::int) n WHERE e.id = $1`,
    [first, ALERTS],
  );
  await database.query(
    `INSERT INTO alert (id, org_id, endpoint_id, type, destination, config, failure_threshold, success_threshold)
     SELECT gen_random_uuid(), e.org_id, e.id, a.type, a.destination, '{"sealed": "plain:{\\"webhook_url\\":\\"https://hooks.slack.test/x\\"}"}', 1, 1
     FROM endpoint e, alert a WHERE e.id <> a.endpoint_id`,
  );
  await database.query('ANALYZE');
  const rows = await database.query<{ id: string }>('SELECT id FROM endpoint ORDER BY random() LIMIT $1', [BATCH]);
  return { orgId, endpointIds: rows.map(({ id }) => id) };
}

const updateOf = (orgId: string, endpointId: string, outcome: 'up' | 'down', streak: number): StreakUpdate => ({
  orgId,
  endpointId,
  outcome,
  consecutiveFailures: outcome === 'down' ? streak : 0,
  consecutiveSuccesses: outcome === 'up' ? streak : 0,
  degraded: false,
  consecutiveBad: outcome === 'down' ? streak : 0,
  consecutiveGood: outcome === 'up' ? streak : 0,
  failingSince: outcome === 'down' ? new Date() : null,
  badSince: null,
  upSince: null,
  goodSince: null,
  muted: false,
  warning: null,
  checkedAt: new Date(),
  durationMs: 5,
  statusCode: null,
  address: null,
  error: outcome === 'down' ? { code: 'connection_refused', message: 'connection refused' } : null,
});

async function main(): Promise<void> {
  const url = process.env['TEST_DATABASE_URL'];
  const alerting = await Alerting.start({ databaseUrl: url ?? 'embedded:memory' });
  const { orgId, endpointIds } = await fill(alerting);
  const evaluate = (outcome: 'up' | 'down', streak: number) =>
    alerting.database.transaction(async (tx) => {
      const updates = endpointIds.map((endpointId) => updateOf(orgId, endpointId, outcome, streak));
      const began = performance.now();
      await alerting.evaluator.evaluate(tx, updates);
      return performance.now() - began;
    });
  const times: Record<string, number[]> = { up: [], trigger: [], down: [], resolve: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times['up']?.push(await evaluate('up', 50));
    times['trigger']?.push(await evaluate('down', 1));
    times['down']?.push(await evaluate('down', 2));
    times['resolve']?.push(await evaluate('up', 1));
  }
  process.stdout.write(
    `${url === undefined ? 'embedded' : 'PostgreSQL'}, ${ALERTS} alerts, batches of ${BATCH} checks:\n`,
  );
  for (const [name, values] of Object.entries(times))
    process.stdout.write(`  ${name.padEnd(8)} ${median(values)} ms\n`);
  await alerting.close();
}

void main();
