import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fast on a full table: adds columns without a default. The start of a streak that is already in progress is unknown,
 * so the streak is skipped.
 */
export class RecoveryBegins1795737600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The first check in the current streak of up checks, and in the current streak of up checks without a warning. The
    // outage ended there, even if alerts wait longer.
    await runner.query(
      'ALTER TABLE endpoint_state ADD COLUMN up_since timestamptz(3), ADD COLUMN good_since timestamptz(3)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE endpoint_state DROP COLUMN up_since, DROP COLUMN good_since');
  }
}
