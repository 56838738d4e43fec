import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A client that resumes reads the rows of its organization only, not the day of all. */
export class StreamOfOrganization1700000005400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX stream_event_of_organization ON stream_event (org_id, xid, seq)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX stream_event_of_organization');
  }
}
