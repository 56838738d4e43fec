import { execFileSync } from 'node:child_process';
import { rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres';
import type { Api } from '../../packages/testing/service/api';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, watch } from '../harness/processes/service-process';
import { noSmallVolume, SmallVolume } from '../harness/machine/small-volume';

const ENDPOINTS = 6;
/** Large enough that a few of them extend a table. */
const WEBSITE = { name: 'Written', url: `https://a.example/${'x'.repeat(1500)}` };

const suite = noSmallVolume === null ? describe : describe.skip;
const onServer = findPostgres() === null ? describe.skip : describe;

/** Writes websites until `stop`. It accepts only the responses 201 and 503 `storage_unavailable`. */
class Writer {
  readonly acknowledged: string[] = [];
  refused = 0;
  private readonly stopping = new AbortController();
  private readonly done: Promise<void>;

  constructor(private readonly api: Api) {
    this.done = this.write();
    this.done.catch(() => {});
  }

  /** Throws the error of a failed write. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done;
  }

  private async write(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const { status, body, headers } = await this.api.post<{ id: string; code: string }>('/websites', WEBSITE);
      if (status === 201) this.acknowledged.push(body.id);
      else {
        expect([status, body.code]).toEqual([503, 'storage_unavailable']);
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
        this.refused++;
      }
    }
  }
}

suite(`a volume that is full (skipped if none can be created: ${noSmallVolume ?? 'it can'})`, () => {
  let volume: SmallVolume;
  let service: ServiceProcess;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let endpoints: string[];

  beforeAll(() => buildService(), 180_000);
  beforeEach(async () => {
    [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
  });
  afterEach(async () => {
    await service?.kill();
    await Promise.all([target.close(), hook.close()]);
  });

  async function areAll(status: string): Promise<boolean> {
    const responses = await Promise.all(endpoints.map((id) => service.api.get<{ status: string }>(`/endpoints/${id}`)));
    return responses.every((response) => response.body.status === status);
  }

  /** Waits until everything is up, and starts a writer. */
  async function begin(): Promise<Writer> {
    ({ endpoints } = await watch(service.api, ENDPOINTS, target.url, hook.url));
    await eventually('everything is up', () => areAll('up'), 60_000);
    const writer = new Writer(service.api);
    await eventually('writes succeed', () => writer.acknowledged.length > 20, 30_000);
    return writer;
  }

  /** Waits until writes are refused, with the process alive. From now on, the targets fail. */
  async function expectAlive(writer: Writer, readStatus: number): Promise<void> {
    await eventually('writes are refused', () => writer.refused > 5, 60_000);
    target.status = 500;
    const statuses = await Promise.all(
      ['/health/live', '/api/v1/websites', `/api/v1/endpoints/${endpoints[0]}`].map(async (path) => {
        const headers = { authorization: `Bearer ${service.api.key}` };
        return (await fetch(`${service.url}${path}`, { headers })).status;
      }),
    );
    expect(statuses).toEqual([200, readStatus, readStatus]);
  }

  /** Acknowledged writes are stored. Failures since then are delivered, once each. */
  async function expectRecovered(writer: Writer): Promise<void> {
    const [before, began] = [writer.acknowledged.length, performance.now()];
    await eventually('writes succeed again', () => writer.acknowledged.length > before, 60_000);
    process.stderr.write(`F17: a write succeeded ${Math.round(performance.now() - began)} ms after space was freed\n`);
    await writer.stop();
    const listed = (await service.api.get<{ id: string }[]>('/websites')).body.map(({ id }) => id);
    expect(writer.acknowledged.filter((id) => !listed.includes(id))).toEqual([]);
    await eventually('each failure is delivered', () => hook.seen.length >= ENDPOINTS, 60_000);
    expect(hook.seen.map(({ path }) => path).toSorted()).toEqual(endpoints.map((_, place) => `/${place}`));
    expect(service.hasEnded).toBe(false);
  }

