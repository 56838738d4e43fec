import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isLockTimeout, isRetryable } from './postgres-errors';

/**
 * `tx` becomes `null` when the work ends, because promises that the work left running must not write to a finished
 * transaction.
 */
interface Scope {
  tx: Tx | null;
}

const storage = new AsyncLocalStorage<Scope>();
let open = 0;

/** The transaction that the current code runs in, or `null` outside `joinTransaction`. */
const joinedTransaction = (): Tx | null => storage.getStore()?.tx ?? null;

/**
 * Runs `work` as part of the open transaction. Every query in it, on either pool, uses `tx`, and a nested transaction
 * becomes a savepoint. `work` must not open two of them at the same time. The async storage slows down every promise in
 * the process a little, so it is disabled while unused.
 */
export async function joinTransaction<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const scope: Scope = { tx };
  open += 1;
  try {
    return await storage.run(scope, work);
  } finally {
    scope.tx = null;
    open -= 1;
    if (open === 0) storage.disable();
  }
}

/** Runs SQL on the database or in an open transaction. Parameters are always bound, never concatenated. */
export interface Sql {
  /**
   * Returns the rows from one statement. For INSERT, UPDATE, and DELETE, these are the rows from the RETURNING clause.
   */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/**
 * An open transaction. All code inside it must use `tx`, because the embedded database has only one session and would
 * deadlock.
 */
export interface Tx extends Sql {
  readonly manager: EntityManager;
  /** The transaction's connection pool. The same object as `Database.pool`. */
  readonly pool: object;
  /** Runs `work` after a successful commit, and never after a rollback. Use it to wake loops, not to write. */
  afterCommit(work: () => void): void;
}

const ATTEMPTS = 4;
/** A transaction that has waited this long for locks isn't retried, because it would wait for the same lock again. */
const LOCK_WAIT_LIMIT_MS = 2000;

async function run<Row>(manager: EntityManager, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const result: unknown = await manager.query(sql, [...parameters]);
  // TypeORM returns [rows, count] for UPDATE and DELETE, and only the rows for all other statements.
  if (Array.isArray(result) && result.length === 2 && Array.isArray(result[0]) && typeof result[1] === 'number') {
    return result[0] as Row[];
  }
  return result as Row[];
}

/**
 * Limits for a transaction. They are set within each transaction and apply only to it, so that they work through a
 * connection pooler.
 */
export interface TransactionLimits {
  /** How long the transaction waits for a lock before it fails with 55P03. Defaults to the statement timeout. */
  readonly lockMs?: number;
  /** How long one statement may take before it fails with 57014. The embedded database ignores this limit. */
  readonly statementMs?: number;
  /**
   * How long the server keeps the transaction and its locks if the client sends nothing, because the connection may be
   * broken.
   */
  readonly idleMs?: number;
}

const SETTINGS = {
  lockMs: 'lock_timeout',
  statementMs: 'statement_timeout',
  idleMs: 'idle_in_transaction_session_timeout',
} as const;

export async function setLimits(manager: EntityManager, limits: TransactionLimits): Promise<void> {
  const calls = (['lockMs', 'statementMs', 'idleMs'] as const).flatMap((key) =>
    limits[key] === undefined ? [] : [`set_config('${SETTINGS[key]}', '${limits[key]}ms', true)`],
  );
  if (calls.length > 0) await run(manager, `SELECT ${calls.join(', ')}`);
}

/** The database for the API. Its pool is separate from the worker's. */
@Injectable()
export class Database implements Sql {
  constructor(
    readonly dataSource: DataSource,
    private readonly limits: TransactionLimits = {},
  ) {}

  /** Identifies the database in processes that use several. */
  get pool(): object {
    return this.dataSource;
  }

  get manager(): EntityManager {
    return joinedTransaction()?.manager ?? this.dataSource.manager;
  }

  query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return run<Row>(this.manager, sql, parameters);
  }

  /**
   * Runs `work` in a transaction. Retries it up to three times with jitter after a deadlock, a serialization failure,
   * or a lock timeout, or if the server has no connections left. Doesn't retry after two seconds of waiting for a lock.
   * Because of the retries, `work` must have no effects outside `tx` and must not use the network. `limits` override
   * this pool's limits. Within `joinTransaction`, it becomes a savepoint in the open transaction, and only the
   * savepoint is retried.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>, limits: TransactionLimits = {}): Promise<T> {
    const outer = joinedTransaction();
    if (outer !== null) return part(outer, work, limits);
    const began = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(work, { ...this.limits, ...limits });
      } catch (error) {
        const isHopeless = isLockTimeout(error) && performance.now() - began >= LOCK_WAIT_LIMIT_MS;
        if (attempt >= ATTEMPTS || isHopeless || !isRetryable(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10 * 2 ** attempt * (0.5 + Math.random())));
      }
    }
  }

  private async once<T>(work: (tx: Tx) => Promise<T>, limits: TransactionLimits): Promise<T> {
    const { result, after } = await begin(this.dataSource.manager, work, limits);
    for (const callback of after) callback();
    return result;
  }
}

/**
 * Opens a transaction on a pool's manager, or a savepoint on an open transaction's manager. `after` collects the work
 * to run after the commit.
 */
async function begin<T>(
  on: EntityManager,
  work: (tx: Tx) => Promise<T>,
  limits: TransactionLimits,
): Promise<{ result: T; after: readonly (() => void)[] }> {
  const after: (() => void)[] = [];
  const result = await on.transaction(async (manager) => {
    await setLimits(manager, limits);
    return work({
      manager,
      pool: manager.dataSource,
      query: <Row>(sql: string, parameters: readonly unknown[] = []) => run<Row>(manager, sql, parameters),
      afterCommit: (callback) => after.push(callback),
    });
  });
  return { result, after };
}

async function part<T>(outer: Tx, work: (tx: Tx) => Promise<T>, limits: TransactionLimits): Promise<T> {
  const { result, after } = await begin(outer.manager, work, limits);
  for (const callback of after) outer.afterCommit(callback);
  return result;
}

/** The database for checks and deliveries. Slow API reads can't exhaust its pool. */
@Injectable()
export class WorkerDatabase extends Database {}
