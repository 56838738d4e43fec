/**
 * @lane timed
 * @databases embedded
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyTemplate } from '../../../src/platform/database/embedded/cluster-template';
import { HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { buildService, ServiceProcess } from '../../harness/processes/service-process';

const DIST = join(__dirname, '../../../dist');
const ENGINE = join(__dirname, '../../harness/processes/bare-engine.cjs');
const EMBEDDED = join(__dirname, '../../../src/platform/database/embedded');
const STATEMENTS = 1000;
const ENDPOINTS = 20;
/** The work of the start, and the first checks of all endpoints, are over by then. */
const SETTLE_MS = 30_000;
const WINDOW_MS = 15_000;

/** Multiples of the bare engine. If a change costs more on purpose, raise them in its commit, and say what it is for. */
const BUDGET = { memory: 2.2, cpu: 1.5 };

const megabytes = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1]) / 1024;
/** The user and system time of all threads. A tick is 10 ms on every Linux system that Node.js runs on. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return ((user ?? NaN) + (system ?? NaN)) * 10;
}

describe('a service on the embedded database with 20 endpoints, compared with the bare engine', () => {
  let directory: string;
  let target: HttpTarget;
  let service: ServiceProcess;
  let bare: ChildProcess;
  let yardstickMs: number;

  beforeAll(async () => {
    buildService();
    directory = await mkdtemp(join(tmpdir(), 'uptime-rest-'));
    await mkdir(join(directory, 'bare'));
    target = await HttpTarget.listen((_, socket) => socket.end(rawResponse(200, 'ok')));
    service = await ServiceProcess.start('', {
      DATA_DIR: join(directory, 'service'),
      DATABASE_URL: '',
      CONFIRM_FAILURES: 'on',
    });
    const website = await newWebsite(service.api, 'Shop');
    for (let n = 0; n < ENDPOINTS; n++) {
      const endpoint = await newEndpoint(service.api, website, {
        name: `Page ${n}`,
        type: 'HTTP',
        url: target.url(`/${n}`),
      });
      if (n === 0) await newAlert(service.api, endpoint, {});
    }
    await sleep(SETTLE_MS);
    bare = spawn(
      process.execPath,
      [ENGINE, DIST, join(directory, 'bare'), emptyTemplate(EMBEDDED), String(STATEMENTS)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = (await once(bare.stdout ?? bare, 'data')) as [Buffer];
    yardstickMs = Number(line.toString());
  }, 180_000);
  afterAll(async () => {
    bare.kill('SIGKILL');
    await service.kill();
    await target.close();
    await rm(directory, { recursive: true, force: true });
  });

  it(`takes at most ${BUDGET.memory} times its memory`, () => {
    const [ours, yardstick] = [megabytes(service.pid ?? 0), megabytes(bare.pid ?? 0)];
    process.stderr.write(`at rest: ${ours.toFixed(0)} MB, the bare engine ${yardstick.toFixed(0)} MB\n`);
    expect(yardstick).toBeGreaterThan(20);
    expect(ours / yardstick).toBeLessThan(BUDGET.memory);
  });

  it(`uses at most ${BUDGET.cpu} times the CPU of ${STATEMENTS} statements within ${WINDOW_MS / 1000} s`, async () => {
    const before = cpuMs(service.pid ?? 0);
    await sleep(WINDOW_MS);
    const ours = cpuMs(service.pid ?? 0) - before;
    process.stderr.write(`at rest: ${ours} ms of CPU, ${STATEMENTS} statements ${yardstickMs.toFixed(0)} ms\n`);
    expect(yardstickMs).toBeGreaterThan(0);
    expect(ours / yardstickMs).toBeLessThan(BUDGET.cpu);
  });
});
