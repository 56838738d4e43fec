import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long an endpoint must fail before a status page shows it as down. `NULL`: until its alert rules would trigger. */
export class ConfirmedOutages1796518801000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE status_page ADD COLUMN down_after_minutes smallint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE status_page DROP COLUMN down_after_minutes');
  }
}
