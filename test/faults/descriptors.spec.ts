import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Socket } from 'node:net';
import { FaultBench } from '../harness/processes/fault-bench';
import { rawResponse, HttpTarget } from '../../packages/testing/servers/http-target';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkInvariants } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres } from '../harness/database/postgres-cluster';
import { type ServiceProcess, watch } from '../harness/processes/service-process';

const DESCRIPTORS = 256;
/** With slow responses, these endpoints need more sockets at once than the process may open. */
const ENDPOINTS = 300;
const SLOW_MS = 5000;
/** Only a service that hangs takes that long. Next to other work, 600 requests alone take more than a minute. */
const PATIENCE_MS = 240_000;
/** How long a disconnected client waits before it reconnects. */
const BACK_MS = 200;

const obstacle =
  findPostgres() === null
    ? 'needs PostgreSQL’s programs'
    : spawnSync('prlimit', ['-V']).status === 0
      ? null
      : 'needs prlimit';
const suite = obstacle === null ? describe : describe.skip;
const why = obstacle === null ? '' : ` (skipped: ${obstacle})`;

suite(`a service that may open ${DESCRIPTORS} files and needs more${why}`, () => {
  let bench: FaultBench;
  let target: HttpTarget;
  let hook: SwitchableServer;
  let service: ServiceProcess;
  let slow = true;

  beforeAll(async () => {
    bench = await FaultBench.open();
    hook = bench.keep(await SwitchableServer.start());
    target = await HttpTarget.listen((_, socket) =>
      setTimeout(() => socket.end(rawResponse(200, 'ok')), slow ? SLOW_MS : 0),
    );
    bench.keep(target);
    service = await bench.start({}, { entry: ['prlimit', `--nofile=${DESCRIPTORS}`] });
  }, 180_000);
  afterAll(() => bench.close(), 60_000);
  afterEach(() => bench.clear());

  const watchAll = () => {
    const settings = { endpoint: { interval: 5, timeout: 20 } };
    return watch(service.api, ENDPOINTS, target.url('').replace(/\/$/, ''), hook.url, settings);
  };
  const countOf = (outcome: 'down' | 'up' | 'unknown') =>
    bench.witness.count('SELECT FROM check_result WHERE outcome & 3 = $1', [
      ['down', 'up', 'unknown'].indexOf(outcome),
    ]);

  const expectNoFalseAlarm = async (): Promise<void> => {
    expect(await countOf('down')).toBe(0);
    expect(await bench.witness.count('SELECT FROM alert_event')).toBe(0);
    expect(hook.seen).toEqual([]);
    expect(service.hasEnded).toBe(false);
    // Not `checkEngine`, because delayed checks are closer together than in the schedule.
    await checkInvariants(bench.witness);
  };
  const moreUp = async (count: number): Promise<void> => {
    const up = await countOf('up');
    await eventually(`${count} more are up`, async () => (await countOf('up')) >= up + count, PATIENCE_MS);
  };

  it('delays checks instead of taking the descriptors of the API and the database', async () => {
    slow = true;
    // Read now, because only the end of a long log is kept.
    expect(service.log).toContain('The limit of open files leaves room for only 78 checks');
    await watchAll();
    await eventually('many are in flight', () => target.tcp.openConnections > 60, PATIENCE_MS);
    const until = performance.now() + SLOW_MS;
    let requests = 0;
    for (; performance.now() < until; requests++) {
      expect(await service.readiness()).toBe(200);
      // One address may ask only so many times a second.
      await sleep(50);
    }
    expect(target.tcp.openConnections).toBeLessThan(DESCRIPTORS / 2);
    slow = false;
    await moreUp(ENDPOINTS);
    process.stderr.write(`F44: ${requests} requests got 200, ${await countOf('unknown')} checks unknown\n`);
    expect(await countOf('unknown')).toBe(0);
    await expectNoFalseAlarm();
  }, 600_000);

  it('reports no target down when clients hold all descriptors, and recovers automatically', async () => {
    slow = false;
    await watchAll();
    const port = Number(new URL(service.url).port);
    const crowd = new Crowd(port, DESCRIPTORS);
    try {
      const unknown = await countOf('unknown');
      await eventually('checks find no descriptor', async () => (await countOf('unknown')) > unknown + 10, PATIENCE_MS);
      crowd.stay();
      const exhausted = performance.now();
      await moreUp(2 * ENDPOINTS);
      process.stderr.write(`F44: recovered after ${Math.round(performance.now() - exhausted)} ms\n`);
      // The clients' last connections may still be open, each until its headers time out.
      await eventually('the service is ready', async () => (await service.readiness()) === 200, PATIENCE_MS);
      await expectNoFalseAlarm();
    } finally {
      crowd.leave();
    }
  }, 600_000);
});

/**
 * Clients that connect and send nothing. A disconnected client reconnects, because checks may not have been due in
 * the meantime.
 */
class Crowd {
  private readonly sockets = new Set<Socket>();
  private returns = true;

  constructor(
    private readonly port: number,
    size: number,
  ) {
    for (let one = 0; one < size; one++) this.join();
  }

  /** From now on, no client reconnects. */
  stay(): void {
    this.returns = false;
  }

  leave(): void {
    this.stay();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(): void {
    const socket = connect(this.port, '127.0.0.1');
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.sockets.delete(socket);
      setTimeout(() => this.returns && this.join(), BACK_MS);
    });
  }
}
