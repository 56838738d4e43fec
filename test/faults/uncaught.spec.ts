import { join } from 'node:path';
import { FaultBench } from '../harness/processes/fault-bench';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { findPostgres } from '../harness/database/postgres-cluster';
import { type ServiceProcess, watch } from '../harness/processes/service-process';

const ENDPOINTS = 20;
const PRELOADED = join(__dirname, '..', 'harness', 'processes', 'throw-on-signal.cjs');

const suite = findPostgres() === null ? describe.skip : describe;

suite('an uncaught error (skipped without PostgreSQL’s programs)', () => {
  let bench: FaultBench;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let service: ServiceProcess;

  beforeAll(async () => {
    bench = await FaultBench.open();
    [target, hook] = [bench.keep(await SwitchableServer.start()), bench.keep(await SwitchableServer.start())];
  }, 180_000);
  afterAll(() => bench.close(), 60_000);

  const startFaulty = (kind: 'exception' | 'rejection') =>
    bench.start({ NODE_OPTIONS: `--require ${PRELOADED}`, UNCAUGHT: kind });

  it.each(['exception', 'rejection'] as const)(
    'exits with code 1 on an uncaught %s, with the stack in the log',
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

  it('lets the next process continue after an uncaught exception', async () => {
    service = await startFaulty('exception');
    await watch(service.api, ENDPOINTS, target.url, hook.url);
    await bench.allChecked(ENDPOINTS);
    service.signal('SIGUSR2');
    await service.ended();
    service = await bench.start();
    await bench.allChecked(ENDPOINTS);
    expect(await bench.witness.count('SELECT FROM check_result WHERE outcome & 3 <> 1')).toBe(0);
    expect(hook.seen).toEqual([]);
    await checkEngine(bench.witness);
  }, 120_000);
});
