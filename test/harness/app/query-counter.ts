import type { DataSource } from 'typeorm';

/** Counts the statements that requests send through this pool from now on. */
export function countQueries({ driver }: DataSource): { count: number } {
  const counter = { count: 0 };
  const counted = driver as unknown as {
    createQueryRunner: (mode: string) => { query: (...args: unknown[]) => unknown };
  };
  const create = counted.createQueryRunner.bind(driver);
  counted.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner);
    runner.query = (...args) => {
      counter.count++;
      return query(...args);
    };
    return runner;
  };
  return counter;
}
