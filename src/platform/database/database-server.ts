import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Config } from '../config/config';
import type { ConnectionTarget } from './data-source-options';
import { EmbeddedPostgres } from './embedded/embedded-postgres';
import { migrate } from './migrate';
import { isUnavailable, sqlState } from './postgres-errors';
import { StartError } from './start-error';

/** How long a start waits for a PostgreSQL that is not up yet. */
const START_WAIT_MS = 60_000;
const PAUSE_MS = 1000;

const logger = new Logger('Database');

/** The database that `DATABASE_URL` and `DATA_DIR` name, ready for connections. */
export class DatabaseServer {
  private constructor(
    readonly target: ConnectionTarget,
    private readonly embedded: EmbeddedPostgres | null,
  ) {}

  get isEmbedded(): boolean {
    return this.embedded !== null;
  }

  /** Starts the embedded engine if the settings ask for it. Throws a `DirectoryInUseError` when another process has its directory. */
  static async open(config: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<DatabaseServer> {
    const { databaseUrl, dataDir } = config;
    // Tests name a migrated cluster behind it; the rules of the setting refuse that.
    const memory = /^embedded:memory(?::(.+))?$/.exec(databaseUrl ?? '');
    if (databaseUrl !== null && memory === null) return new DatabaseServer({ url: databaseUrl }, null);
    const directory = databaseUrl === null ? dataDir : null;
    const embedded = await EmbeddedPostgres.start({ directory, template: memory?.[1] });
    return new DatabaseServer({ connect: () => embedded.connect() }, embedded);
  }

  /**
   * Brings the schema to this version. A server that cannot be reached is tried again for a minute, so that both may be
   * started together; then throws an error with the address but without credentials.
   */
  async migrate(waitMs = START_WAIT_MS): Promise<void> {
    const deadline = performance.now() + waitMs;
    for (let attempt = 1; ; attempt++) {
      try {
        await migrate(this.target);
        return;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (performance.now() >= deadline)
          throw new StartError(
            `${this.address} did not respond for ${waitMs / 1000} s (${reason(error)}). Giving up.`,
            {
              cause: error,
            },
          );
        logger.warn(`${this.address} is not available (${reason(error)}); attempt ${attempt}, trying again.`);
        await delay(PAUSE_MS);
      }
    }
  }

  /** Call it after all pools are closed. */
  async close(): Promise<void> {
    await this.embedded?.close();
  }

  private get address(): string {
    if (!('url' in this.target)) return 'The embedded database';
    const { hostname, port, pathname } = new URL(this.target.url);
    return `PostgreSQL at ${hostname || 'localhost'}:${port || '5432'}${pathname}`;
  }
}

const reason = (error: unknown): string =>
  (error instanceof Error && error.message) || (sqlState(error) ?? 'unknown error');
