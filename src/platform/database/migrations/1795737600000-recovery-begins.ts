import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quick on a full table: columns without a default. A streak that runs already has no known beginning: it is left out. */
export class RecoveryBegins1795737600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The first check of the running streak of up, and of up without a warning: where an outage ended, whatever alerts wait for.
    await runner.query(
      'ALTER TABLE endpoint_state ADD COLUMN up_since timestamptz(3), ADD COLUMN good_since timestamptz(3)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE endpoint_state DROP COLUMN up_since, DROP COLUMN good_since');
  }
}
