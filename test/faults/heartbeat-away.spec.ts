import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../packages/testing/eventually';
import type { Api } from '../../packages/testing/service/api';
import { checkEngine } from '../harness/app/invariants';
import { newAlert, newEndpoint, newWebsite } from '../harness/app/resources';
import { findPostgres } from '../harness/database/postgres-cluster';
import { fakeTime, SetClock } from '../harness/machine/set-clock';
import { FaultBench } from '../harness/processes/fault-bench';
import { buildService, DatabaseWitness, ServiceProcess } from '../harness/processes/service-process';
import { SwitchableServer } from '../harness/servers/switchable-server';

const GRACE_SECONDS = 8;
/** Longer than twice the grace, and longer than the 15 s of an absence. */
const AWAY_MS = 17_000;
const DAY_SECONDS = 86_400;

interface Job {
  id: string;
  pingId: string;
}

/** Creates a job that has pinged once, with an alert to `hook`. */
async function newJob(api: Api, hook: string, heartbeat: object): Promise<Job> {
  const id = await newEndpoint(api, await newWebsite(api), { url: undefined, type: 'HEARTBEAT', heartbeat });
  await newAlert(api, id, { type: 'webhook', config: { url: hook } });
  const { body } = await api.get<{ heartbeat: { ping_id: string } }>(`/endpoints/${id}`);
  return { id, pingId: body.heartbeat.ping_id };
}
const ping = ({ url }: ServiceProcess, { pingId }: Job, rest = '') => fetch(`${url}/ping/${pingId}${rest}`);
/** Returns the results of its checks, oldest first. */
async function saysOf({ api }: ServiceProcess, { id }: Job): Promise<string[]> {
  const { body } = await api.get<{ outcome: string; error: { code: string } | null }[]>(`/endpoints/${id}/checks`);
  return body.map(({ outcome, error }) => error?.code ?? outcome).toReversed();
}

const suite = findPostgres() === null ? describe.skip : describe;