  onServer('of PostgreSQL (skipped without its programs)', () => {
    let cluster: PostgresCluster;
    let witness: DatabaseWitness;
    let directory: string;

    beforeEach(async () => {
      cluster = await PostgresCluster.start({ settings: ['min_wal_size=32MB', 'max_wal_size=48MB'] });
      witness = DatabaseWitness.on(cluster.url);
      const [row] = await witness.query<{ path: string }>(`SELECT current_setting('data_directory') AS path`);
      directory = row?.path ?? '';
      volume = SmallVolume.mount(128, statSync(directory));
    }, 60_000);
    afterEach(async () => {
      await service.kill();
      await witness.close();
      await cluster.remove();
      volume.unmount();
    }, 60_000);

    it('answers 503 to writes while the volume of the tables is full, serves reads, and recovers when there is space', async () => {
      await witness.query(`CREATE TABLESPACE small LOCATION '${volume.path}'`);
      await witness.query('CREATE DATABASE uptime TABLESPACE small');
      await witness.close();
      const url = cluster.url.replace(/postgres$/, 'uptime');
      witness = DatabaseWitness.on(url);
      service = await ServiceProcess.start(url);
      const writer = await begin();
      volume.fill();
      await expectAlive(writer, 200);
      volume.free();
      await expectRecovered(writer);
      await checkEngine(witness);
    }, 180_000);

    it('answers 503 while PostgreSQL is stopped by a full log volume, and recovers with PostgreSQL', async () => {
      await cluster.stop();
      const log = join(directory, 'pg_wal');
      execFileSync('cp', ['-a', log, join(volume.path, 'pg_wal')]);
      rmSync(log, { recursive: true });
      symlinkSync(join(volume.path, 'pg_wal'), log);
      await cluster.restart();
      service = await ServiceProcess.start(cluster.url);
      const writer = await begin();
      volume.fill();
      await eventually('PostgreSQL stops', async () => !(await succeeds('SELECT pg_switch_wal()')), 30_000);
      await expectAlive(writer, 503);
      volume.free();
      // PostgreSQL restarts automatically until its recovery fails. Then its supervisor must restart it.
      await eventually(
        'PostgreSQL is back',
        async () => {
          if (!isRunning(cluster.pid)) await cluster.restart();
          return succeeds('SELECT 1');
        },
        60_000,
      );
      await expectRecovered(writer);
      await checkEngine(witness);
    }, 180_000);

    const succeeds = (sql: string): Promise<boolean> =>
      witness.query(sql).then(
        () => true,
        () => false,
      );
  });

  describe('of the embedded database', () => {
    let data: string;

    beforeEach(() => {
      volume = SmallVolume.mount(256);
      data = join(volume.path, 'data');
    });
    afterEach(async () => {
      await service?.kill();
      volume.unmount();
    });

    it('answers 503 to writes while the embedded database’s volume is full, serves reads, and recovers when there is space', async () => {
      service = await ServiceProcess.start('', { DATA_DIR: data });
      const writer = await begin();
      volume.fill();
      await expectAlive(writer, 200);
      volume.free();
      await expectRecovered(writer);
      service.signal('SIGTERM');
      expect(await service.ended()).toBe(0);
      const embedded = await EmbeddedPostgres.start({ directory: data });
      const client = new Client({ user: 'postgres', stream: () => embedded.connect() });
      await client.connect();
      await checkEngine({ query: async (sql, parameters = []) => (await client.query(sql, [...parameters])).rows });
      await client.end();
      await embedded.close();
    }, 180_000);

    it('abandons the embedded engine when it cannot write its log, and starts it again when there is space', async () => {
      let crash: (reason: string) => void = () => {};
      const crashed = new Promise<string>((resolve) => (crash = resolve));
      const first = await EmbeddedPostgres.start({ directory: data, onCrash: (reason) => crash(reason) });
      const client = new Client({ user: 'postgres', stream: () => first.connect() });
      client.on('error', () => {});
      await client.connect();
      await client.query('CREATE TABLE note (text text)');
      await client.query(`INSERT INTO note VALUES ('acknowledged')`);
      // A transaction that started earlier may keep writing.
      await client.query('BEGIN');
      await client.query(`INSERT INTO note VALUES ('begun')`);
      volume.fill();
      await client.query('SELECT pg_switch_wal()');
      void client.query('COMMIT').catch(() => {});
      expect(await crashed).toMatch('PostgreSQL panicked');
      await expect(EmbeddedPostgres.start({ directory: data })).rejects.toThrow(/has less than 32 MB left/);
      volume.free();
      const second = await EmbeddedPostgres.start({ directory: data });
      const again = new Client({ user: 'postgres', stream: () => second.connect() });
      await again.connect();
      expect((await again.query('SELECT text FROM note')).rows).toEqual([{ text: 'acknowledged' }]);
      await again.end();
      await second.close();
    }, 60_000);
  });
});

function isRunning(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}
