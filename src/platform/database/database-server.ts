import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Config } from '../config/config';
import type { ConnectionTarget } from './data-source-options';
import { engineOf } from './embedded/early-engine';
import { EmbeddedPostgres } from './embedded/embedded-postgres';
import { migrate } from './migrate';
import { type ServerName, serverName, refusalOf, unreachableReason } from './connection-failure';
import type { ExtensionMigration } from './extension-migrations';
import { isUnavailable } from './postgres-errors';
import { StartError } from '../config/start-error';

/** How long a start waits for a PostgreSQL that is not up yet. */
const START_WAIT_MS = 60_000;
const PAUSE_MS = 1000;
/** While it waits it says so this often. */
const SAY_EVERY = 10;

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
    const embedded = await (memory === null
      ? engineOf(dataDir)
      : EmbeddedPostgres.start({ directory: null, template: memory[1] }));
    return new DatabaseServer({ connect: () => embedded.connect() }, embedded);
  }

  /**
   * Brings the schema to this version, then to that of the extensions. A server that cannot be reached is tried again for a minute, so that both may be
   * started together. Throws a `StartError` that names the setting and the address, but no password.
   */
  async migrate(extensions: readonly ExtensionMigration[] = [], waitMs = START_WAIT_MS): Promise<void> {
    const deadline = performance.now() + waitMs;
    for (let attempt = 0; ; attempt++) {
      try {
        await migrate(this.target, extensions);
        return;
      } catch (error) {
        const refusal = this.server === null ? null : refusalOf(error, this.server);
        if (refusal !== null) throw new StartError(refusal, { cause: error });
        if (!isUnavailable(error)) throw error;
        const why = `${this.address} cannot be reached: ${unreachableReason(error)}.`;
        const leftMs = deadline - performance.now();
        if (leftMs <= 0)
          throw new StartError(`${why} Gave up after ${waitMs / 1000} s. Start it, or correct the address.`, {
            cause: error,
          });
        if (attempt % SAY_EVERY === 0)
          logger.warn(`${why} Waiting for it, for another ${Math.ceil(leftMs / 1000)} s at most.`);
        await delay(PAUSE_MS);
      }
    }
  }

  /** Call it after all pools are closed. */
  async close(): Promise<void> {
    await this.embedded?.close();
  }

  private get server(): ServerName | null {
    return 'url' in this.target ? serverName(this.target.url) : null;
  }

  private get address(): string {
    return this.server === null ? 'The embedded database' : `DATABASE_URL: ${this.server.address}`;
  }
}
