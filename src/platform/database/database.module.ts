import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Config } from '../config/config';
import { dataSourceOptions, type PostgresOptions } from './data-source-options';
import { Database, type TransactionLimits, WorkerDatabase } from './database';
import { DatabaseClock } from './database-clock';
import { TimeModule } from '../time/time.module';
import { DatabaseServer } from './database-server';
import type { ExtensionMigration } from './extension-migrations';
import { EmbeddedMaintenance } from './embedded/embedded-maintenance';

/** The client enforces this limit, because a server that hangs would not. */
const QUERY_TIMEOUT_MS = 30_000;
/**
 * How long a request waits for a lock. The service holds locks only for milliseconds. Only a manual session or a backup
 * holds one longer.
 */
const API_LOCK_TIMEOUT_MS = 2000;
/**
 * The maximum idle time in a transaction. The service's transactions are idle only while the event loop is blocked. The
 * embedded database needs no limit, because it has no other clients and both ends of its connection are in the same
 * process.
 */
const IDLE_TRANSACTION_MS = 10_000;
/** The size of the pool that a process with this role hardly uses. */
const SPARE_POOL = 2;

/** The size of a pool for the embedded database, which has only one session. */
const EMBEDDED_POOL = 5;

function poolSize(server: DatabaseServer, configured: number, isUsed: boolean): number {
  if (!isUsed) return SPARE_POOL;
  return server.isEmbedded ? EMBEDDED_POOL : configured;
}

const idleLimit = (server: DatabaseServer): TransactionLimits =>
  server.isEmbedded ? {} : { idleMs: IDLE_TRANSACTION_MS };

const apiPool = (server: DatabaseServer, config: Config): PostgresOptions =>
  dataSourceOptions(server.target, {
    size: poolSize(server, config.databasePoolApi, config.role !== 'worker'),
    name: 'uptime-monitor api',
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  });

/** Opens the worker pool with the same entities as the API pool. */
async function openWorkerPool(server: DatabaseServer, config: Config, api: DataSource): Promise<WorkerDatabase> {
  const options = dataSourceOptions(server.target, {
    size: poolSize(server, config.databasePoolWorker, config.role !== 'api'),
    name: 'uptime-monitor worker',
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    entities: api.options.entities,
  });
  return new WorkerDatabase(await new DataSource(options).initialize(), idleLimit(server));
}

async function openServer(config: Config, extensions: readonly ExtensionMigration[]): Promise<DatabaseServer> {
  const server = await DatabaseServer.open(config);
  try {
    await server.migrate(extensions);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** This is a separate module, so that TypeORM's module can inject the server. */
@Module({})
class DatabaseServerModule {
  static forRoot(extensions: readonly ExtensionMigration[]): DynamicModule {
    const open = (config: Config): Promise<DatabaseServer> => openServer(config, extensions);
    return {
      module: DatabaseServerModule,
      providers: [{ provide: DatabaseServer, inject: [Config], useFactory: open }],
      exports: [DatabaseServer],
    };
  }
}

/** Closes both pools, then the embedded engine. Nothing is lost in this order. */
@Injectable()
class DatabaseShutdown implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly worker: WorkerDatabase,
    private readonly server: DatabaseServer,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    for (const { dataSource } of [this.worker, this.database]) if (dataSource.isInitialized) await dataSource.destroy();
    await this.server.close();
  }
}

/**
 * Provides the database to all modules: `Database` for requests, `WorkerDatabase` for checks and deliveries, and
 * TypeORM's repositories (`TypeOrmModule.forFeature`, on the API pool). By the time the application is created, the
 * database is connected and migrated. Requires only `Config`. If no settings are set, runs the embedded database in
 * `DATA_DIR`.
 */
@Module({})
export class DatabaseModule {
  /** `hotTables` lists tables that every check or delivery rewrites. The embedded database vacuums them frequently. */
  static forRoot(extensions: readonly ExtensionMigration[] = [], hotTables: readonly string[] = []): DynamicModule {
    const serverModule = DatabaseServerModule.forRoot(extensions);
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TimeModule,
        serverModule,
        TypeOrmModule.forRootAsync({
          imports: [serverModule],
          inject: [DatabaseServer, Config],
          useFactory: (server: DatabaseServer, config: Config) => ({
            ...apiPool(server, config),
            autoLoadEntities: true,
            retryAttempts: 0,
          }),
        }),
      ],
      providers: [
        {
          provide: Database,
          inject: [DataSource, DatabaseServer],
          useFactory: (source: DataSource, server: DatabaseServer) =>
            new Database(source, { lockMs: API_LOCK_TIMEOUT_MS, ...idleLimit(server) }),
        },
        { provide: WorkerDatabase, inject: [DatabaseServer, Config, DataSource], useFactory: openWorkerPool },
        DatabaseClock,
        {
          provide: EmbeddedMaintenance,
          inject: [WorkerDatabase],
          useFactory: (worker: WorkerDatabase) => new EmbeddedMaintenance(worker, hotTables),
        },
        DatabaseShutdown,
      ],
      exports: [Database, WorkerDatabase, DatabaseClock, EmbeddedMaintenance, serverModule, TypeOrmModule],
    };
  }
}
