import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Pool } from 'pg';
import type { Sql } from '../../../src/platform/database/database';
import { Api } from '../../../packages/testing/service/api';
import { eventually } from '../../../packages/testing/eventually';
import { created } from '../app/resources';

const ROOT = join(__dirname, '..', '..', '..');
const KEY = 'bootstrap-key-of-the-fault-tests-0001';
const START_LIMIT_MS = 60_000;

/** Options for running the service in another environment. */
export interface Surroundings {
  /** The prefix for its command, such as `nsenter …`. It must end in an exec, so that signals arrive. */
  entry?: readonly string[];
  /** Its URL as seen by the test, if it differs from the one that it prints. */
  url?: string;
  /** The folder of another version whose `dist` is run instead. */
  folder?: string;
}

/** Builds the files that the processes run, unless they are up to date. */
export function buildService(): void {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the service could not be built: ${stderr}`);
}

/**
 * The built service (call `buildService` first) as a separate process on a given PostgreSQL server. Tests can stop,
 * kill, and freeze it. Several of them on one database are several instances.
 */
export class ServiceProcess {
  private output = '';
  private address = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly seenAt: string | undefined,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.note(chunk.toString()));
  }

  /** Returns immediately, for a process that a failpoint may kill before it is listening. */
  static launch(
    databaseUrl: string,
    env: Readonly<Record<string, string>> = {},
    { entry = [], url, folder = ROOT }: Surroundings = {},
  ): ServiceProcess {
    const [command, ...words] = [...entry, process.execPath, 'dist/main.js'];
    const child = spawn(command, words, {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOST: '127.0.0.1',
        PORT: '0',
        LOG_LEVEL: 'warn',
        DATABASE_URL: databaseUrl,
        BOOTSTRAP_API_KEY: KEY,
        RATE_LIMIT_PER_SECOND: '0',
        CONFIRM_FAILURES: 'off',
        NO_COLOR: '1',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServiceProcess(child, url);
  }

  /** Resolves when it is listening. */
  static async start(
    databaseUrl: string,
    env: Readonly<Record<string, string>> = {},
    surroundings: Surroundings = {},
  ): Promise<ServiceProcess> {
    const service = ServiceProcess.launch(databaseUrl, env, surroundings);
    try {
      await eventually('the service listens', () => service.hasEnded || service.address !== '', START_LIMIT_MS);
    } catch (error) {
      await service.kill();
      throw error;
    }
    if (service.hasEnded) throw new Error(`the service ended at once:\n${service.output}`);
    return service;
  }

  get url(): string {
    return this.seenAt ?? this.address;
  }

  /** A client with an admin key for the Default organization. */
  get api(): Api {
    return new Api(this.url, KEY);
  }

  /** `null` if the process couldn't be started. */
  get pid(): number | null {
    return this.child.pid ?? null;
  }

  get log(): string {
    return this.output;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Returns the status code of `/health/ready`, or `null` if there is no response. */
  async readiness(): Promise<number | null> {
    return fetch(`${this.url}/health/ready`).then(
      ({ status }) => status,
      () => null,
    );
  }

  /** Sends SIGKILL and waits for the process to exit. Can safely be called twice. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    this.child.kill('SIGCONT');
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  /** Waits for the process to exit. Throws if it exited for any reason other than SIGKILL. */
  async killed(): Promise<void> {
    const end = await this.ended();
    if (end !== 'SIGKILL') throw new Error(`the process ended with ${end}:\n${this.output}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits for the process to exit. Returns the exit code or the signal. */
  async ended(): Promise<number | NodeJS.Signals | null> {
    if (!this.hasEnded) await once(this.child, 'exit');
    return this.child.exitCode ?? this.child.signalCode;
  }

  private note(text: string): void {
    this.output = `${this.output}${text}`.slice(-20_000);
    const [, url] = /running at (http:\/\/[^\s│]+)\s/.exec(this.output) ?? [];
    this.address ||= url ?? '';
  }
}

/** A test's separate connection to the database. It survives server restarts. */
export class DatabaseWitness implements Sql {
  private constructor(private readonly pool: Pool) {}

  static on(url: string): DatabaseWitness {
    const pool = new Pool({ connectionString: url, max: 4, query_timeout: 60_000, connectionTimeoutMillis: 10_000 });
    pool.on('error', () => {});
    return new DatabaseWitness(pool);
  }

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query(sql, [...parameters])).rows as Row[];
  }

  async clear(): Promise<void> {
    await this.query('DELETE FROM website; DELETE FROM incident; DELETE FROM check_result');
  }

  async count(sql: string, parameters: readonly unknown[] = []): Promise<number> {
    const [row] = await this.query<{ count: string }>(`SELECT count(*) AS count FROM (${sql}) AS counted`, parameters);
    return Number(row?.count ?? 0);
  }

  /** Holds row locks until `release` is called. */
  async hold(sql: string, parameters: readonly unknown[] = []): Promise<{ release(): Promise<void> }> {
    const client = await this.pool.connect();
    await client.query('BEGIN');
    await client.query(sql, [...parameters]);
    return {
      release: async () => {
        await client.query('ROLLBACK');
        client.release();
      },
    };
  }

  /** Waits at most a second for statements in progress, because a failed test may have left some running. */
  async close(): Promise<void> {
    await Promise.race([this.pool.end(), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
  }
}

/** Uses the API to create a website with endpoints for one target, each with an alert to a separate webhook. */
export async function watch(
  api: Api,
  count: number,
  target: string,
  hook: string,
  settings: { endpoint?: object; alert?: object } = {},
): Promise<{ endpoints: string[]; alerts: string[] }> {
  const website = await created(api, '/websites', { name: 'Shop', url: 'https://shop.example.com' });
  const endpoints: string[] = [];
  const alerts: string[] = [];
  for (let index = 0; index < count; index++) {
    const endpoint = await created(api, `/websites/${website}/endpoints`, {
      name: `Endpoint ${index}`,
      url: `${target}/${index}`,
      type: 'HTTP',
      interval: 1,
      timeout: 5,
      ...settings.endpoint,
    });
    endpoints.push(endpoint);
    alerts.push(
      await created(api, '/alerts', {
        endpoint_id: endpoint,
        type: 'webhook',
        config: { url: `${hook}/${index}` },
        failure_threshold: 1,
        success_threshold: 1,
        ...settings.alert,
      }),
    );
  }
  return { endpoints, alerts };
}
