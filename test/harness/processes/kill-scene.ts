import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../src/platform/config/config';
import { startOwnApp, type TestApp } from '../app/app';
import { findPostgres, PostgresCluster } from '../database/postgres-cluster';
import { buildService, ServiceProcess } from './service-process';

type Remove = () => unknown;

/** What both are started with: the one that lives on, and those that are killed. */
interface KillSettings {
  config?: Partial<Config>;
  env?: Readonly<Record<string, string>>;
}

/** A database on which processes are killed, and one that lives on. The embedded one is reached by one process at a time. */
export class KillScene {
  private app: TestApp | null = null;
  private victim: ServiceProcess | null = null;

  private constructor(
    private readonly databaseUrl: string,
    private readonly dataDir: string | null,
    private readonly settings: KillSettings,
    private readonly removeAll: Remove,
  ) {}

  static onEmbedded(this: void, settings: KillSettings = {}): Promise<KillScene> {
    buildService();
    const dataDir = mkdtempSync(join(tmpdir(), 'uptime-killed-'));
    return Promise.resolve(
      new KillScene('', dataDir, settings, () => rmSync(dataDir, { recursive: true, force: true })),
    );
  }

  static async onPostgres(this: void, settings: KillSettings = {}): Promise<KillScene> {
    buildService();
    const cluster = await PostgresCluster.start();
    return new KillScene(cluster.url, null, settings, () => cluster.remove());
  }

  /** The one that lives on, in this process; its own timers decide nothing. */
  async survivor(): Promise<TestApp> {
    const { databaseUrl, dataDir, settings } = this;
    this.app ??= await startOwnApp({
      role: 'api',
      egressPrivate: 'allow',
      // Each start makes keys.
      quotaApiKeys: 10_000,
      ...settings.config,
      ...(dataDir === null ? { databaseUrl } : { databaseUrl: null, dataDir }),
    });
    return this.app;
  }

  /** One with these failpoints. It listens when this resolves, unless it is a worker: that one may be killed before. */
  async launch(role: 'api' | 'worker', failpoints: string): Promise<ServiceProcess> {
    if (this.dataDir !== null) await this.leave();
    const directory: Record<string, string> = this.dataDir === null ? {} : { DATA_DIR: this.dataDir };
    const env = { ...directory, ROLE: role, FAILPOINTS: failpoints, EGRESS_PRIVATE: 'allow', ...this.settings.env };
    this.victim =
      role === 'api' ? await ServiceProcess.start(this.databaseUrl, env) : ServiceProcess.launch(this.databaseUrl, env);
    return this.victim;
  }

  /** Ends both, not the database: after each test. */
  async end(): Promise<void> {
    await this.victim?.kill();
    await this.leave();
  }

  /** Also after a test that was given up half way: a service whose folder is gone would end its whole process. */
  async remove(): Promise<void> {
    await this.end();
    await this.removeAll();
  }

  private async leave(): Promise<void> {
    await this.app?.close();
    this.app = null;
  }
}

const DATABASES: readonly [name: string, open: (settings?: KillSettings) => Promise<KillScene>][] = [
  ['the embedded database', KillScene.onEmbedded],
  ['PostgreSQL', KillScene.onPostgres],
];

/** Without PostgreSQL's programs the embedded one alone. */
export const KILL_DATABASES = findPostgres() === null ? DATABASES.slice(0, 1) : DATABASES;
