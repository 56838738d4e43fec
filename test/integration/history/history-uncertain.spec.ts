/** @lane slow @databases both */
import { Logger } from '@nestjs/common';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import { HistoryBacklog } from '../../../src/history/write/history-backlog';
import { Health } from '../../../src/platform/observability/health';
import { Metrics } from '../../../src/platform/observability/metrics';
import { eventually } from '../../../packages/testing/eventually';
import { HistoryBench, recorded } from '../../harness/app/history';
import { freshDatabase } from '../../harness/database/database';
import { DatabaseWitness } from '../../harness/processes/service-process';
import { FaultProxy } from '../../harness/servers/fault-proxy';

const NOW = new Date('2026-07-01T12:00:00Z');
const KEY = '1';
/** The lock that every commit of an outage waits for. */
const GATE = 4711;
/** The embedded database has no connection that could be lost. */
const suite = (process.env['TEST_DATABASE_URL'] ?? '') === '' ? describe.skip : describe;

suite('history with an uncertain commit (skipped on the embedded database)', () => {
  let proxy: FaultProxy;
  let witness: DatabaseWitness;
  let bench: HistoryBench;

  beforeAll(async () => {
    const fresh = await freshDatabase();
    const { url } = fresh;
    const { port } = new URL(url);
    proxy = await FaultProxy.to(Number(port));
    witness = DatabaseWitness.on(url);
    bench = await HistoryBench.open(NOW, {
      url: url.replace(`:${port}/`, `:${proxy.port}/`),
      drop: () => fresh.drop(),
    });
    await witness.query(`
      CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_advisory_xact_lock_shared(${GATE});
          RETURN NULL;
        END $$;
      CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON outage DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gate();`);
  });
  afterAll(async () => {
    await witness.close();
    await bench.close();
    await proxy.close();
  });
  afterEach(() => jest.restoreAllMocks());

  it('is written once if the connection is lost during the commit', async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const backlog = new HistoryBacklog(bench.writer, bench.database, bench.clock, new Metrics(), new Health());
    const checks: FinishedCheck[] = [0, 1].map((second) =>
      recorded({ id: '', key: KEY }, new Date(NOW.getTime() + 1000 * second), 'down', 12.5),
    );
    const opened = [{ endpointKey: KEY, startedAt: NOW, error: 'connection_timeout' as const, message: '' }];
    await bench.database.transaction((tx) => backlog.write(tx, { checks, opened, closed: [] }, true));
    const waiting = () => witness.count(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`);

    const gate = await witness.hold('SELECT pg_advisory_xact_lock($1)', [GATE]);
    const drained = backlog.drain(30_000);
    await eventually('the commit is under way', async () => (await waiting()) === 1);
    proxy.set('reset');
    proxy.set('none');
    await eventually('it is tried again', async () => (await waiting()) === 2);
    await gate.release();
    await drained;
    expect([backlog.isLagging, await witness.count('SELECT FROM check_result')]).toEqual([false, 2]);
  });
});
