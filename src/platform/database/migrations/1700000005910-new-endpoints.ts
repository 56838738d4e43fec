import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Endpoints without a p95 from closed hours, and when to look at each again, so that finding those that need one costs what
 * it yields however many endpoints there are. Filled from the keys that follow `after_key` of the progress 'new', which
 * begins before the first endpoint, and when an hour is closed.
 */
export class NewEndpoints1700000005910 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE history_new (endpoint_key bigint PRIMARY KEY, look_at timestamptz(3) NOT NULL) WITH (fillfactor = 70)`,
    );
    await runner.query(`CREATE INDEX history_new_look_at ON history_new (look_at)`);
    // The hours of the endpoint were corrected since its summary was computed.
    await runner.query(`ALTER TABLE endpoint_summary ADD is_stale boolean NOT NULL DEFAULT false`);
    await runner.query(`INSERT INTO history_progress (name, done_until) VALUES ('new', now())`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM history_progress WHERE name = 'new'`);
    await runner.query('ALTER TABLE endpoint_summary DROP is_stale');
    await runner.query('DROP TABLE history_new');
  }
}
