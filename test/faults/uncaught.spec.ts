import { join } from 'node:path';
import { buildService } from '../harness/child-service';
import { HttpSink } from '../harness/http-sink';
import { checkEngine } from '../harness/invariants';
import { eventually } from '../harness/poll';
import { findPostgres, PostgresCluster } from '../harness/postgres-cluster';
import { DatabaseWitness, ServiceProcess, watch } from '../harness/service-process';

const ENDPOINTS = 20;
const PRELOADED = join(__dirname, '..', 'harness', 'throw-on-signal.cjs');

const suite = findPostgres() === null ? describe.skip : describe;

suite('an error that nobody catches (skipped without PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let target: HttpSink;
  let hook: HttpSink;
  let service: ServiceProcess | null = null;

  beforeAll(async () => {
    buildService();
    [cluster, target, hook] = await Promise.all([PostgresCluster.start(), HttpSink.start(), HttpSink.start()]);
    witness = DatabaseWitness.on(cluster.url);
  }, 180_000);
  afterAll(async () => {
    await service?.kill();
    await witness.close();
    await Promise.all([target.close(), hook.close()]);
    await cluster.remove();
  }, 60_000);

  const allChecked = async (): Promise<void> => {
    const [{ now } = { now: '' }] = await witness.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    const newer = 'SELECT FROM endpoint_state WHERE last_checked_at > $1::timestamptz';
    await eventually('all are checked', async () => (await witness.count(newer, [now])) === ENDPOINTS, 60_000);
  };

  const startFaulty = (kind: 'exception' | 'rejection') =>
    ServiceProcess.start(cluster.url, { NODE_OPTIONS: `--require ${PRELOADED}`, UNCAUGHT: kind });

  it.each(['exception', 'rejection'] as const)(
    '(%s) ends the process with 1, and the log says where',
    async (kind) => {
      service = await startFaulty(kind);
      service.signal('SIGUSR2');
      expect(await service.ended()).toBe(1);
      expect(service.log).toContain(`Error: uncaught ${kind} of the test`);
      expect(service.log).toContain('throw-on-signal.cjs');
      expect(await service.readiness()).toBeNull();
    },
    90_000,
  );

  it('leaves nothing that the next process would not go on with', async () => {
    service = await startFaulty('exception');
    await watch(service.api, ENDPOINTS, target.url, hook.url);
    await allChecked();
    service.signal('SIGUSR2');
    await service.ended();
    service = await ServiceProcess.start(cluster.url);
    await allChecked();
    expect(await witness.count('SELECT FROM check_result WHERE outcome & 3 <> 1')).toBe(0);
    expect(hook.seen).toEqual([]);
    await checkEngine(witness);
  }, 120_000);
});
