import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, get } from 'node:http';
import type { Socket } from 'node:net';
import { FaultBench } from '../harness/processes/fault-bench';
import { HttpTarget, rawResponse } from '../../packages/testing/servers/http-target';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres } from '../harness/database/postgres-cluster';
import { type ServiceProcess, watch } from '../harness/processes/service-process';

const suite = findPostgres() === null ? describe.skip : describe;

/** Sends one request over a separate connection. Returns the status or the code of the error. */
function statusOf(url: string): Promise<number | string> {
  return new Promise((resolve) => {
    const request = get(url, { agent: new Agent() }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

suite('SIGTERM under load (skipped without PostgreSQL’s programs)', () => {
  let bench: FaultBench;
  let hook: SwitchableServer;
  let target: HttpTarget;
  let service: ServiceProcess;
  /** The number of requests of checks that the target completed. */
  let answered: number;

  beforeAll(async () => {
    bench = await FaultBench.open();
    hook = bench.keep(await SwitchableServer.start());
    const respondLater = (_: unknown, socket: Socket) => {
      setTimeout(() => {
        if (socket.destroyed) return;
        socket.end(rawResponse(200, 'ok'));
        answered++;
      }, 1500);
    };
    target = bench.keep(await HttpTarget.listen(respondLater));
  }, 180_000);
  afterAll(() => bench.close(), 60_000);
  beforeEach(async () => {
    answered = 0;
    service = await bench.start();
    await watch(service.api, 60, target.url('').replace(/\/$/, ''), hook.url, { endpoint: { interval: 2 } });
    await eventually(
      'checks are recorded and others are in flight',
      async () => (await bench.witness.count('SELECT FROM check_result')) > 80 && target.tcp.openConnections > 20,
      60_000,
    );
  }, 120_000);
  afterEach(async () => {
    await service.kill();
    await bench.clear();
  });

  it('fails readiness first on SIGTERM, cuts no request, loses no result, returns its claims, and exits with code 0', async () => {
    const [ready, api] = [`${service.url}/health/ready`, `${service.url}/health/live`];
    const seen: (number | string)[] = [];
    service.signal('SIGTERM');
    while (seen.at(-1) !== 'ECONNREFUSED') {
      seen.push(await statusOf(seen.length % 2 === 0 ? ready : api));
      // One address may ask only so many times a second.
      await sleep(10);
    }
    expect(await service.ended()).toBe(0);
    // The kernel resets connections that a closing listener had not accepted yet. No process has read those requests.
    const statuses = seen.filter((each) => typeof each === 'number');
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(seen.slice(0, statuses.length)).toEqual(statuses);
    expect(seen.filter((_, place) => place % 2 === 0)).toContain(503);

    expect(await bench.witness.count('SELECT FROM check_result')).toBe(answered);
    expect(await bench.witness.count('SELECT FROM check_result WHERE outcome & 3 <> 1')).toBe(0);
    expect(await bench.witness.count('SELECT FROM instance')).toBe(0);
    expect(await bench.witness.count('SELECT FROM endpoint_schedule WHERE busy_until > now()')).toBe(0);
    await checkEngine(bench.witness);

    service = await bench.start();
    const before = await bench.witness.count('SELECT FROM check_result');
    await eventually(
      'checks continue',
      async () => (await bench.witness.count('SELECT FROM check_result')) > before + 60,
      60_000,
    );
    await checkEngine(bench.witness);
  }, 120_000);

  it('exits at once on a second SIGTERM; checks that were in flight run again', async () => {
    service.signal('SIGTERM');
    await eventually('the service is not ready', async () => (await service.readiness()) === 503);
    service.signal('SIGTERM');
    expect(await service.ended()).toBe(1);
    await checkEngine(bench.witness);
    service = await bench.start();
    const [{ now } = { now: '' }] = await bench.witness.query<{ now: string }>('SELECT now()::text AS now');
    await eventually(
      'each endpoint is checked',
      async () =>
        (await bench.witness.count('SELECT FROM endpoint_state WHERE last_checked_at > $1::timestamptz', [now])) === 60,
      60_000,
    );
    expect(await bench.witness.count('SELECT FROM check_result WHERE outcome & 3 <> 1')).toBe(0);
    await checkEngine(bench.witness);
  }, 120_000);
});
