import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Starts the history at the time of installation. This is separate from the schema, which a new embedded database
 * already has from the build. As with every later hour, the first hour stays open for two more minutes, and a check
 * that is recorded in that time needs no entry in history_late. Cost: one statement, four rows.
 */
export class HistoryBegins1795564800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`INSERT INTO history_progress (name, done_until) VALUES
      ('hour', date_trunc('hour', now() - interval '2 minutes', 'UTC')),
      ('day', date_trunc('day', now() - interval '2 minutes', 'UTC')),
      ('purge', now()),
      ('new', now())`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM history_progress');
  }
}
