import 'reflect-metadata';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { Database } from '../src/platform/database/database';
import { startApp } from '../test/harness/app/app';
import { newEndpoint, newWebsite } from '../test/harness/app/resources';
import { SwitchableServer } from '../test/harness/servers/switchable-server';

/**
 * Measures what it costs to plan and apply a document with many endpoints, each with an alert through a contact. The
 * steps are plan, apply, apply again, a change to every endpoint and alert, and a prune of everything. For each step,
 * it prints the longest transaction's statements, how long that transaction held its session, and another
 * organization's slowest request during the step. With CHECKS=1, all endpoints are checked during the run, and 20 of
 * another organization's endpoints are checked every second. The result then also shows the maximum age of their newest
 * recorded check. ENDPOINTS=2400 is the maximum for a document.
 * On the embedded database: `node -r ./scripts/typescript.cjs bench/apply.ts`
 * On PostgreSQL: `node scripts/with-postgres.mjs node -r ./scripts/typescript.cjs bench/apply.ts`
 */
const ENDPOINTS = Number(process.env['ENDPOINTS'] ?? 2000);
const WEBSITES = Number(process.env['WEBSITES'] ?? 20);

const WRITTEN = `
  SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::int AS written FROM pg_stat_user_tables`;

/** The transaction that was open longest since the last reset. */
const longestHold = { ms: 0, statements: 0 };

function watchTransactions(): void {
  const open = new Map<PostgresQueryRunner, { began: number; statements: number }>();
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { query } = PostgresQueryRunner.prototype;
  PostgresQueryRunner.prototype.query = async function watched(
    this: PostgresQueryRunner,
    ...sent: Parameters<typeof query>
  ): Promise<unknown> {
    if (sent[0].startsWith('START TRANSACTION')) open.set(this, { began: performance.now(), statements: 0 });
    const found = open.get(this);
    if (found) found.statements += 1;
    const result: unknown = await query.apply(this, sent);
    if (found && /^(?:COMMIT|ROLLBACK)$/.test(sent[0])) {
      open.delete(this);
      const ms = performance.now() - found.began;
      if (ms > longestHold.ms) Object.assign(longestHold, { ms, statements: found.statements });
    }
    return result;
  };
}

const documentOf = (interval: number, isEmpty = false, target?: string): object => ({
  version: 1,
  owner: 'bench',
  contacts: isEmpty
    ? []
    : [
        {
          key: 'chat',
          name: 'Chat',
          type: 'webhook',
          config: { url: 'https://sink.example.com/hook', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
        },
      ],
  websites: isEmpty
    ? []
    : Array.from({ length: WEBSITES }, (_, w) => ({
        key: `site-${w}`,
        name: `Site ${w}`,
        url: `https://site-${w}.example.com/`,
        endpoints: Array.from({ length: ENDPOINTS / WEBSITES }, (_e, e) => ({
          key: `page-${e}`,
          name: `Page ${e}`,
          type: target === undefined ? 'HTTPS' : 'HTTP',
          url: `${target ?? `https://site-${w}.example.com`}/${e}`,
          interval,
          headers: [{ key: 'Authorization', value: `Bearer ${w}-${e}` }],
          assertions: [{ source: 'status_code', comparison: 'equals', target: '200' }],
          alerts: [{ key: 'chat', contact: 'chat', failure_threshold: interval / 60 + 1 }],
        })),
      })),
});

async function main(): Promise<void> {
  watchTransactions();
  const url = process.env['TEST_DATABASE_URL'];
  // If this variable were set, the harness would create a database for a test file.
  delete process.env['TEST_DATABASE_URL'];
  const target = process.env['CHECKS'] === '1' ? await SwitchableServer.start() : null;
  const app = await startApp({
    role: target ? 'all' : 'api',
    egressPrivate: 'allow',
    ...(url !== undefined && { databaseUrl: url }),
  });
  const database = app.app.get(Database);
  const { write } = await app.organization('bench');
  const watched: string[] = [];
  if (target) {
    const website = await newWebsite(app.write);
    for (let at = 0; at < 20; at++)
      watched.push(await newEndpoint(app.write, website, { type: 'HTTP', url: target.url, interval: 1 }));
  }
  let [longest, oldest] = [0, 0];
  const meanwhile = { served: 0 };
  const ended = new AbortController();
  const others = (async () => {
    while (!ended.signal.aborted) {
      const began = performance.now();
      const listed = await app.read.get<{ last_checked_at: string | null }[]>('/endpoints');
      const times = listed.body.flatMap((one) =>
        one.last_checked_at === null ? [] : [Date.parse(one.last_checked_at)],
      );
      if (times.length > 0) oldest = Math.max(oldest, Date.now() - Math.min(...times));
      longest = Math.max(longest, performance.now() - began);
      meanwhile.served += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const measure = async (name: string, work: () => Promise<{ status: number; text: string; body: unknown }>) => {
    [longest, oldest] = [0, 0];
    Object.assign(longestHold, { ms: 0, statements: 0 });
    const began = performance.now();
    const { status, text, body } = await work();
    const { summary } = (body ?? {}) as { summary?: unknown };
    const took = Math.round(performance.now() - began);
    // A request that is waiting now was delayed by this step.
    const last = meanwhile.served;
    while (meanwhile.served === last) await new Promise((resolve) => setTimeout(resolve, 5));
    console.log(
      `${name}: ${took} ms, ${status} ${summary ? JSON.stringify(summary) : text.slice(0, 300)}, held ${Math.round(longestHold.ms)} ms for ${longestHold.statements} statements, others waited ${Math.round(longest)} ms${target ? `, newest checks ${oldest} ms old` : ''}`,
    );
  };
  const written = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return (await database.query<{ written: number }>(WRITTEN))[0]?.written ?? 0;
  };
  await measure('plan of everything', () => write.post('/configuration/plan', documentOf(60, false, target?.url)));
  await measure('apply of everything', () => write.put('/configuration', documentOf(60, false, target?.url)));
  const before = await written();
  await measure('plan of nothing', () => write.post('/configuration/plan', documentOf(60, false, target?.url)));
  await measure('apply of nothing', () => write.put('/configuration', documentOf(60, false, target?.url)));
  console.log(`rows written by the second apply: ${(await written()) - before}`);
  await measure('plan of a change of each', () =>
    write.post('/configuration/plan', documentOf(120, false, target?.url)),
  );
  await measure('apply of a change of each', () => write.put('/configuration', documentOf(120, false, target?.url)));
  await measure('plan of a prune of all', () => write.post('/configuration/plan?prune=true', documentOf(60, true)));
  await measure('prune of all', () => write.put('/configuration?prune=true', documentOf(60, true)));
  ended.abort();
  await others;
  await app.close();
  await target?.close();
}

void main();
