/** @databases both */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { EndpointSchedule, type Scheduled } from '../../../src/endpoint/endpoint-schedule';
import { Database, type Tx } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

const ROOT = join(__dirname, '../../..');
/** The number of an instance that no process here has. */
const ME = 910_004;
const INTERVAL_SECONDS = 60;

/** Returns all statements in src and packages that write slots, each as the fixed texts between its variable parts. */
function writingStatements(): string[][] {
  const paths = ['src', 'packages'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(ROOT, folder, path)),
  );
  const statements: string[][] = [];
  const visit = (node: ts.Node): void => {
    const texts = ts.isTemplateExpression(node)
      ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
      : ts.isStringLiteralLike(node)
        ? [node.text]
        : [];
    if (/\b(UPDATE|INSERT INTO) endpoint_schedule\b/.test(texts.join(' '))) statements.push(texts);
    ts.forEachChild(node, visit);
  };
  for (const path of paths) {
    if (!path.endsWith('.ts') || /\.spec\.ts$|[/\\]migrations[/\\]/.test(path)) continue;
    const text = readFileSync(path, 'utf8');
    if (text.includes('endpoint_schedule')) visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022));
  }
  return statements;
}

const isOf = (executed: string, texts: readonly string[]): boolean => {
  let from = 0;
  return texts.every((text) => {
    const at = executed.indexOf(text, from);
    from = at + text.length;
    return at >= 0;
  });
};

describe('an endpoint that is not scheduled', () => {
  let app: TestApp;
  let row: Scheduled;
  let websiteId: string;
  const executed = new Set<string>();

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    const { write, orgId } = await app.organization('Not scheduled');
    const website = await newWebsite(write);
    const endpointId = parseId('endpoint', await newEndpoint(write, website, { interval: INTERVAL_SECONDS })) ?? '';
    websiteId = parseId('website', website) ?? '';
    const times = { intervalSeconds: INTERVAL_SECONDS, timeoutSeconds: 10 };
    row = { endpointId, orgId, ...times, active: true, scheduled: false, revision: 1, locations: ['local'] };
  });
  afterAll(() => app.close());

  // A method without an entry does not compile.
  const tries: Record<keyof EndpointSchedule, (schedule: EndpointSchedule, sql: Tx, row: Scheduled) => unknown> = {
    claim: (schedule, sql) => schedule.claim(sql, ME, 1000, 2),
    claimOfOne: (schedule, sql, { orgId }) => schedule.claimOfOne(sql, ME, 1000, 2, { orgId }),
    spreadOverdue: (schedule, sql) => schedule.spreadOverdue(sql, new Date()),
    skipLate: (schedule, sql) => schedule.skipLate(sql, 6, 5),
    dueAfter: (schedule, sql, { orgId }) =>
      schedule.dueAfter(
        sql,
        { orgId, coversAll: false, websiteIds: [websiteId], endpointIds: [], tags: [] },
        new Date(),
      ),
    dueNow: (schedule, sql, { endpointId }) => schedule.dueNow(sql, [endpointId]),
    bringForward: (schedule, sql) => schedule.bringForward(sql),
    add: async (schedule, sql, added) => {
      await sql.query('DELETE FROM endpoint_schedule WHERE endpoint_id = $1', [added.endpointId]);
      await schedule.add(sql, [added]);
    },
    change: (schedule, sql, changed) => schedule.change(sql, [{ ...changed, isDueAtOnce: true }]),
    switchWebsite: (schedule, sql) => schedule.switchWebsite(sql, websiteId, true),
    stopSome: (schedule, sql) => schedule.stopSome(sql, 'website_id', websiteId),
    giveBack: (schedule, sql, { endpointId }) => schedule.giveBack(sql, ME, [{ endpointId, slotMs: Date.now() }]),
    release: (schedule, sql, { endpointId }) => schedule.release(sql, ME, [endpointId]),
    takeOver: (schedule, sql) => schedule.takeOver(sql, ME),
  };

  /** Returns whether the method moves a slot that is past or far ahead to another time. Changes nothing. */
  async function givesSlot(name: keyof EndpointSchedule, scheduled: boolean): Promise<boolean> {
    const moved = await Promise.all(
      ['- 1', '+ 1000'].map((minutes) => movesFrom(`now() ${minutes} * interval '1 minute'`)),
    );
    return moved.includes(true);

    async function movesFrom(slot: string): Promise<boolean> {
      let isMoved = false;
      const undone = new Error('undone');
      const done = app.app.get(Database).transaction(async (tx) => {
        await tx.query(
          `UPDATE endpoint_schedule
              SET scheduled = $2, active = true, next_check_at = ${slot}, claimed_slot = ${slot} - interval '1 minute',
                  claimed_by = ${ME}, busy_until = NULL
            WHERE endpoint_id = $1`,
          [row.endpointId, scheduled],
        );
        await tx.query('UPDATE endpoint_state SET status = 0 WHERE endpoint_id = $1', [row.endpointId]);
        const sql: Tx = {
          ...tx,
          query: (text, parameters) => {
            executed.add(text);
            return tx.query(text, parameters);
          },
        };
        await tries[name](app.app.get(EndpointSchedule), sql, { ...row, scheduled });
        const [found] = await tx.query<{ isMoved: boolean }>(
          `SELECT next_check_at <> 'infinity' AND (next_check_at <> (${slot})::timestamptz(3)
                  OR claimed_slot IS DISTINCT FROM (${slot} - interval '1 minute')::timestamptz(3)) AS "isMoved"
             FROM endpoint_schedule WHERE endpoint_id = $1`,
          [row.endpointId],
        );
        isMoved = found?.isMoved ?? false;
        throw undone;
      });
      await expect(done).rejects.toBe(undone);
      return isMoved;
    }
  }

  const names = Object.keys(tries) as (keyof EndpointSchedule)[];

  it.each(names)('gets no slot from %s', async (name) => {
    expect(await givesSlot(name, false)).toBe(false);
  });

  it('is tested with all statements that give a scheduled endpoint a slot, except those that stop it or let others claim it', async () => {
    const giving: string[] = [];
    for (const name of names) if (await givesSlot(name, true)) giving.push(name);
    expect(names.filter((name) => !giving.includes(name))).toEqual(['stopSome', 'release']);
  });

  it('is tested with every statement of the program that writes slots', async () => {
    for (const name of names) await givesSlot(name, false);
    const statements = writingStatements();
    expect(statements.length).toBeGreaterThan(10);
    expect(statements.filter((texts) => ![...executed].some((text) => isOf(text, texts)))).toEqual([]);
  });
});
