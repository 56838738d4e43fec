import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Due destinations are read organization by organization, the longest due first: of one with a hundred thousand
 * messages only the first few. Older versions read by time alone: they scan this index, or the small table.
 */
export class DeliveryTurns1700000005800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX notification_destination_turn ON notification_destination (org_id, due_at) WHERE due_at IS NOT NULL',
    );
    await runner.query('DROP INDEX notification_destination_due');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX notification_destination_due ON notification_destination (due_at) WHERE due_at IS NOT NULL',
    );
    await runner.query('DROP INDEX notification_destination_turn');
  }
}
