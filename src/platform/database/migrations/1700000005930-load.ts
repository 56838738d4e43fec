import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What each instance is asked for and does, written with its heartbeat, and one row about all of them. Instances of older
 * versions leave the columns empty: they count as instances that report nothing.
 */
export class Load1700000005930 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE instance
         ADD overloaded_since timestamptz(3),
         ADD overload_ratio real,
         ADD skipped_per_second real,
         ADD checks_per_second real`,
    );
    await runner.query(
      `CREATE VIEW monitoring_load AS
         SELECT count(*)::int AS instances,
                coalesce(sum(checks_per_second), 0)::float8 AS checks_per_second,
                min(overloaded_since) AS overloaded_since,
                coalesce(max(overload_ratio), 1)::float8 AS overload_ratio,
                coalesce(sum(skipped_per_second), 0)::float8 AS skipped_per_second
           FROM instance
          WHERE role <> 'api' AND heartbeat_at > now() - interval '20 seconds'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW monitoring_load');
    await runner.query(
      `ALTER TABLE instance
         DROP overloaded_since, DROP overload_ratio, DROP skipped_per_second, DROP checks_per_second`,
    );
  }
}
