import { setTimeout as delay } from 'node:timers/promises';
import { FaultBench } from '../harness/processes/fault-bench';
import { rawResponse, HttpTarget } from '../../packages/testing/servers/http-target';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres } from '../harness/database/postgres-cluster';
import { type ServiceProcess, watch } from '../harness/processes/service-process';

/** Longer than the checks' timeout: every check in flight looks timed out when the process continues. */
const STALL_MS = 3000;

const suite = findPostgres() === null ? describe.skip : describe;

suite('the service is stopped while healthy targets respond (skipped without PostgreSQL’s programs)', () => {
  let bench: FaultBench;
  let target: HttpTarget;
  let service: ServiceProcess;

  beforeAll(async () => {
    bench = await FaultBench.open();
    const hook = bench.keep(await SwitchableServer.start());
    target = await HttpTarget.listen((_, socket) => setTimeout(() => socket.end(rawResponse(200, 'ok')), 700));
    bench.keep(target);
    service = await bench.start();
    const settings = { endpoint: { interval: 2, timeout: 2 } };
    await watch(service.api, 20, target.url('').replace(/\/$/, ''), hook.url, settings);
  }, 180_000);
  afterAll(() => bench.close(), 60_000);

  it.each([1, 2, 3])(
    'records nothing as down after a stall of 3 s, round %i',
    async () => {
      await eventually('checks are in flight', () => target.tcp.openConnections >= 5, 30_000);
      service.signal('SIGSTOP');
      await delay(STALL_MS);
      service.signal('SIGCONT');
      const before = await bench.witness.count('SELECT FROM check_result');
      await eventually(
        'checks continue',
        async () => (await bench.witness.count('SELECT FROM check_result')) > before + 20,
        60_000,
      );
      expect(await bench.witness.count('SELECT FROM check_result WHERE outcome & 3 = 0')).toBe(0);
      expect(await bench.witness.count('SELECT FROM alert_event')).toBe(0);
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      const [, seconds] = /^uptime_stall_seconds_total (\S+)$/m.exec(metrics) ?? [];
      expect(Number(seconds)).toBeGreaterThan(2);
      await checkEngine(bench.witness);
    },
    120_000,
  );
});