suite('a deadline that passes while the monitor is away for 17 s (skipped without PostgreSQL’s programs)', () => {
  let bench: FaultBench;
  let hook: SwitchableServer;
  let otherUrl: string;
  let other: DatabaseWitness;

  beforeAll(async () => {
    bench = await FaultBench.open();
    hook = bench.keep(await SwitchableServer.start());
    await bench.witness.query('CREATE DATABASE other');
    otherUrl = bench.cluster.url.replace(/postgres$/, 'other');
    other = bench.keep(DatabaseWitness.on(otherUrl));
  }, 180_000);
  afterAll(() => bench.close(), 60_000);

  /** A job that stays silent, one that pings as soon as it can, and one whose run has started and should be over. */
  class Jobs {
    private constructor(
      private readonly witness: DatabaseWitness,
      readonly silent: Job,
      readonly told: Job,
      readonly running: Job,
    ) {}

    static async of(service: ServiceProcess, witness: DatabaseWitness): Promise<Jobs> {
      const make = (more: object) => newJob(service.api, hook.url, { every: 60, grace: GRACE_SECONDS, ...more });
      const silent = await make({});
      const told = await make({});
      const running = await make({ every: 3600, max_runtime: GRACE_SECONDS });
      for (const job of [silent, told]) expect((await ping(service, job)).status).toBe(200);
      expect((await ping(service, running, '/start')).status).toBe(200);
      await witness.query(
        `UPDATE heartbeat SET expected_at = now() + interval '2 s', deadline_at = now() + interval '${2 + GRACE_SECONDS} s'
          WHERE ping_id = ANY ($1::uuid[])`,
        [[silent.pingId, told.pingId]],
      );
      return new Jobs(witness, silent, told, running);
    }

    /** Each one without a ping is `unknown` once, and no notification was sent. */
    async expectUnharmed(service: ServiceProcess): Promise<void> {
      const isDecided = async (job: Job) => (await saysOf(service, job)).includes('monitor_offline');
      await eventually('it is decided', async () => (await isDecided(this.silent)) && isDecided(this.running), 60_000);
      expect(await saysOf(service, this.silent)).toEqual(['up', 'monitor_offline']);
      expect(await saysOf(service, this.told)).toEqual(['up', 'up']);
      expect(await saysOf(service, this.running)).toEqual(['monitor_offline']);
      expect(await this.witness.count('SELECT FROM alert_event')).toBe(0);
      expect(await this.witness.count('SELECT FROM check_result WHERE outcome & 3 = 0')).toBe(0);
      await checkEngine(this.witness);
    }
  }

  it('is not a failure if the process was stopped (SIGSTOP), or ended and started again', async () => {
    const [stopped, ended] = [await bench.start(), await bench.start({}, { databaseUrl: otherUrl })];
    const ofStopped = await Jobs.of(stopped, bench.witness);
    const ofEnded = await Jobs.of(ended, other);
    stopped.signal('SIGSTOP');
    ended.signal('SIGTERM');
    await delay(AWAY_MS);
    stopped.signal('SIGCONT');
    expect(await ended.ended()).toBe(0);
    expect((await ping(stopped, ofStopped.told)).status).toBe(200);
    const again = await bench.start({}, { databaseUrl: otherUrl });
    expect((await ping(again, ofEnded.told)).status).toBe(200);
    await ofStopped.expectUnharmed(stopped);
    await ofEnded.expectUnharmed(again);
    expect(hook.seen).toEqual([]);
    await Promise.all([stopped.kill(), again.kill()]);
    await bench.clear();
  }, 180_000);

  it('is not a failure if PostgreSQL was stopped: pings get 503 with Retry-After until it is back', async () => {
    const service = await bench.start();
    const jobs = await Jobs.of(service, bench.witness);
    await bench.cluster.stop();
    const until = performance.now() + AWAY_MS;
    let refused = 0;
    while (performance.now() < until) {
      const response = await ping(service, jobs.told);
      expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([503, true]);
      refused++;
      // One job may not ping more often.
      await delay(1100);
    }
    expect(refused).toBeGreaterThan(5);
    await bench.cluster.restart();
    await eventually('a ping is taken', async () => (await ping(service, jobs.told)).status === 200, 30_000);
    await jobs.expectUnharmed(service);
    expect(hook.seen).toEqual([]);
    await bench.clear();
  }, 180_000);

  const withFakeTime = fakeTime === null ? it.skip : it;
  withFakeTime(
    'is judged by the database’s clock when an instance’s own jumps a day ahead (skipped without faketime)',
    async () => {
      const clock = new SetClock();
      clock.set(0);
      const service = await bench.start(clock.env);
      const [job, late] = [
        await newJob(service.api, hook.url, { every: 3600 }),
        await newJob(service.api, hook.url, { every: 3600 }),
      ];
      for (const each of [job, late]) expect((await ping(service, each)).status).toBe(200);
      clock.set(DAY_SECONDS);
      await bench.witness.query(
        `UPDATE heartbeat SET expected_at = expected_at - interval '80 min', deadline_at = deadline_at - interval '80 min'
          WHERE ping_id = $1`,
        [late.pingId],
      );
      await eventually('the sweep has looked', async () => (await saysOf(service, late)).length > 1, 30_000);
      expect([await saysOf(service, late), await saysOf(service, job)]).toEqual([['up', 'heartbeat_missed'], ['up']]);
      await service.kill();
      clock.remove();
    },
    120_000,
  );
});

const clockSuite = fakeTime === null ? describe.skip : describe;

clockSuite('the clock of an embedded database jumps a day ahead (skipped without faketime)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'uptime-heartbeat-clock-'));
  const clock = new SetClock();
  let hook: SwitchableServer;
  let service: ServiceProcess;
  beforeAll(async () => {
    buildService();
    clock.set(0);
    hook = await SwitchableServer.start();
    service = await ServiceProcess.start('', { DATA_DIR: directory, ...clock.env });
  }, 180_000);
  afterAll(async () => {
    await service.kill();
    await hook.close();
    clock.remove();
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);

  it('records one unknown result for all runs in that day, and sends no message', async () => {
    const hourly = await newJob(service.api, hook.url, { every: 3600 });
    const daily = await newJob(service.api, hook.url, { every: DAY_SECONDS, max_runtime: 5 });
    expect((await ping(service, hourly)).status).toBe(200);
    expect((await ping(service, daily, '/start')).status).toBe(200);
    clock.set(DAY_SECONDS);
    const areDecided = async () =>
      (await saysOf(service, hourly)).length > 1 && (await saysOf(service, daily)).length > 0;
    await eventually('the sweep has looked', areDecided, 60_000);
    expect(await saysOf(service, hourly)).toEqual(['up', 'monitor_offline']);
    expect(await saysOf(service, daily)).toEqual(['monitor_offline']);
    expect(hook.seen).toEqual([]);
    expect((await ping(service, hourly)).status).toBe(200);
    expect(await saysOf(service, hourly)).toEqual(['up', 'monitor_offline', 'up']);
  }, 180_000);
});
