import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * History begins at the moment of the installation. Apart from the schema, because a new embedded database has that from
 * the build. At first an hour is open for two minutes more, as ever after: a check that is told in them needs no note in
 * history_late. One statement, four rows.
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
