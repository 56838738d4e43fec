import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../src/platform/config/config';
import { startOwnApp, type TestApp } from '../app/app';
import { findPostgres, PostgresCluster } from '../database/postgres-cluster';
import { buildService, ServiceProcess } from './service-process';

type Remove = () => unknown;

/** The settings for all processes: the surviving one and those that are killed. */
interface KillSettings {
  config?: Partial<Config>;
  env?: Readonly<Record<string, string>>;
}

/**
 * A database, a surviving process, and processes that are killed. Only one process at a time can use the embedded
 * database.
 */
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

  /** The survivor runs in this process. Its own timers decide nothing. */
  async survivor(): Promise<TestApp> {
    const { databaseUrl, dataDir, settings } = this;
    this.app ??= await startOwnApp({
      role: 'api',
      egressPrivate: 'allow',
      // Each start creates keys.
      quotaApiKeys: 10_000,
      ...settings.config,
      ...(dataDir === null ? { databaseUrl } : { databaseUrl: null, dataDir }),
    });
    return this.app;
  }

  /**
   * Starts a process with these failpoints. Resolves when it is listening. For a worker, which may be killed before
   * that, it resolves earlier.
   */
  async launch(role: 'api' | 'worker', failpoints: string): Promise<ServiceProcess> {
    if (this.dataDir !== null) await this.leave();
    const directory: Record<string, string> = this.dataDir === null ? {} : { DATA_DIR: this.dataDir };
    const env = { ...directory, ROLE: role, FAILPOINTS: failpoints, EGRESS_PRIVATE: 'allow', ...this.settings.env };
    this.victim =
      role === 'api' ? await ServiceProcess.start(this.databaseUrl, env) : ServiceProcess.launch(this.databaseUrl, env);
    return this.victim;
  }

  /** Stops both processes but not the database. Call this after each test. */
  async end(): Promise<void> {
    await this.victim?.kill();
    await this.leave();
  }

  /**
   * Also stops services left behind by an interrupted test, because a service without its folder would crash its
   * process.
   */
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

/** Without PostgreSQL's programs, only the embedded database is tested. */
export const KILL_DATABASES = findPostgres() === null ? DATABASES.slice(0, 1) : DATABASES;
