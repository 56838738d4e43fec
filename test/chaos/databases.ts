import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres';
import type { Sql } from '../../src/platform/database/database';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import type { DatabaseName } from './commands';

export type Disruption = 'is stopped' | 'is killed' | 'is frozen';

/** A database of either kind for one run. */
export interface ChaosDatabase {
  readonly name: DatabaseName;
  /** The value for `DATABASE_URL`, empty for the embedded database. */
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** True if the service must not have it open while the test reads it. */
  readonly exclusive: boolean;
  inspect<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Makes it unavailable for a while, and waits until it is back. */
  disrupt(how: Disruption, seconds: number): Promise<void>;
  remove(): Promise<void>;
}

/** Returns `null` if PostgreSQL isn't installed. */
export async function openDatabase(name: DatabaseName): Promise<ChaosDatabase | null> {
  if (name === 'embedded') return new EmbeddedDirectory();
  return findPostgres() === null ? null : new PostgresServer(await PostgresCluster.start());
}

class EmbeddedDirectory implements ChaosDatabase {
  readonly name = 'embedded';
  readonly url = '';
  readonly exclusive = true;
  private readonly directory = mkdtempSync(join(tmpdir(), 'uptime-chaos-'));
  readonly env = { DATA_DIR: this.directory };

  async inspect<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const embedded = await EmbeddedPostgres.start({ directory: this.directory });
    try {
      return await onClient({ user: 'postgres', stream: () => embedded.connect() }, work);
    } finally {
      await embedded.close();
    }
  }

  disrupt(): Promise<void> {
    throw new Error('the embedded database fails only with its process');
  }

  async remove(): Promise<void> {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

class PostgresServer implements ChaosDatabase {
  readonly name = 'postgres';
  readonly exclusive = false;
  readonly env = {};

  constructor(private readonly cluster: PostgresCluster) {}

  get url(): string {
    return this.cluster.url;
  }

  inspect<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return onClient({ connectionString: this.url, query_timeout: 60_000, connectionTimeoutMillis: 10_000 }, work);
  }

  async disrupt(how: Disruption, seconds: number): Promise<void> {
    if (how === 'is frozen') this.cluster.freeze();
    else if (how === 'is killed') await this.cluster.kill();
    else await this.cluster.stop();
    await delay(seconds * 1000);
    if (how === 'is frozen') this.cluster.thaw();
    else await this.cluster.restart();
  }

  async remove(): Promise<void> {
    await this.cluster.remove();
  }
}

/** Uses one session, so that the work may be a transaction. */
async function onClient<T>(config: ClientConfig, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = new Client(config);
  // The server may end the session. The next statement then fails.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work({
      query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
        (await client.query(sql, [...parameters])).rows as Row[],
    });
  } finally {
    await client.end();
  }
}
