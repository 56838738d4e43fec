import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isLockTimeout, isRetryable } from './postgres-errors';

/** `tx` is `null` once the work has ended: what it left running must not write into a transaction that is over. */
interface Scope {
  tx: Tx | null;
}

const storage = new AsyncLocalStorage<Scope>();
let open = 0;

/** The transaction that what runs now is part of; `null` outside of `joinTransaction`. */
const joinedTransaction = (): Tx | null => storage.getStore()?.tx ?? null;

/**
 * Runs `work` as a part of the open transaction: every query of it, on either pool, goes through `tx`, and a transaction
 * that it begins is a savepoint in this one. It must begin no two of them at once. The storage costs every promise of the
 * process a little, so it is switched off while nothing uses it.
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

/** Runs SQL: the database itself or an open transaction. Parameters are always bound, never concatenated. */
export interface Sql {
  /** The rows of one statement; for INSERT, UPDATE and DELETE those of its RETURNING clause. */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** An open transaction. Inside it everything takes `tx`: the embedded database has one session and would wait for itself. */
export interface Tx extends Sql {
  readonly manager: EntityManager;
  /** Which pool of connections it is of: the same as `Database.pool`. */
  readonly pool: object;
  /** `work` runs after a successful commit, never after a rollback. For waking loops, not for writing. */
  afterCommit(work: () => void): void;
}

const ATTEMPTS = 4;
/** A transaction that has waited for locks this long is not repeated: it would wait for the same lock again. */
const LOCK_WAIT_LIMIT_MS = 2000;

async function run<Row>(manager: EntityManager, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const result: unknown = await manager.query(sql, [...parameters]);
  // TypeORM returns [rows, count] for UPDATE and DELETE, and the rows for everything else.
  if (Array.isArray(result) && result.length === 2 && Array.isArray(result[0]) && typeof result[1] === 'number') {
    return result[0] as Row[];
  }
  return result as Row[];
}

/** Set in each transaction and for it only, so that they work through a connection pooler. */
export interface TransactionLimits {
  /** How long the transaction waits for a lock before it fails with 55P03; by default as long as a statement may take. */
  readonly lockMs?: number;
  /** How long one of its statements may take before it fails with 57014. The embedded database keeps no such time. */
  readonly statementMs?: number;
  /** How long the server keeps it and its locks while we are silent: our half of the connection may be gone. */
  readonly idleMs?: number;
}

const SETTINGS = {
  lockMs: 'lock_timeout',
  statementMs: 'statement_timeout',
  idleMs: 'idle_in_transaction_session_timeout',
} as const;

/** For the transaction that is open on `manager`. */
export async function setLimits(manager: EntityManager, limits: TransactionLimits): Promise<void> {
  const calls = (['lockMs', 'statementMs', 'idleMs'] as const).flatMap((key) =>
    limits[key] === undefined ? [] : [`set_config('${SETTINGS[key]}', '${limits[key]}ms', true)`],
  );
  if (calls.length > 0) await run(manager, `SELECT ${calls.join(', ')}`);
}

/** The database for the API: a pool of its own, apart from the worker's. */
@Injectable()
export class Database implements Sql {
  constructor(
    readonly dataSource: DataSource,
    private readonly limits: TransactionLimits = {},
  ) {}

  /** Tells one database from another where a process has several. */
  get pool(): object {
    return this.dataSource;
  }

  /** For reads of entities. */
  get manager(): EntityManager {
    return joinedTransaction()?.manager ?? this.dataSource.manager;
  }

  query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return run<Row>(this.manager, sql, parameters);
  }

  /**
   * One transaction, repeated up to three times with jitter after a deadlock, a serialization failure, a lock timeout or
   * when the server has no connection left; not after two seconds of waiting for a lock. `work` must therefore have no
   * effect outside `tx`. No network work inside. `limits` override those of this pool. Within `joinTransaction` it is a
   * savepoint in the transaction that is open, which alone is repeated.
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

/** A transaction on a pool's manager, a savepoint on that of an open transaction. `after`: what is to run after the commit. */
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

/** The database for checks and deliveries: a pool that slow API reads cannot exhaust. */
@Injectable()
export class WorkerDatabase extends Database {}
