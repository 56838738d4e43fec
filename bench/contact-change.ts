import 'reflect-metadata';
import { ContactRouteChanged, type ContactRoute } from '../src/contact/contact-events';
import { ChannelRegistry } from '../src/channel/channel.registry';
import { ownerOf, SealedConfigs } from '../src/delivery/config/sealed-config';
import { TransactionEvents } from '../src/platform/events/transaction-events';
import type { Tx } from '../src/platform/database/database';
import { newUuid } from '../src/platform/ids/id';
import { Alerting } from '../test/harness/app/alerting';

/**
 * Measures what it costs to change one contact that many alerts use, some of them triggered and delivered. It prints
 * the statements, how many milliseconds all locks were held, and the slowest check during the change that belongs to
 * one of the alerts.
 * On the embedded database: `node -r ./scripts/typescript.cjs bench/contact-change.ts`
 * On PostgreSQL: `node scripts/with-postgres.mjs node -r ./scripts/typescript.cjs bench/contact-change.ts`
 */
const ALERTS = Number(process.env['ALERTS'] ?? 5000);
const TRIGGERED = Number(process.env['TRIGGERED'] ?? 2000);
/** The number of delivered messages per alert. */
const HISTORY = Number(process.env['HISTORY'] ?? 20);
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);

interface Scene {
  alerting: Alerting;
  orgId: string;
  contactId: string;
  endpointIds: string[];
}

async function fill(alerting: Alerting): Promise<Scene> {
  const { database } = alerting;
  const orgId = await alerting.organization();
  const first = await alerting.endpoint(orgId);
  const contactId = newUuid();
  const route = routeOf(alerting, contactId, 'hook-0');
  await database.query(
    `INSERT INTO contact (id, org_id, name, type, config, destination) VALUES ($1, $2, 'Operations', $3, $4, $5)`,
    [contactId, orgId, route.type, route.config, route.destination],
  );
  await database.query(
    `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
     SELECT gen_random_uuid(), e.org_id, e.website_id, 'Endpoint ' || n, e.url, e.type
     FROM endpoint e, generate_series(2, $2::int) n WHERE e.id = $1`,
    [first, ALERTS],
  );
  await database.query(
    `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id)
     SELECT id, key, org_id FROM endpoint ON CONFLICT DO NOTHING`,
  );
  await database.query(
    `INSERT INTO alert (id, org_id, endpoint_id, type, destination, contact_id, failure_threshold, success_threshold)
     SELECT gen_random_uuid(), e.org_id, e.id, $1, $2, $3, 1, 1 FROM endpoint e`,
    [route.type, route.destination, contactId],
  );
  await database.query(
    `INSERT INTO notification (id, org_id, alert_id, kind, incident_no, channel_type, destination, contact_id, notice, state,
       next_attempt_at, created_at, finished_at)
     SELECT gen_random_uuid(), a.org_id, a.id, 'triggered', 0, a.type, a.destination, a.contact_id, '{}', 'delivered',
       now(), now(), now() FROM alert a, generate_series(1, $1::int)`,
    [HISTORY],
  );
  await database.query('ANALYZE');
  const rows = await database.query<{ id: string }>('SELECT id FROM endpoint ORDER BY id');
  return { alerting, orgId, contactId, endpointIds: rows.map(({ id }) => id) };
}

function routeOf({ nest }: Alerting, contactId: string, path: string, secret = 'one'): ContactRoute {
  const config = { url: `https://sink.example/${path}`, secret };
  return {
    contactId,
    type: 'webhook',
    config: nest.get(SealedConfigs).seal(ownerOf('', contactId), config),
    destination: nest.get(ChannelRegistry).destination('webhook', config),
  };
}

