import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import { DatabaseClient } from './database-client';
import { migrations } from './migrations/migrations';

export type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** Where the pools connect to: a server by its URL, or the embedded database by a stream for each connection. */
export type ConnectionTarget = { readonly url: string } | { readonly connect: () => Duplex };

export interface PoolOptions {
  /** Connections at most. */
  readonly size: number;
  /** Shown by the server beside each connection. */
  readonly name: string;
  /** A statement without answer fails after this long, and its connection is given up. 0 = never. */
  readonly queryTimeoutMs: number;
  readonly entities?: PostgresOptions['entities'];
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Kept open through the pauses between ticks and requests. */
const IDLE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

const logger = new Logger('Database');

/** The TypeORM settings of one pool. No `synchronize`, ever: the schema is what the migrations make. */
export function dataSourceOptions(target: ConnectionTarget, pool: PoolOptions): PostgresOptions {
  return {
    type: 'postgres',
    ...('url' in target ? { url: target.url } : { username: 'postgres', database: 'postgres' }),
    applicationName: pool.name,
    poolSize: pool.size,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    entities: pool.entities ?? [],
    migrations,
    migrationsTransactionMode: 'all',
    // Ids are made by the application; `gen_random_uuid()` needs no extension on any supported server.
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    logging: false,
    // Without a listener an idle connection that the server closes ends the process.
    poolErrorHandler: (error: Error) => logger.warn(`An idle connection was lost: ${error.message}`),
    extra: {
      Client: DatabaseClient,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      query_timeout: pool.queryTimeoutMs,
      ...('url' in target ? {} : { stream: target.connect }),
    },
  };
}
