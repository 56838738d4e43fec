import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Config } from '../config/config';
import type { ConnectionTarget } from './data-source-options';
import { engineOf } from './embedded/early-engine';
import { EmbeddedPostgres } from './embedded/embedded-postgres';
import { migrate } from './migrate';
import { isThere, refusalOf, unreachableReason } from './connection-failure';
import { PostgresServer } from './connection/postgres-server';
import { addressOf } from './connection/server-connection';
import type { ExtensionMigration } from './extension-migrations';
import { isUnavailable } from './postgres-errors';
import { StartError } from '../config/start-error';

/** How long startup waits for a PostgreSQL server that isn't running yet. */
const START_WAIT_MS = 60_000;
const PAUSE_MS = 1000;
/** The number of attempts between two log lines while waiting. */
const SAY_EVERY = 10;

const NOT_SYNCED =
  'DATABASE_SYNC=off: a power failure can lose or damage the embedded database. Use this only for tests and benchmarks.';

const logger = new Logger('Database');

type DatabaseSettings = Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'databaseSync'>>;

export class DatabaseServer {
  private constructor(
    readonly target: ConnectionTarget,
    private readonly embedded: EmbeddedPostgres | null,
  ) {}

  get isEmbedded(): boolean {
    return this.embedded !== null;
  }

  /**
   * Opens the database and starts the embedded engine if the settings require it. Throws a `DirectoryInUseError` if
   * another process uses its directory.
   */
  static async open(config: DatabaseSettings): Promise<DatabaseServer> {
    const { databaseUrl, dataDir, databaseSync = true } = config;
    // Tests append the path to a migrated cluster. The setting's validation rejects that.
    const memory = /^embedded:memory(?::(.+))?$/.exec(databaseUrl ?? '');
    if (databaseUrl !== null && memory === null) return DatabaseServer.at(databaseUrl);
    if (memory === null && !databaseSync) logger.warn(NOT_SYNCED);
    const embedded = await (memory === null
      ? engineOf(dataDir, databaseSync)
      : EmbeddedPostgres.start({ directory: null, template: memory[1] }));
    return new DatabaseServer({ connect: () => embedded.connect() }, embedded);
  }

  private static at(url: string): DatabaseServer {
    const server = PostgresServer.at(url);
    for (const name of server.connection.idleParameters)
      logger.warn(
        `DATABASE_URL: its parameter ${name} has no effect. The supported parameters are listed in docs/reference/operations.md.`,
      );
    return new DatabaseServer(server, null);
  }

  /**
   * Migrates the schema to this version, then runs the extensions' migrations. Retries for a minute if the server is
   * unreachable, so that both can be started together. Throws a `StartError` that names the setting and the address,
   * but not the password.
   */
  async migrate(extensions: readonly ExtensionMigration[] = [], waitMs = START_WAIT_MS): Promise<void> {
    const deadline = performance.now() + waitMs;
    let isPlain = false;
    for (let attempt = 0; ; attempt++) {
      try {
        await migrate(this.target, extensions);
        return;
      } catch (error) {
        if (error instanceof StartError) throw error;
        if (this.server?.isPlainStart === true && !isPlain) {
          // A pooler has rejected the session settings. Try again immediately without them.
          isPlain = true;
          continue;
        }
        const refusal = this.server === null ? null : refusalOf(error, this.server.connection);
        if (refusal !== null) throw new StartError(refusal, { cause: error });
        if (!isUnavailable(error)) throw error;
        const why = `${this.address} cannot be ${isThere(error) ? 'used' : 'reached'}: ${unreachableReason(error)}.`;
        const leftMs = deadline - performance.now();
        if (leftMs <= 0)
          throw new StartError(
            `${why} Gave up after ${waitMs / 1000} s. Start the database, or correct DATABASE_URL.`,
            {
              cause: error,
            },
          );
        if (attempt % SAY_EVERY === 0)
          logger.warn(`${why} Waiting for it, for at most ${Math.ceil(leftMs / 1000)} more seconds.`);
        await delay(PAUSE_MS);
      }
    }
  }

  /** Call this after all pools are closed. */
  async close(): Promise<void> {
    await this.embedded?.close();
  }

  private get server(): PostgresServer | null {
    return this.target instanceof PostgresServer ? this.target : null;
  }

  private get address(): string {
    return this.server === null ? 'The embedded database' : `DATABASE_URL: ${addressOf(this.server.connection)}`;
  }
}
