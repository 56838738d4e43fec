import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import { PostgresServer } from './connection/postgres-server';
import { DatabaseClient } from './database-client';
import { migrations } from './migrations/migrations';

export type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** The target for the pools: a server, or the embedded database with one stream per connection. */
export type ConnectionTarget = PostgresServer | { readonly connect: () => Duplex };

export interface PoolOptions {
  readonly size: number;
  /** The application name that the server shows for each connection. */
  readonly name: string;
  /**
   * How many milliseconds a statement may wait for a reply. After that, it fails and its connection is closed. 0 means
   * no limit.
   */
  readonly queryTimeoutMs: number;
  readonly entities?: PostgresOptions['entities'];
}

/** The timeout for the embedded database. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Long enough to keep connections open between ticks and requests. */
const IDLE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

const logger = new Logger('Database');

/** Returns the TypeORM settings for one pool. `synchronize` is never set, because only migrations change the schema. */
export function dataSourceOptions(target: ConnectionTarget, pool: PoolOptions): PostgresOptions {
  const isServer = target instanceof PostgresServer;
  return {
    type: 'postgres',
    ...(isServer ? { database: target.connection.database } : { username: 'postgres', database: 'postgres' }),
    applicationName: pool.name,
    poolSize: pool.size,
    connectTimeoutMS: isServer ? target.connection.connectTimeoutMs : CONNECT_TIMEOUT_MS,
    entities: pool.entities ?? [],
    migrations,
    migrationsTransactionMode: 'all',
    // The application generates IDs. `gen_random_uuid()` needs no extension on any supported server.
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    logging: false,
    // Without a listener, the process would crash whenever the server closes an idle connection.
    poolErrorHandler: (error: Error) => logger.warn(`An idle connection was lost: ${error.message}`),
    extra: {
      Client: DatabaseClient,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      query_timeout: pool.queryTimeoutMs,
      ...(isServer ? { server: target } : { stream: target.connect }),
    },
  };
}