/** Takes the first endpoints down. Their alerts are triggered and the notifications are delivered. */
async function breakSome({ alerting, endpointIds }: Scene): Promise<void> {
  for (let from = 0; from < TRIGGERED; from += 500)
    await alerting.check(
      endpointIds.slice(from, Math.min(from + 500, TRIGGERED)).map((endpointId) => ({ endpointId, result: 'F' })),
    );
  await alerting.database.query(
    `UPDATE notification SET state = 'delivered', finished_at = now(), config = NULL WHERE state = 'pending'`,
  );
  await alerting.database.query('VACUUM ANALYZE alert');
  await alerting.database.query('VACUUM ANALYZE notification');
}

/** Makes the change like the contact's route does, without the cost of the contact itself. */
async function change({ alerting, orgId, contactId }: Scene, before: ContactRoute, after: ContactRoute) {
  const statements: { ms: number; sql: string }[] = [];
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await alerting.database.transaction(async (tx) => {
    await tx.query('SELECT FROM contact WHERE id = $1 FOR UPDATE', [contactId]);
    await tx.query('UPDATE contact SET config = $2, destination = $3 WHERE id = $1', [
      contactId,
      after.config,
      after.destination,
    ]);
    const counted: Tx = {
      manager: tx.manager,
      pool: tx.pool,
      afterCommit: (work) => tx.afterCommit(work),
      query: async <Row>(sql: string, parameters?: readonly unknown[]) => {
        const at = performance.now();
        const rows = await tx.query<Row>(sql, parameters);
        statements.push({ ms: performance.now() - at, sql });
        return rows;
      },
    };
    await alerting.nest.get(TransactionEvents).emit(new ContactRouteChanged(orgId, before, after), counted);
  });
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1000, statements };
}

/** On one connection, checks endpoints with the contact's alerts one at a time until the change is complete. */
async function checksDuring({ alerting, endpointIds }: Scene, changing: ReturnType<typeof change>) {
  const state = { isOver: false, longest: 0, count: 0 };
  const over = changing.finally(() => (state.isOver = true));
  for (; !state.isOver; state.count++) {
    const endpointId = endpointIds[(state.count * 7919) % endpointIds.length] ?? '';
    const began = performance.now();
    // On a slow machine, a check may give up waiting for the lock. Its waiting time still counts.
    await alerting.check([{ endpointId, result: state.count % 2 === 0 ? 'F' : 'S' }]).catch(() => {});
    state.longest = Math.max(state.longest, performance.now() - began);
  }
  return { ...(await over), longest: state.longest };
}

async function main(): Promise<void> {
  const url = process.env['TEST_DATABASE_URL'];
  const alerting = await Alerting.start({ databaseUrl: url ?? 'embedded:memory' });
  const scene = await fill(alerting);
  process.stdout.write(
    `${url === undefined ? 'embedded' : 'PostgreSQL'}, one contact of ${ALERTS} alerts, ${TRIGGERED} of them triggered:\n`,
  );
  let before = routeOf(alerting, scene.contactId, 'hook-0');
  for (let round = 1; round <= ROUNDS; round++) {
    await breakSome(scene);
    for (const [name, after] of [
      ['same destination', routeOf(alerting, scene.contactId, `hook-${round - 1}`, `secret ${round}`)],
      ['another destination', routeOf(alerting, scene.contactId, `hook-${round}`)],
    ] as const) {
      const { ms, cpuMs, longest, statements } = await checksDuring(scene, change(scene, before, after));
      process.stdout.write(
        `  ${name.padEnd(20)} ${statements.length} statements, ${ms.toFixed(0)} ms (CPU of this process ${cpuMs.toFixed(0)} ms), longest check ${longest.toFixed(0)} ms\n`,
      );
      if (process.env['STATEMENTS'])
        for (const one of statements)
          process.stdout.write(
            `    ${one.ms.toFixed(0).padStart(5)} ms ${one.sql.trim().slice(0, 90).replaceAll(/\s+/g, ' ')}\n`,
          );
      before = after;
    }
  }
  await alerting.close();
}

void main();
