import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isRetryable } from './postgres-errors';

/** What can run SQL: the database itself or an open transaction. Parameters are always bound, never concatenated. */
export interface Sql {
  /** The rows of one statement; for INSERT, UPDATE and DELETE those of its RETURNING clause. */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** An open transaction. Inside it everything takes `tx`: the embedded database has one session and would wait for itself. */
export interface Tx extends Sql {
  readonly manager: EntityManager;
  /** Runs after a successful commit, never after a rollback. For waking loops, not for writing. */
  afterCommit(work: () => void): void;
}

const ATTEMPTS = 4;

async function run<Row>(manager: EntityManager, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const answer: unknown = await manager.query(sql, [...parameters]);
  // TypeORM answers [rows, count] for UPDATE and DELETE, and the rows for everything else.
  if (Array.isArray(answer) && answer.length === 2 && Array.isArray(answer[0]) && typeof answer[1] === 'number') {
    return answer[0] as Row[];
  }
  return answer as Row[];
}

/** The API's way to the database: its own pool, apart from the worker's. */
@Injectable()
export class Database implements Sql {
  constructor(readonly dataSource: DataSource) {}

  query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return run<Row>(this.dataSource.manager, sql, parameters);
  }

  /**
   * One transaction, repeated up to three times with jitter after a deadlock, a serialization failure or a lock timeout.
   * `work` must therefore have no effect outside `tx`. No network work inside.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const after: (() => void)[] = [];
      try {
        const result = await this.dataSource.transaction((manager) =>
          work({
            manager,
            query: <Row>(sql: string, parameters: readonly unknown[] = []) => run<Row>(manager, sql, parameters),
            afterCommit: (callback) => after.push(callback),
          }),
        );
        for (const callback of after) callback();
        return result;
      } catch (error) {
        if (attempt >= ATTEMPTS || !isRetryable(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10 * 2 ** attempt * (0.5 + Math.random())));
      }
    }
  }
}

/** The same for checks and deliveries: a pool that slow API reads cannot exhaust. */
@Injectable()
export class WorkerDatabase extends Database {}
