import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import { PostgresServer } from './connection/postgres-server';
import { DatabaseClient } from './database-client';
import { migrations } from './migrations/migrations';

export type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** The target of the pools: a server, or the embedded database with a stream per connection. */
export type ConnectionTarget = PostgresServer | { readonly connect: () => Duplex };

export interface PoolOptions {
  readonly size: number;
  /** The application name that the server shows for each connection. */
  readonly name: string;
  /** Milliseconds after which a statement without a reply fails and its connection is closed. 0 means never. */
  readonly queryTimeoutMs: number;
  readonly entities?: PostgresOptions['entities'];
}

/** For the embedded database. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Long enough to keep connections open between ticks and requests. */
const IDLE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

const logger = new Logger('Database');

/** Returns the TypeORM settings of one pool. `synchronize` is never set, because only migrations change the schema. */
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
    // The application creates IDs. `gen_random_uuid()` needs no extension on any supported server.
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    logging: false,
    // Without a listener, the process would crash when the server closes an idle connection.
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
