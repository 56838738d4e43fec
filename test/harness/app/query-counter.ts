import type { DataSource } from 'typeorm';
import { currentAuthorship } from '../../../src/audit/authorship';

/** Runs every five seconds. On the embedded database, it uses the pool for requests. */
export const OF_PRESENCE = /\bingest_seen\b/;

/** Counts the statements that requests send through this pool from now on. */
export function countQueries(source: DataSource): { count: number } {
  const counter = { count: 0 };
  onEachQuery(source, (sql) => {
    if (!OF_PRESENCE.test(String(sql))) counter.count++;
  });
  return counter;
}

export function collectQueries(source: DataSource): [sql: string, parameters: unknown[]][] {
  const collected: [string, unknown[]][] = [];
  onEachQuery(source, (sql, parameters) => collected.push([String(sql), (parameters ?? []) as unknown[]]));
  return collected;
}

/** Collects the statements of requests that change data. Jobs use the same tables at the same time. */
export function collectQueriesOfChanges(source: DataSource): string[] {
  const collected: string[] = [];
  onEachQuery(source, (sql) => {
    if (currentAuthorship().via !== 'system') collected.push(String(sql));
  });
  return collected;
}

function onEachQuery({ driver }: DataSource, seen: (...args: unknown[]) => unknown): void {
  const counted = driver as unknown as {
    createQueryRunner: (mode: string) => { query: (...args: unknown[]) => unknown };
  };
  const create = counted.createQueryRunner.bind(driver);
  counted.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner);
    runner.query = (...args) => {
      seen(...args);
      return query(...args);
    };
    return runner;
  };
}
