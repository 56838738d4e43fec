/**
 * @lane timed
 * @databases both
 */
import { WorkerDatabase } from '../../../src/platform/database/database';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { eventually } from '../../../packages/testing/eventually';
import { collectQueries } from '../../harness/app/query-counter';

/** Runs every second. */
const CLAIM = /FROM endpoint_schedule[\s\S]*FOR UPDATE SKIP LOCKED/;
/** Runs every five seconds. It is the clock of this test, because everything is equally slow on a slow machine. */
const HEARTBEAT = 'UPDATE instance SET heartbeat_at';
const HEARTBEATS = 3;
/** The statements of every transaction. */
const TRANSACTION = ['START TRANSACTION', 'COMMIT', 'idle_in_transaction_session_timeout'];
const DELIVERIES = 'WITH RECURSIVE organizations';
const MAINTENANCE = 'FROM maintenance_occurrence WHERE NOT begun';

describe('a service with nothing due', () => {
  let app: TestApp;
  let seen: readonly string[];
  const timesOf = (part: string): number => seen.filter((statement) => statement.includes(part)).length;

  beforeAll(async () => {
    app = await startOwnApp();
    const queries = collectQueries(app.app.get(WorkerDatabase).dataSource);
    const after = (heartbeats: number) =>
      eventually(
        `${heartbeats} heartbeats`,
        () => {
          const statements = queries.map(([sql]) => sql);
          return statements.filter((sql) => sql.includes(HEARTBEAT)).length >= heartbeats && statements;
        },
        60_000,
      );
    // Excludes the work of the start.
    await after(2);
    queries.length = 0;
    seen = await after(HEARTBEATS);
  }, 130_000);
  afterAll(() => app.close());

  it('queries only the next checks more often than it writes its heartbeat; also deliveries and maintenance where others may add some', () => {
    const others = app.app.get(DatabaseServer).isEmbedded ? [] : [DELIVERIES, MAINTENANCE];
    const except = [...TRANSACTION, ...others];
    const asked = seen.filter((sql) => !CLAIM.test(sql) && !except.some((part) => sql.includes(part)));
    const often = [...new Set(asked)].filter((sql) => timesOf(sql) > HEARTBEATS + 1);
    expect(often).toEqual([]);
  });

  it('queries the next checks more often than it writes its heartbeat', () => {
    expect(seen.filter((sql) => CLAIM.test(sql)).length).toBeGreaterThan(HEARTBEATS);
  });

  it('queries deliveries without a separate commit, each second where others may add some', () => {
    if (app.app.get(DatabaseServer).isEmbedded) expect(timesOf(DELIVERIES)).toBeGreaterThan(0);
    else expect(timesOf(DELIVERIES)).toBeGreaterThan(HEARTBEATS);
  });
});
